import * as v from 'valibot'
import {
  groupByCollection,
  isReadable,
  migrate,
  READABLE_VERSIONS,
  RECORDS_VERSION,
} from '../core/engine/persistence/versions.ts'
import type { Collection } from '../core/operation/collection.ts'
import { storedReader } from '../core/schema/body.ts'
import { documented, named } from '../core/schema/documentation.ts'
import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { instant, sequence } from '../core/schema/record-schema.ts'
import type { RuleContext } from '../core/schema/rule.ts'
import { anyObject } from '../core/schema/schema.ts'
import { hasNoPrivateKey } from '../core/schema/secret-texts.ts'
import { quote } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import type { Snapshot } from '../generated/controls.ts'

const factFields = {
  version: documented(v.literal(RECORDS_VERSION), 'The format version, which `restore` checks.', {
    type: 'number',
  }),
  now: documented(instant, "The gateway's time, in epoch ms."),
  seed: documented(
    v.nullable(v.pipe(v.string('a string or null'), v.check(hasNoPrivateKey, 'a string without a private key'))),
    'The seed for IDs and automatic certificates; null if the authority has its own keys.',
  ),
  sequence: documented(sequence, 'The sequence number of the next ID.'),
  rateLimit: documented(v.array(instant), 'The times of the requests that count towards the rate limit, in epoch ms.'),
}

/** A snapshot over HTTP. Its records are read with the schemas of their collections. */
export const snapshotBody = named(
  v.object({
    ...factFields,
    records: documented(
      v.record(v.string(), v.array(anyObject())),
      'All records by collection, oldest first. Secrets are omitted unless `privateKeys` was set.',
      { type: 'Readonly<Record<string, readonly object[]>>' },
    ),
  }),
  'Snapshot',
  'The state of a gateway as plain JSON.',
)

export type SnapshotRecords = Snapshot['records']

/** A snapshot in the current form, with checked records. */
export interface ReadSnapshot extends Snapshot {
  /** True if a gateway in this process created the snapshot. It is then not checked. */
  readonly isOwn: boolean
}

/**
 * The records, including secrets, of snapshots created by this process. Copying, cloning, printing, or serializing a snapshot does not
 * expose them.
 */
const ownRecords = new WeakMap<object, SnapshotRecords>()

/** Creates a snapshot. Restoring this object itself also restores `recordsWithSecrets`. */
export function createSnapshot(facts: Omit<Snapshot, 'version'>, recordsWithSecrets: SnapshotRecords): Snapshot {
  const snapshot = { version: RECORDS_VERSION, ...facts }
  ownRecords.set(snapshot, recordsWithSecrets)
  for (const rows of Object.values(snapshot.records)) Object.freeze(rows)
  Object.freeze(snapshot.records)
  Object.freeze(snapshot.rateLimit)
  return Object.freeze(snapshot)
}

export type SnapshotReader = (value: unknown, context: RuleContext) => ReadSnapshot

/**
 * Creates the reader of snapshots. It returns snapshots created by this process unchecked, and validates all others against the schemas of
 * their collections. The engine checks the relations between records.
 */
export function snapshotReader(collections: readonly Collection<object>[]): SnapshotReader {
  // Created lazily, because few gateways read a snapshot.
  let reader: ReturnType<typeof storedReader<ReturnType<typeof snapshotSchema>>> | undefined
  return (value, context) => {
    const own = isObject(value) ? ownRecords.get(value) : undefined
    if (own) return { ...(value as Snapshot), records: own, isOwn: true } // Each key of `ownRecords` is a snapshot.
    const sent = isObject(value) ? dropUnknownEmptyCollections(migrateSnapshot(value), collections) : value
    reader ??= storedReader(snapshotSchema(collections), 'the snapshot')
    return { ...reader(sent, createRecordContext(sent, context)), isOwn: false }
  }
}

interface SentSnapshot {
  readonly version?: unknown
  readonly records?: unknown
}

/** Converts a snapshot to the version of this fauxgate. Rejects a version that this fauxgate does not support. */
function migrateSnapshot(sent: SentSnapshot): SentSnapshot {
  const { version, records } = sent
  if (!isReadable(version)) {
    return refuse(general.field_invalid, { field: 'version', received: quote(version), allowed: READABLE_VERSIONS })
  }
  if (version === RECORDS_VERSION || !isObject(records)) return { ...sent, version: RECORDS_VERSION }
  const rows = Object.entries(records).flatMap(([collection, list]) =>
    Array.isArray(list) ? list.map((record) => ({ collection, record })) : [],
  )
  const migrated = rows.map((row) => (isObject(row.record) ? migrate(row, version) : row))
  return { ...sent, version: RECORDS_VERSION, records: groupByCollection(migrated) }
}

/** Omits empty collections whose families this gateway doesn't include. */
function dropUnknownEmptyCollections(sent: SentSnapshot, collections: readonly Collection<object>[]): object {
  if (!isObject(sent.records)) return sent
  const isForeign = (name: string, list: unknown) =>
    Array.isArray(list) && list.length === 0 && !collections.some((each) => each.name === name)
  const records = Object.entries(sent.records).filter(([name, list]) => !isForeign(name, list))
  return { ...sent, records: Object.fromEntries(records) }
}

function snapshotSchema(collections: readonly Collection<object>[]) {
  type Listed = [name: string, schema: v.GenericSchema<unknown, object[]>]
  const records = collections.map(({ name, schema, most = Number.POSITIVE_INFINITY }): Listed => {
    const tooMany = `at most ${most} records`
    return [name, v.optional(v.pipe(v.array(schema), v.maxLength(most, tooMany)), [])]
  })
  return v.object({ ...factFields, records: v.object(Object.fromEntries(records)) })
}

/** Returns the context for reading records. An invalid `now` or `sequence` is reported once, not once per record. */
function createRecordContext(sent: unknown, context: RuleContext): RuleContext {
  const facts = isObject(sent) ? sent : {}
  return {
    ...context,
    state: {
      now: v.is(instant, facts.now) ? facts.now : Number.NEGATIVE_INFINITY,
      sequence: v.is(sequence, facts.sequence) ? facts.sequence : Number.POSITIVE_INFINITY,
    },
  }
}
