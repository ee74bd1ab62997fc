import type { Commit } from '../contract/commit.ts'
import { withoutSecretTexts } from '../contract/secret-fields.ts'
import { deepFreeze, timestamp } from '../contract/view.ts'
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
