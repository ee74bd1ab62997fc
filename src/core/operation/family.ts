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

/** Families, by name in the direct API. */
export type Families = Readonly<Record<string, Family>>

/** A resource family: its operations, errors, and collections, and how it handles due records. */
export interface Family<
  Operations = Readonly<Record<string, Operation>>,
  Errors = ErrorsByKey,
  Declares = Readonly<Record<string, Declaration>>,
  Limits = LimitsByName,
> {
  /** The operations, by their name in the direct API. */
  readonly operations: Operations
  /** The errors of this family. */
  readonly errors: Errors
  /** The ID prefix of the family's resources. */
  readonly prefix?: string
  /** The account limits that apply to the family's records, by their name in `account.limits`. */
  readonly limits?: Limits
  /** The collections with the family's own records. */
  readonly collections: readonly Collection<object>[]
  // (rules: provisioning-jobs#renewal)
  /** Handles a due record, and then changes or clears its due time. */
  onDue?(tx: Transaction, record: object): void
  /** The methods of `gateway.declare`, by name. They create resources that the API can't create, such as an agent session. */
  readonly declares?: Declares
  /** Rules that this family adds to other families' operations, by operation, such as `reserved_domains.delete`. */
  readonly before?: Readonly<Record<string, RulesBefore>>
  // (rules: requests#api-key)
  /** The API keys of the family. */
  readonly apiKeys?: KeyRules
  // (rules: requests#order-of-checks)
  /** The family's rules for all HTTP requests. */
  readonly requests?: RequestRules
  /**
   * The fields of its records that reference other resources. These rows are used when resources are deleted and when snapshots are loaded.
   */
  readonly references?: readonly Reference[]
  /** The account's events, if this is the family of subscriptions. */
  readonly events?: EventRules
  /** Converts a record to a response. */
  view?(record: object, wire: Wire): object
  /** Reports broken relations that `references` can't express, such as duplicate names. */
  relations?(record: object, others: OtherRecords, report: ReportRelation): void
}

/** The method that ends a declared resource. */
export interface DeclarationEnd {
  /** The prefix of the resource's ID. */
  readonly prefix: string
  /** The errors that `run` may throw. */
  readonly errors?: readonly CatalogueError[]
  /** Ends the resource with this ID. Returns false if it doesn't exist. */
  run(tx: Transaction, id: string): boolean
}

/** A method of `gateway.declare`; see {@link declaration}. `Call` is the type of its function. */
export interface Declaration<Call extends (...args: never[]) => unknown = (...args: never[]) => unknown> {
  /** The schema of the input. */
  readonly schema: v.GenericSchema
  /** The schema of the declared resource in a response. */
  readonly response: v.GenericSchema
  /** The errors that `run` may throw, in addition to those of the schema. */
  readonly errors?: readonly CatalogueError[]
  /** The method that ends a declared resource. */
  readonly end?: DeclarationEnd
  /** Creates the resource, and returns it in the form of API responses. */
  run(tx: Transaction, input: unknown): object
  /** Never set. Its type is that of the function in the direct API. */
  readonly call?: Call
}

/**
 * Defines a method of `gateway.declare`, for a resource that operations can't create, such as an agent session. `run` creates the resource,
 * and returns it in the form of API responses.
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

/**
 * The rules that a family adds to another family's operation, for example to prevent the deletion of a resource that its records reference.
 */
export interface RulesBefore {
  /** The family's errors that `run` may throw. */
  readonly errors: readonly CatalogueError[]
  /** Applies the rules to the IDs and the parsed body, before the operation runs. The resources need not exist. */
  run(tx: Transaction, ids: PathIds, body: unknown): void
}

/** A family's rules for the API keys of requests. */
export interface KeyRules {
  /** The errors that `isValidKey` may throw: general errors, or the family's own errors. */
  readonly errors: readonly CatalogueError[]
  /**
   * Checks the API key of a request, unless the `keys` option contains it. Returns true if the key is valid, false if it is no longer
   * valid, and undefined if the family does not know the key. May throw an error. Use `isOneOf` to compare keys.
   */
  isValidKey(key: string, state: KeyState): boolean | undefined
  /**
   * Throws an error for a key that is neither in the `keys` option nor known to any family, if there is a more specific reason than that
   * the key is invalid.
   */
  refuseUnknown?(key: string): void
}

/** A family's rules for HTTP requests to all operations. They do not apply to direct calls. */
export interface RequestRules {
  /** Returns the errors that these rules can cause for requests to an operation. */
  listErrors(operation: Operation): readonly CatalogueError[]
  /** May throw an error for a request after the API key and version are checked but before the body is read. */
  requirePermitted?(request: CheckedRequest, state: RequestState): void
  /** May throw an error for a request because of its body, which has not been checked yet. */
  requirePermittedBody?(request: CheckedRequest, body: unknown): void
}

/** A request whose API key and version have been checked. */
export interface CheckedRequest {
  readonly operation: Operation
  readonly options: RuleOptions
  /** The sender's address, or undefined if unknown. */
  readonly address: string | undefined
}

/** The records that request rules read. */
export type RequestState = Pick<Transaction, 'find' | 'findAll'>

/** A gateway's records, and the sequence number of its next ID. */
export interface KeyState extends OtherRecords {
  /** The sequence number of the next ID; see `wasMade`. */
  readonly sequence: number
}

/** Adds the rules that families define for each other's operations. */
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
  return all as F // The type checker loses the key types in entries.
}

/** Returns the rules that reject the deletion of resources referenced by a row, by operation. */
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

/** Errors by key, as `declareErrors` returns them. */
export type ErrorsByKey = Readonly<Record<string, CatalogueError>>

/** The methods for looking up a record in a state. */
export type OtherRecords = Pick<Transaction, 'get' | 'find'>

/** A function that reports a broken relation, given the record's field, its value, and the allowed values. */
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
 * Returns a family's records, so that another family's operation can look up a record by ID.
 *
 * @example
 * ```ts
 * const policies = recordsOf(ngrokFamilies.ipPolicies)
 * const isThere = tx.get(policies, id) !== undefined
 * ```
 * @throws TypeError if the family has no records.
 */
export function recordsOf(family: object): Collection<ResourceRecord> {
  const { collections: [records] = [] }: Partial<Pick<Family, 'collections'>> = family
  if (!records) throw new TypeError('The family stores no records. Allowed: a family with a collection.')
  return records as Collection<ResourceRecord> // Every resource's record has these fields.
}

/**
 * Returns a typed view of an object that all families share, such as the dialect, the options of a gateway, or the inputs of a view. Each
 * family declares the fields that it reads, and passes the name of one field, which is used to detect a missing section.
 *
 * @example
 * ```ts
 * const widgetDialect = sectionReader<{ readonly widgetsPerRegion: number }>('widgetsPerRegion')
 * const most = widgetDialect(tx.dialect).widgetsPerRegion
 * ```
 */
export function sectionReader<Own extends object>(name: keyof Own & string): (shared: object) => Own {
  // A section of the shared object is set either completely or not at all.
  const hasSection = (shared: object): shared is Own => name in shared
  return (shared) => {
    if (hasSection(shared)) return shared
    const names = Object.keys(shared).join(', ')
    throw new TypeError(`A family reads "${name}" from the dialect or the options, which contain only: ${names}.`)
  }
}
