import type { Collection } from '../operation/collection.ts'
import type { Family } from '../operation/family.ts'
import type { StoredChange, StoredRecord, StoredState } from '../operation/store.ts'
import { storedReader } from '../schema/body.ts'
import { Refusal } from '../schema/errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import { quote } from '../schema/text.ts'
import { LATEST_TIME } from '../schema/time.ts'
import { deepFreeze } from '../schema/values.ts'
import type { Records } from './records.ts'
import { isReadable, migrated, READABLE_VERSIONS, RECORDS_VERSION } from './versions.ts'

/** Records that are stored beside those of the families, and stay when the state is replaced. */
export interface SideRecords {
  /** Returns all of them, by key. */
  rows(): ReadonlyMap<string, object>
  /** Takes over the side records of a store. */
  load(rows: ReadonlyMap<string, object>): void
}

/** Side records, by the name of their collection in the store. */
export type SideRecordsByName = ReadonlyMap<string, SideRecords>

/** Returns the change of one record as a store gets it. A record without an exported form, such as a fault with a predicate, is none. */
export function storedChange(collection: Collection<object>, key: string, record: object | undefined): StoredChange {
  const { name, exported } = collection
  const after = record && exported ? exported(record, true) : record
  return { collection: name, key, after: after ? deepFreeze(after) : null }
}

/** Returns all records as a store gets them. */
export function allStored(records: Records, sideRecords: SideRecordsByName): StoredChange[] {
  const changes: StoredChange[] = []
  for (const { collection, oldestFirst } of records.all()) {
    for (const row of oldestFirst) changes.push(storedChange(collection, collection.key(row), row))
  }
  for (const [collection, side] of sideRecords) {
    for (const [key, row] of side.rows()) changes.push({ collection, key, after: row })
  }
  return changes.filter(({ after }) => after !== null)
}

/** The records of a store, each checked by the schema of its collection, and the side records. */
interface LoadedRecords {
  readonly rows: Readonly<Record<string, readonly object[]>>
  readonly side: ReadonlyMap<string, ReadonlyMap<string, object>>
}

/**
 * Reads the records of a store, in the present form.
 * @throws Error naming the record that is not as a gateway writes it; TypeError if no family has its collection.
 */
export function loadedRecords(
  families: readonly Family[],
  stored: StoredState,
  sideNames: Iterable<string>,
  context: RuleContext,
): LoadedRecords {
  requireFacts(stored)
  const rows: Record<string, object[]> = {}
  const side = new Map([...sideNames].map((name) => [name, new Map<string, object>()]))
  // A commit may leave something due that a later call handles.
  const state = { sequence: stored.sequence, now: Number.NEGATIVE_INFINITY }
  const readRecord = recordReader(families, { ...context, state })
  for (const { collection, key, record } of stored.records) {
    const beside = side.get(collection)
    if (beside) {
      beside.set(key, record)
      continue
    }
    const present = migrated({ collection, record }, stored.version)
    const read = readRecord({ ...present, key }, stored.version === RECORDS_VERSION)
    rows[present.collection] ??= []
    rows[present.collection]?.push(read)
  }
  return { rows, side }
}

type RecordReader = (stored: StoredRecord, hasOwnKey: boolean) => object

function recordReader(families: readonly Family[], context: RuleContext): RecordReader {
  const readers = new Map(
    families.flatMap(({ collections }) => collections).map((each) => [each.name, readerOf(each, context)]),
  )
  return (stored, hasOwnKey) => {
    const read = readers.get(stored.collection)
    if (!read) {
      throw new TypeError(
        `No family keeps the collection "${stored.collection}". Allowed: the dialect and the families of the gateway that stored it.`,
      )
    }
    return read(stored, hasOwnKey)
  }
}

function readerOf(collection: Collection<object>, context: RuleContext): RecordReader {
  let reader: ReturnType<typeof storedReader<Collection<object>['schema']>> | undefined
  return ({ key, record }, hasOwnKey) => {
    const name = `the record ${quote(key)} of ${collection.name}`
    reader ??= storedReader(collection.schema, 'the record')
    const read = checked(reader, name, record, context)
    const ownKey = collection.key(read)
    if (hasOwnKey && ownKey !== key) throw damaged(name, `its fields make the key ${quote(ownKey)}`)
    return read
  }
}

/** Runs a check of stored data. @throws Error that names the data, where a rule refuses it. */
export function checked<T, Args extends unknown[]>(check: (...args: Args) => T, what: string, ...args: Args): T {
  try {
    return check(...args)
  } catch (error) {
    throw error instanceof Refusal ? damaged(what, error.message) : error
  }
}

function requireFacts({ version, now, sequence, operations }: StoredState): void {
  if (!isReadable(version)) {
    const what = `The store holds records of the version ${version}`
    throw new TypeError(`${what}. Allowed: ${READABLE_VERSIONS}. Use the fauxgate that wrote it, or a newer one.`)
  }
  for (const [name, value] of Object.entries({ sequence, operations })) {
    if (!(Number.isSafeInteger(value) && value >= 0)) throw damaged(name, `it is ${quote(value)}`)
  }
  if (!(now >= 0 && now <= LATEST_TIME)) throw damaged('its time', `it is ${quote(now)}`)
}

function damaged(what: string, why: string): Error {
  return new Error(`The store is damaged: ${what}: ${why}`)
}
