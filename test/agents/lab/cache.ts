import path from 'node:path';

/** Everything that the suite downloads or writes, but the report: git, prettier, eslint and tsc ignore it. */
export const cacheFolder = path.join(import.meta.dirname, '..', '.cache');

/** Where results and the report are written: in CI not among the committed ones, a check leaves its tree as it was. */
const outputFolder = process.env['CI'] === undefined ? path.join(import.meta.dirname, '..') : cacheFolder;

/** Committed with the report, which is made of them: a run of one agent must not forget the others. */
export const resultsFolder = path.join(outputFolder, 'results');

export const reportFile = path.join(outputFolder, 'REPORT.md');

/** What a scenario saw besides its result, and what it printed. */
export const logsFolder = path.join(cacheFolder, 'logs');

export function agentFolder(name: string): string {
  return path.join(cacheFolder, 'agents', name);
}

export function nodeFolder(major: 22 | 24): string {
  return path.join(cacheFolder, `node${major}`);
}

/** The folder of an installation's commands. */
export function binFolder(folder: string): string {
  return path.join(folder, 'node_modules', '.bin');
}
