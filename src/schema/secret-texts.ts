import { replaced, TextSearch, together } from './text-search.ts'

export const REDACTED = '[redacted]'

/** A private key in PEM; to the end of the text where its END line is missing. */
const PRIVATE_KEY = /-----BEGIN [^-]*PRIVATE KEY-----(?:.*?-----END [^-]*PRIVATE KEY-----|.*)/gs

/** Shorter values are not looked for: they would be found in too many words. */
const SHORTEST = 8

export function withoutPrivateKeys(text: string): string {
  return text.includes('PRIVATE KEY') ? text.replaceAll(PRIVATE_KEY, REDACTED) : text
}

export function hasNoPrivateKey(text: string): boolean {
  return withoutPrivateKeys(text) === text
}

/** Texts that are secret wherever they are. */
export type SecretTexts = Pick<TextSearch, 'isEmpty' | 'partsIn'>

export const NO_TEXTS: SecretTexts = /* @__PURE__ */ new TextSearch([])

export function withoutSecrets(text: string, secrets: SecretTexts): string {
  const shown = withoutPrivateKeys(text)
  return replaced(shown, secrets.partsIn(shown), REDACTED)
}

export function secretTexts(secrets: Iterable<string>): SecretTexts {
  return new TextSearch([...secrets].filter((secret) => secret.length >= SHORTEST))
}

export function bothOf(one: SecretTexts, other: SecretTexts): SecretTexts {
  if (one.isEmpty) return other
  return {
    isEmpty: false,
    partsIn: (text) => together(one.partsIn(text), other.partsIn(text)),
  }
}

/** The names of headers that carry secrets; those of CORS only name others. */
const SECRET_HEADER = /^(?!access-control-).*(auth|cookie|credential|key|password|secret|session|signature|token)/i

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name)
}

/** Returns what may be a key in headers, which are names and values in turn. */
export function keysInHeaders(headers: readonly string[]): string[] {
  return headers.flatMap((name, at) =>
    at % 2 === 0 && isSecretHeader(name) ? keysInHeader(headers[at + 1] ?? '') : [],
  )
}

/** Returns the parts of a header that may be a key: all of it, each word, and each value of a cookie. */
export function keysInHeader(header: string): string[] {
  return [header, ...header.split(/\s+/), ...header.split(/[\s;,=]+/)]
}

/** Compares with every key, each in a time that depends only on the received key's length. */
export function isOneOf(keys: readonly string[], received: string): boolean {
  let found = false
  for (const key of keys) found = isEqual(received, key) || found
  return found
}

function isEqual(received: string, key: string): boolean {
  let difference = received.length ^ key.length
  for (let i = 0; i < received.length; i++) difference |= received.charCodeAt(i) ^ key.charCodeAt(i % key.length)
  return difference === 0
}
