import { quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import type { JournalEntry } from '../../generated/controls.ts'

/** A sentence about a request, with its kind: a report that cuts its list has some of each kind. */
export interface RequestNote {
  readonly kind: string
  readonly text: string
}

/** The requests of a journal, prepared for the notes on each. */
export class RequestNotes {
  readonly #requestedUrls: ReadonlySet<string>
  /** For each request, by its operation id, the one before it with the same method and path. */
  readonly #before = new Map<string, JournalEntry>()
  /** For each request that created something, by its operation id, the id that an equal request had created before. */
  readonly #created = new Map<string, string>()

  constructor(newestFirst: Iterable<JournalEntry>) {
    const entries = [...newestFirst].reverse()
    this.#requestedUrls = new Set(entries.map(({ path, query }) => `${path}?${query}`))
    const last = new Map<string, JournalEntry>()
    const firstIds = new Map<string, string>()
    for (const entry of entries) {
      const place = `${entry.method} ${entry.path}`
      const before = last.get(place)
      if (before) this.#before.set(entry.operationId, before)
      last.set(place, entry)
      const id = createdId(entry)
      if (id === undefined) continue
      const same = `${place} ${JSON.stringify(entry.request)}`
      const first = firstIds.get(same)
      if (first === undefined) firstIds.set(same, id)
      else this.#created.set(entry.operationId, first)
    }
  }

  /** Returns sentences about a request that its line does not show: likely reasons why a test fails. */
  list(entry: JournalEntry): readonly RequestNote[] {
    const notes = {
      unreadPage: this.#describeUnreadPage(entry),
      earlyRetry: describeEarlyRetry(entry, this.#before.get(entry.operationId)),
      duplicate: describeDuplicate(this.#created.get(entry.operationId)),
      otherValues: describeOtherValues(entry),
      removedFields: describeRemovedFields(entry),
      failedJob: describeFailedJob(entry),
    }
    return Object.entries(notes).flatMap(([kind, text]) => (text === undefined ? [] : { kind, text }))
  }

  /** Says that a list has another page that no request asked for, unless the client asked only whether there is something. */
  #describeUnreadPage({ query, response }: JournalEntry): string | undefined {
    const next = isObject(response) ? response.next_page_uri : undefined
    if (typeof next !== 'string' || new URLSearchParams(query).get('limit') === '1') return undefined
    if ([...this.#requestedUrls].some((each) => next.endsWith(each))) return undefined
    return 'There is another page that no request asked for: see its next_page_uri.'
  }
}

/** Returns the id of what a request has created, even if the client saw no response. */
function createdId({ method, commit }: JournalEntry): string | undefined {
  if (method !== 'POST') return undefined
  return commit?.changes.find(({ before }) => before === undefined)?.key
}

/** Says that a client did not wait as long as the last response asked for, on the gateway's clock. */
function describeEarlyRetry({ at }: JournalEntry, before: JournalEntry | undefined): string | undefined {
  const seconds = Number(before?.responseHeaders['retry-after'])
  if (!before || !(seconds > 0)) return undefined
  const waited = (Date.parse(at) - Date.parse(before.at)) / 1000
  if (waited >= seconds) return undefined
  return `It came ${waited} s after a response with Retry-After: ${seconds}, on the gateway's clock.`
}

function describeDuplicate(id: string | undefined): string | undefined {
  return id === undefined ? undefined : `An equal request had created ${id} before.`
}

/** Says which texts the service has stored otherwise than they were sent. */
function describeOtherValues({ status, request, response }: JournalEntry): string | undefined {
  if (status >= 300 || !isObject(request) || !isObject(response)) return undefined
  const changed = Object.entries(request).flatMap(([name, sent]) => {
    const stored = response[name]
    const isOther = typeof sent === 'string' && typeof stored === 'string' && sent !== stored
    return isOther ? `${name} is ${quote(stored)} in the response, where ${quote(sent)} was sent` : []
  })
  return changed.length === 0 ? undefined : `${changed.join('; ')}.`
}

/** Says which fields an update has emptied that it does not name. */
function describeRemovedFields({ method, request, commit }: JournalEntry): string | undefined {
  if (method !== 'PATCH' || !isObject(request)) return undefined
  const removed = (commit?.changes ?? []).flatMap(({ before = {}, after }) =>
    Object.entries(after ? before : {}).flatMap(([name, value]) =>
      isEmpty(value) || name in request || !after || !isEmpty(Reflect.get(after, name)) ? [] : name,
    ),
  )
  return removed.length === 0 ? undefined : `It has also cleared ${removed.join(' and ')}, which it does not name.`
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const FAILED_JOB = /"provisioning_job":\{[^{}]*"error_code":"(\w+)"/

/** Says that the response shows a failed attempt, which a client that waits for a certificate should notice. */
function describeFailedJob({ method, response }: JournalEntry): string | undefined {
  if (method !== 'GET' || !isObject(response)) return undefined
  const [, error] = FAILED_JOB.exec(JSON.stringify(response)) ?? []
  return error && `Its provisioning_job has the error_code ${error}: the attempt has failed.`
}

/** Matches the message of an error of code that has read something else than it expected. */
const MISREAD = /undefined|\bnull\b|JSON|Cannot read|is not (?:iterable|a function)/
/** Matches the message of an error of code that has parsed an empty text. */
const NO_BODY = /end of (?:JSON|data|file)|\bEOF\b/i

/**
 * Describes the body that a client may have misread, if the message of a test says so: of the last error, also of a fault, or of
 * the last response without a body.
 */
export function describeMisread(newestFirst: Iterable<JournalEntry>, message: string): readonly string[] {
  if (!MISREAD.test(message)) return []
  const entries = [...newestFirst]
  const empty = entries.find(({ fault, response }) => fault === null && response === null)
  const failed =
    entries.find(({ fault, status }) => fault === null && status >= 400) ??
    entries.find(({ status, response }) => status >= 400 && response !== null)
  const likeliest = NO_BODY.test(message) ? (empty ?? failed) : (failed ?? empty)
  if (!likeliest) return []
  const { method, path, status, response } = likeliest
  const body = response === null ? 'no body' : `the body ${JSON.stringify(response)}`
  return [`${method} ${path} → ${status} has ${body}`]
}
