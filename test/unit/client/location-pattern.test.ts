import { describe, expect, test } from 'vitest';
import { matchesLocation, parseLocationPattern } from '../../../src/client/location-pattern.ts';

const matches = (pattern: string, path: string) =>
  matchesLocation(parseLocationPattern(pattern, 'location'), path);

describe('location patterns', () => {
  test.each([
    ['/project', '/project', true],
    ['/project', '/project/src/a.ts', true],
    ['/project/', '/project/src/a.ts', true],
    ['/project', '/project-of-others/a.ts', false],
    ['/project', '/', false],
    ['/', '/anything/at/all', true],
    ['/project/../other', '/other/a', true],
    ['/project/*.md', '/project/a.md', true],
    ['/project/*.md', '/project/docs/a.md', false],
    ['/project/*.md', '/project/a.mdx', false],
    ['/project/*.md', '/other/a.md', false],
    ['/project/**', '/project', true],
    ['/project/**', '/project/a/b/c', true],
    ['/project/**/*.ts', '/project/a.ts', true],
    ['/project/**/*.ts', '/project/a/b/c.ts', true],
    ['/project/**/*.ts', '/project/a/b/c.tsx', false],
    ['/project/*/a.ts', '/project/x/a.ts', true],
    ['/project/*/a.ts', '/project/x/y/a.ts', false],
    ['/*', '/etc', true],
    ['/*', '/etc/passwd', false],
    ['**', '/anything/at/all', true],
    ['**/.env', '/project/.env', true],
    ['**/.env', '/.env', true],
    ['**/.env', '/project/xenv', false],
    ['**/.env', '/project/a.env', false],
    ['**/secrets/**', '/a/secrets/b/c', true],
    ['/p/a+(b)[c].{d}*', '/p/a+(b)[c].{d}!', true],
    ['/p/**', '/p/line\nbreak', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  test.each(['src', './src', '../src', 'src/**', '*.ts', ''])('refuses %j, which is relative', (pattern) => {
    expect(() => parseLocationPattern(pattern, 'rules[3].location')).toThrow(/^rules\[3\]\.location must be/);
  });
});
