import { describe, expect, test } from 'vitest';
import { leaseVariable } from '../../../src/process/lease.ts';
import { parseLease, parseProcStat } from '../../../src/process/linux-process-reader.ts';

const stat = (name: string, state: string, { flags = '4194560', threads = '1' } = {}) =>
  `4711 (${name}) ${state} 12 4700 4699 34816 4700 ${flags} 1 2 3 4 5 6 7 8 20 0 ${threads} 0 987654 3133440 357\n`;

describe('parseProcStat', () => {
  test.each(['sh', 'a b', ') R 1 1 1 1', 'line\nbreak'])('any name: %j', (name) => {
    expect(parseProcStat(stat(name, 'S'))).toEqual({
      pid: 4711,
      parentPid: 12,
      groupId: 4700,
      sessionId: 4699,
      startTime: 987654,
      dead: false,
    });
  });

  test.each([
    ['X10: a zombie', 'Z', '1', true],
    ['a zombie that has no thread any more', 'Z', '0', true],
    ['a process whose first thread has ended, not its others', 'Z', '3', false],
    ['a dead one', 'X', '1', true],
    ['a stopped one', 'T', '1', false],
  ])('%s', (_, state, threads, dead) => {
    expect(parseProcStat(stat('sh', state, { threads }))?.dead).toBe(dead);
  });

  test('kernel threads are left out', () => {
    expect(parseProcStat(stat('kworker/0:1', 'I', { flags: '69238880' }))).toBeUndefined();
  });
});

describe('parseLease', () => {
  test.each([
    ['first', `${leaseVariable}=abc\0PATH=/bin\0`, 'abc'],
    ['last', `PATH=/bin\0${leaseVariable}=abc\0`, 'abc'],
    ['unterminated', `PATH=/bin\0${leaseVariable}=abc`, 'abc'],
    ['absent', 'PATH=/bin\0', null],
    ['another variable’s tail', `X${leaseVariable}=abc\0`, null],
    ['another variable’s value', `X=${leaseVariable}=abc\0`, null],
    ['an environment that is not there yet', '', undefined],
  ])('%s', (_, environment, lease) => {
    expect(parseLease(Buffer.from(environment))).toBe(lease);
  });
});
