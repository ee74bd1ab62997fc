import { isManual } from '../../core/engine/clock.ts'
import { partsOf } from '../../core/schema/schema-parts.ts'
import { formatCount, quote } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { isObject, lazy } from '../../core/schema/values.ts'
import type { JournalEntry } from '../../generated/controls.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import type { ControlHost } from '../control.ts'
import { findPendingAttempt } from './pending-attempt.ts'
import { describeEmptyFilter, findRepeatedItems, findUnreadPages, readItems } from './report-lists.ts'

/** The maximum number of filters to try again for each list. Each one checks all records of its list. */
const MAX_FILTERS = 20

/** States which timeouts of clients don't follow a manual clock. */
export const REAL_TIMEOUTS =
  "The `timeout` of node:http and, after a file's first test, undici's `headersTimeout` don't follow the gateway's clock. With the `globals` option, `AbortSignal.timeout` does."

/** A sentence about a request, with its kind. A truncated report shows some sentences of each kind. */
export interface RequestNote {
  readonly kind: string
  readonly text: string
}

/** The requests of a journal, indexed for their notes. */
export class RequestNotes {
  readonly #host: ControlHost
  readonly #unreadPages: ReadonlySet<string>
  readonly #repeatedItems: ReadonlyMap<string, string>
  /** The IDs of certificates in responses. */
  readonly #shownCertificates: () => ReadonlySet<string>
  /** The newest request whose response has a domain's ID, by ID. */
  readonly #lastShown: () => ReadonlyMap<string, JournalEntry>
  /** The failures in all responses, each as a domain's ID and its error code. */
  readonly #shownFailures: () => ReadonlySet<string>
  /** The notes about filters, by path and query. */
  readonly #filters = new Map<string, Map<string, string | undefined>>()
  /** For each request, by operation ID, the previous request with the same method and path. */
  readonly #before = new Map<string, JournalEntry>()
  /** For each request, by operation ID, its time in ms. Its entry contains only whole seconds. */
  readonly #times: ReadonlyMap<string, number>
  /** For each request that created something, by operation ID, the ID that an identical request had created before. */
  readonly #created = new Map<string, string>()

  constructor(host: ControlHost, newestFirst: readonly JournalEntry[]) {
    this.#host = host
    this.#unreadPages = findUnreadPages(newestFirst)
    this.#shownCertificates = lazy(() => {
      const ids = newestFirst.flatMap(({ response }) => JSON.stringify(response).match(/cert_\w+/g) ?? [])
      return new Set(ids)
    })
    const entries = [...newestFirst].reverse()
    this.#lastShown = lazy(() => {
      const shown = entries.flatMap((entry) => {
        const ids = JSON.stringify(entry.response).match(/"id":"rd_\w+/g) ?? []
        return ids.map((id): [string, JournalEntry] => [id.slice('"id":"'.length), entry])
      })
      return new Map(shown)
    })
    this.#shownFailures = lazy(
      () => new Set(entries.flatMap(({ response }) => listFailures(response).map(({ id, error }) => `${id} ${error}`))),
    )
    this.#times = new Map([...host.journal.newestRequests()].map(({ operationId, now }) => [operationId, now]))
    this.#repeatedItems = findRepeatedItems(entries)
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

  /** Returns sentences about facts that a request's line does not show: likely reasons for a test's failure. */
  list(entry: JournalEntry): readonly RequestNote[] {
    const notes = {
      unreadPage: this.#describeUnreadPage(entry),
      repeatedItems: this.#repeatedItems.get(entry.operationId),
      emptyFilter: this.#describeEmptyFilter(entry),
      earlyEnd: this.#describeEarlyEnd(entry),
      earlyRetry: this.#describeEarlyRetry(entry),
      duplicate: describeDuplicate(this.#created.get(entry.operationId)),
      otherValues: describeOtherValues(entry),
      removedFields: describeRemovedFields(entry, this.#listFields(entry)),
      failedJob: describeFailedJob(entry),
      missedAttempt: describeMissedAttempt(entry),
      noChange: this.#describeNoChange(entry),
      realTimeout: this.#describeRealTimeout(entry),
    }
    return Object.entries(notes).flatMap(([kind, text]) => (text === undefined ? [] : { kind, text }))
  }

  /** Notes that a client did not wait as long as the last response requested, on the gateway's clock. */
  #describeEarlyRetry({ operationId }: JournalEntry): string | undefined {
    const before = this.#before.get(operationId)
    const seconds = Number(before?.responseHeaders['retry-after'])
    if (!before || !(seconds > 0)) return undefined
    const timeOf = (id: string) => this.#times.get(id) ?? 0
    const waited = (timeOf(operationId) - timeOf(before.operationId)) / 1000
    // After a restore, the clock may be earlier.
    if (waited < 0 || waited >= seconds) return undefined
    return `It came ${waited} s after a response with Retry-After: ${seconds}, on the gateway's clock.`
  }

  /** Returns the names of the fields that a request's operation takes. */
  #listFields({ operation }: JournalEntry): readonly string[] {
    const body = this.#host.api.operations.find(({ name }) => name === operation)?.body
    return body ? Object.keys(partsOf(body).entries ?? {}) : []
  }

  #describeUnreadPage({ operationId }: JournalEntry): string | undefined {
    return this.#unreadPages.has(operationId)
      ? 'There is another page, but no later request fetched it: see its next_page_uri.'
      : undefined
  }

  #describeEmptyFilter(entry: JournalEntry): string | undefined {
    const { path, query } = entry
    const filters = this.#filters.get(path) ?? new Map<string, string | undefined>()
    this.#filters.set(path, filters)
    if (!filters.has(query) && filters.size < MAX_FILTERS) filters.set(query, describeEmptyFilter(this.#host, entry))
    return filters.get(query)
  }

  /** Notes that an update changed nothing, unless it repeats the update before it. */
  #describeNoChange({ method, status, request, commit, operationId }: JournalEntry): string | undefined {
    if (method !== 'PATCH' || status >= 300) return undefined
    const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
    if (isEqual(this.#before.get(operationId)?.request, request)) return undefined
    if (!(commit?.changes ?? []).every(({ before, after }) => isEqual(before, after))) return undefined
    return 'It changed nothing: the resource already had these values.'
  }

  /** Notes that a client gave up waiting for a response before the gateway's manual clock moved, as clients with real timers do. */
  #describeRealTimeout({ operationId }: JournalEntry): string | undefined {
    const { clock, journal } = this.#host
    const at = journal.cancelledAt(operationId)
    if (at === undefined || at !== this.#times.get(operationId) || !isManual(clock)) return undefined
    return `No time had passed on the gateway's clock when the client gave up or its server closed. ${REAL_TIMEOUTS}`
  }

  /** Notes that code stopped asking for a certificate before there was one, or before an attempt failed. */
  #describeEarlyEnd({ method, at, response, operationId }: JournalEntry): string | undefined {
    const shown = findOnlyPending(response)
    // After a change, code usually reads the domain. Then the note is below the last read.
    if (method !== 'GET' && shown && this.#lastShown().get(shown.id)?.operationId !== operationId) return undefined
    const domain = shown && this.#host.transact((tx) => tx.get(domains, shown.id))
    const issued = domain?.timeline.find(({ transition }) => transition === 'issued')
    const last = domain?.timeline.at(-1)
    if (!domain || !last) return undefined
    const issuedAt = issued && timestamp(issued.at * 1000)
    // The note of the transition is the id of the certificate, which a renewal replaces.
    if (issuedAt && issuedAt > at && domain.certificate_id && !this.#shownCertificates().has(issued.note ?? '')) {
      const its = shown.isWhole ? 'Its certificate' : `The certificate of ${domain.domain}`
      return `${its} is null. The certificate was issued at ${issuedAt}, but no later response shows it.`
    }
    const failedAt = last.transition === 'failed' ? timestamp(last.at * 1000) : at
    if (failedAt <= at || (this.#lastShown().get(domain.id)?.at ?? at) >= failedAt) return undefined
    if (this.#shownFailures().has(`${domain.id} ${last.outcome}`)) return undefined
    return `The attempt for ${domain.domain} failed at ${failedAt} (${last.outcome}), but no later response shows the failure.`
  }
}

/** Returns the ID of the only domain without a certificate in a response, and whether it is the whole response. */
function findOnlyPending(response: unknown): { readonly id: string; readonly isWhole: boolean } | undefined {
  const pending = [response, ...readItems(response)].filter((each) => isObject(each) && each.certificate === null)
  const [shown] = pending
  if (pending.length !== 1 || !isObject(shown) || typeof shown.id !== 'string') return undefined
  return { id: shown.id, isWhole: shown === response }
}

/** Returns the ID of the resource that a request created, even if the client saw no response. */
function createdId({ method, commit }: JournalEntry): string | undefined {
  if (method !== 'POST') return undefined
  return commit?.changes.find(({ before }) => before === undefined)?.key
}

function describeDuplicate(id: string | undefined): string | undefined {
  return id === undefined ? undefined : `An identical request already created ${id}.`
}

/** Notes which strings the service stored differently from how they were sent. */
function describeOtherValues({ status, request, response }: JournalEntry): string | undefined {
  if (status >= 300 || !isObject(request) || !isObject(response)) return undefined
  const changed = Object.entries(request).flatMap(([name, sent]) => {
    const stored = response[name]
    // An empty string means that the field is not given.
    const isOther = typeof sent === 'string' && sent !== '' && typeof stored === 'string' && sent !== stored
    return isOther ? `${name} is ${quote(stored)} in the response, but ${quote(sent)} was sent` : []
  })
  return changed.length === 0 ? undefined : `${changed.join('; ')}.`
}

/** Notes which of an operation's fields an update cleared without mentioning them. */
function describeRemovedFields(
  { method, request, commit }: JournalEntry,
  fields: readonly string[],
): string | undefined {
  if (method !== 'PATCH' || !isObject(request)) return undefined
  const removed = (commit?.changes ?? []).flatMap(({ before = {}, after }) =>
    Object.entries(after ? before : {}).flatMap(([name, value]) => {
      // Some records shorten the names of fields.
      const field = fields.includes(name) ? name : fields.find((each) => each.endsWith(`_${name}`))
      const isCleared = after && !isEmpty(value) && isEmpty(Reflect.get(after, name))
      return field && isCleared && !(field in request) ? field : []
    }),
  )
  return removed.length === 0
    ? undefined
    : `It also cleared ${removed.join(' and ')}, which the request did not mention.`
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** A failed attempt, as a response shows it. */
interface ShownFailure {
  readonly id: unknown
  readonly domain: unknown
  readonly error: string
}

/** Lists the failed attempts that a response shows. */
function listFailures(response: unknown): readonly ShownFailure[] {
  return [response, ...readItems(response)].flatMap((each) => {
    const { id, domain, certificate_management_status: status } = Object(each)
    const error: unknown = Object(Object(status).provisioning_job).error_code
    return typeof error === 'string' ? [{ id, domain, error }] : []
  })
}

/** Notes that the response shows a failed attempt, which a client waiting for a certificate should notice. */
function describeFailedJob({ method, response }: JournalEntry): string | undefined {
  const [failure, ...others] = method === 'GET' ? listFailures(response) : []
  if (!failure) return undefined
  const isWhole = isObject(response) && response.id === failure.id
  const its = isWhole ? 'Its provisioning_job' : `The provisioning_job of ${failure.domain}`
  const more = others.length > 0 ? ` ${formatCount(others.length, 'other domain')} failed too.` : ''
  return `${its} has the error_code ${failure.error}: the attempt has failed.${more}`
}

/** Notes that a domain was deleted before an attempt could issue its certificate, as by code that gives up too early. */
function describeMissedAttempt({ method, commit }: JournalEntry): string | undefined {
  const deleted = method === 'DELETE' ? (commit?.changes ?? []).filter(({ after }) => !after) : []
  const [missed] = deleted.flatMap(({ before }) => findPendingAttempt(before) ?? [])
  if (!missed) return undefined
  return `${missed.domain} had no certificate: its ${missed.isFirst ? 'first' : 'next'} attempt was due at ${timestamp(missed.at)}.`
}
