import type { HeaderFields } from '../service/policy/visit.ts'
import { toFieldValue } from './field-value.ts'

/** The headers of a message, with one character per byte. */
export class MessageHeaders implements HeaderFields {
  readonly #values = new Map<string, string[]>()

  /** Creates headers from received values. */
  constructor(headers: Iterable<readonly [string, string]> = []) {
    for (const [name, value] of headers) this.#add(name, value)
  }

  /** Creates headers from strings, such as those in a policy. @throws EvaluationProblem for a string that is not a valid header value */
  static ofTexts(texts: Readonly<Record<string, string>>): MessageHeaders {
    const headers = new MessageHeaders()
    for (const [name, text] of Object.entries(texts)) headers.append(name, text)
    return headers
  }

  get(name: string): string | undefined {
    const values = this.#values.get(name)
    return values && joinValues(name, values)
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  append(name: string, text: string): void {
    this.#add(name, toFieldValue(name, text))
  }

  #add(name: string, value: string): void {
    const key = name.toLowerCase()
    const before = this.#values.get(key)
    if (before) before.push(value)
    else this.#values.set(key, [value])
  }

  set(name: string, text: string): void {
    this.setBytes(name, toFieldValue(name, text))
  }

  /** Sets a header to a value from a message, as bytes. */
  setBytes(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [value])
  }

  /** Appends a string to the last value of a header, after a comma. */
  extend(name: string, text: string): void {
    const before = this.get(name)
    const value = toFieldValue(name, text)
    this.#values.set(name, [before === undefined ? value : `${before}, ${value}`])
  }

  delete(name: string): boolean {
    return this.#values.delete(name.toLowerCase())
  }

  /** Iterates over the values with their names. */
  [Symbol.iterator](): Iterator<[string, string]> {
    return this.toPairs()[Symbol.iterator]()
  }

  /** Returns the values with their names. */
  toPairs(): [string, string][] {
    const pairs: [string, string][] = []
    this.#values.forEach((values, name) => {
      for (const value of values) pairs.push([name, value])
    })
    return pairs
  }

  /** Returns the headers by name. Several values are joined. */
  toRecord(): Record<string, string> {
    const record: Record<string, string> = {}
    this.#values.forEach((values, name) => {
      // Assigning to this name would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(record, name, { value: joinValues(name, values), enumerable: true })
      else record[name] = joinValues(name, values)
    })
    return record
  }

  /** Returns each header's values, by name. */
  toLists(): Record<string, readonly string[]> {
    return Object.fromEntries([...this.#values].map(([name, values]) => [name, [...values]]))
  }
}

/** Joins a header's values, usually just one. Cookies use a different separator (RFC 9113, section 8.2.3). */
function joinValues(name: string, values: readonly string[]): string {
  const [first = ''] = values
  return values.length === 1 ? first : values.join(name === 'cookie' ? '; ' : ', ')
}

/** Returns whether a content type is that of an event stream. */
export function isEventStream(type = ''): boolean {
  return /^text\/event-stream *(;|$)/i.test(type)
}

/** The hop-by-hop headers, which gateways do not forward (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'proxy-authenticate',
  'proxy-authorization',
]

/** Removes the hop-by-hop headers. Keeps `connection: upgrade` and `upgrade` if upgrades are allowed. */
export function removeHopByHop(headers: MessageHeaders, mayUpgrade = true): void {
  const connection = headers.get('connection')
  const named = connection === undefined ? [] : connection.toLowerCase().split(/[\s,]+/)
  const isUpgrade = mayUpgrade && named.includes('upgrade')
  for (const name of HOP_BY_HOP) headers.delete(name)
  for (const name of named) if (name !== 'upgrade' && name !== 'host') headers.delete(name)
  if (isUpgrade) headers.set('connection', 'upgrade')
  else for (const name of ['connection', 'upgrade', 'http2-settings']) headers.delete(name)
}
