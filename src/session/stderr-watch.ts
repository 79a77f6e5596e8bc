import type { ResumeEvidence } from '../errors/resume-failed-error.ts';
import type { StderrTail } from '../process/stderr-tail.ts';
import { matchStderr } from './classify-resume-failure.ts';
import type { ResumeKeyword } from './resume-keywords.ts';

/** What is kept of stderr for the verdict; more than any agent writes while it opens a session. */
const maxLines = 500;

/** Watches what an agent writes to stderr from now on for a line that says that a session is missing. */
export class StderrWatch {
  /** The lines written since the watch began (bounded). */
  readonly lines: string[] = [];
  /** The first line that said so. */
  match: ResumeEvidence | undefined;
  /** Called once, with the first line that says so. */
  onMatch: (evidence: ResumeEvidence) => void = () => undefined;
  readonly #unsubscribe: () => void;

  constructor(stderr: StderrTail, keywords: readonly ResumeKeyword[], sessionId: string) {
    this.#unsubscribe = stderr.onLine((line) => {
      const match = this.match === undefined ? matchStderr([line], keywords, sessionId) : undefined;
      // The line that decides is kept, however many came before it.
      if (this.lines.length < maxLines || match !== undefined) this.lines.push(line);
      if (match === undefined) return;
      this.match = match;
      this.onMatch(match);
    });
  }

  stop(): void {
    this.onMatch = () => undefined;
    this.#unsubscribe();
  }
}
