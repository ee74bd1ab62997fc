import { isManual } from '../../core/engine/clock.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { codeOf } from '../../core/schema/error-facts.ts'
import type { CatalogueError } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import type { ArmedFault, Trouble } from '../../generated/controls.ts'
import type { ControlHost } from '../control.ts'
import { faultsIn, isUsedUp } from '../faults/fault.ts'
import type { SeenRequest } from '../journal/journal.ts'
import { describeRefusal } from '../requests.ts'
import type { TrafficEntry } from '../traffic/entry.ts'
import { advanceClock, describeInWords, MAX_PLACES, removeFault } from './troubles-injected.ts'

interface Group<Last> {
  /** The newest request of each cause, newest first, for at most {@link MAX_CAUSES} causes. */
  readonly newest: Last[]
  count: number
}

/** The maximum number of causes that one problem names. */
const MAX_CAUSES = 3

/** Groups items by a key, newest first. */
export function groupBy<T>(
  all: Iterable<T>,
  keyOf: (each: T) => string | undefined,
  causeOf: (each: T) => string,
): Map<string, Group<T>> {
  const groups = new Map<string, Group<T> & { readonly causes: Set<string> }>()
  for (const each of all) {
    const key = keyOf(each)
    if (key === undefined) continue
    const group = groups.get(key) ?? { newest: [], count: 0, causes: new Set() }
    groups.set(key, group)
    group.count++
    if (group.newest.length === MAX_CAUSES) continue
    const cause = causeOf(each)
    if (!group.causes.has(cause)) group.newest.push(each)
    group.causes.add(cause)
  }
  return groups
}

/**
 * Lists the rejected requests by operation and code, and those abandoned by their clients. Requests rejected by a fault are listed only if
 * the fault is used up. Other faults are listed themselves or were removed.
 */
export function listRefusals(host: ControlHost, tx: Transaction): Trouble[] {
  const all = [...host.journal.newestRequests()]
  const usedUp = new Map(faultsIn(tx).flatMap((fault) => (isUsedUp(fault) ? [[fault.id, fault]] : [])))
  const counts = ({ fault }: SeenRequest) => fault === null || usedUp.has(fault)
  const earlyErrors = [...EARLY_ERRORS, ...host.listErrorsOfRules()]
  const earlyCodes = new Set(earlyErrors.map((error) => codeOf(error, host.dialect)))
  const groups = groupBy(all, (each) => (counts(each) ? getSearch(each, earlyCodes) : undefined), getTemplate)
  return [...groups].flatMap(([search, { newest, count }]): Trouble[] => {
    const [last] = newest
    if (!last) return []
    const { operationId: key, method, path } = last
    const request = { collection: 'requests', key, name: `${method} ${path}` }
    const causes = newest.map((each) => describeCause(host, tx, each, all, usedUp))
    const present = causes.filter(({ kind }) => kind !== 'fixed')
    const [first, ...others] = present.length > 0 ? present : causes.slice(0, 1)
    if (!first) return []
    return [
      {
        ...first,
        cause: [first.cause, ...others.flatMap(({ cause }) => describeEarlier(cause, first.cause))].join(' '),
        count,
        about: [request, ...listOtherPlaces(host, tx, last)],
        search,
        ...(first.fix && { id: search }),
      },
    ]
  })
}

/** Counts the errors that are no longer in the journal, so that they do not go unnoticed. */
export function listDropped({ journal: { dropped, droppedErrors: count } }: ControlHost): Trouble[] {
  if (count === 0) return []
  const what = `${formatCount(dropped, 'request')}, ${count} of them with an error that is not listed here`
  const cause = `The journal has dropped ${what}. To keep more, set journalSize and journalBytes.`
  return [{ kind: 'rejected', count, cause, about: [] }]
}

/** Describes an earlier cause without the sentences at its end that the latest cause has too. Returns nothing if it has no others. */
function describeEarlier(cause: string, latest: string): readonly string[] {
  const sentences = splitSentences(cause)
  const known = new Set(splitSentences(latest))
  const last = sentences.findLastIndex((each) => !known.has(each))
  return last < 0 ? [] : [`Before that: ${sentences.slice(0, last + 1).join(' ')}`]
}

/** Splits a text into sentences. A quoted value stays whole, whatever it contains. */
function splitSentences(text: string): readonly string[] {
  const found = text.match(/(?:"(?:[^"\\]|\\.)*"|.)+?(?:(?<=\.)(?= [A-Z])|$)/gs) ?? []
  return found.map((each) => each.trim())
}

/** Returns an error's message without its values, so mistakes that differ only in values are grouped together. */
function getTemplate({ problem, readResponse }: SeenRequest): string {
  const response = readResponse()
  const message = problem ?? (isObject(response) ? String(response.msg) : '')
  // Content types differ in their causes.
  return message.replace(/"(?!\w+\/[\w.+-]+")(?:[^"\\]|\\.)*"|\d+/g, '')
}

/** Lists where a module is set, for a request that did not find it. */
function listOtherPlaces({ api, collections }: ControlHost, tx: Transaction, { operation, status }: SeenRequest) {
  const name = operation?.replace(/\..*/, '')
  const isListed = api.operations.some((each) => each.name === `${name}.list`)
  const found = status === 404 && !isListed && collections.find((each) => each.name === name)
  if (!found) return []
  const keys = [...tx.newestFirst(found)].slice(0, MAX_PLACES).map((record) => found.key(record))
  return keys.map((key) => ({ collection: found.name, key, name: `one at ${key}` }))
}

/** Matches the part of a path from its first ID. */
const ID_PART = /\/[a-z]+_\w{20,}.*/

/** The errors of any request that concern its caller or the gateway instead of its operation. */
const EARLY_ERRORS: readonly CatalogueError[] = [
  general.auth_missing,
  general.auth_unparsable,
  general.auth_invalid,
  general.auth_is_authtoken,
  general.version_missing,
  general.version_unsupported,
  general.too_many_requests,
  general.store_failed,
]

/** Returns the search words that find rejected requests like this one, or undefined if it was not rejected. */
function getSearch(request: SeenRequest, earlyCodes: ReadonlySet<string>): string | undefined {
  const { operation, method, path, status, cancelled, fault } = request
  // Requests to the same unknown path have the same cause, apart from IDs.
  const unknown = operation === null ? ` method:${method} path:${path.replace(ID_PART, '')}` : ''
  const words = `op:${operation ?? 'none'}${unknown}${fault === null ? '' : ` fault:${fault}`}`
  if (cancelled) return `${words} cancelled:yes`
  if (status < 400) return undefined
  const code = readCode(request)
  if (fault === null && earlyCodes.has(code)) return `code:${code}`
  return `${words} ${code ? `code:${code}` : `status:${status}`}`
}

/** Returns the error code of a response, or an empty string if it has none. */
function readCode({ readResponse }: SeenRequest): string {
  const response = readResponse()
  return isObject(response) && typeof response.error_code === 'string' ? response.error_code : ''
}

/** States why a request was rejected, and whether the reason still applies. */
function describeCause(
  host: ControlHost,
  tx: Transaction,
  request: SeenRequest,
  all: readonly SeenRequest[],
  usedUp: ReadonlyMap<string, ArmedFault>,
): Pick<Trouble, 'kind' | 'cause' | 'fix'> {
  const { method, path, query, body, status, fault } = request
  if (request.cancelled) return { kind: 'cancelled', cause: 'The client gave up before the response was sent.' }
  const entry = request.readEntry()
  const cause = describeRefusal(entry) ?? `The response has status ${status}.`
  const known = usedUp.get(fault ?? '')
  if (known) {
    // Its message may mention, for example, a limit that the gateway does not have.
    const did = known.drop ? 'closed the connection without a response' : `set the response, with status ${status}`
    const made = `A fault ${did}, and is used up: ${describeInWords(known)}.`
    return { kind: 'injected', cause: made, fix: removeFault(known.id) }
  }
  const fixed = (how: string) => ({ kind: 'fixed' as const, cause: `${cause} ${how}` })
  const later = all.slice(0, all.indexOf(request))
  const isRepeated = later.some(
    (each) =>
      each.status < 400 && each.path === path && each.method === method && each.query === query && each.body === body,
  )
  if (isRepeated) return fixed('The same request succeeded later.')
  if (readCode(request) === codeOf(general.store_failed, host.dialect)) return { kind: 'broken', cause }
  const deleted = findDeleted(host, tx, request, cause)
  if (deleted !== undefined) return fixed(`${deleted} has been deleted since.`)
  const present = status === 404 ? findPresent(host, tx, request) : undefined
  if (present !== undefined && cause.includes(present)) return fixed('It exists now.')
  const removed = status === 404 ? describeRemoved(request, all) : undefined
  if (removed !== undefined) return { kind: 'rejected', cause: `${cause} ${removed}` }
  return describeWait(host, tx, cause, request.now, entry.responseHeaders)
}

/** Describes whether the time of a `Retry-After` has passed, and how far to advance a clock that does not move. */
export function describeWait(
  { clock }: ControlHost,
  tx: Transaction,
  cause: string,
  at: number,
  headers: TrafficEntry['responseHeaders'],
): Pick<Trouble, 'kind' | 'cause' | 'fix'> {
  const wait = Number(headers['retry-after'])
  if (!(wait > 0)) return { kind: 'rejected', cause }
  if (tx.now >= at + wait * 1000)
    return { kind: 'fixed', cause: `${cause} The ${formatCount(wait, 'second')} have passed.` }
  if (!isManual(clock)) return { kind: 'rejected', cause }
  const advice = `The clock does not move: advance it by ${wait} s.`
  return { kind: 'rejected', cause: `${cause} ${advice}`, fix: advanceClock({ advance: `${wait}s` }) }
}

/** Returns the ID in a request's path if a restore or an undo has brought back the resource. */
function findPresent({ collections }: ControlHost, tx: Transaction, { operation, path }: SeenRequest) {
  const family = collections.find(({ name }) => name === operation?.replace(/\..*/, ''))
  return family && path.split('/').find((part) => tx.get(family, part))
}

/** The path of a command that ends the session of an agent. */
const SESSION_COMMAND = /^(\/tunnel_sessions\/[^/]+)\/(?:stop|restart)$/

function describeEndedSession({ path, now }: SeenRequest): string {
  const ended = `POST ${path} ended it at ${timestamp(now)}`
  return path.endsWith('/stop')
    ? `${ended}, and its tunnels and endpoints with it. Restart the agent: its new session will have a new ID.`
    : `${ended}. The agent is in a new session with the same tunnels: list the sessions to find the ID.`
}

/** States what happened to a resource that an earlier request created. Returns undefined if there is no such request. */
function describeRemoved(request: SeenRequest, all: readonly SeenRequest[]): string | undefined {
  const { path } = request
  const earlier = all.slice(all.indexOf(request) + 1).filter(({ status }) => status < 300)
  if (earlier.some((each) => each.method === 'DELETE' && each.path === path)) return 'An earlier request deleted it.'
  const command = earlier.find((each) => path.startsWith(SESSION_COMMAND.exec(each.path)?.[1] ?? '\0'))
  if (command) return describeEndedSession(command)
  const creation = earlier.find((each) => {
    const response = each.method === 'POST' ? each.readResponse() : undefined
    return isObject(response) && path.split('/').includes(String(response.id))
  })
  return creation && `POST ${creation.path} created it. A restore, an undo, or another call has removed it since.`
}

/** Returns the ID of a resource that conflicted with a request and no longer exists. */
function findDeleted(
  { collections }: ControlHost,
  tx: Transaction,
  { path, query, body }: SeenRequest,
  cause: string,
): string | undefined {
  const ids = cause.match(/\b[a-z]+_[0-9A-Za-z]{20,}\b(?! no longer exists)/g) ?? []
  const isSent = (id: string) => [path, query, body].some((each) => each.includes(id))
  return ids.find((id) => !isSent(id) && !collections.some((each) => tx.get(each, id)))
}
