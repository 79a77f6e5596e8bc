import type { z } from 'zod';
import { invalidConfig } from '../errors/invalid-config.ts';

/** `fieldPath('mcpServers', [1, 'env', 'MY VAR'])` is `mcpServers[1].env["MY VAR"]`. */
export function fieldPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, root);
}

/**
 * The value as the schema types it.
 * @throws `invalid-config` naming the first wrong field; the message lists up to five.
 */
export function validated<T>(schema: z.ZodType<T>, value: unknown, root = ''): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, root));
  const first = problems[0] ?? { field: root, problem: 'is not valid' };
  const others = problems.slice(1, 5).map(({ field, problem }) => `; ${field}: ${problem}`);
  return raise(first.field, first.problem + others.join(''));
}

function raise(field: string, problem: string): never {
  throw invalidConfig(field, problem);
}

function problemsOf(issue: z.core.$ZodIssue, root: string): { field: string; problem: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: fieldPath(root, [...issue.path, key]),
      problem: 'is not a known field',
    }));
  }
  const problem = issue.message
    .replace(/^Invalid input: /, '')
    .replace('received undefined', 'nothing given');
  return [{ field: fieldPath(root, issue.path), problem }];
}
