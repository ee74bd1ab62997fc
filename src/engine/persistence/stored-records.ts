import type { Collection } from '../../operation/collection.ts'
import type { Family } from '../../operation/family.ts'
import type { StoredChange, StoredRecord, StoredState } from '../../operation/store.ts'
import { storedReader } from '../../schema/body.ts'
import { Refusal } from '../../schema/errors.ts'
import type { RuleContext } from '../../schema/rule.ts'
import { quote } from '../../schema/text.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import { deepFreeze } from '../../schema/values.ts'
import type { Records } from '../records.ts'
import type { VersionedRecord } from './migrations.ts'
import { groupByCollection, isReadable, migrate, READABLE_VERSIONS, RECORDS_VERSION } from './versions.ts'

/** Records outside of the families that are stored too. They stay when the state is replaced. */
export interface SideRecords {
  /** Returns all of them, by key. */
  rows(): ReadonlyMap<string, object>
  /** Takes over the side records of a store. */
  load(rows: ReadonlyMap<string, object>): void
}

/** Side records, by the name of their collection in the store. */
export type SideRecordsByName = ReadonlyMap<string, SideRecords>

/** Returns the change of one record for a store. `after` is null for a record that is not stored, such as a fault with a predicate. */
export function toStoredChange(collection: Collection<object>, key: string, record: object | undefined): StoredChange {
  return { collection: collection.name, key, after: record ? toStoredForm(collection, record) : null }
}

/** Returns the stored form of a record, with its secrets and frozen; null if the record is not stored. */
export function toStoredForm({ exported }: Collection<object>, record: object): object | null {
  return deepFreeze(exported ? exported(record, true) : record)
}

/** Returns the changes that store all records. */
export function listAllChanges(records: Records, sideRecords: SideRecordsByName): StoredChange[] {
  const changes: StoredChange[] = []
  for (const { collection, oldestFirst } of records.all()) {
    for (const row of oldestFirst) changes.push(toStoredChange(collection, collection.key(row), row))
  }
  for (const [collection, side] of sideRecords) {
    for (const [key, row] of side.rows()) changes.push({ collection, key, after: row })
  }
  return changes.filter(({ after }) => after !== null)
}

/**
 * Reads the records of a store in the present form, each checked by the schema of its collection, and its side records.
 * @throws Error that names the damaged record; TypeError if no family has its collection.
 */
export function readStoredRecords(
  families: readonly Family[],
  stored: StoredState,
  sideNames: Iterable<string>,
  context: RuleContext,
) {
  requireFacts(stored)
  const rows: VersionedRecord[] = []
  const side = new Map([...sideNames].map((name) => [name, new Map<string, object>()]))
  // A stored record may be overdue, because a commit may leave events to a later call.
  const state = { sequence: stored.sequence, now: Number.NEGATIVE_INFINITY }
  const readRecord = createRecordReader(families, stored.version, { ...context, state })
  for (const each of stored.records) {
    const sideRows = side.get(each.collection)
    if (sideRows) sideRows.set(each.key, each.record)
    else rows.push(readRecord(each))
  }
  return { rows: groupByCollection(rows), side }
}

/** Makes the reader of the records of a version. It returns them in the present form. */
function createRecordReader(families: readonly Family[], version: number, context: RuleContext) {
  const collections = families.flatMap((family) => family.collections)
  const readers = new Map(
    collections.map(({ name, key, schema }) => [name, { keyOf: key, read: storedReader(schema, 'the record') }]),
  )
  return ({ key, ...stored }: StoredRecord): VersionedRecord => {
    const { collection, record } = migrate(stored, version)
    const reader = readers.get(collection)
    if (!reader) {
      throw new TypeError(
        `No family keeps the collection "${collection}". Allowed: the dialect and the families of the gateway that stored it.`,
      )
    }
    const name = `the record ${quote(key)} of ${collection}`
    const read = requireValid(reader.read, name, record, context)
    const ownKey = reader.keyOf(read)
    if (version === RECORDS_VERSION && ownKey !== key)
      throw createDamageError(name, `its fields make the key ${quote(ownKey)}`)
    return { collection, record: read }
  }
}

/** Runs a check of stored data. @throws Error that names the data, if a rule refuses it. */
export function requireValid<T, Args extends unknown[]>(check: (...args: Args) => T, what: string, ...args: Args): T {
  try {
    return check(...args)
  } catch (error) {
    throw error instanceof Refusal ? createDamageError(what, error.message) : error
  }
}

function requireFacts({ version, now, sequence, operations }: StoredState): void {
  if (!isReadable(version)) {
    const what = `The store holds records of the version ${version}`
    throw new TypeError(`${what}. Allowed: ${READABLE_VERSIONS}. Use the fauxgate that wrote it, or a newer one.`)
  }
  for (const [name, value] of Object.entries({ sequence, operations })) {
    if (!(Number.isSafeInteger(value) && value >= 0)) throw createDamageError(name, `it is ${quote(value)}`)
  }
  if (!(now >= 0 && now <= LATEST_TIME)) throw createDamageError('its time', `it is ${quote(now)}`)
}

function createDamageError(what: string, why: string): Error {
  return new Error(`The store is damaged: ${what}: ${why}`)
}
