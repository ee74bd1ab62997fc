import type { Coverage, FailureGroup, ScheduledFault } from './types.ts'

/** The error of {@link survives}: the smallest schedule of failures that breaks the code, and what happened. */
export class SurvivalError extends Error {
  // The build shortens the names of classes, and Node prints them.
  /** @internal */
  static override get name(): string {
    return 'SurvivalError'
  }
  /** The name of the class. */
  override readonly name = 'SurvivalError'
  /** The failures of the smallest failing schedule. Empty if the code fails without any. */
  readonly schedule: readonly ScheduledFault[]
  /** The schedule as a text, for the option `replay`. */
  readonly replay: string
  /** The failing schedules by what is wrong, the smallest of each group with its story. */
  readonly groups: readonly FailureGroup[]
  /** The failures that were tried, by operation. */
  readonly coverage: readonly Coverage[]

  /** @internal */
  constructor(message: string, groups: readonly FailureGroup[], coverage: readonly Coverage[]) {
    super(message)
    this.schedule = groups[0]?.schedule ?? []
    this.replay = groups[0]?.replay ?? ''
    this.groups = groups
    this.coverage = coverage
  }
}
