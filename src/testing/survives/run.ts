import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { requireFunction } from '../../core/schema/options.ts'
import { quote, toError } from '../../core/schema/text.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Fetch } from '../../gateway/http/fetch.ts'
import type { Gateway } from '../../gateway/types.ts'
import { Arrivals } from './arrivals.ts'
import { COPY_NAMES, Copy, createDisk } from './copy.ts'
import { Interleaving, type Turn } from './interleaving.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import { type Outcome, readBody } from './outcome.ts'
import type { CodeUnderTest, Ended, ScheduledFault } from './types.ts'
import type { World } from './world.ts'

/** The maximum number of turns of the event loop at one time: an endless loop over `setImmediate` needs nothing else. */
const MAX_TURNS = 20_000

/** The maximum number of moves of the clock in a row by 1 ms or less. */
const MAX_SMALL_MOVES = 5000

/** The maximum number of moves of the clock after the end of the code. */
const MAX_STOPS_AFTER = 1000

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

/** One run of the code under test: from the first call to the end of everything that followed, through crashes. */
export class Run {
  readonly copies: readonly Copy[]
  /** The outcome before and after each copy, if the copies run one after the other. */
  readonly outcomes: Outcome[] = []
  /** The reason why the run was stopped, if it was. */
  stopReason: 'nothing' | 'time' | 'requests' | 'turns' | 'timers' | undefined
  /** The resources from before the code ran. */
  resourcesBefore: readonly string[] = []
  /** The delays, in ms, of the timers that were left at the end of the code. */
  remainingTimers: readonly number[] = []
  /** The number of requests after the end of the code. */
  requestsAfterEnd = 0
  /** The number of events before the code ended. */
  eventsBeforeEnd = 0
  /** True if clients wait at sockets for responses that never come. */
  hasOpenSockets = false
  #cleanUp: unknown
  readonly #options: ParsedSurvivalOptions
  readonly arrivals: Arrivals
  /** True if `setup` has added faults. */
  hasFaults = false
  readonly #fetches = new Map<Copy, Fetch>()
  #smallMoves = 0

  constructor(
    readonly world: World,
    options: ParsedSurvivalOptions,
    readonly gateway: Gateway<ManualClock>,
    readonly schedule: readonly ScheduledFault[],
    readonly plan: Plan = {},
  ) {
    this.#options = options
    const shared = new Map<string, unknown>()
    const filesOf = () => (options.disk === 'shared' ? shared : new Map<string, unknown>())
    this.copies = COPY_NAMES.slice(0, options.copies).map((name) => new Copy(name, filesOf()))
    const interleaving = options.copies > 1 ? new Interleaving(plan.turns ?? []) : undefined
    this.arrivals = new Arrivals(world, schedule, this.copies, interleaving)
  }

  /** True if every copy has resolved or rejected. */
  get hasEnded(): boolean {
    return this.copies.every(({ settled }) => settled)
  }

  /** Returns the family and the id of each resource that was created. */
  leftovers(): readonly string[] {
    return this.gateway.leftovers().map(({ family, id }) => `${family} ${id}`)
  }

  /** Runs the code, again after each crash, and what it has left under way. */
  async run(code: CodeUnderTest): Promise<void> {
    const { setup } = this.#options
    const { gateway, arrivals } = this
    gateway.transport.hooks.arrival = undefined
    gateway.transport.hooks.attempt = undefined
    if (setup) this.#cleanUp = await this.runToEnd('setup', () => setup(gateway))
    this.resourcesBefore = this.leftovers()
    this.hasFaults = gateway.faults.all().length > 0
    arrivals.start = this.world.clock.now
    gateway.transport.hooks.arrival = (arrival) => arrivals.arrive(arrival)
    gateway.transport.hooks.attempt = (...attempt) => arrivals.attempt(...attempt)
    if (this.plan.serial) this.outcomes.push(this.outcome)
    for (const name of this.plan.serial ?? ['']) {
      const group = this.copies.filter((copy) => name === '' || copy.name === name)
      for (const copy of group) this.#startLife(copy, code)
      this.stopReason = await this.#advanceUntil(() => this.#hasGroupEnded(group, code), this.world.clock.now)
      if (this.stopReason) break
      if (name) this.outcomes.push(this.outcome)
    }
    this.remainingTimers = this.world.remainingDelays()
    if (!this.stopReason) await this.#finishWork()
    this.hasOpenSockets = arrivals.waitingSockets > 0
    arrivals.settle(LATEST_TIME)
  }

  /** Ends the run, so that its requests and crashes cannot reach the next run. */
  async end(): Promise<void> {
    const { gateway } = this
    await this.#runCleanUp()
    gateway.transport.hooks.arrival = (arrival) => arrival.fail({ drop: true })
    for (const copy of this.copies) copy.hasCrashed = true
    if (this.hasOpenSockets) {
      // The reset breaks the connections of waiting clients.
      gateway.reset()
      for (let turns = 0; turns < MAX_CLOSING_TURNS; turns++) await this.world.host.turn()
    }
  }

  /** Calls the function that `setup` returned, if any, and advances the clock until its promise settles. */
  async #runCleanUp(): Promise<void> {
    const cleanUp = this.#cleanUp
    if (typeof cleanUp !== 'function') return
    let isOver = false
    const end = () => {
      isOver = true
    }
    const done = (async () => cleanUp())()
    done.then(end, end)
    const { host } = this.world
    for (await host.turn(); !isOver; await host.pause()) {
      const next = this.#nextAt()
      if (next !== undefined) this.#advanceTo(next)
    }
    await done
  }

  /** Calls the code for a copy. */
  #startLife(copy: Copy, code: CodeUnderTest): void {
    const { gateway, world, plan } = this
    if (copy.hasCrashed) world.dropTimers(copy)
    if (copy.hasCrashed) this.arrivals.interleaving?.drop(copy.name)
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

  /** Calls crashed copies again. Returns true if all copies of a group have ended. */
  #hasGroupEnded(group: readonly Copy[], code: CodeUnderTest): boolean {
    for (const copy of group) if (copy.hasCrashed) this.#startLife(copy, code)
    return group.every(({ settled }) => settled)
  }

  /** Runs the function of an option to its end, on the clock of this world. */
  async runToEnd(option: string, work: () => unknown): Promise<unknown> {
    const { settled } = await this.#settle(work, this.world.clock.now)
    if (!settled) throw new Error(`The function \`${option}\` never ends.`)
    if (settled.error) throw settled.error
    return settled.value
  }

  /** Calls a function, and advances the clock until its promise settles. Returns its result, or why it was stopped. */
  async #settle(work: () => unknown, start: number): Promise<Pick<Copy, 'settled'> & Pick<Run, 'stopReason'>> {
    let settled: Copy['settled']
    void (async () => work())().then(
      (value) => (settled = { value }),
      (thrown) => (settled = { error: toError(thrown) }),
    )
    const stopReason = await this.#advanceUntil(() => settled !== undefined, start)
    return { settled, stopReason }
  }

  /** Advances the clock whenever nothing else can happen, until the end or a crash. Returns why it stopped earlier, if it did. */
  async #advanceUntil(isOver: () => boolean, start: number): Promise<Run['stopReason']> {
    const world = this.world
    for (let lastActivity = -1, turns = 0, pauses = 0; ; turns++) {
      await world.host.turn()
      if (turns > MAX_TURNS) return 'turns'
      if (lastActivity !== world.activity) {
        lastActivity = world.activity
        pauses = 0
        continue
      }
      if (await world.outside.wait(this.arrivals.waitingSockets)) continue
      if (isOver()) return undefined
      if (lastActivity !== world.activity) continue
      if (this.arrivals.interleaving?.next()) {
        world.activity++
        turns = 0
        continue
      }
      if (this.arrivals.isOverloaded) return 'requests'
      const next = this.#nextAt()
      if (next === undefined) {
        // The first runs may load modules, which a runner fetches from another thread.
        if (pauses++ === (this.schedule.length === 0 ? 500 : world.host.lastPauses)) return 'nothing'
        await world.host.pause()
        continue
      }
      if (next > start + this.#options.within) return 'time'
      this.#smallMoves = next > world.clock.now + 1 ? 0 : this.#smallMoves + 1
      if (this.#smallMoves > MAX_SMALL_MOVES) return 'timers'
      turns = 0
      this.#advanceTo(next)
    }
  }

  #nextAt(): number | undefined {
    const next = Math.min(this.world.timers.nextStopAt() ?? LATEST_TIME, this.arrivals.nextAt())
    return next === LATEST_TIME ? undefined : next
  }

  #advanceTo(at: number): void {
    this.world.advanceTo(at)
    this.arrivals.settle(this.world.clock.now)
  }

  /** Runs everything that the code has left under way. */
  async #finishWork(): Promise<void> {
    const world = this.world
    this.eventsBeforeEnd = this.arrivals.events.length
    for (let stops = 0; stops < MAX_STOPS_AFTER; stops++) {
      await world.host.turn()
      while (this.arrivals.interleaving?.next()) await world.host.turn()
      const next = this.#nextAt()
      if (next === undefined || (world.remainingDelays().length === 0 && !this.arrivals.isWaiting)) break
      this.#advanceTo(next)
    }
    await world.host.turn()
    this.requestsAfterEnd = this.arrivals.events
      .slice(this.eventsBeforeEnd)
      .filter(({ type }) => type === 'request').length
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
    const arrivals = this.arrivals
    await arrivals.interleaving?.wait(copy.name)
    if (hasCrashed()) return neverSettles()
    const event = arrivals.add(`effect ${name}`, 'effect', name, copy)
    const { failure } = event
    if (failure?.name === 'crash-before') copy.hasCrashed = true
    if (hasCrashed()) return neverSettles()
    const result = await work()
    if (!hasCrashed() && failure?.name === 'crash-after') copy.hasCrashed = true
    return hasCrashed() ? neverSettles() : result
  }

  /** Returns the argument of the caller's `holds` and `allow`. */
  toEnded(copy: Copy): Ended {
    const { gateway, schedule } = this
    const { name, settled } = copy
    return { gateway, schedule, copy: name, disk: createDisk(copy), value: settled?.value, error: settled?.error }
  }

  /** The outcome of the run so far. */
  get outcome(): Outcome {
    const resolved = this.copies.filter(({ settled }) => settled && !settled.error).map(({ name }) => name)
    const bodies = this.arrivals.events.map(({ description }) => readBody(description))
    return { resolved: resolved.join(), isWhole: this.hasEnded, records: this.gateway.snapshot().records, bodies }
  }
}
