/**
 * The first launch of a process and later ones, up to the session, against a plain spawn with a handshake made by
 * hand; and what the import of the library costs. Every figure is from processes of its own.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const name = 'launch';

const fileHere = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const library = fileHere('../../dist/index.js');
const rounds = 15;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** What the launches of one process took, the first one first. */
function launch(how: 'library' | 'hand'): number[] {
  const args = [fileHere('launch-child.mjs'), how, library, fileHere('flood-agent.mjs')];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as number[];
}

function timeToImport(): number {
  const code = `const start = performance.now(); await import(process.argv[1]); console.log(performance.now() - start);`;
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', code, library], { encoding: 'utf8' }),
  );
}

export function run(): Promise<{ name: string; ratio: number; goal?: number; detail: string }[]> {
  const byLibrary: number[][] = [];
  const byHand: number[][] = [];
  // In turns, so that a busy moment of the machine hits both alike.
  for (let round = 0; round <= rounds; round += 1) {
    const [ours, theirs] = [launch('library'), launch('hand')];
    if (round === 0) continue;
    byLibrary.push(ours);
    byHand.push(theirs);
  }
  const first = (runs: readonly number[][]) => median(runs.map(([time = Number.NaN]) => time));
  const later = (runs: readonly number[][]) => median(runs.flatMap((times) => times.slice(1)));
  const compare = (what: string, ours: number, theirs: number, goal: number) => ({
    name: what,
    ratio: ours / theirs,
    goal,
    detail: `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms`,
  });
  const importMs = median(Array.from({ length: 5 }, timeToImport));
  return Promise.resolve([
    compare('first launch', first(byLibrary), first(byHand), 1.3),
    compare('later launches', later(byLibrary), later(byHand), 1.2),
    {
      name: 'import, against one launch by hand',
      ratio: importMs / first(byHand),
      detail: `${importMs.toFixed(0)} ms`,
    },
  ]);
}
