// Runs every benchmark of this folder, or those whose names are given, and prints what each measured against the
// baseline of the same run. Exits non-zero where a goal was missed.
import { readdirSync } from 'node:fs';

interface Measurement {
  readonly name: string;
  /** The measured value over the baseline's. */
  readonly ratio: number;
  /** The ratio may not be above this. */
  readonly goal?: number;
  readonly detail: string;
}

interface Benchmark {
  readonly name: string;
  run(): Promise<readonly Measurement[]>;
}

const wanted = process.argv.slice(2);
const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && file !== 'main.ts');
let missed = 0;
for (const file of files) {
  const benchmark = (await import(`./${file}`)) as Partial<Benchmark>;
  if (benchmark.run === undefined || benchmark.name === undefined) continue;
  if (wanted.length > 0 && !wanted.some((word) => file.includes(word) || benchmark.name?.includes(word)))
    continue;
  console.log(`\n${benchmark.name}`);
  for (const { name, ratio, goal, detail } of await benchmark.run()) {
    const holds = goal === undefined || ratio <= goal;
    if (!holds) missed += 1;
    const against = goal === undefined ? '' : ` (goal ${goal})`;
    console.log(`  ${holds ? ' ' : '✗'} ${name}: ${ratio.toFixed(2)}${against} · ${detail}`);
  }
}
process.exitCode = missed === 0 ? 0 : 1;
