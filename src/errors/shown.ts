import type { Redactor } from './redactor.ts';

const longestShown = 200;

/**
 * A value from the agent or the caller as an error message shows it: JSON, cut.
 *
 * @param redactor - For what an agent sent: it may repeat what it was given.
 */
export function shown(value: unknown, redactor?: Pick<Redactor, 'redact'>): string {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) return 'nothing';
  // First the secrets: half of one would not be recognised.
  const text = redactor === undefined ? json : redactor.redact(json);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
