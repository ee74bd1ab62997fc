import type { ManualClock } from '../../engine/manual-clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Fetch } from '../../http/fetch.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import { Arrivals, type Event } from './arrivals.ts'
import { diskOf } from './disk.ts'
import type { ReadSurvivalOptions } from './options.ts'
import type { CodeUnderTest, Ended, ScheduledFault } from './types.ts'
import type { World } from './world.ts'

/** The most turns of the event loop at one time: an endless loop over `setImmediate` needs nothing else. */
const MOST_TURNS = 20_000

/** The most moves of the clock in a row by 1 ms or less. */
const MOST_SMALL_MOVES = 5000

/** The most moves of the clock after the end of the code. */
const MOST_STOPS_AFTER = 1000

/** The turns in which sockets must close at the end of a run. */
const MOST_LAST_TURNS = 10

const never = () => new Promise<never>(() => undefined)

/** One run of the code under test: from the first call to the end of everything that followed, through crashes. */
export class Run {
  settled: { readonly value?: unknown; readonly error?: Error } | undefined
  /** Why the run went no further. */
  stuck: 'nothing' | 'time' | 'requests' | 'turns' | 'timers' | undefined
  /** The resources that there were before the code ran. */
  before: readonly string[] = []
  /** The delays of the timers that were left at the end, in ms, and the number of requests that came after it. */
  timersLeft: readonly number[] = []
  requestsAfter = 0
  #cleanUp: unknown
  readonly #files = new Map<string, unknown>()
  readonly #world: World
  readonly #options: ReadSurvivalOptions
  #arrivals: Arrivals
  /** The end of the time that the code may take, in ms. */
  #deadline: number
  #smallMoves = 0

  constructor(
    world: World,
    options: ReadSurvivalOptions,
    readonly gateway: Gateway<ManualClock>,
    readonly schedule: readonly ScheduledFault[],
  ) {
    this.#world = world
    this.#options = options
    this.#arrivals = new Arrivals(world, schedule)
    this.#deadline = world.clock.now + options.within
  }

  get events(): readonly Event[] {
    return this.#arrivals.events
  }

  /** The number of times that the code was called. */
  get lives(): number {
    return this.#arrivals.life
  }

  /** The errors that nobody has handled. */
  get unhandled(): readonly unknown[] {
    return this.#world.unhandled
  }

  /** Returns the family and the id of each resource that was created. */
  leftovers(): readonly string[] {
    return this.gateway.leftovers().map(({ family, id }) => `${family} ${id}`)
  }

  async run(code: CodeUnderTest): Promise<void> {
    const { setup, within } = this.#options
    const { gateway } = this
    if (setup) this.#cleanUp = await this.drive(async () => setup(gateway))
    this.before = this.leftovers()
    // The code's own time begins now.
    const arrivals = new Arrivals(this.#world, this.schedule)
    this.#arrivals = arrivals
    this.#deadline = this.#world.clock.now + within
    gateway.transport.hooks.arrival = (arrival) => arrivals.arrive(arrival)
    gateway.transport.hooks.attempt = (...attempt) => arrivals.attempt(...attempt)
    do await this.#live(code)
    while (arrivals.isDead)
    if (!this.stuck) await this.#afterwards()
    arrivals.settleLate()
  }

  /** Ends the run: nothing of it may reach the next one. */
  async end(): Promise<void> {
    const { gateway } = this
    if (typeof this.#cleanUp === 'function') await this.#cleanUp()
    gateway.transport.hooks.arrival = (arrival) => arrival.fail({ drop: true })
    if (this.#arrivals.servedWaiting > 0) {
      // A client that waits at a socket learns that nothing comes.
      gateway.reset()
      for (let turns = 0; turns < MOST_LAST_TURNS; turns++) await this.#world.host.turn()
    }
    gateway.dispose()
  }

  /** Calls the code once, until it ends, hangs, or crashes. */
  async #live(code: CodeUnderTest): Promise<void> {
    const { gateway } = this
    const { url } = gateway
    const world = this.#world
    const arrivals = this.#arrivals
    if (arrivals.isDead) world.timers.drop()
    arrivals.isDead = false
    const life = ++arrivals.life
    const isDead = () => life !== arrivals.life || arrivals.isDead
    const fetch = this.#fetchOf(isDead)
    world.reached = { url, fetch }
    const disk = diskOf(this.#files, isDead)
    const effect = <R>(name: string, work: () => R | Promise<R>) => this.#effect(name, work, isDead)
    let settled: Run['settled']
    void (async () => code({ fetch, url, gateway, disk, life, effect }))().then(
      (value) => (settled = { value }),
      (thrown) =>
        (settled = { error: thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown }) }),
    )
    this.stuck = await this.#until(() => settled !== undefined)
    this.settled = settled
  }

  /** Lets work of the caller run to its end, on the time of this world. */
  async drive<R>(work: () => Promise<R>): Promise<R> {
    let isSettled = false
    const result = work().finally(() => {
      isSettled = true
    })
    result.catch(() => undefined)
    const stuck = await this.#until(() => isSettled)
    if (stuck) throw new Error('It never ends.')
    return result
  }

  /** Moves the clock whenever nothing else can happen, until the end, a crash, or a stop. Returns why it stopped, if it did. */
  async #until(isOver: () => boolean): Promise<Run['stuck']> {
    const world = this.#world
    for (let seen = -1, turns = 0, pauses = 0; ; turns++) {
      await world.host.turn()
      if (turns > MOST_TURNS) return 'turns'
      if (seen !== world.activity) {
        seen = world.activity
        pauses = 0
        continue
      }
      if (await world.outside.wait(this.#arrivals.servedWaiting)) continue
      if (this.#arrivals.isDead || isOver()) return undefined
      if (this.#arrivals.isOverloaded) return 'requests'
      const next = this.#nextAt()
      if (next === undefined) {
        // The first runs may load modules, which a runner fetches from another thread.
        if (pauses++ === (this.schedule.length === 0 ? 500 : world.outside.lastPauses)) return 'nothing'
        await world.host.pause()
        continue
      }
      if (next > this.#deadline) return 'time'
      this.#smallMoves = next > world.clock.now + 1 ? 0 : this.#smallMoves + 1
      if (this.#smallMoves > MOST_SMALL_MOVES) return 'timers'
      turns = 0
      this.#advanceTo(next)
    }
  }

  #nextAt(): number | undefined {
    const next = Math.min(this.#world.timers.nextStopAt() ?? LATEST_TIME, this.#arrivals.nextAt())
    return next === LATEST_TIME ? undefined : next
  }

  #advanceTo(at: number): void {
    this.#world.advanceTo(at)
    this.#arrivals.settle(this.#world.clock.now)
  }

  /** Lets everything happen that the code has left under way. */
  async #afterwards(): Promise<void> {
    const world = this.#world
    const { length } = this.events
    this.timersLeft = world.delaysLeft()
    for (let stops = 0; stops < MOST_STOPS_AFTER; stops++) {
      await world.host.turn()
      const next = this.#nextAt()
      if (next === undefined || (world.delaysLeft().length === 0 && !this.#arrivals.isWaiting)) break
      this.#advanceTo(next)
    }
    await world.host.turn()
    this.requestsAfter = this.events.slice(length).filter(({ on }) => on === 'request').length
  }

  #fetchOf(isDead: () => boolean): Fetch {
    const { fetch } = this.gateway
    const unlessDead = <R>(answer: () => R) => (isDead() ? never() : answer())
    return (input, init) =>
      unlessDead(() =>
        fetch(input, init).then(
          (response) => unlessDead(() => response),
          (error) => unlessDead(() => Promise.reject(error)),
        ),
      )
  }

  async #effect<R>(name: string, work: () => R | Promise<R>, isDead: () => boolean): Promise<R> {
    if (isDead()) return never()
    this.#world.activity++
    const arrivals = this.#arrivals
    const { kind } = arrivals.add(`effect ${name}`, 'effect', name)
    if (kind?.name === 'crash-before') arrivals.isDead = true
    if (isDead()) return never()
    const result = await work()
    if (!isDead() && kind?.name === 'crash-after') arrivals.isDead = true
    return isDead() ? never() : result
  }

  /** Returns what an assertion of the caller receives. */
  ended(): Ended {
    const { value, error } = this.settled ?? {}
    const { gateway, schedule } = this
    return { gateway, value, error, disk: diskOf(this.#files, () => false), schedule }
  }
}
