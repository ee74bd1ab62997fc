import type { Collection } from '../../operation/collection.ts'
import type { Family } from '../../operation/family.ts'
import type { StoredChange, StoredRecord, StoredState } from '../../operation/store.ts'
import { storedReader } from '../../schema/body.ts'
import { Refusal } from '../../schema/errors.ts'
import { parsePrefix } from '../../schema/ids.ts'
import type { RuleContext } from '../../schema/rule.ts'
import { quote } from '../../schema/text.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import type { Records } from '../records.ts'
import type { VersionedRecord } from './migrations.ts'
import { createUnknownError, listFields, requireKnownFields } from './stored-fields.ts'
import { groupByCollection, isReadable, migrate, READABLE_VERSIONS, RECORDS_VERSION } from './versions.ts'

/** Stored records that don't belong to a family, such as saved snapshots. Replacing the state doesn't affect these records. */
export interface SideRecords {
  /** Returns all records, by key. */
  rows(): ReadonlyMap<string, object>
  /** Loads the records of a store. */
  load(rows: ReadonlyMap<string, object>): void
}

/** Side records, by the name of their collection in the store. */
export type SideRecordsByName = ReadonlyMap<string, SideRecords>

/** Returns one record's change for a store. For a record that isn't stored, such as a fault with a predicate, `after` is null. */
export function toStoredChange(collection: Collection<object>, key: string, record: object | undefined): StoredChange {
  return { collection: collection.name, key, after: record ? collection.toStored(record) : null }
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
 * Reads the side records and the records of a store. Converts each record to the current format, and validates the record against its
 * collection's schema. @throws Error that names the damaged record; TypeError if a record's collection belongs to no family in this
 * gateway.
 */
export function readStoredRecords(
  families: readonly Family[],
  stored: StoredState,
  sideNames: Iterable<string>,
  context: RuleContext,
) {
  checkFacts(stored)
  // Migrations add the fields of this version to older records.
  if (stored.fields && stored.version === RECORDS_VERSION)
    requireKnownFields(stored.fields, listFields(families.flatMap(({ collections }) => collections)))
  const rows: VersionedRecord[] = []
  const sideRecords = new Map([...sideNames].map((name) => [name, new Map<string, object>()]))
  const state = { sequence: stored.sequence, now: stored.now, mayBeOverdue: true }
  const readRecord = createRecordReader(families, stored, { ...context, state })
  for (const each of stored.records) {
    const sideRows = sideRecords.get(each.collection)
    if (sideRows) sideRows.set(each.key, each.record)
    else rows.push(readRecord(each))
  }
  return { records: groupByCollection(rows), sideRecords }
}

/** Creates a function that reads a record in a given version and converts it to this fauxgate's version. */
function createRecordReader(families: readonly Family[], { version, fields }: StoredState, context: RuleContext) {
  const readers = new Map(
    families.flatMap(({ collections, prefix }) =>
      collections.map(({ name, key, schema, outline }) => {
        const isChanged = () => fields?.[name] !== undefined && fields[name].join() !== outline().join()
        return [name, { keyOf: key, isChanged, prefix, read: storedReader(schema, 'the record') }] as const
      }),
    ),
  )
  return ({ key, ...stored }: StoredRecord): VersionedRecord => {
    const { collection, record } = migrate(stored, version)
    const reader = readers.get(collection)
    if (!reader) throw createUnknownError(collection)
    const name = `the record ${quote(key)} of ${collection}`
    const read = (each: object) => reader.read(each, context)
    const checked = requireValid(
      name,
      () => read(record),
      (problem) => {
        const stored = findOtherPrefix({ key, record, prefix: reader.prefix, read })
        if (stored !== undefined) return createPrefixError(name, stored, reader.prefix)
        return reader.isChanged() ? createChangedError(name, problem) : createDamageError(name, problem)
      },
    )
    const ownKey = reader.keyOf(checked)
    if (version === RECORDS_VERSION && ownKey !== key)
      throw createDamageError(name, `its fields give the key ${quote(ownKey)}`)
    return { collection, record: checked }
  }
}

/** Reads stored data. @throws an error from `createError`, which receives the message of the rule that rejected the data. */
export function requireValid<T>(
  name: string,
  read: () => T,
  createError = (problem: string) => createDamageError(name, problem),
): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof Refusal ? createError(error.message) : error
  }
}

/** A stored record that its schema rejects, and the current ID prefix of its family. */
interface RefusedRecord {
  readonly key: string
  readonly record: object
  readonly prefix: string | undefined
  /** @throws Refusal if the schema rejects a record. */
  read(record: object): unknown
}

/** Returns the prefix of a record's ID, if the record would be valid with its family's prefix instead. */
function findOtherPrefix({ key, record, prefix, read }: RefusedRecord): string | undefined {
  const stored = parsePrefix(key)
  if (prefix === undefined || stored === undefined || stored === prefix) return undefined
  try {
    read({ ...record, id: prefix + key.slice(stored.length) })
    return stored
  } catch {
    return undefined
  }
}

function checkFacts({ version, now, sequence, operations }: StoredState): void {
  if (!isReadable(version)) {
    throw new TypeError(
      `The store's records have version ${version}. Allowed: ${READABLE_VERSIONS}. Use the version of fauxgate that wrote the store, or a newer one.`,
    )
  }
  for (const [name, value] of Object.entries({ sequence, operations })) {
    if (!(Number.isSafeInteger(value) && value >= 0)) throw createDamageError(name, `it is ${quote(value)}`)
  }
  if (!(Number.isFinite(now) && now >= 0 && now <= LATEST_TIME))
    throw createDamageError('its time', `it is ${quote(now)}`)
}

function createChangedError(name: string, problem: string): TypeError {
  return new TypeError(
    `The fields of this gateway's families have changed since the store was written: ${name}: ${problem} Use the family definition that wrote the store, or a new store file.`,
  )
}

function createPrefixError(name: string, stored: string, prefix: string | undefined): TypeError {
  return new TypeError(
    `The store does not match this gateway's families: the ID of ${name} has the prefix ${quote(stored)}. Allowed: ${quote(prefix)}, the current prefix of its family. Use the family definition with the prefix ${quote(stored)}, or a new store file.`,
  )
}

function createDamageError(name: string, problem: string): Error {
  return new Error(`The store is damaged: ${name}: ${problem}`)
}
