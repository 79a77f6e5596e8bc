const longestShown = 200;

/** A value from the agent or the caller as an error message shows it: JSON, cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
