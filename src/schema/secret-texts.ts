export const REDACTED = '[redacted]'

/** A private key in PEM; to the end of the text where its END line is missing. */
const PRIVATE_KEY = /-----BEGIN [^-]*PRIVATE KEY-----(?:.*?-----END [^-]*PRIVATE KEY-----|.*)/gs

/** Shorter values are not looked for: they would be found in too many words. */
const SHORTEST = 8

/** The most values that are looked for on behalf of one request. */
const MOST_VALUES = 200

export function withoutPrivateKeys(text: string): string {
  return text.includes('PRIVATE KEY') ? text.replaceAll(PRIVATE_KEY, REDACTED) : text
}

export function hasNoPrivateKey(text: string): boolean {
  return withoutPrivateKeys(text) === text
}

export function withoutSecrets(text: string, values: readonly string[]): string {
  return values.reduce((shown, value) => shown.replaceAll(value, REDACTED), withoutPrivateKeys(text))
}

export function valuesOf(secrets: Iterable<string>): string[] {
  const values = new Set<string>()
  for (const secret of secrets) if (secret.length >= SHORTEST && values.size < MOST_VALUES) values.add(secret)
  // The longest first, so that none is left in pieces.
  return [...values].sort((one, other) => other.length - one.length)
}

/** Returns the parts of an `Authorization` header that may be a key: all of it, and each word. */
export function keysInHeader(header: string): string[] {
  return [header, ...header.split(/\s+/)]
}
