import type { ManualClock } from '../../engine/manual-clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Fetch } from '../../http/fetch.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import { Arrivals } from './arrivals.ts'
import type { ReadSurvivalOptions } from './options.ts'
import type { CodeUnderTest, Disk, Ended, ScheduledFault } from './types.ts'
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
  /** The reason why the run was stopped, if it was. */
  stuck: 'nothing' | 'time' | 'requests' | 'turns' | 'timers' | undefined
  /** The resources that there were before the code ran. */
  before: readonly string[] = []
  /** The delays of the timers that were left at the end, in ms, and the number of requests that came after it. */
  timersLeft: readonly number[] = []
  requestsAfter = 0
  /** The number of events before the code ended. */
  eventsBefore = 0
  /** True if clients wait at sockets for answers that never come. */
  hasOpenSockets = false
  #cleanUp: unknown
  readonly #files = new Map<string, unknown>()
  readonly #options: ReadSurvivalOptions
  readonly arrivals: Arrivals
  #smallMoves = 0

  constructor(
    readonly world: World,
    options: ReadSurvivalOptions,
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

  async run(code: CodeUnderTest): Promise<void> {
    const { setup } = this.#options
    const { gateway, arrivals } = this
    gateway.transport.hooks.arrival = undefined
    gateway.transport.hooks.attempt = undefined
    if (setup) this.#cleanUp = await this.drive(async () => setup(gateway))
    this.before = this.leftovers()
    arrivals.start = this.world.clock.now
    gateway.transport.hooks.arrival = (arrival) => arrivals.arrive(arrival)
    gateway.transport.hooks.attempt = (...attempt) => arrivals.attempt(...attempt)
    do await this.#live(code)
    while (arrivals.isDead)
    this.timersLeft = this.world.delaysLeft()
    if (!this.stuck) await this.#afterwards()
    this.hasOpenSockets = arrivals.servedWaiting > 0
    arrivals.settle(LATEST_TIME)
  }

  /** Ends the run, so that its requests and crashes cannot reach the next run. */
  async end(): Promise<void> {
    const { gateway } = this
    if (typeof this.#cleanUp === 'function') await this.#cleanUp()
    gateway.transport.hooks.arrival = (arrival) => arrival.fail({ drop: true })
    this.arrivals.isDead = true
    if (this.hasOpenSockets) {
      // The reset breaks the connections of waiting clients.
      gateway.reset()
      for (let turns = 0; turns < MOST_LAST_TURNS; turns++) await this.world.host.turn()
    }
  }

  /** Calls the code once, until it ends, hangs, or crashes. */
  async #live(code: CodeUnderTest): Promise<void> {
    const { gateway, world, arrivals } = this
    const { url } = gateway
    if (arrivals.isDead) world.timers.drop()
    arrivals.isDead = false
    const life = ++arrivals.life
    const isDead = () => life !== arrivals.life || arrivals.isDead
    const fetch = this.#fetchOf(isDead)
    world.reached = { url, fetch }
    const effect = <R>(name: string, work: () => R | Promise<R>) => this.#effect(name, work, isDead)
    const disk = this.#disk(isDead)
    const { settled, stuck } = await this.#settled(() => code({ fetch, url, gateway, disk, life, effect }))
    this.settled = settled
    this.stuck = stuck
  }

  /** Runs a function of the caller to its end, on the clock of this world. */
  async drive(work: () => unknown): Promise<unknown> {
    const { settled } = await this.#settled(work)
    if (!settled) throw new Error('It never ends.')
    if (settled.error) throw settled.error
    return settled.value
  }

  async #settled(work: () => unknown): Promise<Pick<Run, 'settled' | 'stuck'>> {
    let settled: Run['settled']
    void (async () => work())().then(
      (value) => (settled = { value }),
      (thrown) =>
        (settled = { error: thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown }) }),
    )
    const stuck = await this.#until(() => settled !== undefined)
    return { settled, stuck }
  }

  /** Moves the clock whenever nothing else can happen, until the end, a crash, or a stop. Returns why it stopped, if it did. */
  async #until(isOver: () => boolean): Promise<Run['stuck']> {
    const world = this.world
    for (let seen = -1, turns = 0, pauses = 0; ; turns++) {
      await world.host.turn()
      if (turns > MOST_TURNS) return 'turns'
      if (seen !== world.activity) {
        seen = world.activity
        pauses = 0
        continue
      }
      if (await world.outside.wait(this.arrivals.servedWaiting)) continue
      if (this.arrivals.isDead || isOver()) return undefined
      if (this.arrivals.isOverloaded) return 'requests'
      const next = this.#nextAt()
      if (next === undefined) {
        // The first runs may load modules, which a runner fetches from another thread.
        if (pauses++ === (this.schedule.length === 0 ? 500 : world.host.lastPauses)) return 'nothing'
        await world.host.pause()
        continue
      }
      if (next > this.arrivals.start + this.#options.within) return 'time'
      this.#smallMoves = next > world.clock.now + 1 ? 0 : this.#smallMoves + 1
      if (this.#smallMoves > MOST_SMALL_MOVES) return 'timers'
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
  async #afterwards(): Promise<void> {
    const world = this.world
    this.eventsBefore = this.arrivals.events.length
    for (let stops = 0; stops < MOST_STOPS_AFTER; stops++) {
      await world.host.turn()
      const next = this.#nextAt()
      if (next === undefined || (world.delaysLeft().length === 0 && !this.arrivals.isWaiting)) break
      this.#advanceTo(next)
    }
    await world.host.turn()
    this.requestsAfter = this.arrivals.events.slice(this.eventsBefore).filter(({ on }) => on === 'request').length
  }

  /** Returns the `fetch` of a life. Its open requests never end if the life crashes. */
  #fetchOf(isDead: () => boolean): Fetch {
    const { fetch } = this.gateway
    return async (input, init) => {
      if (isDead()) return never()
      const answer = fetch(input, init)
      await answer.catch(() => undefined)
      return isDead() ? never() : answer
    }
  }

  async #effect<R>(name: string, work: () => R | Promise<R>, isDead: () => boolean): Promise<R> {
    if (isDead()) return never()
    this.world.activity++
    const arrivals = this.arrivals
    const { kind } = arrivals.add(`effect ${name}`, 'effect', name)
    if (kind?.name === 'crash-before') arrivals.isDead = true
    if (isDead()) return never()
    const result = await work()
    if (!isDead() && kind?.name === 'crash-after') arrivals.isDead = true
    return isDead() ? never() : result
  }

  /** Returns the disk of a life. After a crash, the old life can no longer write. */
  #disk(isDead = () => false): Disk {
    const files = this.#files
    return {
      // The caller knows the type of the stored value.
      get: <T>(name: string) => structuredClone(files.get(name)) as T | undefined,
      set: (name, value) => void (isDead() || files.set(name, structuredClone(value))),
      has: (name) => files.has(name),
      delete: (name) => void (isDead() || files.delete(name)),
    }
  }

  /** Returns the argument of the caller's `holds` and `allow`. */
  ended(): Ended {
    const { gateway, schedule, settled } = this
    return { gateway, schedule, disk: this.#disk(), value: settled?.value, error: settled?.error }
  }
}
