import type { ManualClock } from '../../engine/manual-clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Fetch } from '../../http/fetch.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import { Arrivals, type Event } from './arrivals.ts'
import { diskOf, type Files } from './disk.ts'
import type { CodeUnderTest, Disk, ScheduledFault } from './types.ts'
import type { World } from './world.ts'

/** Why a run went no further. */
export type Stuck = 'nothing' | 'time' | 'requests' | 'turns' | 'timers'

/** The most turns of the event loop at one time: an endless loop over `setImmediate` needs nothing else. */
const MOST_TURNS = 20_000

/** The most moves of the clock in a row by 1 ms or less. */
const MOST_SMALL_MOVES = 5000

/** The most moves of the clock after the end of the code. */
const MOST_STOPS_AFTER = 1000

/** The turns in which sockets must close at the end of a run. */
const MOST_LAST_TURNS = 10

const never = () => new Promise<never>(() => undefined)

export interface RunOptions<T, G extends Gateway<ManualClock>> {
  readonly world: World
  readonly code: CodeUnderTest<T, G>
  readonly gateway: G
  readonly url: string
  readonly setup: ((gateway: G) => unknown) | undefined
  readonly schedule: readonly ScheduledFault[]
  readonly within: number
}

interface Settled<T> {
  readonly value?: T
  readonly error?: Error
}

/** A run as far as judges and reports look at it. */
export type AnyRun = Pick<
  // biome-ignore lint/suspicious/noExplicitAny: whatever the code returns, and whichever gateway it has.
  Run<any, any>,
  | 'events'
  | 'gateway'
  | 'settled'
  | 'stuck'
  | 'before'
  | 'timersLeft'
  | 'requestsAfter'
  | 'unhandled'
  | 'leftovers'
  | 'lives'
  | 'ended'
  | 'drive'
>

/** One run of the code under test: from the first call to the end of everything that followed, through crashes. */
export class Run<T, G extends Gateway<ManualClock>> {
  readonly gateway: G
  readonly schedule: readonly ScheduledFault[]
  readonly files: Files = new Map()
  settled: Settled<T> | undefined
  stuck: Stuck | undefined
  /** The resources that there were before the code ran. */
  before: ReadonlySet<string> = new Set()
  /** The delays of the timers that were left at the end, in ms, and the requests that came after it. */
  timersLeft: readonly number[] = []
  requestsAfter = 0
  unhandled: readonly unknown[] = []
  #cleanUp: unknown
  readonly #options: RunOptions<T, G>
  readonly #world: World
  #arrivals: Arrivals
  /** When the code may run no longer, in ms. */
  #deadline: number
  #smallMoves = 0

  constructor(options: RunOptions<T, G>) {
    const { gateway, schedule, world, within } = options
    this.gateway = gateway
    this.schedule = schedule
    this.#options = options
    this.#world = world
    this.#arrivals = new Arrivals(world, schedule)
    this.#deadline = world.clock.now + within
  }

  get events(): readonly Event[] {
    return this.#arrivals.events
  }

  /** The failures that have happened. */
  get applied(): number {
    return this.events.filter(({ kind }) => kind).length
  }

  /** How often the code was called. */
  get lives(): number {
    return this.#arrivals.life
  }

  /** Returns the family and the id of each resource that was created. */
  leftovers(): readonly string[] {
    return this.gateway.leftovers().map(({ family, id }) => `${family} ${id}`)
  }

  async run(): Promise<void> {
    const { gateway, setup, within } = this.#options
    const world = this.#world
    this.#cleanUp = await this.drive(async () => setup?.(gateway))
    this.before = new Set(this.leftovers())
    // The code's own time begins now.
    const arrivals = new Arrivals(world, this.schedule)
    this.#arrivals = arrivals
    this.#deadline = world.clock.now + within
    gateway.transport.hooks.arrival = (arrival) => arrivals.arrive(arrival)
    gateway.transport.hooks.attempt = (...attempt) => arrivals.attempt(...attempt)
    do await this.#live()
    while (arrivals.isDead)
    if (!this.stuck) await this.#afterwards()
    arrivals.settleLate()
    this.unhandled = world.unhandled
  }

  /** Ends the run: nothing of it may reach the next one. */
  async end(): Promise<void> {
    const { gateway } = this.#options
    if (typeof this.#cleanUp === 'function') await this.#cleanUp()
    gateway.transport.hooks.arrival = (arrival) => arrival.fail({ drop: true })
    if (this.#arrivals.servedWaiting > 0) {
      // Whoever waits at a socket is told that nothing comes.
      gateway.reset()
      for (let turns = 0; turns < MOST_LAST_TURNS; turns++) await this.#world.turn()
    }
    gateway.dispose()
  }

  /** Calls the code once, until it ends, hangs, or crashes. */
  async #live(): Promise<void> {
    const { code, gateway, url } = this.#options
    const world = this.#world
    const arrivals = this.#arrivals
    if (arrivals.isDead) world.dropTimers()
    arrivals.isDead = false
    const life = ++arrivals.life
    const isDead = () => life !== arrivals.life || arrivals.isDead
    const fetch = this.#fetchOf(isDead)
    world.reached = { url, fetch }
    const disk = diskOf(this.files, isDead)
    const effect = <R>(name: string, work: () => R | Promise<R>) => this.#effect(name, work, isDead)
    let settled: Settled<T> | undefined
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
  async #until(isOver: () => boolean): Promise<Stuck | undefined> {
    const world = this.#world
    for (let seen = -1, turns = 0, pauses = 0; ; turns++) {
      await world.turn()
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
        await world.outside.pause()
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
    const next = Math.min(this.#world.nextTimerAt() ?? LATEST_TIME, this.#arrivals.nextAt())
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
      await world.turn()
      const next = this.#nextAt()
      if (next === undefined || (world.delaysLeft().length === 0 && !this.#arrivals.isWaiting)) break
      this.#advanceTo(next)
    }
    await world.turn()
    this.requestsAfter = this.events.slice(length).filter(({ on }) => on === 'request').length
  }

  #fetchOf(isDead: () => boolean): Fetch {
    const { fetch } = this.#options.gateway
    return async (input, init) => {
      if (isDead()) return never()
      try {
        const response = await fetch(input, init)
        return isDead() ? never() : response
      } catch (error) {
        if (isDead()) return never()
        throw error
      }
    }
  }

  async #effect<R>(name: string, work: () => R | Promise<R>, isDead: () => boolean): Promise<R> {
    if (isDead()) return never()
    this.#world.activity++
    const arrivals = this.#arrivals
    const event = arrivals.add(`effect ${name}`, 'effect', name)
    if (event.kind?.name === 'crash-before') arrivals.isDead = true
    if (isDead()) return never()
    const result = await work()
    if (!isDead() && event.kind?.name === 'crash-after') arrivals.isDead = true
    return isDead() ? never() : result
  }

  /** What an assertion of the caller receives. */
  ended(): {
    gateway: G
    value: T | undefined
    error: Error | undefined
    disk: Disk
    schedule: readonly ScheduledFault[]
  } {
    const { value, error } = this.settled ?? {}
    return { gateway: this.gateway, value, error, disk: diskOf(this.files, () => false), schedule: this.schedule }
  }
}
