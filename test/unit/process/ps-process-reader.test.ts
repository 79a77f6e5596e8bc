import { expect, test } from 'vitest';
import { parsePsOutput } from '../../../src/process/ps-process-reader.ts';

const output = `    1     0     1 Ss   Mon Nov 30 18:24:38 2026
 4711     1  4700 Z+   Tue Dec  1 09:03:01 2026
garbage
`;

test('parsePsOutput', () => {
  expect(parsePsOutput(output)).toEqual([
    {
      pid: 1,
      parentPid: 0,
      groupId: 1,
      sessionId: 1,
      startTime: new Date(2026, 10, 30, 18, 24, 38).getTime(),
      dead: false,
    },
    {
      pid: 4711,
      parentPid: 1,
      groupId: 4700,
      sessionId: 4700,
      startTime: new Date(2026, 11, 1, 9, 3, 1).getTime(),
      dead: true,
    },
  ]);
});
