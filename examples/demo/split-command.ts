/** Splits a command line into words, as a shell does with plain and quoted words; nothing is expanded. */
export function splitCommand(commandLine: string): string[] {
  const words: string[] = [];
  const pattern = /"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+)|(\s+)/gs;
  let word: string | undefined;
  for (const [, double, single, plain, space] of commandLine.matchAll(pattern)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? '') + (double ?? plain ?? '').replace(/\\(.)/gs, '$1') + (single ?? '');
  }
  return word === undefined ? words : [...words, word];
}
