import type { Families } from '../../core/operation/family.ts'
import type { Operation, PathIds } from '../../core/operation/operation.ts'

/** Families, reduced to the parts from which the type of the direct API is derived. */
export type CallableFamilies = Readonly<Record<string, { readonly operations: object }>>

/** The direct API of families: one property per family, one function per operation. */
export type Direct<F extends CallableFamilies> = {
  readonly [Name in keyof F]: {
    readonly [Verb in keyof F[Name]['operations']]: CallOf<F[Name]['operations'][Verb]>
  }
}

/** A built-in family, reduced to the parts from which the types of a gateway are derived. */
export interface BuiltInFamily<
  Calls,
  ErrorKey extends string,
  LimitName extends string,
  Declares = Record<never, never>,
> {
  /** The operations, by their name in the direct API. */
  readonly operations: { readonly [Verb in keyof Calls]: { readonly call?: Calls[Verb] } }
  /** The errors, by key. */
  readonly errors: { readonly [Key in ErrorKey]: object }
  /** The account limits on the family's records, by name. */
  readonly limits?: { readonly [Name in LimitName]: object }
  /** The declarations that tests can make, by name in `gateway.declare`. */
  readonly declares?: { readonly [Name in keyof Declares]: { readonly call?: Declares[Name] } }
}

/** The type of an operation's function in the direct API. The operation carries it in the member `call`, which is never set. */
type CallOf<O> = O extends { readonly call?: infer Call } ? NonNullable<Call> : never

type Call = (...args: never[]) => unknown

/** Runs an operation. `call` is the function of the direct API that was called. */
type Run = (operation: Operation, ids: PathIds, input: unknown, call: Call) => unknown

/** Creates the direct API of families. Every function throws a `GatewayError` if a rule rejects the call. */
export function createDirectApi<F extends Families>(families: F, run: Run): Direct<F> {
  const api: Record<string, Record<string, unknown>> = {}
  for (const [name, { operations }] of Object.entries(families)) {
    const calls: Record<string, unknown> = {}
    for (const [verb, operation] of Object.entries(operations)) calls[verb] = createCall(operation, run)
    api[name] = Object.freeze(calls)
  }
  return api as Direct<F> // The type checker loses names in loops.
}

const NO_IDS: PathIds = Object.freeze({})

function createCall(operation: Operation, run: Run): Call {
  const [firstName, ...otherNames] = Object.keys(operation.ids)
  if (firstName === undefined) {
    const call = (input: unknown = {}) => run(operation, NO_IDS, input, call)
    return call
  }
  // A copy, because a getter in the caller's object may return a different value each time, or call the gateway.
  const idsOf = (ids: unknown) => (otherNames.length === 0 ? { [firstName]: ids } : { ...(ids as PathIds) }) as PathIds // The arguments are checked when the operation runs.
  const call = (ids: unknown, input: unknown = {}) => run(operation, idsOf(ids), input, call)
  return call
}
