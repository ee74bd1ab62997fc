import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { readPredicateResult } from '../../core/schema/arguments.ts'
import type { Arrival } from '../../gateway/http/arrival.ts'
import type { HttpResponse } from '../../gateway/http/messages.ts'
import type { Gateway } from '../../gateway/types.ts'
import { Arrivals, type Surroundings } from './arrivals.ts'
import { COPY_NAMES, Copy, createDisk } from './copy.ts'
import type { StopReason } from './driver.ts'
import { Ending, keysOf } from './ending.ts'
import { Interleaving, type Turn } from './interleaving.ts'
import type { Masks } from './masks.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { Ended, ScheduledFault } from './types.ts'

/** The failures in a run, and the order of its copies. */
export interface Plan {
  /** The failures. */
  readonly schedule: readonly ScheduledFault[]
  /** The names of the copies, in the order in which to run them one after the other. Default: all copies run concurrently. */
  readonly serial?: readonly string[]
  /** The order in which the copies continue. */
  readonly turns?: readonly Turn[]
  /** Set for a run at another time and with other random numbers: `slow` if its responses are slow, otherwise `fast`. */
  readonly elsewhere?: 'fast' | 'slow'
}

/** The outcome of some copies: which copies resolved, and which resources remain. */
export interface Outcome {
  readonly resolved: string
  /** True if all copies have run. */
  readonly isWhole: boolean
  readonly ending: Ending
}

/** The record of one run, wherever its code runs: its requests, the ends of its copies, and the resources that remain. */
export abstract class RunRecord {
  readonly copies: readonly Copy[]
  readonly arrivals: Arrivals
  /** The outcome before and after each copy, if the copies run one after the other. */
  readonly outcomes: Outcome[] = []
  /** The reason that the run was stopped, if it was. */
  stopReason: StopReason | undefined
  /** The resources that existed before the code ran, in the form of {@link keysOf}. */
  resourcesBefore: ReadonlySet<string> = new Set()
  /** True if `setup` has added faults. */
  hasFaults = false
  /** The errors after which the code was called again, by life. */
  readonly rejections = new Map<number, Error>()
  /** The unhandled errors. */
  unhandled: readonly unknown[] = []
  /** The number of failures before the last call of the code. */
  #failuresBefore = 0
  /** The delays, in ms, of the timers that were pending when the code ended. */
  remainingTimers: readonly number[] = []
  /** The number of events before the code ended. */
  eventsBeforeEnd = 0
  /** A request that the code did not await, such as `DELETE /reserved_addrs/ra_…`. */
  notAwaited: string | undefined
  /** The number of requests after the code ended. */
  requestsAfterEnd = 0

  constructor(
    readonly surroundings: Surroundings,
    readonly options: ParsedSurvivalOptions,
    readonly masks: Masks,
    readonly gateway: Gateway<ManualClock>,
    readonly plan: Plan,
  ) {
    const shared = new Map<string, unknown>()
    const filesOf = () => (options.disk === 'shared' ? shared : new Map<string, unknown>())
    this.copies = COPY_NAMES.slice(0, options.copies).map((name) => new Copy(name, filesOf()))
    const interleaving = options.copies > 1 ? new Interleaving(plan.turns ?? []) : undefined
    this.arrivals = new Arrivals(surroundings, plan.schedule, this.copies, interleaving)
  }

  /** Runs the function of an option to its end. */
  abstract runToEnd(option: string, work: () => unknown): Promise<unknown>

  /** Ends the run once it has been judged, so that its requests and crashes cannot reach the next run. */
  abstract end(): Promise<void>

  /** The last lines of a story. */
  get notes(): readonly string[] {
    return []
  }

  get schedule(): readonly ScheduledFault[] {
    return this.plan.schedule
  }

  /** True if every copy has resolved or rejected. */
  get hasEnded(): boolean {
    return this.copies.every(({ settled }) => settled)
  }

  /** The resources so far. */
  get ending(): Ending {
    return new Ending(this.gateway, this.resourcesBefore, this.masks)
  }

  /** The outcome of the run so far. */
  get outcome(): Outcome {
    const resolved = this.copies.filter(({ settled }) => settled && !settled.error).map(({ name }) => name)
    return { resolved: resolved.join(), isWhole: this.hasEnded, ending: this.ending }
  }

  /**
   * Runs the copies concurrently or one after the other. During this time and afterward, each request and each provisioning attempt is an
   * event in the run.
   */
  protected async runCopies(runGroup: (group: readonly Copy[]) => Promise<StopReason | undefined>): Promise<void> {
    const { serial } = this.plan
    const groups = serial ? serial.map((name) => this.copies.filter((copy) => copy.name === name)) : [this.copies]
    this.#listen()
    this.#noteOutcome()
    for (const group of groups) {
      this.stopReason = await runGroup(group)
      if (this.stopReason) return
      this.#noteOutcome()
    }
  }

  /** Returns the response to a request in the run. */
  protected arrive(arrival: Arrival): HttpResponse {
    return this.arrivals.arrive(arrival)
  }

  #listen(): void {
    const { gateway, arrivals } = this
    const { hooks } = gateway.transport
    this.resourcesBefore = keysOf(gateway)
    this.hasFaults = gateway.faults.all().length > 0
    arrivals.start = this.surroundings.clock.now
    hooks.arrival = (arrival) => this.arrive(arrival)
    hooks.attempt = (...attempt) => arrivals.attempt(...attempt)
  }

  /** Records the outcome so far, if the copies run one after the other. */
  #noteOutcome(): void {
    if (!this.plan.serial) return
    const { outcome } = this
    outcome.ending.publicRecords()
    this.outcomes.push(outcome)
  }

  /** Prepares a copy for the next call of its code. Returns the new life. */
  protected beginLife(copy: Copy): number {
    if (copy.hasCrashed) this.arrivals.interleaving?.drop(copy.name)
    copy.hasCrashed = false
    copy.settled = undefined
    this.surroundings.activity++
    return ++copy.life
  }

  /** Returns the family and the ID of each resource that requests can create, including those that existed before the code ran. */
  leftovers(): readonly string[] {
    return this.gateway.leftovers().map(({ family, id }) => `${family} ${id}`)
  }

  /** Returns the resources of {@link leftovers} that must not remain after an error. */
  leftoversAfterError(): readonly string[] {
    const { mayLeave = [] } = this.options
    const isAllowed = (family: string, id: string) =>
      typeof mayLeave === 'function'
        ? readPredicateResult('it', mayLeave({ family, id }, this.gateway))
        : mayLeave.includes(family)
    return this.leftovers().filter((each) => {
      const [family = '', id = ''] = each.split(' ')
      return !this.resourcesBefore.has(each) && !isAllowed(family, id)
    })
  }

  /** Returns true if a copy rejected because of a failure, as the options allow. The code is then called again. */
  protected shouldResume(copy: Copy): boolean {
    const { mayLeave, allow } = this.options
    const error = copy.settled?.error
    const failures = this.arrivals.events.filter(({ failure }) => failure).length
    if (!mayLeave || !error || failures === this.#failuresBefore) return false
    try {
      if (this.leftoversAfterError().length > 0 || (allow && !readPredicateResult('it', allow(this.toEnded(copy)))))
        return false
    } catch {
      return false // The verdict reports exceptions from these functions.
    }
    this.#failuresBefore = failures
    this.rejections.set(copy.life, error)
    return true
  }

  /** Returns the argument for the caller's `holds` and `allow`. */
  toEnded(copy: Copy): Ended {
    const { gateway, schedule } = this
    const { name, settled } = copy
    return { gateway, schedule, copy: name, disk: createDisk(copy), value: settled?.value, error: settled?.error }
  }
}
