import type * as v from 'valibot'
import type { RuleOptions } from '../schema/dialect.ts'
import type { CatalogueError } from '../schema/errors.ts'
import { type Frozen, isObject, mapValues } from '../schema/values.ts'
import type { Collection } from './collection.ts'
import type { EventRules } from './events.ts'
import type { LimitsByName } from './limit.ts'
import type { InputArguments, Operation, PathIds } from './operation.ts'
import { type Reference, requireUnnamed } from './reference.ts'
import type { ResourceRecord } from './resource-head.ts'
import type { Transaction } from './transaction.ts'
import type { Wire } from './view.ts'

/** Families by their names in the direct API. */
export type Families = Readonly<Record<string, Family>>

/** A resource family: its operations, errors and collections, and its work on due records. */
export interface Family<
  Operations = Readonly<Record<string, Operation>>,
  Errors = ErrorsByKey,
  Declares = Readonly<Record<string, Declaration>>,
  Limits = LimitsByName,
> {
  /** The operations, by their names in the direct API. */
  readonly operations: Operations
  /** The errors of this family. */
  readonly errors: Errors
  /** The prefix of its resources' ids. */
  readonly prefix?: string
  /** The limits of the account that apply to its records, by their names in `account.limits`. */
  readonly limits?: Limits
  /** The collections; each family knows its own records. */
  readonly collections: readonly Collection<object>[]
  // (rules: provisioning-jobs#renewal)
  /** Handles a record at its due time, and moves or removes that time. */
  onDue?(tx: Transaction, record: object): void
  /** The calls of `gateway.declare`, by name. They make what no operation of the API makes, such as an agent's session. */
  readonly declares?: Declares
  /** Rules that this family adds to operations of others, by the operation's name, such as `reserved_domains.delete`. */
  readonly before?: Readonly<Record<string, RulesBefore>>
  // (rules: requests#api-key)
  /** The API keys that the family knows. */
  readonly apiKeys?: KeyRules
  // (rules: requests#order-of-checks)
  /** The rules of the family for HTTP requests to all operations. */
  readonly requests?: RequestRules
  /** The fields of its records that name other resources. Deletions and the reading of snapshots follow from these rows. */
  readonly references?: readonly Reference[]
  /** The events of the account, if the family keeps their subscriptions. */
  readonly events?: EventRules
  /** Makes the response of a record. */
  view?(record: object, wire: Wire): object
  /** Reports broken relations between a record and other records that `references` does not tell, such as a name that two have. */
  relations?(record: object, others: OtherRecords, report: ReportRelation): void
}

/** The call that ends a declared resource. */
export interface DeclarationEnd {
  /** The prefix of the resource's id. */
  readonly prefix: string
  /** The errors that `run` may reject with. */
  readonly errors?: readonly CatalogueError[]
  /** Ends the resource with this id. Returns false if there is none. */
  run(tx: Transaction, id: string): boolean
}

/** A call of `gateway.declare`; see {@link declaration}. `Call` is the type of its function. */
export interface Declaration<Call extends (...args: never[]) => unknown = (...args: never[]) => unknown> {
  /** The schema of the input. */
  readonly schema: v.GenericSchema
  /** The schema of the declared resource in a response. */
  readonly response: v.GenericSchema
  /** The errors that `run` may throw, in addition to those of the schema. */
  readonly errors?: readonly CatalogueError[]
  /** The call that ends a declared resource. */
  readonly end?: DeclarationEnd
  /** Makes the resource, and returns it as the API shows it. */
  run(tx: Transaction, input: unknown): object
  /** Carries the type of its function in the direct API; never set. */
  readonly call?: Call
}

/**
 * Defines a call of `gateway.declare`, for something that no operation makes, such as the session of an agent. `run` makes it,
 * and returns it as the API shows it.
 *
 * @example
 * ```ts
 * const brokenWidget = declaration({
 *   schema: named(v.object({ description }), 'BrokenWidgetDeclaration', 'Declares a widget that is broken.'),
 *   response: shape,
 *   run: (tx, input) => tx.show(view, tx.put(records, { ...newHead(tx, 'wid', input), isBroken: true })),
 * })
 * ```
 */
export function declaration<Schema extends v.GenericSchema, Shown extends v.GenericSchema<unknown, object>>(
  definition: Pick<Declaration, 'errors' | 'end'> & {
    readonly schema: Schema
    readonly response: Shown
    readonly run: (tx: Transaction, input: v.InferOutput<Schema>) => Frozen<v.InferOutput<Shown>>
  },
): Declaration<(...args: InputArguments<v.InferInput<Schema>>) => Frozen<v.InferOutput<Shown>>> {
  return definition
}

/** The rules that a family adds to an operation of another one, such as: no record of this family may refer to a deleted one. */
export interface RulesBefore {
  /** The errors that `run` may reject with, all of the family itself. */
  readonly errors: readonly CatalogueError[]
  /** Applies the rules, before the operation, to the ids and to the body as its schema read it. The resources need not exist. */
  run(tx: Transaction, ids: PathIds, body: unknown): void
}

/** The rules of a family for the API keys of requests. */
export interface KeyRules {
  /** The errors that `isValidKey` may reject with. Those that are not general are errors of the family. */
  readonly errors: readonly CatalogueError[]
  /**
   * Judges the API key of a request, unless the option `keys` has it. Returns true if the key is valid, false if it is no
   * longer valid, and undefined if the family does not know the key. May reject the request. Use `isOneOf` to compare keys.
   */
  isValidKey(key: string, state: KeyState): boolean | undefined
  /** Rejects a key that neither the option `keys` nor a family knows, if it can say more than that the key is invalid. */
  refuseUnknown?(key: string): void
}

/** The rules of a family for HTTP requests to all operations. Direct calls do not meet these rules. */
export interface RequestRules {
  /** Returns the errors that requests to an operation can have by these rules. */
  listErrors(operation: Operation): readonly CatalogueError[]
  /** Rejects a request, once its API key and version are checked, and before its body is read. */
  requirePermitted?(request: CheckedRequest, state: RequestState): void
  /** Rejects a request for its body, which is not yet checked. */
  requirePermittedBody?(request: CheckedRequest, body: unknown): void
}

/** A request whose API key and version are checked. */
export interface CheckedRequest {
  readonly operation: Operation
  readonly options: RuleOptions
  /** The address that it came from; undefined if nobody knows the address. */
  readonly address: string | undefined
}

/** The records that the rules of requests read. */
export type RequestState = Pick<Transaction, 'find' | 'findAll'>

/** The records of a gateway, and the number that its next id comes from. */
export interface KeyState extends OtherRecords {
  /** The number that the next id comes from; see `wasMade`. */
  readonly sequence: number
}

/** Adds the rules that families have for one another's operations. */
export function addRulesBefore<F extends Families>(families: F): F {
  const added = Object.values(families).flatMap(({ before = {}, references = [] }) => [
    ...Object.entries(before),
    ...references.flatMap(listDeletionRules),
  ])
  if (added.length === 0) return families
  const addRulesOfOthers = (operation: Operation) =>
    added.filter(([name]) => name === operation.name).reduce((inner, [, rules]) => addRules(inner, rules), operation)
  const all = mapValues(families, (family: Family) => ({
    ...family,
    operations: mapValues(family.operations, addRulesOfOthers),
  }))
  return all as F // The type checker does not follow names through entries.
}

/** Returns the rules that reject the deletion of what a row names, by the operations. */
function listDeletionRules(row: Reference): [string, RulesBefore][] {
  const { deletion, to } = row
  if (typeof deletion === 'string') return []
  const rules = {
    errors: [deletion.error],
    run: (tx: Transaction, { id = '' }: PathIds) => requireUnnamed(tx, row, id),
  }
  return to.collections.map((name) => [`${name}.delete`, rules])
}

function addRules(operation: Operation, { errors, run }: RulesBefore): Operation {
  return {
    ...operation,
    errors: [...(operation.errors ?? []), ...errors],
    run(tx, ids, input) {
      run(tx, ids, isObject(input) ? input.body : undefined)
      return operation.run(tx, ids, input)
    },
  }
}

/** Errors by their keys, as `declareErrors` returns them. */
export type ErrorsByKey = Readonly<Record<string, CatalogueError>>

/** The calls that look up a record of a state. */
export type OtherRecords = Pick<Transaction, 'get' | 'find'>

/** A function that reports a broken relation: the field of the record, its value, and the allowed values. */
export type ReportRelation = (path: readonly string[], received: unknown, allowed: string) => void

/**
 * Declares a family that is not a list of resources. For resources, use `resource`.
 *
 * @example
 * ```ts
 * const echo = familyOf({ operations: { get: operation({ …, run: (tx) => ({ now: tx.now }) }) }, collections: [], errors: {} })
 * ```
 */
export function familyOf<
  Operations,
  Errors extends ErrorsByKey,
  Declares = Record<never, never>,
  Limits = Record<never, never>,
>(family: Family<Operations, Errors, Declares, Limits>): Family<Operations, Errors, Declares, Limits> {
  return family
}

/**
 * Returns the records of a family, to look one up by its id in an operation of another one.
 *
 * @example
 * ```ts
 * const policies = recordsOf(ngrokFamilies.ipPolicies)
 * const isThere = tx.get(policies, id) !== undefined
 * ```
 * @throws TypeError if the family keeps no records.
 */
export function recordsOf(family: object): Collection<ResourceRecord> {
  const { collections: [records] = [] }: Partial<Pick<Family, 'collections'>> = family
  if (!records) throw new TypeError('The family keeps no records. Allowed: a family with a collection.')
  return records as Collection<ResourceRecord> // Every record of a resource has these fields.
}

/**
 * Returns a typed view of something that all families share: the dialect, the options of a gateway, or the surroundings of a
 * view. Each family declares the fields that it reads, and names one of them, by which a section that is missing is found.
 *
 * @example
 * ```ts
 * const widgetDialect = sectionReader<{ readonly widgetsPerRegion: number }>('widgetsPerRegion')
 * const most = widgetDialect(tx.dialect).widgetsPerRegion
 * ```
 */
export function sectionReader<Own extends object>(name: keyof Own & string): (shared: object) => Own {
  // The code that makes the shared object sets all fields of a section, or none.
  const hasSection = (shared: object): shared is Own => name in shared
  return (shared) => {
    if (hasSection(shared)) return shared
    const names = Object.keys(shared).join(', ')
    throw new TypeError(`A family reads "${name}" of a dialect or of options that have only: ${names}.`)
  }
}
