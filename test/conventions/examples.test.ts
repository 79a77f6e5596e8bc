import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../helpers/run-command.ts';
import { splitCommand } from '../../examples/demo/split-command.ts';

const root = join(import.meta.dirname, '../..');
const examples = readdirSync(join(root, 'examples')).filter((name) => /^\d\d-.*\.ts$/.test(name));
const tsx = join(root, 'node_modules/.bin/tsx');

function runExample(file: string, ...args: string[]) {
  return runCommand(tsx, ['--tsconfig', 'src/tsconfig.json', join('examples', file), ...args], { cwd: root });
}

describe('examples', () => {
  it('are numbered without gaps', () => {
    expect(examples.map((name) => Number(name.slice(0, 2)))).toEqual(examples.map((_, index) => index + 1));
  });

  it.each(examples)('%s holds', async (name) => {
    const { code, stderr } = await runExample(name);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});

describe('the demo', () => {
  it('tells its story on the bundled agent', async () => {
    const { code, stdout } = await runExample('demo/main.ts');
    expect(stdout).toContain('✓ it remembers 42');
    expect(stdout).toContain('✓ fell back to a new session, and says so: missing');
    expect(stdout).toContain('✓ no process is left');
    expect(stdout).not.toContain('✗');
    expect(code).toBe(0);
  });

  it('exits non-zero when the story does not come true', async () => {
    const { code, stdout } = await runExample('demo/main.ts', '--agent', 'no-such-agent');
    expect(stdout).toContain('✗ the story could not be told to its end: command-missing');
    expect(code).toBe(1);
  });

  it.each([
    ['agent', ['agent']],
    ['  node "a b.js"  --flag=x ', ['node', 'a b.js', '--flag=x']],
    [`sh -c 'exec "$0"'`, ['sh', '-c', 'exec "$0"']],
    [String.raw`a\ b "c\"d" e''f`, ['a b', 'c"d', 'ef']],
    [`""`, ['']],
  ])('splits %j as a shell would', (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });
});
