import { it } from 'vitest';
import { runFaultCampaign } from '../helpers/fault-campaign.ts';

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 5);
const seed = Number(process.env['CAMPAIGN_SEED'] ?? 1);

it(`settles every fault in every phase as it must, ${rounds} times, and leaves nothing`, async () => {
  await runFaultCampaign({ seed, rounds }, 1_700_000);
});
