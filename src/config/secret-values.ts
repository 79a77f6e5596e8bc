import type { Secret } from '../errors/redactor.ts';

const secretName =
  /(?:^|_|-)(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|DSN|AUTH|AUTHORIZATION)S?(?:_|-|$)/i;

/** Whether a variable's or parameter's name says that its value is a secret: `GITHUB_TOKEN`, `apiKey`. */
export const isSecretName = (name: string) => secretName.test(name.replace(/([a-z])([A-Z])/g, '$1_$2'));

/** The password of `https://user:password@host`, and query parameters whose name marks them as secret. */
export function secretsInUrl(text: string, name: string): Secret[] {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return [];
  const url = new URL(text);
  const values = [url.password, safelyDecoded(url.password)];
  for (const [parameter, value] of url.searchParams) if (isSecretName(parameter)) values.push(value);
  const found = new Set(values.filter((value) => value !== ''));
  return [...found].map((value) => ({ name, value, origin: 'explicit' }));
}

function safelyDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** What must never be shown of an environment: values of variables with a secret name, credentials in URLs. */
export function secretsInEnvironment(env: Readonly<Record<string, string>>): Secret[] {
  return Object.entries(env).flatMap(([name, value]): Secret[] => {
    if (value === '') return [];
    if (isSecretName(name)) return [{ name, value, origin: 'by-name' }];
    return secretsInUrl(value, name);
  });
}
