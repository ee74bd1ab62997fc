import type { ManualClock } from '../../core/engine/manual-clock.ts'
import type { Duration } from '../../core/schema/time.ts'
import type { Leftover } from '../../gateway/direct/initial.ts'
import type { Fetch } from '../../gateway/http/fetch.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { GatewayOptions } from '../../generated/options.ts'

/** The failures that {@link survives} tries by default; `crash` is tried only with `restart: true`. */
export type FaultKind = 'lost' | '5xx' | '429' | 'cut' | 'silent' | 'crash' | 'outcomes'

/** The failures that {@link survives} tries only if they are in `also`. */
export type OptInFaultKind = 'effect' | 'late' | 'slow' | 'clock'

/** Storage that survives a crash of the code under test, like a file or a database. Values are copied in and out. */
export interface Disk {
  /** Returns a copy of the value with this name, or undefined if there is none. */
  get<T = unknown>(name: string): T | undefined
  /** Stores a copy of a value: anything that `structuredClone` accepts. */
  set(name: string, value: unknown): void
  /** Returns whether there is a value with this name. */
  has(name: string): boolean
  /** Removes a value. */
  delete(name: string): void
}

/** The argument passed to the code under test. After a crash, the code is called again with the same gateway and disk. */
export interface Life<G extends Gateway<ManualClock> = Gateway<ManualClock>> {
  /** The gateway's `fetch`. The global `fetch` also reaches the gateway at its `url`. */
  readonly fetch: Fetch
  /** The base URL of the gateway; with the `serve` option, the URL of the server on loopback. */
  readonly url: string
  /** The gateway of this run. Failures do not apply to its direct API. */
  readonly gateway: G
  /** Storage that survives a crash. */
  readonly disk: Disk
  /** The name of the copy: `A` or, with the `copies` option, also `B` or `C`. */
  readonly copy: string
  /** The number of the call: 1 for the first, and one more after each crash, or after an error with `mayLeave`. */
  readonly life: number
  /**
   * Runs a side effect that the gateway does not see, such as saving an ID, and returns its result. With `restart: true`, a
   * crash is tried before and after it. With `also: ['effect']`, its failure is tried: the work is not done, and the call
   * rejects.
   */
  effect<T>(name: string, work: () => T | Promise<T>): Promise<T>
}

/** A failure and where it occurs. */
export interface ScheduledFault {
  /** The operation, such as `POST /reserved_addrs`, `attempt app.example.com`, or `effect save the ID`. */
  readonly at: string
  /** The position among requests for the same operation, in order of arrival: 1 for the first. */
  readonly nth: number
  /** The failure, such as `lost-after`. */
  readonly fault: string
}

/** The end of a run. */
export interface Ended<T = unknown, G extends Gateway<ManualClock> = Gateway<ManualClock>> {
  /** The name of the copy that ended, such as `A`. */
  readonly copy: string
  /** The gateway of the run. */
  readonly gateway: G
  /** The result, if the code resolved. */
  readonly value: T | undefined
  /** The error, if the code rejected. If the code threw something else, the error's `cause` is that value. */
  readonly error: Error | undefined
  /** The values that the code stored. */
  readonly disk: Disk
  /** The failures in the run; empty for the run without failures. */
  readonly schedule: readonly ScheduledFault[]
}

/**
 * The verdict on a run:
 * - `survived`: nothing is wrong
 * - `never-ends`: the code is waiting, but no timer is set and no request is pending, or it takes longer than `within`
 * - `other-leftovers`: it resolves, but leaves different resources from the run without failures, or resources with different values
 * - `leftovers-after-error`: it rejects, but leaves resources
 * - `missing-after-error`: it rejects, and a family has fewer resources than before and than after the run without failures
 * - `does-not-resume`: with `mayLeave`, the next call rejects although nothing failed during it
 * - `refused-error`: it rejects, but `allow` does not accept the error, or no failure was injected
 * - `unhandled-rejection`: a promise rejects unhandled, or a timer throws
 * - `work-after-end`: it ends without awaiting a request, sends one later, or leaves a timer that the run without failures doesn't leave
 * - `does-not-hold`: `holds` returned false, threw, or rejected
 * - `race`: concurrent copies produce a different result from copies that run one after the other
 */
export type Verdict =
  | 'survived'
  | 'never-ends'
  | 'other-leftovers'
  | 'leftovers-after-error'
  | 'missing-after-error'
  | 'does-not-resume'
  | 'refused-error'
  | 'unhandled-rejection'
  | 'work-after-end'
  | 'does-not-hold'
  | 'race'

/** A schedule of failures that was tried. */
export interface TriedSchedule {
  /** The failures. */
  readonly schedule: readonly ScheduledFault[]
  /**
   * The order of the copies, such as `A1 B A`: A sends one request, B runs until it ends or sleeps, then A continues. Empty
   * without copies.
   */
  readonly order: string
  /** The schedule as a string, for the `replay` option. */
  readonly replay: string
  /** The verdict on the run. */
  readonly verdict: Verdict
  /** The verdict as a sentence. */
  readonly message: string
  /** The story of the run: one line for each request, attempt, effect, and crash. */
  readonly story: string
  /** The gateway's state at the end. To inspect it, load it into a server with `fauxgate state import FILE`. */
  readonly snapshot: object
}

/** The failing schedules with the same verdict and the same last operation. The smallest schedule is the example. */
export interface FailureGroup extends TriedSchedule {
  /** The number of failing schedules. */
  readonly count: number
}

/** The failures that were tried for an operation. */
export interface Coverage {
  /** The operation, such as `POST /reserved_addrs`. */
  readonly at: string
  /** The failures that were tried for it, each with the number of schedules. */
  readonly tried: Readonly<Record<string, number>>
}

/** The progress of {@link survives}. */
export interface SurvivalProgress {
  /** The number of schedules tried so far. */
  readonly tried: number
  /** The number of schedules with at most `faults` failures. */
  readonly total: number
  /** The number of failing schedules. */
  readonly failing: number
  /** The number of failures in the current schedules. */
  readonly faults: number
}

/** The result of {@link survives}. */
export interface SurvivalResult {
  /** The summary, such as `2,184 of 2,184 schedules with up to 2 faults; 0 fail`. */
  readonly summary: string
  /** The number of schedules tried so far. */
  readonly tried: number
  /** The total number of schedules. */
  readonly total: number
  /** False if the budget ended before all schedules were tried. */
  readonly isComplete: boolean
  /** The failures that were tried, by operation. */
  readonly coverage: readonly Coverage[]
}

/** The options for {@link schedules}. */
export interface ScheduleOptions<T = unknown, G extends Gateway<ManualClock> = Gateway<ManualClock>> {
  /**
   * The number of copies of the code that run concurrently on one gateway: 2 or 3. The orders in which their requests can arrive are tried,
   * starting with those with the fewest switches. The result must be the same as if the copies ran one after the other. Default: 1.
   */
  readonly copies?: number
  /** The maximum number of switches away from a copy that could continue. Default: 2. */
  readonly switches?: number
  /** With `shared`, all copies use one disk. Default: `own`. */
  readonly disk?: 'own' | 'shared'
  /**
   * The maximum number of failures in one schedule. Default: 2. With copies: 0, the default, or 1 for a failure in each order with at most
   * one switch.
   */
  readonly faults?: number
  /** Also tries crashes. After a crash, the code is called again with the same gateway and disk. Default: false. */
  readonly restart?: boolean
  /** The maximum duration of a run, on the gateway's clock. Default: `6h`. */
  readonly within?: Duration
  /** The maximum number of schedules to try. Default: 20,000. */
  readonly budget?: number
  /** The failures to try. Default: all failures. */
  readonly kinds?: readonly FaultKind[]
  /** Additional failures to try. Default: none. */
  readonly also?: readonly OptInFaultKind[]
  /** The replay text from a report, to run only that schedule. */
  readonly replay?: string
  /**
   * Paths to exclude from the comparison, each a family and a field, as they appear in a report: `reserved_addrs.metadata`. A family
   * without a field excludes all of its resources. Default: none.
   */
  readonly ignore?: readonly string[]
  /**
   * A function that creates the gateway for each run, such as `createNgrok` from `fauxgate/ngrok`. A later run may reuse the gateway after a
   * `reset`; `setup` prepares it. Default: `createGateway`.
   */
  readonly create?: (options: GatewayOptions<ManualClock>) => G
  /** Options for the gateway of each run. The clock is manual and starts at 2026-01-01T00:00:00Z. */
  readonly gatewayOptions?: Omit<GatewayOptions<ManualClock>, 'clock'>
  /**
   * Prepares the gateway for each run. The resources that it creates do not count as leftovers of the code. It may return a function to
   * call at the end of the run.
   */
  readonly setup?: (gateway: G) => unknown
  /** Serves the gateways on loopback, for clients that need a URL: `serve` from `fauxgate/node`. Called once. */
  readonly serve?: (gateway: Gateway) => Promise<{ readonly url: string; close(): Promise<void> }>
  /**
   * The resources that the code may leave behind when it rejects: families, or a function that returns true for such a resource. After each
   * error, the code is called again with the same gateway and disk until it resolves. It must then leave the same resources as the run
   * without failures. Cannot be combined with copies. Default: the code must leave nothing, and it is not called again.
   */
  readonly mayLeave?: readonly string[] | ((leftover: Leftover, gateway: G) => boolean)
  /** Returns whether the code may reject with this error. Even then, it must leave only what `mayLeave` allows. Default: any error. */
  readonly allow?: (ended: Ended<T, G>) => boolean
  /**
   * Checks a run in which the code resolved. The check fails by returning false, throwing, or rejecting. With this check, only the numbers
   * of resources are compared with the run without failures.
   */
  readonly holds?: (ended: Ended<T, G> & { readonly value: T }) => unknown
  /** A signal that aborts the search, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The options for {@link survives}. */
export interface SurvivesOptions<T = unknown, G extends Gateway<ManualClock> = Gateway<ManualClock>>
  extends ScheduleOptions<T, G> {
  /**
   * Periodically receives the progress. By default, one line on the terminal is updated, and nothing is printed in CI. Timers and dates are
   * replaced during the call: `performance.now()` doesn't return the real time.
   */
  readonly onProgress?: (progress: SurvivalProgress) => void
}

/** The code under test. */
export type CodeUnderTest<T = unknown, G extends Gateway<ManualClock> = Gateway<ManualClock>> = (
  life: Life<G>,
) => T | Promise<T>
