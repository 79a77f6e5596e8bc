import { beforeEach, expect, test } from 'vitest';
import { noRedaction } from '../../../src/errors/redactor.ts';
import { StderrTail } from '../../../src/process/stderr-tail.ts';
import { defaultResumePolicy } from '../../../src/session/resume-policy.ts';
import { StderrWatch } from '../../../src/session/stderr-watch.ts';

let stderr: StderrTail;
let matches: string[];

const write = (line: string) => stderr.write(Buffer.from(`${line}\n`));

function watch(): StderrWatch {
  const created = new StderrWatch(stderr, defaultResumePolicy.keywords, 'id-1');
  created.onMatch = ({ text }) => matches.push(text);
  return created;
}

beforeEach(() => {
  stderr = new StderrTail({ redactor: noRedaction, maxBytes: 100_000 });
  matches = [];
});

test('the first line that says that the session is missing is told, once', () => {
  write('No conversation found with session ID: id-1');
  const watching = watch();
  expect(watching.match).toBeUndefined();
  write('starting');
  write('No conversation found with session ID: id-1');
  write('No conversation found with session ID: id-1');
  expect(watching.match?.text).toContain('No conversation found');
  expect(matches).toHaveLength(1);
  expect(watching.lines).toHaveLength(3);
});

test('a line about another session is not', () => {
  const watching = watch();
  write('No conversation found with session ID: 6e2f0a52-0000-4000-8000-000000000000');
  expect(watching.match).toBeUndefined();
  expect(matches).toEqual([]);
});

test('nothing is told after the watch has ended', () => {
  const watching = watch();
  watching.stop();
  watching.stop();
  write('No conversation found with session ID: id-1');
  expect(matches).toEqual([]);
  expect(watching.lines).toEqual([]);
});

test('a flood is not kept, but for the line that decides', () => {
  const watching = watch();
  for (let index = 0; index < 2_000; index += 1) write(`line ${index}`);
  expect(watching.lines).toHaveLength(500);
  write('No conversation found with session ID: id-1');
  expect(watching.lines.slice(500)).toEqual(['No conversation found with session ID: id-1']);
  expect(matches).toHaveLength(1);
});
