import type { RawCommit } from '../engine/commits.ts'
import type { Commit } from '../operation/collection.ts'
import type { Operation } from '../operation/operation.ts'
import type { RequestBody } from '../schema/body.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { partsOf } from '../schema/documentation.ts'
import { utf8Length } from '../schema/platform.ts'
import { type Hidden, NO_NAMES, redactedIn, type SecretNames } from '../schema/secret-fields.ts'
import { valuesOf } from '../schema/secret-values.ts'
import { timestamp } from '../schema/time.ts'
import { lightCommit, MOST_OF_COMMIT, weightOfCommit } from './commit-weight.ts'
import type { Journal, JournalEntry, JournalQuery } from './entry.ts'
import {
  type Kept,
  kept,
  keptHeaders,
  keptLength,
  MOST_KEPT,
  pairsOf,
  readBody,
  redactedBody,
  redactedHeaders,
  redactedQuery,
  redactedText,
  secretsOf,
  secretsOfHeader,
  startOf,
} from './redact.ts'

/** What an entry is made from. Its texts stay as they came; their secrets are taken out when somebody looks at them. */
export interface Exchange<Text = string> {
  readonly operationId: string
  readonly operation: Operation | null
  readonly method: Text
  readonly path: Text
  readonly query: Text
  /** How long the URL is that path and query are parts of. */
  readonly urlLength: number
  /** The header of this name, or an empty text. */
  readonly authorization: Text
  readonly now: number
  /** Names and values by turns. */
  readonly requestHeaders: readonly Text[]
  readonly request: Text | Exclude<RequestBody, string>
  readonly status: number
  /** All but that of the operation id. */
  readonly responseHeaders: Readonly<Record<string, Text>>
  readonly response: Text | null
  readonly commit: RawCommit | Commit | null
  readonly fault: string | null
  /** What it takes of the journal's bytes, which the journal counts. */
  bytes: number
}

/** How much a journal holds, and what it knows to be secret. */
export interface JournalOptions {
  /** The most entries. */
  readonly size: number
  /** The most bytes of all entries together, at two bytes a character. */
  readonly bytes: number
  readonly dialect: CommonDialect
  readonly secretNames: SecretNames
  /** All keys of the gateway: those of its API, and that of its controls. */
  readonly ownKeys: readonly string[]
}

/** What an entry takes besides its texts. */
const BYTES_OF_ENTRY = 512
const BYTES_OF_CHARACTER = 2

/** How many of the last requests may share their headers with the next one. */
const MOST_SHARING = 2

/** The authorizations of how many further requests, the newest ones, are looked for in every entry. */
const MOST_AUTHORIZATIONS = 16

/** The last requests of a gateway, as many as its limits allow. */
export class KeptJournal implements Journal {
  readonly #options: JournalOptions
  /** The oldest first; those that are dropped stand at the beginning, as undefined, until they are half of all. */
  #entries: (Exchange<Kept> | undefined)[] = []
  #dropped = 0
  #bytes = 0
  readonly #subscribers = new Set<(entry: JournalEntry | undefined) => void>()

  constructor(options: JournalOptions) {
    this.#options = options
  }

  /** Whether it keeps anything. */
  get isKept(): boolean {
    return this.#options.size > 0
  }

  add(exchange: Exchange): void {
    const { size, bytes: most, dialect } = this.#options
    const weight = weightOfCommit(exchange.commit)
    const own = withinLimit(exchange, weight)
    own.bytes =
      BYTES_OF_ENTRY +
      BYTES_OF_CHARACTER * (characters(own) + dialect.operationIdHeader.length + own.operationId.length) +
      (own.commit === exchange.commit ? weight : weightOfCommit(own.commit))
    this.#entries.push(own)
    this.#bytes += own.bytes
    while (this.#bytes > most || this.#entries.length - this.#dropped > size) this.#dropOldest()
    if (this.#subscribers.size > 0) this.#tell(this.newestFirst().next().value)
  }

  /**
   * Headers as they are kept, which are those of a request before where that had the same: most of one client's have. A
   * list that is kept once is not copied by the collector for every request.
   */
  shared(headers: readonly string[]): readonly string[] {
    for (let back = 1; back <= MOST_SHARING; back++) {
      const known = this.#entries.at(-back)?.requestHeaders
      if (known && isSame(known, headers)) return known
    }
    return headers
  }

  get size(): number {
    return this.#entries.length - this.#dropped
  }

  *newestFirst(query: JournalQuery = {}): Generator<JournalEntry> {
    // Behind those that were dropped, every place has one.
    const exchanges = this.#entries.slice(this.#dropped).reverse() as Exchange<Kept>[]
    const common = [...this.#options.ownKeys, ...authorizationsOf(exchanges)]
    for (const exchange of exchanges) {
      if (isMeant(exchange, query)) yield shown(exchange, common, this.#options)
    }
  }

  subscribe(subscriber: (entry: JournalEntry | undefined) => void): () => void {
    const own = (entry: JournalEntry | undefined) => subscriber(entry)
    this.#subscribers.add(own)
    return () => this.#subscribers.delete(own)
  }

  json(after?: string): string {
    const texts: string[] = []
    let left = this.#options.bytes
    for (const entry of this.newestFirst()) {
      if (entry.operationId === after) break
      const text = JSON.stringify(entry)
      left -= utf8Length(text) + 1
      if (left < 0) break
      texts.push(text)
    }
    return `[${texts.reverse().join()}]`
  }

  clear(): void {
    this.#entries = []
    this.#dropped = 0
    this.#bytes = 0
    this.#tell(undefined)
  }

  #tell(entry: JournalEntry | undefined): void {
    for (const subscriber of [...this.#subscribers]) {
      try {
        subscriber(entry)
      } catch (error) {
        console.error('A subscriber of the journal threw:', error)
      }
    }
  }

  #dropOldest(): void {
    this.#bytes -= this.#entries[this.#dropped]?.bytes ?? 0
    this.#entries[this.#dropped++] = undefined
    if (this.#dropped < this.#entries.length / 2) return
    this.#entries = this.#entries.slice(this.#dropped)
    this.#dropped = 0
  }
}

/** Whether a list of what is kept is that of some texts. */
function isSame(kept: readonly Kept[], texts: readonly string[]): kept is readonly string[] {
  return kept.length === texts.length && kept.every((text, index) => text === texts[index])
}

/** What may be keys in the last different authorizations. */
function authorizationsOf(newestFirst: readonly Exchange<Kept>[]): string[] {
  const different = new Set<string>()
  for (const { authorization } of newestFirst) {
    if (different.size < MOST_AUTHORIZATIONS) different.add(startOf(authorization))
  }
  return [...different].flatMap(secretsOfHeader)
}

function isMeant(exchange: Exchange<Kept>, { operation, method, path, status }: JournalQuery): boolean {
  return (
    (operation === undefined || operation === (exchange.operation?.name ?? null)) &&
    (method === undefined || method === exchange.method) &&
    (path === undefined || path === exchange.path) &&
    (status === undefined || status === exchange.status)
  )
}

function characters(exchange: Exchange<Kept>): number {
  const { method, path, query, authorization, request, response } = exchange
  const body = typeof request === 'object' && 'unread' in request ? 0 : keptLength(request)
  const answer = response === null ? 0 : keptLength(response)
  const texts = keptLength(method) + keptLength(path) + keptLength(query) + keptLength(authorization)
  return texts + headerCharacters(exchange) + body + answer
}

function headerCharacters({ requestHeaders, responseHeaders }: Exchange<Kept>): number {
  let length = 0
  for (const text of requestHeaders) length += keptLength(text)
  for (const name in responseHeaders) length += name.length + keptLength(responseHeaders[name] ?? '')
  return length
}

/** An exchange whose texts are no longer than they may be. */
function withinLimit(exchange: Exchange, weight: number): Exchange<Kept> {
  const { method, urlLength, authorization, request, response, commit } = exchange
  const body = typeof request === 'string' ? request.length : 0
  const texts = method.length + urlLength + authorization.length + body + (response?.length ?? 0)
  const isShort = texts + headerCharacters(exchange) <= MOST_KEPT
  if (isShort && weight <= MOST_OF_COMMIT) return exchange
  return {
    ...exchange,
    commit: commit && weight > MOST_OF_COMMIT ? lightCommit(commit) : commit,
    method: kept(method),
    path: kept(exchange.path),
    query: kept(exchange.query),
    authorization: kept(authorization),
    requestHeaders: keptHeaders(exchange.requestHeaders),
    responseHeaders: Object.fromEntries(pairsOf(keptHeaders(Object.entries(exchange.responseHeaders).flat()))),
    request: typeof request === 'string' ? kept(request) : request,
    response: response === null ? null : kept(response),
  }
}

function shown(exchange: Exchange<Kept>, common: readonly string[], options: JournalOptions): JournalEntry {
  const { operationId, operation, now, status, commit, fault } = exchange
  const { secretNames: names, dialect } = options
  const request = readBody(exchange.request)
  const response = readBody(exchange.response)
  const [authorization, query] = [startOf(exchange.authorization), startOf(exchange.query)]
  // An error of the gateway has none by its making; it names the fields that have, in `details`.
  const isError = status >= 400 && fault === null
  const headers = pairsOf(exchange.requestHeaders)
  const answerHeaders = Object.entries({ [dialect.operationIdHeader]: operationId, ...exchange.responseHeaders })
  const own = secretsOf({ authorization, headers, query, bodies: isError ? [request] : [request, response] }, names)
  const hidden = { names, values: valuesOf([...common, ...own]) }
  return {
    operationId,
    operation: operation?.name ?? null,
    method: redactedText(exchange.method, hidden),
    path: redactedText(exchange.path, hidden),
    query: redactedQuery(exchange.query, parametersOf(operation, dialect), hidden),
    at: timestamp(now),
    requestHeaders: redactedHeaders(headers, hidden),
    request: redactedBody(request, hidden),
    status,
    responseHeaders: redactedHeaders(answerHeaders, hidden),
    response: redactedBody(response, isError ? { ...hidden, names: NO_NAMES } : hidden),
    commit: commit && redactedCommit('shown' in commit ? commit.shown() : commit, hidden),
    fault,
  }
}

/** The names of the parameters that an operation has. */
function parametersOf(operation: Operation | null, { queryAliases }: CommonDialect): string[] {
  if (!operation?.query) return []
  const { entries = {} } = partsOf(operation.query)
  return [...Object.keys(entries), ...Object.keys(queryAliases)]
}

function redactedCommit(commit: Commit, hidden: Hidden): Commit {
  const changes = commit.changes.map(({ collection, key, before, after }) => ({
    collection,
    key: redactedIn(key, hidden),
    before: redactedIn(before, hidden),
    after: redactedIn(after, hidden),
  }))
  return { ...commit, changes }
}
