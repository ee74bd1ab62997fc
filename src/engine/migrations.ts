import type { StoredRecord } from '../operation/store.ts'

/** Turns a record of one version into that of the next. Pure, and never changed once it is released. */
type Migration = (record: StoredRecord) => StoredRecord

/** The steps from each version of the records' form to the next, from version 1 on. */
const MIGRATIONS: readonly Migration[] = []

/** The version of the records' form that this fauxgate writes, in stores and in snapshots. */
export const RECORDS_VERSION = MIGRATIONS.length + 1

/** Returns records in the present form. @throws Error where their version is newer than this fauxgate. */
export function* migrated(records: Iterable<StoredRecord>, version: number): Generator<StoredRecord> {
  const steps = MIGRATIONS.slice(version - 1)
  for (const record of records) yield steps.reduce((older, step) => step(older), record)
}

/** Tells whether this fauxgate reads records of a version. */
export function isReadable(version: unknown): version is number {
  return Number.isInteger(version) && Number(version) >= 1 && Number(version) <= RECORDS_VERSION
}
