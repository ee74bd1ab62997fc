import type { Action } from './action.ts'
import type { Scope } from './environment.ts'
import type { PolicyOptions } from './options.ts'
import type { Reporter } from './reporter.ts'

/** The facts that the check of a config's values needs. */
export interface Place {
  readonly action: Action
  readonly scope: Scope
  readonly options: PolicyOptions
  readonly reporter: Reporter
  /** The variables that `set-vars` has set so far in the phase. */
  readonly declared: Set<string>
}
