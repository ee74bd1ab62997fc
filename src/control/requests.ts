import * as v from 'valibot'
import { readPredicateResult, requireValues } from '../core/schema/arguments.ts'
import { AssertionError, assertNoProblem } from '../core/schema/assertion-error.ts'
import { documented, named } from '../core/schema/documentation.ts'
import { general } from '../core/schema/general-errors.ts'
import { listNames } from '../core/schema/nearest.ts'
import { integerFrom, type OptionWords, optionsOf, readCallOptions } from '../core/schema/options.ts'
import { cut, formatCount, quote } from '../core/schema/text.ts'
import { isJson, isObject } from '../core/schema/values.ts'
import type { JournalEntry, JournalFields } from '../generated/controls.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'
import { requireMatchable } from './faults/matching.ts'
import { findInvalidId } from './journal/dropped-requests.ts'
import { journalEntry } from './journal/entry.ts'
import type { Journal } from './journal/journal.ts'
import type { OtherRequests } from './journal/other-requests.ts'
import { findName } from './record-name.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The fields that an entry must have, or a predicate. */
export type JournalFilter = JournalFields | ((entry: JournalEntry) => boolean)

/** The journal of HTTP requests and their responses, by default the last 1,000. Secrets are omitted. */
export interface Requests {
  /**
   * Returns the entries in the journal, oldest first. To check whether a request was made, use `count`, which includes requests that the
   * journal has dropped.
   * @throws GatewayError `field_invalid` for a filter that no entry can match, as `count` and `last` do. GatewayAssertionError if no entry
   * matches, but the journal has dropped requests that match or might match. `last` also throws these errors.
   */
  all(filter?: JournalFilter): readonly JournalEntry[]
  /**
   * Returns the number of requests since the journal was cleared, including dropped requests. With a predicate, counts only entries.
   * @throws GatewayAssertionError if the number isn't known, because the journal has dropped requests.
   */
  count(filter?: JournalFilter): number
  /** Returns the newest entry, or undefined. */
  last(filter?: JournalFilter): JournalEntry | undefined
  /** Clears the journal. */
  clear(): void
  /**
   * Calls the function with each new entry, in order, and with undefined when the journal is cleared. Returns a function that
   * ends the subscription. Exceptions from the subscriber are ignored.
   */
  subscribe(subscriber: (entry: JournalEntry | undefined) => void): () => void
  /**
   * Throws an error if there were requests for unknown paths or methods, requests with `undefined` as an ID, or requests to other hosts
   * that `install()` rejected. The error lists these requests, including those that the journal has dropped.
   */
  assertAllKnown(): void
}

const after = documented(
  v.string(),
  'Only entries after the entry with this operation ID, or all entries if that entry no longer exists.',
)

const equal = (field: string) => v.exactOptional(documented(v.string(), `Only entries with this ${field}.`))

const list = controlCall({
  method: 'GET',
  path: '/requests',
  summary: 'Show the requests and their responses, oldest first',
  from: 'query',
  schema: v.object({
    after: v.optional(after),
    operation: equal('operation'),
    method: equal('method'),
    path: equal('path'),
    status: equal('status'),
  }),
  response: v.array(journalEntry),
  mediaType: 'application/json',
  run: (host, { after: last, status, ...sent }) => {
    const fields = { ...sent, ...(status !== undefined && { status: /^\d+$/.test(status) ? Number(status) : status }) }
    return host.journal.json(last, createFilterReader(host)(fields))
  },
})

const clear = controlCall({
  method: 'DELETE',
  path: '/requests',
  summary: 'Clear the request journal',
  commands: [{ name: 'requests clear' }],
  run: (host) => host.clearRequests(),
})

export interface RequestsMember {
  /** The journal of HTTP requests and their responses. */
  readonly requests: Requests
}

export const requests: Control<RequestsMember> = {
  types: [filterSchema([])],
  calls: [list, clear],
  members: (host) => ({ requests: createRequests(host) }),
}

/** Returns a function that checks a filter. */
function createFilterReader({ api }: Pick<ControlHost, 'api'>) {
  let schema: ReturnType<typeof filterSchema> | undefined
  return (filter: object = {}) => {
    requireValues(filter, ['operation', 'method', 'path', 'status'])
    schema ??= filterSchema(api.operations.map(({ name }) => name))
    const fields = readCallOptions(schema, filter, FILTER_WORDS)
    const { operation, method, path } = fields
    if (operation) requireMatchable(api, { operation, method, path }, FILTER_WORDS.one)
    return fields
  }
}

function createRequests(host: ControlHost): Requests {
  const { journal, otherRequests, clearRequests } = host
  const read = createFilterReader(host)
  const select = (predicate: (entry: JournalEntry) => boolean) =>
    [...journal.newestFirst()].filter((entry) => readPredicateResult('The predicate', predicate(entry)))
  function* newestFirst(filter?: JournalFilter) {
    if (typeof filter === 'function') return yield* select(filter)
    const fields = read(filter)
    let isEmpty = true
    for (const entry of journal.newestFirst(fields)) {
      isEmpty = false
      yield entry
    }
    if (isEmpty && filter !== undefined) requireNoneDropped(journal, fields)
  }
  return {
    all: (filter) => [...newestFirst(filter)].reverse(),
    count(filter) {
      if (typeof filter === 'function') {
        return requireKnown('predicate', select(filter).length, journal.dropped)
      }
      return countKnown(journal, read(filter))
    },
    last: (filter) => newestFirst(filter).next().value,
    clear: () => clearRequests(),
    subscribe: (subscriber) => journal.subscribe(subscriber),
    assertAllKnown: () => assertNoProblem(describeMistakenRequests(journal, otherRequests)),
  }
}

/** Creates the schema of a filter. It rejects values that no entry can have; otherwise, a mistake would look like "no such requests". */
function filterSchema(operations: readonly string[]) {
  const path = 'a path under the base URL, such as /reserved_domains, with actual IDs, without a query'
  const filter = optionsOf(
    {
      operation: v.exactOptional(
        documented(
          v.nullable(
            v.picklist(
              operations,
              ({ input }) => `null, or one of ${listNames(quote(input).slice(1, -1), operations)}`,
            ),
          ),
          "The operation's name; null for requests that match no operation.",
          { type: 'Name | null' },
        ),
      ),
      method: v.exactOptional(
        documented(v.picklist(METHODS, `one of ${METHODS.join(', ')}`), 'The method, in uppercase.'),
      ),
      path: v.exactOptional(
        documented(
          v.pipe(v.string(path), v.regex(/^(?:\/(?![{:*])[^/?#]*)+$/, path)),
          'The path under the base URL, without the query.',
        ),
      ),
      status: v.exactOptional(documented(integerFrom(100, 599), 'The HTTP status of the response.')),
    },
    'a predicate, or an object with operation, method, path, and status',
  )
  return named(
    filter,
    'JournalFields',
    'Fields that entries must have. An unknown name, or a value that no entry can have, throws.',
    { parameters: 'Name extends string = OperationName', imports: { OperationName: 'generated/resources.ts' } },
  )
}

/** Returns the number of requests. Throws if dropped requests may also match. */
function requireKnown(kind: string, known: number, missing: number): number {
  if (missing === 0) return known
  throw new AssertionError(
    `The number of requests with this ${kind} is not known: there were at least ${known}, and the journal has dropped ` +
      `${formatCount(missing, 'request')} that may also match. Set journalSize and journalBytes to keep more.`,
  )
}

function countKnown(journal: Journal, filter: JournalFields<string>): number {
  const listed = journal.countListed(filter)
  const dropped = journal.countDropped(filter)
  return filter.path === undefined ? listed + dropped : requireKnown('path', listed, dropped)
}

/** Throws if an empty result could be mistaken for "no such requests". */
function requireNoneDropped(journal: Journal, filter: JournalFields<string>): void {
  const dropped = countKnown(journal, filter)
  if (dropped === 0) return
  throw new AssertionError(
    `The journal has dropped ${formatCount(dropped, 'such request')}, and has no others. Use \`gateway.requests.count\`, or set ` +
      'journalSize and journalBytes to keep more.',
  )
}

const FILTER_WORDS: OptionWords = {
  whole: 'the filter',
  one: (field) => `the filter's ${field}`,
  unknown: (name, supported) => `${name} is not a field of the filter. Allowed: ${supported}.`,
  unknownError: general.field_invalid,
}

/** The usual reasons for `undefined` instead of an ID. */
const MISSING_ID_HINT = 'Is an await missing, or a field misspelled?'

const MAX_NAMED = 20

export function describeRequest({ method, path, query, request, ...response }: JournalEntry): string {
  const { error_code } = readErrorFields(response)
  const removed = method === 'DELETE' ? findRemovedName(path, response.commit) : ''
  return [
    `${method} ${path}${query === '' ? '' : `?${query}`}`,
    removed && ` (${removed})`,
    request === null ? '' : ` ${cut(formatBody(request))}`,
    ` → ${response.cancelled ? 'the client gave up' : response.status}`,
    error_code === undefined ? '' : ` ${error_code}`,
  ].join('')
}

/** Returns the name of the resource that a request deleted, because readers don't recognize its ID. */
function findRemovedName(path: string, commit: JournalEntry['commit']): string {
  const change = commit?.changes.find(({ key, after }) => after === undefined && path.includes(key))
  return findName(change?.before ?? {})
}

/** Formats a body, or its description. A JSON string, such as an object that was stringified twice, keeps its quotes. */
function formatBody(body: unknown): string {
  return typeof body === 'string' && !isJson(body) ? body : JSON.stringify(body)
}

/** Returns why a request was rejected. */
export function describeRefusal(entry: JournalEntry): string | undefined {
  const { msg = undefined } = entry.problem === undefined ? readErrorFields(entry) : { msg: entry.problem }
  if (typeof msg !== 'string') return undefined
  // A malformed id is rejected with 400, and an unknown id with 404.
  const isAboutId = [400, 404].includes(entry.status) && findInvalidId(entry.path) !== undefined
  return isAboutId ? `${msg} ${MISSING_ID_HINT}` : msg
}

/** Returns the fields of an error response. A fault's `body` may not contain any of them. */
function readErrorFields({
  status,
  response,
}: Pick<JournalEntry, 'status' | 'response'>): Readonly<Record<string, unknown>> {
  return status >= 400 && isObject(response) ? response : {}
}

function describeMistakenRequests(journal: Journal, otherRequests: OtherRequests): string | undefined {
  const found = [describeUnknownRequests(journal), otherRequests.describeRefused()].flatMap((text) => text ?? [])
  return found.length === 0 ? undefined : found.join('\n')
}

function describeUnknownRequests(journal: Journal): string | undefined {
  const { count, newest } = journal.findUnknown()
  if (count === 0) return undefined
  const named = newest.slice(-MAX_NAMED)
  const isNoId = (entry: JournalEntry) => entry.operation !== null
  const reason = (entry: JournalEntry) =>
    isNoId(entry)
      ? `the path has ${findInvalidId(entry.path)} instead of an ID. ${MISSING_ID_HINT}`
      : describeRefusal(entry)
  const lines = named.map((entry) => `  ${describeRequest(entry)}: ${reason(entry)}`)
  const earlier = count > lines.length ? [`  … and ${count - lines.length} earlier`] : []
  const withoutId = named.filter(isNoId).length
  const orHaveNoId = withoutId + earlier.length > 0 ? ', or have no ID in the path' : ''
  const what =
    withoutId === count
      ? `${formatCount(count, 'request has', 'requests have')} no ID in the path`
      : `${formatCount(count, 'request matches', 'requests match')} no operation of the API${orHaveNoId}`
  return [`${what}:`, ...earlier, ...lines].join('\n')
}
