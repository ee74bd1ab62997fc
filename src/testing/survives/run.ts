import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { requireFunction } from '../../core/schema/options.ts'
import { quote, toError } from '../../core/schema/text.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Fetch } from '../../gateway/http/fetch.ts'
import { Arrivals } from './arrivals.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import type { CodeUnderTest, Disk, Ended, ScheduledFault } from './types.ts'
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

/** One run of the code under test: from the first call to the end of everything that followed, through crashes. */
export class Run {
  settled: { readonly value?: unknown; readonly error?: Error } | undefined
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
  readonly #files = new Map<string, unknown>()
  readonly #options: ParsedSurvivalOptions
  readonly arrivals: Arrivals
  #smallMoves = 0

  constructor(
    readonly world: World,
    options: ParsedSurvivalOptions,
    readonly gateway: Gateway<ManualClock>,
    readonly schedule: readonly ScheduledFault[],
  ) {
    this.#options = options
    this.arrivals = new Arrivals(world, schedule)
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
    arrivals.start = this.world.clock.now
    gateway.transport.hooks.arrival = (arrival) => arrivals.arrive(arrival)
    gateway.transport.hooks.attempt = (...attempt) => arrivals.attempt(...attempt)
    do await this.#callCode(code)
    while (arrivals.hasCrashed)
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
    this.arrivals.hasCrashed = true
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

  /** Calls the code once, until it ends, hangs, or crashes. */
  async #callCode(code: CodeUnderTest): Promise<void> {
    const { gateway, world, arrivals } = this
    const { url } = gateway
    if (arrivals.hasCrashed) world.timers.drop()
    arrivals.hasCrashed = false
    const life = ++arrivals.life
    const hasCrashed = () => life !== arrivals.life || arrivals.hasCrashed
    const fetch = this.#createFetch(hasCrashed)
    world.target = { url, fetch }
    const effect = <R>(name: string, work: () => R | Promise<R>) => this.#runEffect(name, work, hasCrashed)
    const disk = this.#createDisk(hasCrashed)
    const work = () => code({ fetch, url, gateway, disk, life, effect })
    const { settled, stopReason } = await this.#settle(work, arrivals.start)
    this.settled = settled
    this.stopReason = stopReason
  }

  /** Runs the function of an option to its end, on the clock of this world. */
  async runToEnd(option: string, work: () => unknown): Promise<unknown> {
    const { settled } = await this.#settle(work, this.world.clock.now)
    if (!settled) throw new Error(`The function \`${option}\` never ends.`)
    if (settled.error) throw settled.error
    return settled.value
  }

  /** Calls a function, and advances the clock until its promise settles. Returns its result, or why it was stopped. */
  async #settle(work: () => unknown, start: number): Promise<Pick<Run, 'settled' | 'stopReason'>> {
    let settled: Run['settled']
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
      if (this.arrivals.hasCrashed || isOver()) return undefined
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
  #createFetch(hasCrashed: () => boolean): Fetch {
    const { fetch } = this.gateway
    return async (input, init) => {
      if (hasCrashed()) return neverSettles()
      const response = fetch(input, init)
      await response.catch(() => undefined)
      return hasCrashed() ? neverSettles() : response
    }
  }

  async #runEffect<R>(name: string, work: () => R | Promise<R>, hasCrashed: () => boolean): Promise<R> {
    if (typeof name !== 'string') {
      throw new TypeError(`The effect's name is ${describeReceived(quote(name))}. Allowed: a string.`)
    }
    requireFunction("The effect's work", work)
    if (hasCrashed()) return neverSettles()
    this.world.activity++
    const arrivals = this.arrivals
    const { failure } = arrivals.add(`effect ${name}`, 'effect', name)
    if (failure?.name === 'crash-before') arrivals.hasCrashed = true
    if (hasCrashed()) return neverSettles()
    const result = await work()
    if (!hasCrashed() && failure?.name === 'crash-after') arrivals.hasCrashed = true
    return hasCrashed() ? neverSettles() : result
  }

  /** Returns the disk of a life. After a crash, the old life can no longer write. */
  #createDisk(hasCrashed = () => false): Disk {
    const files = this.#files
    return {
      // The caller knows the type of the stored value.
      get: <T>(name: string) => structuredClone(files.get(name)) as T | undefined,
      set: (name, value) => void (hasCrashed() || files.set(name, structuredClone(value))),
      has: (name) => files.has(name),
      delete: (name) => void (hasCrashed() || files.delete(name)),
    }
  }

  /** Returns the argument of the caller's `holds` and `allow`. */
  toEnded(): Ended {
    const { gateway, schedule, settled } = this
    return { gateway, schedule, disk: this.#createDisk(), value: settled?.value, error: settled?.error }
  }
}
