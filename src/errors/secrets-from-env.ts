import type { Secret } from './redactor.ts';

const secretName =
  /(?:^|[_-])(?:KEY|TOKEN|PWD|PASS|PAT|PASSPHRASE|AUTH|AUTHORIZATION|COOKIE|DSN)$|SECRET|PASSWORD|PASSWD|CREDENTIAL|(?:API|ACCESS|PRIVATE)[_-]?KEY|AUTH[_-]?TOKEN/i;
/** They name the place of a secret, not the secret; `PWD` is the working directory. */
const placeName = /[_-](?:FILE|PATH|DIR)$|^(?:OLD)?PWD$/i;
const headersName = /(?:^|[_-])HEADERS?$/i;

/** The values in an environment that its variables' names mark as secrets, and the passwords in its URLs. */
export function secretsFromEnv(env: Readonly<Record<string, string>>): Secret[] {
  return Object.entries(env).flatMap(([name, value]): Secret[] => {
    const secrets = urlPasswords(value).map((password): Secret => ({ value: password, origin: 'by-name' }));
    if (headersName.test(name)) secrets.push(...headerSecrets(value));
    if (secretName.test(name) && !placeName.test(name)) secrets.push({ value, name, origin: 'by-name' });
    return secrets;
  });
}

/** As they stand in the URL, and decoded. A user without a password is a token: `https://TOKEN@host`. */
function urlPasswords(value: string): string[] {
  return [...value.matchAll(/:\/\/([^\s/:@]*)(?::([^\s/@]*))?@/g)].flatMap(([, user = '', password]) => {
    const secret = password ?? user;
    return [secret, decoded(secret)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `name: value` lines, or `name=value` pairs with commas between them. */
function headerSecrets(value: string): Secret[] {
  return value.split(/[\r\n,]+/).flatMap((header): Secret[] => {
    const [, name, secret] = /^\s*([^:=\s]+)\s*[:=]\s*(.+)$/.exec(header) ?? [];
    return secret === undefined ? [] : [{ value: secret, name, origin: 'by-name' }];
  });
}
