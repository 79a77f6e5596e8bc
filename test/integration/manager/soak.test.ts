import { expect, it } from 'vitest';
import { runProjectSoak } from '../../helpers/project-soak.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const folder = temporaryFolder();

// The long one is `npm run test:soak`.
it('keeps twelve projects apart, and their conversations, whatever is done to them', async () => {
  const limits = { seed: 7, seconds: 8, minRemembered: 3, projects: 12, maxAgents: 9, pauseMs: 500 };
  const report = await runProjectSoak({ folder: folder.path, ...limits });
  expect(report.wrong).toEqual([]);
  expect([report.unsettled, report.survivors]).toEqual([0, []]);
}, 120_000);
