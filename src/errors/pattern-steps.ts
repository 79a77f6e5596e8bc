/** One step of a pattern, as the source of a RegExp. */
export interface Step {
  /** Matches the step. */
  readonly whole: string;
  /** Matches, at the end of a text, what is a beginning of the step, or the step and then `rest`. */
  beginning(rest: string): string;
}

export function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Any of the texts, in any case. */
export function word(...alternatives: readonly string[]): Step {
  return oneOf(alternatives, (unit) => {
    const [lower, upper] = [unit.toLowerCase(), unit.toUpperCase()];
    return lower === upper ? escapeForRegExp(unit) : `[${lower}${upper}]`;
  });
}

/** Any of the texts, as they are. */
export function exactly(...alternatives: readonly string[]): Step {
  return oneOf(alternatives, escapeForRegExp);
}

/** So many characters of a class, which is written as in a RegExp, without its brackets. */
export function some(characters: string, from: number, to?: number): Step {
  const upTo = to ?? '';
  const whole = `[${characters}]{${from},${upTo}}`;
  const inside = `[${characters}]{0,${upTo}}$`;
  return { whole, beginning: (rest) => (rest === '$' ? inside : `(?:${inside}|${whole}${rest})`) };
}

function oneOf(alternatives: readonly string[], source: (unit: string) => string): Step {
  const units = alternatives.map((text) =>
    Array.from({ length: text.length }, (_, index) => source(text.charAt(index))),
  );
  const anyOf = (sources: readonly string[]) => `(?:${sources.join('|')})`;
  return {
    whole: anyOf(units.map((sources) => sources.join(''))),
    beginning: (rest) =>
      anyOf(units.map((sources) => sources.reduceRight((after, one) => `(?:$|${one}${after})`, rest))),
  };
}

export function wholeSource(steps: readonly Step[]): string {
  return steps.map((step) => step.whole).join('');
}

/** Matches at the end of a text what is a beginning of the steps, or all of them and might go on. */
export function beginningSource(steps: readonly Step[]): string {
  return steps.reduceRight((rest, step) => step.beginning(rest), '$');
}
