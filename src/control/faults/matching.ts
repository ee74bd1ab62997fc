import type { Engine } from '../../core/engine/engine.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { readPredicateResult } from '../../core/schema/arguments.ts'
import { codeOf } from '../../core/schema/error-facts.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { findIdError } from '../../core/schema/ids.ts'
import { listNames, nearest } from '../../core/schema/nearest.ts'
import { describeThrown, formatCount, quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import type { ArmedFault, JournalEntry } from '../../generated/controls.ts'
import { describeNgrokOnly, findNgrokOperation } from '../../service/resources/ngrok-paths.ts'
import type { Api, ControlHost } from '../control.ts'
import type { Journal } from '../journal/journal.ts'
import { countHits, type FaultRequest, faultRecords, isPending } from './fault.ts'

/**
 * Returns the fault that applies to a request, if any: the oldest one that matches and has started. This fault, and matching faults that
 * start later, count the request as a hit. Predicates run before the counting and outside any transaction. The changes that they make to
 * the gateway remain, and a fault that they remove does not apply.
 */
export function applyFault(engine: Engine, request: FaultRequest) {
  const waiting = engine.state.records.table(faultRecords).findAll('waiting', '')
  const matching = waiting.filter((fault) => matches(fault, request))
  return matching.length === 0 ? undefined : engine.transact((tx) => countHits(tx, matching))
}

/** @throws Error that names the fault, if its predicate throws. */
function matches(fault: ArmedFault, request: FaultRequest): boolean {
  try {
    return findMismatches(fault, request).length === 0
  } catch (cause) {
    throw new Error(`The function \`when\` of the fault ${describeFault(fault)} threw ${describeThrown(cause)}`, {
      cause,
    })
  }
}

function findMismatches(fault: ArmedFault, request: FaultRequest): string[] {
  if (fault.traffic !== undefined) return ['it is for requests that the gateway forwards']
  if (fault.agent !== undefined) return ["it is for the agent's API"]
  const found: string[] = []
  const compare = (what: string, expected: string | undefined, actual: string) => {
    if (expected !== undefined && expected !== actual) found.push(`its ${what} is ${actual}, not ${expected}`)
  }
  compare('operation', fault.operation, request.operation)
  compare('method', fault.method, request.method)
  compare('path', fault.path, request.path)
  const { resource, when } = fault
  if (resource !== undefined && !Object.values(request.ids).includes(resource))
    found.push(`${resource} is not in its path`)
  if (found.length === 0 && when && !readPredicateResult('it', when(request)))
    found.push('its predicate returned false')
  return found
}

/** Conditions by field. A request must meet all of these conditions. */
type Conditions = Partial<Readonly<Record<Condition['field'], string | undefined>>>

/**
 * Throws an error for conditions that no request can meet. A test with a misspelled condition would otherwise pass without testing
 * anything. `labelOf` returns the name for a condition in the message.
 */
export function requireMatchable(api: Api, conditions: Conditions, labelOf = (field: string) => field): void {
  const found = findUnmatchable(api, conditions)
  if (!found) return
  const { field, received, choices, allowed } = found
  const near = nearest(received, choices)
  const elsewhere = field === 'operation' && near === undefined ? findNgrokOperation(received) : undefined
  if (elsewhere !== undefined && !hasGroupOf(elsewhere, choices)) {
    const allowedHere = `an operation of this gateway. ${describeNgrokOnly(elsewhere).slice(0, -1)}`
    refuse(general.field_invalid, { field: labelOf(field), received: quote(received), allowed: allowedHere })
  }
  const facts = { field: labelOf(field), received: quote(received), choices, nearest: near }
  refuse(general.field_invalid, { ...facts, allowed })
}

/** Returns whether one of these operations belongs to the same group, such as `api_keys`. */
function hasGroupOf(operation: string, choices: readonly string[]): boolean {
  const start = operation.slice(0, operation.indexOf('.') + 1)
  return choices.some((each) => each.startsWith(start))
}

/** Returns the first condition that contradicts an earlier condition, or undefined if there is none. */
export function findUnmatchable(api: Api, conditions: Conditions) {
  let candidates = api.operations
  for (const { field, matches, values } of CONDITIONS) {
    const received = conditions[field]
    if (received === undefined) continue
    const matching = candidates.filter((operation) => matches(operation, received, api))
    if (matching.length === 0) {
      const choices = [...new Set(candidates.flatMap(values))]
      const allowed = listNames(received, choices) || 'nothing, because such requests name no resource'
      return { field, received, choices, allowed }
    }
    candidates = matching
  }
  return undefined
}

interface Condition {
  readonly field: 'operation' | 'method' | 'path' | 'resource'
  readonly matches: (operation: Operation, received: string, api: Api) => boolean
  /** The values that a request for an operation can have. */
  readonly values: (operation: Operation) => readonly string[]
}

const CONDITIONS: readonly Condition[] = [
  {
    field: 'operation',
    matches: ({ name }, received) => name === received,
    values: ({ name }) => [name],
  },
  {
    field: 'method',
    matches: (operation, received) => listMethods(operation).includes(received),
    values: listMethods,
  },
  {
    field: 'path',
    // A placeholder such as {id} or :id doesn't match any request.
    matches: (operation, received, api) =>
      !/[{:*]/.test(received) && api.routeAt(received)?.methods.get(operation.method) === operation,
    values: ({ path, ids }) => [path.replace(/\{(\w+)\}/g, (_, name: string) => `${ids[name]}_…`)],
  },
  {
    field: 'resource',
    matches: ({ ids }, received) => Object.values(ids).some((prefix) => findIdError(received, prefix) === undefined),
    values: ({ ids }) => Object.values(ids).map((prefix) => `${prefix}_…`),
  },
]

function listMethods({ method }: Operation): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

const EXPLAINED_REQUESTS = 5

type Place = Pick<ControlHost, 'api' | 'dialect' | 'engine'>

/** Returns the most recent requests, oldest first. For each, a report explains why a pending fault did not apply. */
export function lastRequests(journal: Journal): JournalEntry[] {
  const entries: JournalEntry[] = []
  for (const entry of journal.newestFirst()) if (entries.push(entry) === EXPLAINED_REQUESTS) break
  return entries.reverse()
}

/** Returns the requests that a fault did not apply to, and why. */
export function findMissed(fault: ArmedFault, requests: readonly JournalEntry[], host: Place) {
  return requests
    .filter((entry) => entry.fault !== fault.id)
    .map((entry) => ({
      operationId: entry.operationId,
      request: methodAndPath(entry),
      reason: explainMismatch(fault, entry, host),
    }))
}

/**
 * Describes the faults that are still waiting for requests, and why the most recent requests didn't match. Returns undefined if there are
 * none.
 */
export function describePendingFaults(
  faults: readonly ArmedFault[],
  host: Place & Pick<ControlHost, 'journal'>,
): string | undefined {
  const pending = faults.filter(isPending)
  if (pending.length === 0) return undefined
  const last = lastRequests(host.journal)
  const lineOf = (fault: ArmedFault, entry: JournalEntry) =>
    `${methodAndPath(entry)}: ${entry.fault === fault.id ? 'it applied' : explainMismatch(fault, entry, host)}.`
  const explain = (fault: ArmedFault) => {
    // The journal contains neither requests to the agent's API nor visitor requests.
    if (fault.traffic !== undefined) return ['  It is waiting for requests that the gateway forwards.']
    if (fault.agent !== undefined) return ["  It is waiting for requests to the agent's API."]
    return last.length === 0
      ? ['  There were no requests.']
      : mergeRepeated(last.map((entry) => lineOf(fault, entry))).map((line) => `  ${line}`)
  }
  const lines = pending.flatMap((fault) => [
    `${fault.id} ${describeFault(fault)}: applied to ${describeHits(fault)}.`,
    ...explain(fault),
  ])
  const wait = formatCount(pending.length, 'fault is still waiting', 'faults are still waiting')
  return `${wait} for requests.\n${lines.join('\n')}`
}

function methodAndPath({ method, path }: JournalEntry): string {
  return `${method} ${path}`
}

function mergeRepeated(lines: readonly string[]): string[] {
  const times = new Map<string, number>()
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1)
  return [...times].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`))
}

function describeHits({ hits, times }: ArmedFault): string {
  return times === undefined ? formatCount(hits, 'request') : `${hits} of ${formatCount(times, 'request')}`
}

export function describeFault({ id: _id, hits: _hits, passed: _passed, when, ...spec }: ArmedFault): string {
  return `${JSON.stringify(spec)}${when ? ' with a predicate' : ''}`
}

/** Matches the keys of errors from checks that run before faults apply. Families can add such errors, with status 403. */
const EARLY_ERROR = /^(?:auth|version|content_type|body)_|^too_many_requests$/

function explainMismatch(fault: ArmedFault, entry: JournalEntry, { api, dialect, engine }: Place): string {
  const { operation, method, path } = entry
  if (operation === null) return 'is not an operation of the API'
  const ids = api.routeAt(path)?.ids ?? {}
  const reasons = findMismatchesSafely(fault, { operation, method, path, ids, input: readInput(entry, api) })
  if (reasons.length > 0) return reasons.join(', and ')
  if (entry.fault) return `matched, but ${entry.fault} applied`
  const { after = 0, passed } = fault
  if (passed > 0) return `matched, but came too early: ${passed} of the first ${after} have passed`
  const { status, response } = entry
  const code = status >= 400 && isObject(response) ? response.error_code : undefined
  const error = [...engine.context.catalogue.values()].find((each) => codeOf(each, dialect) === code)
  const rejected = `was rejected with ${status} before faults apply`
  if (error && EARLY_ERROR.test(error.key)) return `matched, but ${rejected}`
  return `matched, but came before the fault was added${status === 403 ? `, or ${rejected}` : ''}`
}

/** Returns the input for a predicate, without secrets. */
function readInput({ operation, query, request }: JournalEntry, { operations }: Api): unknown {
  const { query: parameters, matching = {} } = operations.find(({ name }) => name === operation) ?? {}
  if (!parameters) return request ?? {}
  const sent = new URLSearchParams(query)
  return Object.fromEntries(
    [...sent.keys()].map((name) => [name, Object.hasOwn(matching, name) ? sent.getAll(name) : sent.get(name)]),
  )
}

/** Returns the mismatches. A predicate that throws counts as a mismatch, because it must not hide the rest of the report. */
function findMismatchesSafely(fault: ArmedFault, request: FaultRequest): string[] {
  try {
    return findMismatches(fault, request)
  } catch (error) {
    return [`its predicate threw ${quote(describeThrown(error))}`]
  }
}
