import type { Redactor } from './redactor.ts';

const longestShown = 200;

/**
 * A value from the agent or the caller as an error message shows it: JSON, cut.
 *
 * @param redactor - For what an agent sent: it may repeat what it was given.
 */
export function shown(value: unknown, redactor?: Pick<Redactor, 'redact'>): string {
  const json = inJson(value);
  if (json === undefined) return 'nothing';
  // First the secrets: half of one would not be recognised.
  const text = redactor === undefined ? json : redactor.redact(json);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** The error that a value stands in must not become another one: an agent can nest until the stack overflows. */
function inJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return "something that can't be shown";
  }
}
