import { NO_NAMES, type Redaction, redact, type SecretNames } from '../../core/schema/secret-fields.ts'
import { createRedactor, findKeysInHeaders, isSecretHeader, type Redactor } from '../../core/schema/secret-texts.ts'
import { timestamp } from '../../core/schema/time.ts'
import { deepFreeze } from '../../core/schema/values.ts'
import { readCredentials } from '../../service/policy/credentials.ts'
import { joinBytes } from '../../traffic/body.ts'
import type { VisitorExchange } from '../../traffic/exchange.ts'
import { MAX_KEPT_BYTES } from '../../traffic/kept-body.ts'
import { findDecision, nameOf, type Trace } from '../../traffic/trace.ts'
import { BYTES_PER_CHARACTER, BYTES_PER_ENTRY, countValueBytes } from '../journal/exchange.ts'
import { isShown, redactHeaders, redactQuery } from '../journal/redact.ts'
import { JournalRows, toJsonList } from '../journal/rows.ts'
import type { TrafficEntry } from './entry.ts'

/** The number of requests that the journal keeps. */
const SIZE = 1000

interface Row {
  readonly exchange: VisitorExchange
  readonly bytes: number
}

interface TrafficJournalOptions {
  readonly ownKeys: Redactor
  readonly secretNames: SecretNames
  /** The maximum total size of all entries in bytes, counting two bytes per character. */
  readonly bytes: number
}

/** The most recent requests through a gateway. */
export class TrafficJournal {
  readonly #rows: JournalRows<Row>
  #count = 0

  constructor(readonly options: TrafficJournalOptions) {
    this.#rows = new JournalRows({ size: SIZE, bytes: options.bytes })
  }

  /** The number of requests since the journal was cleared, including dropped ones. */
  get count(): number {
    return this.#count
  }

  /** The number of requests that the journal has dropped. */
  get dropped(): number {
    return this.#count - this.#rows.size
  }

  /** Adds a request, and returns its number. */
  add(exchange: VisitorExchange): number {
    this.#rows.add({ exchange, bytes: countBytes(exchange) })
    return ++this.#count
  }

  clear(): void {
    this.#rows.clear()
    this.#count = 0
  }

  /** Yields the entries, newest first. Each entry is created when it is read. */
  *newestFirst(): Generator<TrafficEntry> {
    let number = this.#count
    for (const { exchange } of this.#rows.all().reverse()) yield toEntry(exchange, number--, this.options)
  }

  /** Returns the entry with a number, or undefined if the journal has dropped it. */
  get(number: number): TrafficEntry | undefined {
    const row = this.#rows.all()[number - 1 - this.dropped]
    return row && toEntry(row.exchange, number, this.options)
  }

  /**
   * Returns the entries after the entry with this number as JSON, oldest first, or all entries if there is no such entry yet. Omits the
   * oldest entries if the text would exceed the journal's maximum size.
   */
  json(after: number): string {
    return toJsonList(this.#newerThan(after > this.#count ? 0 : after), this.options.bytes)
  }

  *#newerThan(number: number): Generator<TrafficEntry> {
    for (const entry of this.newestFirst()) {
      if (entry.number <= number) return
      yield entry
    }
  }
}

/** Estimates the memory, in bytes, that an exchange takes up in the journal. */
function countBytes({ body: _, facts: __, ...exchange }: VisitorExchange): number {
  const length = Number(exchange.headers.find(([name]) => name === 'content-length')?.[1])
  // The body may still be arriving.
  const bodyBytes = length <= MAX_KEPT_BYTES ? BYTES_PER_CHARACTER * length : 0
  return BYTES_PER_ENTRY + bodyBytes + countValueBytes(exchange)
}

function toEntry(
  exchange: VisitorExchange,
  number: number,
  { ownKeys, secretNames }: TrafficJournalOptions,
): TrafficEntry {
  const { at, headers, responseHeaders, trace, from, body, ...rest } = exchange
  const redaction = createRedaction(exchange, ownKeys)
  const [address = '', query] = exchange.url.split(/\?(.*)/s)
  const decision = findDecision(trace)
  const { secrets: _, ...shown } = redact({ ...rest, rule: decision ? nameOf(decision) : null }, redaction)
  const has = (name: string) => (isSecretHeader(name) || secretNames.has(name)) && !isShown(name, redaction)
  const byNames = { ...redaction, names: { has } }
  const sent = redactBody(body(), byNames)
  return deepFreeze({
    number,
    ...shown,
    from: redact(from, byNames),
    ...(sent !== undefined && { body: sent }),
    at: timestamp(at),
    url: redact(address, redaction) + (query === undefined ? '' : `?${redactQuery(query, [], redaction)}`),
    headers: redactHeaders(headers.flat(), redaction),
    responseHeaders: redactHeaders(responseHeaders.flat(), redaction),
    trace: redact(toJson(trace), byNames) as Trace, // The same form with redacted texts.
  })
}

/** Returns a body as a string. A string that is neither JSON nor a form is omitted because its secrets cannot be found. */
function redactBody(parts: ReturnType<VisitorExchange['body']>, redaction: Redaction): string | null | undefined {
  if (!parts) return parts
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(joinBytes(parts))
    if (/^[\w.~%+*-]+=[^\s{}[\]"]*$/.test(text)) return redactQuery(text, [], redaction)
    const value: unknown = JSON.parse(text)
    const shown = redact(value, redaction)
    return shown === value ? text : JSON.stringify(shown)
  } catch {
    return undefined
  }
}

type Sent = Pick<VisitorExchange, 'url' | 'headers' | 'responseHeaders' | 'secrets'>

/** Returns the redactor for a request and its response. */
export function createRedaction(exchange: Sent, ownKeys: Redactor): Redaction {
  const redactSecrets = createRedactor(findSecretTexts(exchange))
  return { names: NO_NAMES, redactor: (text) => redactSecrets(ownKeys(text)), shown: exchange.secrets.shown }
}

/** Returns the strings that must not be in any output, from headers, from the query, and from values that expressions read. */
export function findSecretTexts({ url, headers, responseHeaders, secrets }: Sent): readonly string[] {
  const hidden = headers.filter(([name]) => !isShown(name, secrets))
  const keys = findKeysInHeaders([...hidden, ...responseHeaders].flat())
  const query = [...new URL(url).searchParams].filter(([name]) => isSecretHeader(name)).map(([, value]) => value)
  // A token contains its signature, and Base64 credentials contain the password.
  return [...keys, ...keys.flatMap((key) => key.split('.')), ...decodeBasic(headers), ...query, ...secrets.texts]
}

/** Returns the user name and password in a header, decoded from Base64. */
function decodeBasic(headers: VisitorExchange['headers']): string[] {
  const found = headers.find(([name]) => name === 'authorization')?.[1]
  const text = readCredentials(found)
  return text === undefined ? [] : [text, text.slice(text.indexOf(':') + 1)]
}

/** Returns a value as JSON. In expressions, integers are bigints, and maps, times, and types have their own classes. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return `[${value.length} bytes]`
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null) return value
  if (!(value instanceof Map) && !isPlain(value)) return String(value)
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(entries.map(([name, each]) => [String(name), toJson(each)]))
}

/** Returns whether an object is a plain object. The object may have a `constructor` field. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
