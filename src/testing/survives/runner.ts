import type { ViewedCollection } from '../../gateway/transport.ts'
import type { Masks } from './masks.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { Plan, RunRecord } from './record.ts'

/** Runs the code under test. The explorer proposes plans without knowing where or in which language the code runs. */
export interface Runner {
  readonly options: ParsedSurvivalOptions
  /** The collections of the gateway's families. */
  readonly collections: readonly ViewedCollection[]
  /** The maximum number of concurrent runs. */
  readonly jobs: number
  /** False for code whose own dates and random numbers differ from run to run. */
  readonly isRepeatable: boolean
  /** Hints for code that sends no requests, to which no failure applies, or whose requests differ from run to run. */
  readonly hints: Readonly<Record<'noRequests' | 'noFailures' | 'unequal', string>>
  /** Called before the first run. */
  open?(): Promise<void>
  /** Runs the code against a fresh gateway. The search reads the record until it calls the record's `end`. */
  run(plan: Plan, masks: Masks): Promise<RunRecord>
  /** Called at the end of the search, even if `open` failed. */
  close(): Promise<void>
}
