import { LARGEST_BODY, type RequestBody } from '../schema/body.ts'
import { REDACTED, readings } from '../schema/private-key-text.ts'
import { type Hidden, redacted, type SecretNames, secretsIn } from '../schema/secret-fields.ts'
import { withoutSecrets } from '../schema/secret-values.ts'
import { counted } from '../schema/text.ts'
import { jsonBeginning } from './json-beginning.ts'

/** The most characters that are kept of one text. */
export const MOST_KEPT = 65_536

/** A text as it is kept: whole, or its beginning and how long it was. */
export type Kept = string | { readonly start: string; readonly length: number }

/** What is kept of a text, in memory of its own: a slice of a text would keep all of it. */
export function kept(text: string): Kept {
  const start: string = JSON.parse(JSON.stringify(text.slice(0, MOST_KEPT)))
  return text.length <= MOST_KEPT ? start : { start, length: text.length }
}

/** How many characters are kept of a text. */
export function keptLength(text: Kept): number {
  return typeof text === 'string' ? text.length : text.start.length
}

/** A header's name and value. */
export type KeptHeader = readonly [name: string, value: Kept]

/** What is kept of headers, names and values by turns: together as much as of one text. The rest is counted. */
export function keptHeaders(headers: readonly string[]): readonly Kept[] {
  const all: Kept[] = []
  let left = MOST_KEPT
  for (const text of headers) {
    if (left < text.length) break
    left -= text.length
    // A slice of a text would keep all of it.
    all.push(JSON.parse(JSON.stringify(text)))
  }
  const pairs = all.length - (all.length % 2)
  return pairs === headers.length
    ? all
    : [...all.slice(0, pairs), '…', `[cut: ${pairs / 2} of ${headers.length / 2} headers]`]
}

/** Headers from names and values by turns. */
export function pairsOf(headers: readonly Kept[]): KeptHeader[] {
  return headers.flatMap((name, at): KeptHeader[] => (at % 2 === 0 ? [[startOf(name), headers[at + 1] ?? '']] : []))
}

/** What is there of a text, with a sign at its end where it was cut. */
export function startOf(text: Kept): string {
  return typeof text === 'string' ? text : `${text.start}…`
}

/** A body as it is read back: its JSON, as far as it was kept, or what it was where it is none. */
export type ReadBody = { readonly json: unknown; readonly note: string } | { readonly description: string | null }

const UNREAD = {
  body_too_large: `[a body of more than ${LARGEST_BODY} bytes]`,
  body_unreadable: '[a body that could not be read to its end]',
  'not UTF-8': '[a body that is not UTF-8]',
} as const

/** Reads what was kept of a body. A text that is not JSON is only described: nobody can say what in it is secret. */
export function readBody(body: Kept | Exclude<RequestBody, string> | null): ReadBody {
  if (body === null || body === '') return { description: null }
  if (typeof body === 'object' && 'unread' in body) return { description: UNREAD[body.unread] }
  const json = typeof body === 'string' ? parsed(body) : jsonBeginning(body.start)
  if (json === undefined) return { description: `[a text of ${counted(body.length, 'character')} that is not JSON]` }
  return { json, note: cutNote(body) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function cutNote(text: Kept): string {
  return typeof text === 'string' ? '' : ` [cut: ${text.start.length} of ${text.length} characters]`
}

/** A body without its secrets: the JSON that it is, or a text in its place. */
export function redactedBody(body: ReadBody, hidden: Hidden): unknown {
  if (!('json' in body)) return body.description
  const shown = redacted(body.json, hidden)
  return body.note === '' ? shown : JSON.stringify(shown).slice(0, MOST_KEPT) + body.note
}

/** A path or a method without secrets. */
export function redactedText(text: Kept, { values }: Hidden): string {
  return withoutSecrets(startOf(text), values) + cutNote(text)
}

/**
 * A query without secrets. Of a parameter that the operation does not have, the value is not shown: it may be a key
 * that belongs into a header.
 */
export function redactedQuery(query: Kept, known: readonly string[], hidden: Hidden): string {
  const parameters = startOf(query).split('&')
  return parameters.map((each) => redactedParameter(each, known, hidden)).join('&') + cutNote(query)
}

function redactedParameter(text: string, known: readonly string[], { values }: Hidden): string {
  const [name = '', ...rest] = text.split('=')
  const value = rest.join('=')
  const shownName = withoutSecrets(name, values)
  if (rest.length === 0) return shownName
  return `${shownName}=${isKnown(name, known) ? withoutSecrets(value, values) : value && REDACTED}`
}

function isKnown(name: string, known: readonly string[]): boolean {
  return known.includes(name) || [...readings(name)].some((reading) => known.includes(reading))
}

/** The names of headers that carry secrets; those of CORS only name others. */
const SECRET_HEADER = /^(?!access-control-).*(auth|cookie|credential|key|password|secret|session|signature|token)/i

function isSecretHeader(name: string, names: Hidden['names']): boolean {
  return SECRET_HEADER.test(name) || names.has(name)
}

/** Headers without secrets, by their names in lower case. One that came twice has its values one behind the other. */
export function redactedHeaders(headers: readonly KeptHeader[], hidden: Hidden): Record<string, string> {
  const shown = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = withoutSecrets(name.toLowerCase(), hidden.values)
    const text = isSecretHeader(name, hidden.names) ? REDACTED : redactedText(value, hidden)
    const before = shown.get(key)
    shown.set(key, before === undefined ? text : `${before}, ${text}`)
  }
  return Object.fromEntries(shown)
}

/** What of a request is looked at for its secrets. */
interface Carrier {
  readonly authorization: string
  readonly headers: readonly KeptHeader[]
  readonly query: string
  readonly bodies: readonly ReadBody[]
}

/** The texts that a request carries in the places of secrets, and its whole authorization. */
export function secretsOf({ authorization, headers, query, bodies }: Carrier, names: SecretNames): string[] {
  return [
    ...secretsOfHeader(authorization),
    ...[...new URLSearchParams(query)].flatMap(([name, value]) => (names.has(name) ? [value] : [])),
    ...bodies.flatMap((body) => ('json' in body ? secretsIn(body.json, names) : [])),
    ...headers.flatMap(([name, value]) => (isSecretHeader(name, names) ? secretsOfList(startOf(value)) : [])),
  ]
}

/** What of an `Authorization` header may be a key: all of it, and each word. */
export function secretsOfHeader(header: string): string[] {
  return [header, ...header.split(/\s+/)]
}

/** What of another header with secrets may be one: all of it, and what stands between the signs of a list such as a cookie's. */
function secretsOfList(header: string): string[] {
  return [header, ...header.split(/[\s;,=]+/)]
}
