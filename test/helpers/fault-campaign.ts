import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { faultyAgent } from '../../fixtures/index.ts';
import type { CampaignReport, CampaignRequest } from '../integration/campaign/scripts/fault-campaign.ts';
import { reportFromNamespace } from './namespace.ts';

const script = fileURLToPath(new URL('../integration/campaign/scripts/fault-campaign.ts', import.meta.url));

/** Runs the campaign, prints its figures, and fails for whatever was not as it had to be, or was left. */
export async function runFaultCampaign(
  { seed, rounds }: Pick<CampaignRequest, 'seed' | 'rounds'>,
  timeoutMs: number,
): Promise<void> {
  const agent = faultyAgent([]).args[0] ?? '';
  const request: CampaignRequest = { agent, seed, rounds };
  const report = await reportFromNamespace<CampaignReport>({
    script,
    args: [JSON.stringify(request)],
    timeoutMs,
  });
  console.log(`fault campaign: ${JSON.stringify(report)}`);
  expect({ problems: report.problems, left: report.left }).toEqual({
    problems: [],
    left: { processes: [], resources: [], listeners: 0, fileDescriptors: 0, unhandledRejections: [] },
  });
}
