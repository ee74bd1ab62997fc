import { TextSearch } from './text-search.ts'

export const REDACTED = '[redacted]'

/** Matches a private key in PEM. If the END line is missing, matches to the end of the text. */
const PRIVATE_KEY = /-----BEGIN [^-]*PRIVATE KEY-----(?:.*?-----END [^-]*PRIVATE KEY-----|.*)/gs

/** The minimum length of a secret that redactors hide. Shorter ones would match parts of ordinary words. */
const MIN_SECRET_LENGTH = 8

export function redactPrivateKeys(text: string): string {
  return text.includes('PRIVATE KEY') ? text.replaceAll(PRIVATE_KEY, REDACTED) : text
}

export function hasNoPrivateKey(text: string): boolean {
  return redactPrivateKeys(text) === text
}

/** A function that replaces certain secrets anywhere in a string. */
export type Redactor = (text: string) => string

export const NO_REDACTION: Redactor = (text) => text

/** Returns a string without private keys, and without the secrets of a redactor. */
export function redactText(text: string, redactor: Redactor): string {
  return redactor(redactPrivateKeys(text))
}

/** Creates a redactor for these secrets. It finds each secret verbatim, escaped as in JSON, and encoded as in a URL. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const search = new TextSearch([...secrets].filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(listForms))
  return (text) => search.replaceIn(text, REDACTED)
}

function listForms(secret: string): string[] {
  if (UNCHANGED.test(secret)) return [secret]
  const encoded = String(new URLSearchParams({ '': secret })).slice(1)
  const inLowerCase = encoded.replace(/%../g, (digits) => digits.toLowerCase())
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, inLowerCase]
}

/** Matches a string that is unchanged in JSON and URLs. */
const UNCHANGED = /^[\w.-]*$/

/** Returns a URL without its query and its credentials, which may be secret. */
export function hideUrlSecrets(url: string): string {
  return url.replace(/[?#].*/s, '').replace(/^([^/]*\/\/)[^/]*@/, '$1')
}

/** The names of secrets that need no schema. */
export const COMMON_SECRETS = ['password', 'secret', 'token']

/** Matches the names of headers that carry secrets. CORS headers are not matched because they only name other headers. */
const SECRET_HEADER = new RegExp(
  `^(?!access-control-).*(auth|cookie|credential|key|session|signature|${COMMON_SECRETS.join('|')})`,
  'i',
)

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name)
}

/** Returns the strings in headers that may be keys. The list of headers alternates between names and values. */
export function findKeysInHeaders(headers: readonly string[]): string[] {
  return findSecretHeaderValues(headers).flatMap(findKeysInHeader)
}

/** Returns the values of headers that contain secrets. The list of headers alternates between names and values. */
export function findSecretHeaderValues(headers: readonly string[]): string[] {
  const values: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    if (isSecretHeader(name)) values.push(value)
  }
  return values
}

/** Returns the parts of a header that may be keys: the whole header, each word, and each cookie value. */
export function findKeysInHeader(header: string): string[] {
  return [header, ...header.split(/\s+/), ...header.split(/[\s;,=]+/)]
}

/** Returns whether a received key is in a list. The time taken does not depend on where the keys differ. */
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
