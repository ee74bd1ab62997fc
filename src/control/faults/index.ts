import * as v from 'valibot'
import type { Family } from '../../core/operation/family.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { NO_VALUES, requireValues } from '../../core/schema/arguments.ts'
import { assertNoProblem } from '../../core/schema/assertion-error.ts'
import { documented } from '../../core/schema/documentation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { quote } from '../../core/schema/text.ts'
import { rangeMs } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import type { ArmedFault, FaultSpec } from '../../generated/controls.ts'
import type { OperationName } from '../../generated/resources.ts'
import { type Api, type Control, controlCall, createMembers, membersOf } from '../control.ts'
import {
  addedFault,
  errors,
  FAULT_PREFIX,
  faultRecords,
  faultSpec,
  faultsIn,
  getFaultState,
  isPending,
  isUsedUp,
  listedFault,
  MAX_FAULTS,
} from './fault.ts'
import { describePendingFaults, findMissed, findUnmatchable, lastRequests, requireMatchable } from './matching.ts'

const list = controlCall({
  method: 'GET',
  path: '/faults',
  summary: 'List the faults, oldest first',
  commands: [{ name: 'faults' }],
  response: v.array(listedFault),
  run(host) {
    const requests = lastRequests(host.journal)
    const missedOf = (fault: ArmedFault) =>
      findMissed(fault, requests, host).map((missed) => ({ ...missed, reason: host.withoutKeys(missed.reason) }))
    return host.transact(faultsIn).map((fault) => ({
      ...fault,
      state: getFaultState(fault),
      ...(isPending(fault) && { missed: missedOf(fault) }),
    }))
  },
  members: (_call, host) => ({
    /** Returns the faults, oldest first, with their hit counts. Used-up faults are dropped once there are 1,000 faults. */
    all: (): readonly ArmedFault<OperationName>[] =>
      // A fault can also name an operation of your own families, which this type does not know.
      host.transact(faultsIn) as readonly ArmedFault<OperationName>[],
    /** Throws an error if faults are still pending. The error lists them, and says why the most recent requests did not match. */
    assertNoPendingFaults(): void {
      const found = describePendingFaults(host.transact(faultsIn), host)
      assertNoProblem(found && host.withoutKeys(found))
    },
  }),
})

const add = controlCall({
  method: 'POST',
  path: '/faults',
  summary: 'Add a fault',
  commands: [
    {
      name: 'faults add',
      summary: 'Make matching HTTP requests fail or arrive late',
      example: '--operation reserved_domains.create --times 1 --status 503 --retry-after 2s',
      notes: ['Without --operation, --method, --path, and --resource, every API request matches.'],
    },
  ],
  from: 'body',
  schema: faultSpec,
  response: addedFault,
  errors: [errors.too_many_pending],
  run(host, sent) {
    requireMatchable(host.api, sent)
    requireEffect(sent)
    return host.transact((tx) => {
      makeRoom(tx)
      return tx.put(faultRecords, { id: tx.newId(FAULT_PREFIX), ...sent, hits: 0, passed: 0 })
    })
  },
  members: (call) => ({
    /**
     * Makes matching HTTP requests fail or arrive late. Direct API calls are not affected.
     *
     * @example
     * ```ts
     * gateway.faults.add({ operation: 'reserved_domains.create', times: 1, phase: 'after', status: 503 })
     * ```
     * @throws GatewayError `field_invalid` for a value that is not allowed or has no effect, or for a fault that no request can match;
     * `too_many_pending` if 1,000 faults are pending already.
     */
    add(spec: FaultSpec<OperationName>): ArmedFault<OperationName> {
      if (!isObject(spec)) {
        refuse(general.field_invalid, { field: 'spec', received: quote(spec), allowed: 'an object' })
      }
      requireValues(spec, ['operation', 'method', 'path', 'resource', 'agent', 'when', 'times'], NO_VALUES)
      return call(spec) as ArmedFault<OperationName> // See `all`.
    },
  }),
})

const remove = controlCall({
  method: 'DELETE',
  path: '/faults',
  summary: 'Remove all faults, or one fault',
  commands: [
    { name: 'faults remove', summary: 'Remove the fault with this ID', words: { id: 'ID' }, example: 'fault_1' },
    { name: 'faults clear', summary: 'Remove all faults', flags: [] },
  ],
  from: 'query',
  schema: v.object({ id: v.optional(documented(v.string(), 'Only the fault with this ID.')) }),
  errors: [general.not_found],
  run: (host, { id }) =>
    host.transact((tx) => {
      const found = faultsIn(tx).filter((fault) => id === undefined || fault.id === id)
      if (id !== undefined && found.length === 0) {
        refuse(general.not_found, { what: 'fault with the ID', received: quote(id) }, { id })
      }
      for (const fault of found) tx.remove(faultRecords, fault)
    }),
  members: (call) => ({
    /**
     * Removes the fault with this ID.
     * @throws GatewayError `not_found` if there is no such fault.
     */
    remove(id: string): void {
      // Without an id, the call over HTTP removes all faults.
      if (id === undefined || id === null) {
        refuse(general.field_invalid, { field: 'id', received: quote(id), allowed: 'the ID of a fault' })
      }
      call({ id })
    },
    /** Removes all faults. */
    clear: (): void => call(),
  }),
})

/** The fields of a response that a broken connection does not deliver. */
const RESPONSE_FIELDS = ['status', 'error', 'message', 'retryAfter', 'body', 'truncate', 'ending'] as const

/** The fields that do not apply to requests that the gateway forwards. */
const API_FIELDS = [
  'operation',
  'method',
  'path',
  'resource',
  'when',
  'phase',
  'error',
  'message',
  'retryAfter',
] as const

/** The fields that do not apply to requests to the agent's API. */
const OTHER_FIELDS = ['traffic', ...API_FIELDS.filter((name) => name !== 'method')] as const

/** Rejects a field without effect in combination with the others, because a test would pass without the failure that it requests. */
function requireEffect(sent: FaultSpec): void {
  const refuseField = (field: keyof FaultSpec, allowed: string) =>
    refuse(general.field_invalid, { field, received: quote(sent[field]), allowed })
  if (rangeMs(sent.latency)?.to === 0) refuseField('latency', 'at least 1 ms')
  const undelivered = sent.drop ? RESPONSE_FIELDS.find((name) => sent[name] !== undefined) : undefined
  if (undelivered) refuseField(undelivered, 'only without drop, because a broken connection delivers no response')
  if (sent.ending !== undefined && sent.truncate === undefined)
    refuseField('ending', 'only with truncate, which sets where the response ends')
  const ofApi = sent.traffic === undefined ? undefined : API_FIELDS.find((name) => sent[name] !== undefined)
  if (ofApi) refuseField(ofApi, 'only without traffic, because it applies to API requests')
  const ofOthers = sent.agent === undefined ? undefined : OTHER_FIELDS.find((name) => sent[name] !== undefined)
  if (ofOthers) refuseField(ofOthers, "only without agent, because it does not apply to requests to the agent's API")
  if (sent.body !== undefined && sent.message !== undefined)
    refuseField('message', 'only without body, which replaces it')
}

function makeRoom(tx: Transaction): void {
  if (tx.count(faultRecords) < MAX_FAULTS) return
  const usedUp = faultsIn(tx).find(isUsedUp)
  if (!usedUp) refuse(errors.too_many_pending, { what: 'faults', most: MAX_FAULTS })
  tx.remove(faultRecords, usedUp)
}

const calls = [list, add, remove] as const
const members = /* @__PURE__ */ membersOf(calls)

/**
 * Injected failures for HTTP requests. Nothing fails until you add a fault. If several faults match a request, the one added
 * first applies. Direct API calls are not affected.
 *
 * @example
 * ```ts
 * gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503, retryAfter: '2s' })
 * ```
 */
export interface Faults extends NonNullable<typeof members> {}

export interface FaultsMember {
  /** Injected failures for HTTP requests. */
  readonly faults: Faults
}

export const faults: Control<FaultsMember, typeof errors> = {
  errors,
  calls,
  state: (api) => ({ collections: [faultRecords], relations: createRelations(api) }),
  members: (host) => ({ faults: createMembers(calls, host) }),
}

/** Returns the check for a snapshot's faults. Like `add`, it rejects a fault that can't match any request. */
function createRelations(api: Api): NonNullable<Family['relations']> {
  return (fault: ArmedFault, _others, report) => {
    const problem = findUnmatchable(api, fault)
    if (problem) report([problem.field], problem.received, problem.allowed)
  }
}
