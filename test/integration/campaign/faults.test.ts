import { test } from 'vitest';
import { runFaultCampaign } from '../../helpers/fault-campaign.ts';

// Another seed is another run; a failure names the one to repeat it with.
const seed = Number(process.env['CAMPAIGN_SEED'] ?? 1);

test('every fault, once, in one phase: each settles as it must, and nothing is left (the soak runs them all)', async () => {
  await runFaultCampaign({ seed, rounds: 0 }, 150_000);
}, 160_000);
