import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const sources = tracked.filter((file) => /^(src|fixtures)\/.*\.ts$/.test(file));

describe('the tree', () => {
  it('has only what belongs at the top', () => {
    const top = new Set(
      tracked.map((file) => file.split('/')[0] ?? '').filter((name) => !name.startsWith('.')),
    );
    const allowed = [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'README.zh-CN.md',
      'examples',
      'fixtures',
      'src',
      'test',
    ];
    const configs = [
      'eslint.config.js',
      'knip.json',
      'package-lock.json',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
    ];
    expect([...top].filter((name) => ![...allowed, ...configs].includes(name))).toEqual([]);
  });

  it('has no source file of more than 300 lines', () => {
    expect(sources.filter((file) => read(file).split('\n').length > 301)).toEqual([]);
  });

  it('has no work left behind and no check turned off', () => {
    const forbidden = /\bTODO\b|\bFIXME\b|@ts-ignore|@ts-expect-error|eslint-disable|\bconsole\./;
    // acproxy's commands print a report to a person; the library prints nothing.
    const printing = /^fixtures\/acproxy\/(main|smoke)\.ts$/;
    const withoutExamples = (text: string) => text.replace(/^ \* .*$/gm, '');
    const offends = (file: string) => forbidden.test(withoutExamples(read(file))) && !printing.test(file);
    expect(sources.filter(offends)).toEqual([]);
  });

  it('has a lockfile without download addresses', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });

  it('keeps a changelog in the agreed form', () => {
    expect(read('CHANGELOG.md')).toMatch(/^# Changelog\n[\s\S]*keepachangelog\.com[\s\S]*\n## \[/);
  });
});
