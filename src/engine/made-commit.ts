import type { Commit } from '../operation/collection.ts'
import { withoutSecretTexts } from '../schema/secret-fields.ts'
import { timestamp } from '../schema/time.ts'
import { deepFreeze } from '../schema/values.ts'
import { exportedChange, type RecordChange } from './records.ts'

/** A commit before anyone looks at it. */
export class MadeCommit {
  constructor(
    readonly operation: string,
    readonly now: number,
    /** The records as they are kept, with their secrets. */
    readonly changes: readonly RecordChange[],
    readonly hidden: readonly string[],
  ) {}

  /** The commit as it may leave the gateway. */
  shown(): Commit {
    const changes = this.changes.map((change) => withoutSecretTexts(exportedChange(change), this.hidden))
    return deepFreeze({ operation: this.operation, at: timestamp(this.now), changes })
  }
}
