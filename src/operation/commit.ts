/** One record's change: absent before when it was created, absent after when it was removed. */
export interface Change {
  /** The collection, such as `reserved_domains`. */
  readonly collection: string
  /** The record's id; for a route module the ids of edge and route, with a slash between. */
  readonly key: string
  /** The record before; undefined for one that was created. */
  readonly before: object | undefined
  /** The record after; undefined for one that was removed. */
  readonly after: object | undefined
}

/** What one operation, one control or one due event changed, as a value. Records are frozen and without secrets. */
export interface Commit {
  /** The operation, such as `reserved_domains.create`, or `provisioning` for what became due, or `control`. */
  readonly operation: string
  /** The gateway's time, as a timestamp. */
  readonly at: string
  /** What changed, in order; at least one record. */
  readonly changes: readonly Change[]
}
