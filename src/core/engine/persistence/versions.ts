import { MIGRATIONS, type VersionedRecord } from './migrations.ts'

/** The version of the record format that this version of fauxgate writes to stores and snapshots. */
export const RECORDS_VERSION = MIGRATIONS.length + 1

/** Converts a record from an older version of the record format to the current version. */
export function migrate(record: VersionedRecord, version: number): VersionedRecord {
  return MIGRATIONS.slice(version - 1).reduce((older, step) => step(older), record)
}

/** Returns records, keyed by the names of their collections. */
export function groupByCollection(rows: Iterable<VersionedRecord>): Record<string, object[]> {
  const records: Record<string, object[]> = {}
  for (const { collection, record } of rows) {
    records[collection] ??= []
    records[collection].push(record)
  }
  return records
}

/** Returns whether this version of fauxgate can read records in a version of the format. */
export function isReadable(version: unknown): version is number {
  return Number.isInteger(version) && Number(version) >= 1 && Number(version) <= RECORDS_VERSION
}

/** The versions of the format that this version of fauxgate can read, as text for messages. */
export const READABLE_VERSIONS =
  RECORDS_VERSION === 1
    ? '1, the version that this fauxgate reads'
    : `1 to ${RECORDS_VERSION}, the versions that this fauxgate reads`
