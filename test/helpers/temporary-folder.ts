import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A fresh folder for each test of a file, under its canonical path; gone afterwards. */
export function temporaryFolder(): { readonly path: string; file(...names: string[]): string } {
  let path = '';
  beforeEach(() => {
    path = realpathSync(mkdtempSync(join(tmpdir(), 'acp-launcher-test-')));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));
  return {
    get path() {
      return path;
    },
    file: (...names) => join(path, ...names),
  };
}
