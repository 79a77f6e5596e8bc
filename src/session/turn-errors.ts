import { AcpLauncherError, type ErrorFacts } from '../errors/acp-launcher-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** @param where - Behind whom the updates piled up. */
export function overflowError(sessionId: string, where: string): AcpLauncherError {
  const message = `updates piled up beyond maxBufferedHardBytes ${where}`;
  return turnError('turn-overflow', message, { sessionId });
}

export function invalidPromptResponse(sessionId: string, response: string): AcpLauncherError {
  const message = `the agent answered session/prompt without a stop reason: ${response}`;
  return turnError('invalid-response', message, { sessionId });
}

function turnError(code: ErrorCode, message: string, facts: Partial<ErrorFacts>): AcpLauncherError {
  return new AcpLauncherError(code, message, { phase: 'prompt', method: 'session/prompt', ...facts });
}
