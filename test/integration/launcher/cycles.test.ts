import { expect, it } from 'vitest';
import { runLaunchCycles } from '../../helpers/launch-cycles.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const temporary = temporaryFolder();

it('holds no file descriptor, listener or handle more after 15 launches than before (the soak runs 1,000)', async () => {
  const { before, after } = await runLaunchCycles(temporary.path, 15);
  expect({ ...after, heapBytes: 0 }).toEqual({ ...before, heapBytes: 0 });
});
