import { type CatalogueError, type FieldFacts, refuse } from '../schema/errors.ts'
import { quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'
import type { Collection } from './collection.ts'
import type { Transaction } from './transaction.ts'

/** The resources that a field can reference. */
export interface Target {
  /** A noun phrase for one of these resources, such as "an IP policy". */
  readonly what: string
  /**
   * The names of the collections that contain these resources. The operations that delete these resources are in groups of the
   * same names.
   */
  readonly collections: readonly string[]
  /** Returns whether an ID is allowed: a record has it, or it needs no record. */
  has(records: Pick<Transaction, 'get' | 'find'>, id: string): boolean
  /** Returns whether the `references` option forbids an ID. Default: never. */
  isUndeclared?(tx: Transaction, id: string): boolean
}

/** The error for deleting a resource that another resource references. */
export interface DeletionRefusal {
  readonly error: CatalogueError
  /** Returns the values for the message, from the ID and the record that references it. */
  values(id: string, holder: object): object
}

/** The effect of deleting a resource on a reference to it. */
export type Deletion =
  /** The deletion is rejected. */
  | DeletionRefusal
  /** The referencing record is also removed. */
  | 'cascades'
  /** The field becomes null. */
  | 'detaches'
  /** The field keeps the id, and its URI then returns 404. Clients may send the id again. */
  | 'dangles'
  /** The field is computed from the existing records, not stored. */
  | 'follows'

/** A row in the table of references: a field that references other resources (rules: references#table). */
export interface Reference {
  /** The collection of the records that have the field. */
  readonly holder: Collection<object>
  /** The field in the record, such as `ip_policy_ids`, or `module.backend_id`. */
  readonly field: string
  /** The field in bodies. Omitted if no body has it. */
  readonly sent?: string
  /** The field in responses. Omitted if no response has it. */
  readonly shown?: string
  /** The resources that it references. */
  readonly to: Target
  /** Returns the IDs in the field. Default: the field's string or list of strings. */
  ids?(record: object): readonly string[]
  /** The collection's index by these IDs. Default: none. */
  readonly index?: string
  /** The error for an ID that doesn't exist. Omitted if requests can't set the field. */
  readonly missing?: CatalogueError
  readonly deletion: Deletion
  /** The fields that show which resource a detached record referenced. */
  readonly detached?: object
  /** Limits the row to some records, such as "those of agents". */
  readonly only?: { readonly what: string; has(holder: object): boolean }
  /** The section of docs/decisions that contains the evidence. */
  readonly rules: string
}

type RowOf<R> = Omit<Reference, 'holder' | 'ids' | 'only' | 'deletion'> & {
  readonly deletion:
    | Exclude<Deletion, object>
    | { readonly error: CatalogueError; values(id: string, holder: R): object }
  readonly only?: { readonly what: string; has(holder: R): boolean }
  ids?(record: R): readonly string[]
}

/** Creates a row in the table of references. */
export function referenceOf<R extends object>(holder: Collection<R>, row: RowOf<R>): Reference {
  return { holder, ...row } as Reference // The row's functions are called only with the holder's records.
}

/**
 * Creates the rule that a resource cannot be deleted while a record references it. `values` returns the values for the message.
 */
export function refused<R extends object, Values extends object>(
  error: CatalogueError<string, Values>,
  values: (id: string, holder: R) => NoInfer<Values>,
): { readonly error: CatalogueError; values(id: string, holder: R): object } {
  return { error, values }
}

/** Creates the target for the records of one collection. */
export function targetOf(what: string, collection: Collection<object>): Target {
  return {
    what,
    collections: [collection.name],
    has: (records, id) => records.get(collection, id) !== undefined,
  }
}

/** Returns the IDs in the field that a row describes. */
function idsIn({ field, ids }: Reference, record: object): readonly string[] {
  return ids ? ids(record) : listTexts(field.split('.').reduce<unknown>(valueAt, record))
}

const valueAt = (at: unknown, name: string) => (isObject(at) ? at[name] : undefined)

function listTexts(value: unknown): readonly string[] {
  return [value].flat().filter((each) => typeof each === 'string')
}

/**
 * Throws an error for nonexistent IDs in a field of a body, unless the record `before` already has them. A client can therefore send a
 * resource's state back after a resource that it references was deleted (rules: references#deleted).
 */
export function requireTargets(tx: Transaction, row: Reference, sent: unknown, before?: object): void {
  const { sent: name = row.field, to, missing } = row
  const kept = before ? idsIn(row, before) : []
  for (const [index, id] of listTexts(sent).entries()) {
    if (kept.includes(id) || (to.has(tx, id) && !to.isUndeclared?.(tx, id))) continue
    const field = Array.isArray(sent) ? `${name}.${index}` : name
    // A row's error always concerns its field.
    const error = missing as CatalogueError<string, FieldFacts & { allowed: string }>
    refuse(error, { field, received: quote(id), allowed: `the ID of ${to.what} that exists` })
  }
}

/** Returns the records that reference a resource through a row's field, oldest first if the row has an index. */
function findHolders(tx: Transaction, row: Reference, id: string): readonly object[] {
  const { holder, index, only } = row
  const found = index === undefined ? [...tx.newestFirst(holder)] : tx.findAll(holder, index, id)
  return found.filter((each) => idsIn(row, each).includes(id) && (only?.has(each) ?? true))
}

/** Throws an error for the deletion of a resource that a record references through a row's field. */
export function requireUnnamed(tx: Transaction, row: Reference, id: string): void {
  const { deletion } = row
  if (typeof deletion === 'string') return
  const [holder] = findHolders(tx, row, id)
  // `refused` has checked that the values are those of the error.
  if (holder) refuse(deletion.error as CatalogueError<string, object>, deletion.values(id, holder))
}

/** Returns the ID of a missing resource that a record references, or undefined if nothing is missing. */
export function findMissing(records: Pick<Transaction, 'get' | 'find'>, row: Reference, record: object) {
  const { to, deletion, only } = row
  // A reference that may silently lose its target may be read without one.
  if (deletion === 'dangles' || deletion === 'detaches' || deletion === 'follows') return undefined
  if (only?.has(record) === false) return undefined
  return idsIn(row, record).find((id) => !to.has(records, id))
}

/** The rows whose records change when a record is removed, by the removed record's collection. */
export type Consequences = ReadonlyMap<string, readonly Reference[]>

/** Returns the rows that cascade or detach, by the removed record's collection. */
export function listConsequences(families: readonly { readonly references?: readonly Reference[] }[]): Consequences {
  const found = new Map<string, Reference[]>()
  for (const row of families.flatMap(({ references = [] }) => references)) {
    if (row.deletion !== 'cascades' && row.deletion !== 'detaches') continue
    for (const name of row.to.collections) found.set(name, [...(found.get(name) ?? []), row])
  }
  return found
}

/** Removes or detaches the records that reference a record, before it is removed. */
export function releaseHolders(tx: Transaction, rows: readonly Reference[], id: string): void {
  for (const row of rows) {
    for (const each of findHolders(tx, row, id)) {
      if (row.deletion === 'cascades') tx.remove(row.holder, each)
      else tx.put(row.holder, { ...each, [row.field]: null, ...row.detached })
    }
  }
}
