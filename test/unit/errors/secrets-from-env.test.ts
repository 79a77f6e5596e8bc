import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/errors/create-redactor.ts';
import { secretsFromEnv } from '../../../src/errors/secrets-from-env.ts';

describe('secretsFromEnv', () => {
  it.each([
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'GITHUB_TOKEN', 'TOKEN', 'npm_config__auth_token'],
    ...[
      'APP_SECRET',
      'SECRET_KEY_BASE',
      'DB_PASSWORD',
      'PGPASSWORD',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_ACCESS_KEY_ID',
    ],
    ...[
      'GOOGLE_CREDENTIALS',
      'AUTHORIZATION',
      'SESSION_COOKIE',
      'SENTRY_DSN',
      'apikey',
      'SSH_PRIVATE_KEY_DATA',
    ],
  ])('takes the value of %s for a secret', (name) => {
    expect(secretsFromEnv({ [name]: 'val-1234' })).toEqual([{ value: 'val-1234', name, origin: 'by-name' }]);
  });

  it.each([
    ...[
      'PATH',
      'PWD',
      'OLDPWD',
      'HOME',
      'MAX_TOKENS',
      'KEYBOARD',
      'TOKENIZERS_PARALLELISM',
      'ANTHROPIC_MODEL',
    ],
    ...[
      'SSL_CERT_FILE',
      'DB_PASSWORD_FILE',
      'CLIENT_SECRET_PATH',
      'AGENT_PROJECT_ID',
      'MONKEY_ISLAND',
      'SSH_AUTH_SOCK',
      'author',
    ],
  ])('does not take the value of %s for a secret', (name) => {
    expect(secretsFromEnv({ [name]: '/some/place-1' })).toEqual([]);
  });

  it('finds passwords and tokens in URLs, encoded and decoded', () => {
    const redactor = createRedactor(
      secretsFromEnv({
        BASE_URL: 'https://me:p%40ss-word1@host/v1',
        GIT_REMOTE: 'https://t0ken-12345@host/x.git',
      }),
    );
    expect(redactor.redact('p@ss-word1 p%40ss-word1 t0ken-12345 me')).toBe(
      '[redacted] [redacted] [redacted] me',
    );
  });

  it('does not fail on a URL that can not be decoded', () => {
    expect(secretsFromEnv({ BASE_URL: 'https://me:50%-off-1@host' })[0]?.value).toBe('50%-off-1');
  });

  it('finds the values of headers', () => {
    const redactor = createRedactor(
      secretsFromEnv({
        ANTHROPIC_CUSTOM_HEADERS: 'X-Gateway: gw-000111\nX-Other: ot-222333',
        OTEL_EXPORTER_OTLP_HEADERS: 'a=val-444555,b=val-666777',
      }),
    );
    const text = 'gw-000111 ot-222333 val-444555 val-666777';
    expect(redactor.redact(text)).toBe('[redacted] [redacted] [redacted] [redacted]');
  });
});
