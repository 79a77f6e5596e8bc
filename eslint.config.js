import js from '@eslint/js';
import tseslint from 'typescript-eslint';

// The import directions of the house: each folder may use what stands before it, and nothing behind it.
const order = ['errors', 'internal', 'config', 'process', 'wire', 'session'];
const forbid = (patterns, message) => ({
  'no-restricted-imports': ['error', { patterns: [{ group: patterns, message }] }],
});
// One owner for each dependency.
const owners = { execa: ['process'], zod: ['config'], 'p-retry': ['session'] };
const foreign = (folder) =>
  Object.entries(owners).flatMap(([name, folders]) => (folders.includes(folder) ? [] : [name, `${name}/*`]));
const topLevel = [
  '**/agent-launcher.ts',
  '**/agent-connection.ts',
  '**/agent-session.ts',
  '**/session-manager.ts',
  '**/manager/**',
  '**/launch-plan.ts',
  '**/connection-parts.ts',
  '**/src/index.ts',
  '../index.ts',
];

export default tseslint.config(
  { ignores: ['dist', 'coverage', 'node_modules', 'test/agents/.cache', '.cache'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Template strings with numbers are plain English in this code base.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      // An abort's reason may be anything, and is passed on as it is.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/only-throw-error': 'error',
      'no-console': 'error',
      'no-control-regex': 'off',
    },
  },
  ...order.map((folder, index) => ({
    files: [`src/${folder}/**`],
    rules: forbid(
      [
        ...order.slice(index + 1).map((later) => `**/${later}/**`),
        // The type of a client object is what the wire turns into handlers.
        ...(['wire', 'session'].includes(folder) ? [] : ['**/client/**']),
        ...topLevel,
        ...foreign(folder),
      ],
      'imports point one way: errors, internal, config, process, wire, session, then the top level; one owner per dependency',
    ),
  })),
  {
    files: ['src/client/**'],
    rules: forbid(
      ['**/config/**', '**/wire/**', '**/session/**', ...topLevel, 'zod', 'zod/*', 'p-retry'],
      'client/ stands on errors, internal and process/terminate-agent alone',
    ),
  },
  {
    files: ['test/**', 'examples/**', 'fixtures/**', '*.ts', '*.js'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
