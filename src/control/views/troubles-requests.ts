import { isManual } from '../../core/engine/clock.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { toSentence } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import type { ArmedFault, Trouble } from '../../generated/controls.ts'
import type { ControlHost } from '../control.ts'
import { faultsIn, isUsedUp } from '../faults/fault.ts'
import type { SeenRequest } from '../journal/journal.ts'
import { describeRefusal } from '../requests.ts'
import type { TrafficEntry } from '../traffic/entry.ts'
import { advanceClock, describeInWords, MAX_PLACES, removeFault } from './troubles-injected.ts'

interface Group<Last> {
  readonly last: Last
  count: number
}

/** Counts things by a key, newest first, and keeps the newest of each key. */
function groupBy<T>(all: Iterable<T>, keyOf: (each: T) => string | undefined): Map<string, Group<T>> {
  const groups = new Map<string, Group<T>>()
  for (const last of all) {
    const key = keyOf(last)
    if (key === undefined) continue
    const known = groups.get(key)
    if (known) known.count++
    else groups.set(key, { last, count: 1 })
  }
  return groups
}

/**
 * Lists the refused requests by operation and code, and those that their clients gave up. Of faults, only those count that are used
 * up: others are listed themselves, or were removed.
 */
export function listRefusals(host: ControlHost, tx: Transaction): Trouble[] {
  const all = [...host.journal.newestRequests()]
  const usedUp = new Map(faultsIn(tx).flatMap((fault) => (isUsedUp(fault) ? [[fault.id, fault]] : [])))
  const counts = ({ fault }: SeenRequest) => fault === null || usedUp.has(fault)
  const groups = groupBy(all, (each) => (counts(each) ? getSearch(each) : undefined))
  return [...groups].map(([search, { last, count }]) => {
    const { operationId: key, method, path } = last
    const request = { collection: 'requests', key, name: `${method} ${path}` }
    return {
      ...describeGroup(tx, last, all, { usedUp, isStill: isManual(host.clock) }),
      count,
      about: [request, ...listOtherPlaces(host, tx, last)],
      search,
    }
  })
}

/** Lists the places where a module is set that a request did not find. */
function listOtherPlaces({ api, collections }: ControlHost, tx: Transaction, { operation, status }: SeenRequest) {
  const name = operation?.replace(/\..*/, '')
  const isListed = api.operations.some((each) => each.name === `${name}.list`)
  const found = status === 404 && !isListed && collections.find((each) => each.name === name)
  if (!found) return []
  const keys = [...tx.newestFirst(found)].slice(0, MAX_PLACES).map((record) => found.key(record))
  return keys.map((key) => ({ collection: found.name, key, name: `one at ${key}` }))
}

/** Returns the words that find the refused requests that are like this one; undefined for one that was not refused. */
function getSearch({ operation, status, cancelled, fault, readResponse }: SeenRequest): string | undefined {
  const words = `op:${operation ?? 'none'}${fault === null ? '' : ` fault:${fault}`}`
  if (cancelled) return `${words} cancelled:yes`
  if (status < 400) return undefined
  const response = readResponse()
  const code = isObject(response) && response.error_code
  return `${words} ${typeof code === 'string' && code ? `code:${code}` : `status:${status}`}`
}

interface Surroundings {
  /** The faults that apply to no further request, by their ids. */
  readonly usedUp: ReadonlyMap<string, ArmedFault>
  /** True for a manual clock. */
  readonly isStill: boolean
}

function describeGroup(
  tx: Transaction,
  last: SeenRequest,
  all: readonly SeenRequest[],
  { usedUp, isStill }: Surroundings,
): Pick<Trouble, 'kind' | 'cause' | 'fix'> {
  const { method, path, query, body, status, fault } = last
  if (last.cancelled) return { kind: 'cancelled', cause: 'The client gave up before the response was sent.' }
  const entry = last.readEntry()
  const cause = describeRefusal(entry) ?? `The response has the status ${status}.`
  const known = usedUp.get(fault ?? '')
  if (known) {
    // Its message names a limit, for example, that the gateway may not have.
    const made = `A fault made the response, with the status ${status}, and is used up: ${describeInWords(known)}.`
    return { kind: 'injected', cause: made, fix: removeFault(known.id) }
  }
  const later = all.slice(0, all.indexOf(last))
  const isFixed = later.some(
    (each) =>
      each.status < 400 && each.path === path && each.method === method && each.query === query && each.body === body,
  )
  if (isFixed) return { kind: 'fixed', cause: `${cause} The same request succeeded later.` }
  const wait = Number(entry.responseHeaders['retry-after'])
  const isEarly = wait > 0 && tx.now < last.now + wait * 1000
  if (!isEarly || !isStill) return { kind: 'refused', cause }
  const advice = `The clock does not move: advance it by ${wait} s.`
  return { kind: 'refused', cause: `${cause} ${advice}`, fix: advanceClock({ advance: `${wait}s` }) }
}

/** Lists the requests of visitors that the gateway refused or could not send on, by what refused them. */
export function listVisitors({ traffic: { journal } }: ControlHost): Trouble[] {
  const all = [...journal.newestFirst()]
  const groups = groupBy(all, getEnd)
  return [...groups.values()].map(({ last, count }) => {
    const { method, url, status, error, number } = last
    const code = error === null ? '' : ` ${error}`
    const cause = toSentence(`Visitors got ${status ?? 'no response'}${code}: ${describeEnd(last)}`) + adviceFor(error)
    const later = all.slice(0, all.indexOf(last))
    const isFixed = later.some((each) => each.method === method && each.url === url && getEnd(each) === undefined)
    const about = [{ collection: 'traffic', key: `${number}`, name: `${method} ${url}` }]
    if (isFixed) return { kind: 'fixed', count, cause: `${cause} The same request succeeded later.`, about }
    return { kind: 'refused', count, cause, about }
  })
}

/** The advice for an error whose trace has none. */
function adviceFor(error: string | null): string {
  return error?.endsWith('_3200') ? ' Start an agent for this URL, or create an endpoint.' : ''
}

/** Returns a key of what refused a visitor; undefined if nothing did. */
function getEnd({ status, error, rule, endpoint, url, trace }: TrafficEntry): string | undefined {
  if (status !== null && status < 400) return undefined
  const end = trace.findLast((each) => ('step' in each ? each.isEnd : each.actions.some(({ isEnd }) => isEnd)))
  if (!end) return undefined
  return JSON.stringify([status, error, rule, endpoint ?? new URL(url).origin, 'step' in end ? end.step : end.policy])
}

function describeEnd({ trace }: TrafficEntry): string {
  const texts = trace.flatMap((each): string[] => {
    if ('step' in each) return each.isEnd ? [each.did] : []
    const { name, phase, index, policy, actions } = each
    const action = actions.find(({ isEnd }) => isEnd)
    return action ? [`the rule ${name ?? `${phase}.${index}`} of ${policy}: ${action.type} ${action.did}`] : []
  })
  return texts.at(-1) ?? ''
}
