/** A record in any version of the format, with its collection's name. */
export interface VersionedRecord {
  readonly collection: string
  readonly record: object
}

/** A pure function that converts a record to the next version. Never change it after its release. */
export type Migration = (older: VersionedRecord) => VersionedRecord

/** The migrations of the record format, in order, starting with the migration from version 1 to version 2. */
export const MIGRATIONS: readonly Migration[] = []
