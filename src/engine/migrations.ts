/** A record, with the name of its collection. */
export interface VersionedRecord {
  readonly collection: string
  readonly record: object
}

/** Turns a record of one version into that of the next. Pure, and never changed once it is released. */
export type Migration = (older: VersionedRecord) => VersionedRecord

/** The steps from each version of the records' form to the next, from version 1 on. */
export const MIGRATIONS: readonly Migration[] = []
