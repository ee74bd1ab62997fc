import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { readPredicateResult, requireFunction } from '../../core/schema/options.ts'
import { quote, toError } from '../../core/schema/text.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Fetch } from '../../gateway/http/fetch.ts'
import type { Gateway } from '../../gateway/types.ts'
import { Arrivals } from './arrivals.ts'
import { COPY_NAMES, Copy, createDisk } from './copy.ts'
import { Driver, type StopReason } from './driver.ts'
import { Ending, keysOf } from './ending.ts'
import { Interleaving, type Turn } from './interleaving.ts'
import type { Masks } from './masks.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { CodeUnderTest, Ended, ScheduledFault } from './types.ts'
import type { World } from './world.ts'

/** The number of turns in which sockets can close at the end of a run. */
const MAX_CLOSING_TURNS = 10

const neverSettles = () => new Promise<never>(() => undefined)

/** The way in which copies run. */
export interface Plan {
  /** The names of the copies, to run one after the other. Default: all at once. */
  readonly serial?: readonly string[]
  /** The order in which the copies continue. */
  readonly turns?: readonly Turn[]
  /** The URLs of the copies, if servers serve the gateway. */
  readonly urls?: ReadonlyMap<string, string>
}

/** The end of some copies: which have resolved, and what is left. */
export interface Outcome {
  readonly resolved: string
  /** True if all copies have run. */
  readonly isWhole: boolean
  readonly ending: Ending
}

/** One run of the code under test: from the first call to the end of everything that followed, through crashes. */
export class Run {
  readonly copies: readonly Copy[]
  readonly arrivals: Arrivals
  readonly driver: Driver
  /** The outcome before and after each copy, if the copies run one after the other. */
  readonly outcomes: Outcome[] = []
  /** The reason why the run was stopped, if it was. */
  stopReason: StopReason | undefined
  /** The resources from before the code ran, as {@link keysOf} returns them. */
  resourcesBefore: ReadonlySet<string> = new Set()
  /** True if `setup` has added faults. */
  hasFaults = false
  /** The errors after which the code was called again, by its life. */
  readonly rejections = new Map<number, Error>()
  /** The number of failures before the last call of the code. */
  #failuresBefore = 0
  /** The delays, in ms, of the timers that were left at the end of the code. */
  remainingTimers: readonly number[] = []
  /** The number of events before the code ended. */
  eventsBeforeEnd = 0
  /** The number of requests after the end of the code. */
  requestsAfterEnd = 0
  /** True if clients wait at sockets for responses that never come. */
  #hasOpenSockets = false
  #cleanUp: unknown
  readonly #fetches = new Map<Copy, Fetch>()

  constructor(
    readonly world: World,
    readonly options: ParsedSurvivalOptions,
    readonly masks: Masks,
    readonly gateway: Gateway<ManualClock>,
    readonly schedule: readonly ScheduledFault[],
    readonly plan: Plan,
  ) {
    const shared = new Map<string, unknown>()
    const filesOf = () => (options.disk === 'shared' ? shared : new Map<string, unknown>())
    this.copies = COPY_NAMES.slice(0, options.copies).map((name) => new Copy(name, filesOf()))
    const interleaving = options.copies > 1 ? new Interleaving(plan.turns ?? []) : undefined
    this.arrivals = new Arrivals(world, schedule, this.copies, interleaving)
    this.driver = new Driver(world, this.arrivals, options.within, schedule.length === 0)
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

  /** Returns the family and the id of each resource that was created. */
  leftovers(): readonly string[] {
    return this.gateway.leftovers().map(({ family, id }) => `${family} ${id}`)
  }

  /** Runs the code, again after each crash, and what it has left under way. */
  async run(code: CodeUnderTest): Promise<void> {
    const { gateway, arrivals, world } = this
    const { hooks } = gateway.transport
    const { setup } = this.options
    hooks.arrival = undefined
    hooks.attempt = undefined
    if (setup) this.#cleanUp = await this.driver.runToEnd('setup', () => setup(gateway))
    this.resourcesBefore = keysOf(gateway)
    this.hasFaults = gateway.faults.all().length > 0
    arrivals.start = world.clock.now
    hooks.arrival = (arrival) => arrivals.arrive(arrival)
    hooks.attempt = (...attempt) => arrivals.attempt(...attempt)
    await this.#runCopies(code)
    this.remainingTimers = world.remainingDelays()
    this.eventsBeforeEnd = arrivals.events.length
    if (!this.stopReason) await this.driver.finishWork()
    const after = arrivals.events.slice(this.eventsBeforeEnd)
    this.requestsAfterEnd = after.filter(({ type }) => type === 'request').length
    this.#hasOpenSockets = arrivals.waitingSockets > 0
    arrivals.settle(LATEST_TIME)
  }

  /** Runs the copies at once, or one after the other. */
  async #runCopies(code: CodeUnderTest): Promise<void> {
    const { serial } = this.plan
    const groups = serial ? serial.map((name) => this.copies.filter((copy) => copy.name === name)) : [this.copies]
    const note = () => {
      const { outcome } = this
      outcome.ending.publicRecords()
      this.outcomes.push(outcome)
    }
    if (serial) note()
    for (const group of groups) {
      for (const copy of group) this.#startLife(copy, code)
      this.stopReason = await this.driver.advanceUntil(() => {
        for (const copy of group) if (copy.hasCrashed || this.#shouldResume(copy)) this.#startLife(copy, code)
        return group.every(({ settled }) => settled)
      })
      if (this.stopReason) return
      if (serial) note()
    }
  }

  /** Returns the resources of {@link leftovers} that must not be left after an error. */
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

  /** Returns true if a copy has rejected because of a failure, in the way that the options allow: then the code is called again. */
  #shouldResume(copy: Copy): boolean {
    const { mayLeave, allow } = this.options
    const error = copy.settled?.error
    const failures = this.arrivals.events.filter(({ failure }) => failure).length
    if (!mayLeave || !error || failures === this.#failuresBefore) return false
    try {
      if (this.leftoversAfterError().length > 0 || (allow && !readPredicateResult('it', allow(this.toEnded(copy)))))
        return false
    } catch {
      return false // The verdict reports what these functions throw.
    }
    this.#failuresBefore = failures
    this.rejections.set(copy.life, error)
    return true
  }

  /** Ends the run, so that its requests and crashes cannot reach the next run. */
  async end(): Promise<void> {
    const { gateway } = this
    const cleanUp = this.#cleanUp
    if (typeof cleanUp === 'function') await this.driver.cleanUp(() => cleanUp())
    gateway.transport.hooks.arrival = (arrival) => arrival.fail({ drop: true })
    for (const copy of this.copies) copy.hasCrashed = true
    if (!this.#hasOpenSockets) return
    // The reset breaks the connections of waiting clients.
    gateway.reset()
    for (let turns = 0; turns < MAX_CLOSING_TURNS; turns++) await this.world.host.turn()
  }

  /** Returns the argument of the caller's `holds` and `allow`. */
  toEnded(copy: Copy): Ended {
    const { gateway, schedule } = this
    const { name, settled } = copy
    return { gateway, schedule, copy: name, disk: createDisk(copy), value: settled?.value, error: settled?.error }
  }

  /** Calls the code for a copy. */
  #startLife(copy: Copy, code: CodeUnderTest): void {
    const { gateway, world, plan } = this
    if (copy.hasCrashed) {
      world.dropTimers(copy)
      this.arrivals.interleaving?.drop(copy.name)
    }
    copy.hasCrashed = false
    copy.settled = undefined
    const life = ++copy.life
    world.activity++
    world.pasts.note(copy, `${copy.name} starts at ${world.clock.now}`)
    const url = plan.urls?.get(copy.name) ?? gateway.url
    const hasCrashed = () => life !== copy.life || copy.hasCrashed
    const fetch = this.#createFetch(copy, hasCrashed)
    this.#fetches.set(copy, fetch)
    world.target = { url: gateway.url, fetch: (...args) => (this.#fetches.get(world.copy ?? copy) ?? fetch)(...args) }
    const effect = <R>(name: string, work: () => R | Promise<R>) => this.#runEffect(name, work, copy, hasCrashed)
    const disk = createDisk(copy, hasCrashed)
    const settle = (settled: Copy['settled']) => {
      if (!hasCrashed()) copy.settled = settled
    }
    const work = async () => code({ fetch, url, gateway, disk, life, effect, copy: copy.name })
    void world.runAs(copy, work).then(
      (value) => settle({ value }),
      (thrown) => settle({ error: toError(thrown) }),
    )
  }

  /** Returns the `fetch` of a life. Its open requests never end if the life crashes. */
  #createFetch(copy: Copy, hasCrashed: () => boolean): Fetch {
    const { fetch } = this.gateway
    return async (input, init) => {
      if (hasCrashed()) return neverSettles()
      const response = this.world.runAs(copy, () => fetch(input, init))
      await response.catch(() => undefined)
      return hasCrashed() ? neverSettles() : response
    }
  }

  async #runEffect<R>(name: string, work: () => R | Promise<R>, copy: Copy, hasCrashed: () => boolean): Promise<R> {
    if (typeof name !== 'string') {
      throw new TypeError(`The effect's name is ${describeReceived(quote(name))}. Allowed: a string.`)
    }
    requireFunction("The effect's work", work)
    if (hasCrashed()) return neverSettles()
    this.world.activity++
    const { arrivals } = this
    await arrivals.interleaving?.wait(copy.name)
    if (hasCrashed()) return neverSettles()
    const { failure } = arrivals.add(`effect ${name}`, 'effect', name, { copy })
    if (failure?.name === 'effect-fails') throw new Error(`The effect ${quote(name)} failed.`)
    if (failure?.name === 'crash-before') copy.hasCrashed = true
    if (hasCrashed()) return neverSettles()
    const result = await work()
    if (!hasCrashed() && failure?.name === 'crash-after') copy.hasCrashed = true
    return hasCrashed() ? neverSettles() : result
  }
}
