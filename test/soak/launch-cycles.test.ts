import { expect, it } from 'vitest';
import { runLaunchCycles } from '../helpers/launch-cycles.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const cycles = Number(process.env['SOAK_CYCLES'] ?? 1_000);
const temporary = temporaryFolder();

it(`holds nothing more after ${cycles} launches than before`, async () => {
  const { before, after } = await runLaunchCycles(temporary.path, cycles);
  console.log(JSON.stringify({ cycles, before, after }));
  expect(after.fileDescriptors).toBe(before.fileDescriptors);
  expect(after.listeners).toBe(before.listeners);
  expect(after.resources).toBe(before.resources);
  // A kilobyte a launch would be a leak; the rest is the heap's own breathing.
  expect(after.heapBytes - before.heapBytes).toBeLessThan(cycles * 1_024 + 2_000_000);
});
