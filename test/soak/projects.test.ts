import { expect, it } from 'vitest';
import { runProjectSoak } from '../helpers/project-soak.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const seconds = Number(process.env['SOAK_SECONDS'] ?? 300);
const seed = Number(process.env['SOAK_SEED'] ?? 1);
const folder = temporaryFolder();

it(`keeps 100 projects apart, and their conversations, for ${seconds} seconds (seed ${seed})`, async () => {
  const limits = { projects: 100, maxAgents: 80, pauseMs: 3_000 };
  const report = await runProjectSoak({ folder: folder.path, seed, seconds, ...limits });
  console.log(JSON.stringify(report));
  expect(report.wrong).toEqual([]);
  expect(report.unsettled).toBe(0);
  expect(report.survivors).toEqual([]);
  expect(report.after.resources).toBeLessThanOrEqual(report.before.resources);
  expect(report.after.fileDescriptors).toBe(report.before.fileDescriptors);
  expect(report.after.listeners).toBe(report.before.listeners);
  expect(report.after.heapBytes - report.before.heapBytes).toBeLessThan(15_000_000);
});
