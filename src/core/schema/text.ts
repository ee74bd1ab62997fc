import { redactPrivateKeys } from './secret-texts.ts'

const MAX_LENGTH = 80

/**
 * Formats a received value for a message: as JSON, truncated to 80 characters and without private keys. Never throws.
 *
 * @example
 * ```ts
 * quote('a\u202eb') // '"a\\u202eb"'
 * ```
 */
export function quote(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') {
    const quoted = escapeUnprintable(JSON.stringify(cut(redactPrivateKeys(value))))
    // The closing quote stays, because readers would otherwise take what follows for a part of the value.
    return `"${cut(quoted.slice(1, -1))}"`
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return `an array of ${formatCount(value.length, 'item')}`
  return typeof value === 'object' ? nameObject(value) : `a ${typeof value}`
}

/** Describes a thrown value as text, such as `TypeError: too long`, or by its kind if there is no text. Never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = String(thrown)
    if (text !== '[object Object]') return text
    // Some clients reject with the body of a response.
    const { message, msg = message }: { message?: unknown; msg?: unknown } = Object(thrown)
    return typeof msg === 'string' ? msg : quote(thrown)
  } catch {
    // Converting an object may fail, and a getter or a proxy may throw.
    return quote(thrown)
  }
}

/** Returns a thrown value as an error: the value itself if it is an error, or else an error with its description. Never throws. */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown
  } catch {
    // A proxy may throw.
  }
  return new Error(describeThrown(thrown), { cause: thrown })
}

/** Describes an object by its kind, such as `a Promise`, because "an object" would not help where objects are allowed. Never throws. */
function nameObject(value: object): string {
  try {
    const [, kind = 'Object'] = /^\[object (\w{1,30})\]$/.exec(Object.prototype.toString.call(value)) ?? []
    if (kind === 'Date' && Number.isNaN(Number(value))) return 'an invalid Date'
    return kind === 'Object' ? 'an object' : `${chooseArticle(kind)} ${kind}`
  } catch {
    // A proxy, or a getter for the kind, may throw.
    return 'an object'
  }
}

/** Matches control characters that affect a terminal, except line breaks, and characters that change the order of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Replaces characters that could affect a terminal with escapes such as `\u202e`. The meaning of JSON does not change. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// (rules: secrets#messages)
/** Formats a secret value for a message, showing only its type. */
export function quoteSecret(value: unknown): string {
  if (typeof value === 'string') return `a string of ${formatCount(value.length, 'character')}`
  return typeof value === 'number' ? 'a number' : quote(value)
}

/** Formats a received method or path for a message: verbatim if it is a short word of common characters, otherwise quoted. */
export function quoteWord(text: string): string {
  return text.length <= MAX_LENGTH && /^[\w/.~%-]+$/.test(text) ? text : quote(text)
}

export function cut(text: string, length = MAX_LENGTH): string {
  if (text.length <= length) return text
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return `${text.slice(0, isInPair ? length - 1 : length)}…`
}

/** Returns a number with its noun: `1 fault`, `2,000 faults`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  // The first call of `toLocaleString` is slow.
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? one : many}`
}

/** Adds a period to a string, unless it already ends with one. */
export function toSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

export type Path = readonly (string | number)[]

export const THE_BODY = 'the body'

const MAX_SEGMENTS = 12
const MAX_SEGMENT_LENGTH = 64

/** Formats a field's path for messages and `details`. Long keys are truncated, and keys that are not plain names are quoted. */
export function formatPath(path: Path, whole = THE_BODY): string {
  if (path.length === 0) return whole
  const segments = path.slice(0, MAX_SEGMENTS).map((key) => {
    const text = cut(redactPrivateKeys(String(key)), MAX_SEGMENT_LENGTH)
    return /^[\w$…-]+$/.test(text) ? text : escapeUnprintable(JSON.stringify(text))
  })
  return `${segments.join('.')}${path.length > MAX_SEGMENTS ? '.…' : ''}`
}

/** Describes how IDs begin: `"rd_"`, or `"rd_" or "ra_"` for the prefixes `rd|ra`. */
export function formatIdStart(prefix: string): string {
  return prefix
    .split('|')
    .map((each) => `"${each}_"`)
    .join(' or ')
}

/** Returns the name of an operation as a type name: `EndpointsList` for `endpoints.list`. */
export function toTypeName(operation: string): string {
  return operation.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Converts a camelCase name to snake_case, like the service's names. */
export function toSnakeCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Converts a snake_case name to camelCase, like the names in ngrok's client in TypeScript. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the article for a noun, chosen by sound: an edge, an Error, an HTTPS edge, a TLS edge, a URL. */
export function chooseArticle(noun: string): 'a' | 'an' {
  return /^(?:[aeiou]|[AEIO][a-z]|[AEFHILMNORSX][A-Z])/.test(noun) ? 'an' : 'a'
}

/** Escapes a string for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
