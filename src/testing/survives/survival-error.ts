import type { Coverage, FailureGroup, ScheduledFault } from './types.ts'

/** The parts of the error meant for programs. */
type Parts = Pick<SurvivalError, 'schedule' | 'replay' | 'groups' | 'coverage'>

/** The error that {@link survives} throws: the smallest schedule of failures that breaks the code, and its story. */
export class SurvivalError extends Error {
  // Node prints class names, and the build shortens them.
  /** @internal */
  static override get name(): string {
    return 'SurvivalError'
  }
  /** The class name. */
  declare readonly name: 'SurvivalError'
  /** The failures in the smallest failing schedule. Empty if the code fails without failures. */
  declare readonly schedule: readonly ScheduledFault[]
  /** The schedule as a string, for the `replay` option. */
  declare readonly replay: string
  /** The failing schedules grouped by problem. The smallest schedule in each group includes its story. */
  declare readonly groups: readonly FailureGroup[]
  /** The failures that were tried, by operation. */
  declare readonly coverage: readonly Coverage[]

  /** @internal */
  constructor(message: string, groups: readonly FailureGroup[], coverage: readonly Coverage[]) {
    super(message)
    const [{ schedule = [], replay = '' } = {}] = groups
    const parts: Parts = { schedule, replay, groups, coverage }
    // Runners print the other properties of an error below its message.
    for (const [name, value] of Object.entries({ ...parts, name: 'SurvivalError' })) {
      Object.defineProperty(this, name, { value, configurable: true, writable: true })
    }
  }

  /**
   * Returns the error for vitest's reporters, without the machine-readable parts, because snapshots are long.
   * @internal
   */
  toJSON(): { readonly name: string; readonly message: string; readonly stack: string | undefined } {
    const { name, message, stack } = this
    return { name, message, stack }
  }
}
