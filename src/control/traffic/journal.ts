import {
  createRedactor,
  findKeysInHeaders,
  isSecretHeader,
  REDACTED,
  type Redactor,
  redactText,
} from '../../core/schema/secret-texts.ts'
import { timestamp } from '../../core/schema/time.ts'
import { deepFreeze } from '../../core/schema/values.ts'
import type { Exchange } from '../../traffic/exchange.ts'
import { findDecision, nameOf, type Trace } from '../../traffic/trace.ts'
import { Queue } from '../journal/queue.ts'

/** A request through the gateway and what became of it. Secrets are `[redacted]`. */
export interface TrafficEntry {
  /** The time at which the request arrived. */
  readonly at: string
  readonly method: string
  readonly url: string
  /** The address of the visitor. */
  readonly ip: string
  /** The headers of the request, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The status of the response; null if the connection closed. */
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The id of the endpoint, the edge or the route that took the request; null if none did. */
  readonly endpoint: string | null
  /** The URL or the id of the upstream that got the request; null if none did. */
  readonly upstream: string | null
  /** The rule whose action ended the request, by its name, else by its place; null if no rule did. */
  readonly rule: string | null
  /** The code of the gateway's own error; null if there was none. */
  readonly error: string | null
  /** The way of the request: each rule, matched or not, with the values of its expressions, and each action. */
  readonly trace: Trace
}

/** The number of requests that the journal keeps. */
const SIZE = 1000

/** The last requests through a gateway. */
export class TrafficJournal {
  readonly #queue = new Queue<Exchange>()
  #count = 0

  constructor(readonly ownKeys: Redactor) {}

  /** The number of requests since the journal was emptied, dropped ones included. */
  get count(): number {
    return this.#count
  }

  /** The number of requests that the journal has dropped. */
  get dropped(): number {
    return this.#count - this.#queue.size
  }

  add(exchange: Exchange): void {
    this.#queue.add(exchange)
    this.#count++
    if (this.#queue.size > SIZE) this.#queue.drop()
  }

  clear(): void {
    this.#queue.replace([])
    this.#count = 0
  }

  /** Yields the entries, newest first. Each is made when it is read. */
  *newestFirst(): Generator<TrafficEntry> {
    for (const exchange of this.#queue.all().reverse()) yield toEntry(exchange, this.ownKeys)
  }
}

function toEntry(exchange: Exchange, ownKeys: Redactor): TrafficEntry {
  const { at, headers, responseHeaders, trace, secrets, ...rest } = exchange
  const sent = [...headers, ...responseHeaders].flat()
  const redactSecrets = createRedactor([...findKeysInHeaders(sent), ...decodeBasic(headers), ...secrets])
  const redact: Redactor = (text) => redactText(redactSecrets(ownKeys(text)), (each) => each)
  const decision = findDecision(trace)
  return deepFreeze({
    ...rest,
    at: timestamp(at),
    url: redact(exchange.url),
    headers: toRecord(headers, redact),
    responseHeaders: toRecord(responseHeaders, redact),
    rule: decision ? redact(nameOf(decision)) : null,
    trace: trace.map((step) => toPlain(step, redact) as Trace[number]), // The same form with redacted texts.
  })
}

/** Returns user and password of a header, which only its Base64 has. */
function decodeBasic(headers: Exchange['headers']): string[] {
  const found = headers.find(([name]) => name === 'authorization')?.[1] ?? ''
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(found) ?? []
  try {
    const text = atob(encoded)
    return [text, text.slice(text.indexOf(':') + 1)]
  } catch {
    return []
  }
}

function toRecord(headers: Exchange['headers'], redact: Redactor): Record<string, string> {
  const record: Record<string, string> = {}
  for (const [name, value] of headers) {
    const text = isSecretHeader(name) ? REDACTED : redact(value)
    record[name] = record[name] === undefined ? text : `${record[name]}, ${text}`
  }
  return record
}

/** Returns a value as JSON has it, with redacted texts: expressions have whole numbers as bigint, and times as dates. */
function toPlain(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `[${value.length} bytes]`
  if (Array.isArray(value)) return value.map((each) => toPlain(each, redact))
  if (typeof value !== 'object' || value === null) return value
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, each]) => [
      String(name),
      isSecretHeader(String(name)) && name !== 'key' ? REDACTED : toPlain(each, redact),
    ]),
  )
}
