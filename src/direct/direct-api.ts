import type { Families } from '../operation/family.ts'
import type { Operation, PathIds } from '../operation/operation.ts'

/** Families as the kit makes them, as far as types need them. */
export type CallableFamilies = Readonly<Record<string, { readonly operations: object }>>

/** The direct API of a table of families: one property per family, one function per operation. */
export type Direct<F extends CallableFamilies> = {
  readonly [Name in keyof F]: {
    readonly [Verb in keyof F[Name]['operations']]: CallIn<F[Name]['operations'][Verb]>
  }
}

/**
 * A family of fauxgate's own as far as types need it: its calls, the keys of its errors, the names of its limits, and what
 * tests can declare.
 */
export interface ReadyFamily<Calls, Key extends string, Limit extends string, Declares = Record<never, never>> {
  /** The operations, by their names in the direct API. */
  readonly operations: { readonly [Verb in keyof Calls]: { readonly call?: Calls[Verb] } }
  /** The errors, by their keys. */
  readonly errors: { readonly [K in Key]: object }
  /** The limits of the account that its records come under, by their names. */
  readonly limits?: { readonly [Name in Limit]: object }
  /** The declarations that tests can make, by their names in `gateway.declare`. */
  readonly declares?: { readonly [Name in keyof Declares]: { readonly call?: Declares[Name] } }
}

/** The type of an operation carries that of its function, which needs no types of valibot. */
type CallIn<O> = O extends { readonly call?: infer Call } ? NonNullable<Call> : never

type Run = (operation: Operation, ids: PathIds, input: unknown, call: Call) => unknown

type Call = (...args: never[]) => unknown

/** Makes the direct API of a table of families. Every function throws a `GatewayError` when a rule refuses. */
export function createDirectApi<F extends Families>(families: F, run: Run): Direct<F> {
  const api: Record<string, Record<string, unknown>> = {}
  for (const [name, { operations }] of Object.entries(families)) {
    const calls: Record<string, unknown> = {}
    for (const [verb, operation] of Object.entries(operations)) calls[verb] = createCall(operation, run)
    api[name] = Object.freeze(calls)
  }
  return api as Direct<F> // The type checker does not follow names through loops.
}

const NO_IDS: PathIds = Object.freeze({})

function createCall(operation: Operation, run: Run): Call {
  const [first, ...others] = Object.keys(operation.ids)
  if (first === undefined) {
    const call = (input: unknown = {}) => run(operation, NO_IDS, input, call)
    return call
  }
  // A copy, because a getter in the caller's object may return something else each time, or call the gateway.
  const idsOf = (ids: unknown) => (others.length === 0 ? { [first]: ids } : { ...(ids as PathIds) }) as PathIds // The arguments are checked when the operation runs.
  const call = (ids: unknown, input: unknown = {}) => run(operation, idsOf(ids), input, call)
  return call
}
