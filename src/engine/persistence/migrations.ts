/** A record, with the name of its collection. */
export interface VersionedRecord {
  readonly collection: string
  readonly record: object
}

/** A function that converts a record to the next version. It is pure, and never changes after its release. */
export type Migration = (older: VersionedRecord) => VersionedRecord

/** The steps from each version of the records' form to the next, from version 1 on. */
export const MIGRATIONS: readonly Migration[] = []
