/** Makes the compiler prove that a `switch` covers every case; throws where a value slipped past the types. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${JSON.stringify(value)}`);
}
