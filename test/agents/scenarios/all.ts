import { backendFaults } from './backend-faults.ts';
import { cancel } from './cancel.ts';
import { brokenInner, emptyTranscript, transientCrash } from './claude-inner.ts';
import { closeBusy, closeIdle, killBusy } from './close.ts';
import { fallbackTime } from './fallback-time.ts';
import {
  fortyTwo,
  fortyTwoHint,
  fortyTwoMeta,
  fortyTwoNative,
  otherDirectory,
  secondResume,
  secondResumeKept,
} from './forty-two.ts';
import { launchAndPrompt } from './launch-and-prompt.ts';
import { mcpDead, mcpUsed } from './mcp.ts';
import { malformedId, neverPrompted, unknownId } from './missing-session.ts';
import { modelChange } from './model-change.ts';
import { noCredentials } from './no-credentials.ts';
import { permission } from './permission.ts';
import type { Scenario } from './scenario.ts';
import { systemPrompt } from './system-prompt.ts';

/** In the order of the report. */
export const scenarios: readonly Scenario[] = [
  launchAndPrompt,
  fortyTwo,
  fortyTwoMeta,
  fortyTwoNative,
  fortyTwoHint,
  secondResume,
  secondResumeKept,
  unknownId,
  malformedId,
  neverPrompted,
  otherDirectory,
  emptyTranscript,
  transientCrash,
  brokenInner,
  fallbackTime,
  modelChange,
  systemPrompt,
  cancel,
  permission,
  mcpUsed,
  mcpDead,
  ...backendFaults,
  noCredentials,
  closeIdle,
  closeBusy,
  killBusy,
];
