import type { ManualClock } from '../../engine/manual-clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Arrival } from '../../http/arrival.ts'
import { isBefore } from '../../http/fault-effects.ts'
import type { Fetch } from '../../http/fetch.ts'
import type { HttpResponse } from '../../http/messages.ts'
import type { ProvisioningError } from '../../provisioning/outcomes.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import { diskOf, type Files } from './disk.ts'
import { type Kind, kindNamed, LATE_MS } from './kinds.ts'
import type { CodeUnderTest, Disk, ScheduledFault } from './types.ts'
import type { World } from './world.ts'

/** Something that happened in a run, at which a failure can be tried. */
export interface Event {
  readonly at: string
  readonly nth: number
  readonly on: Kind['at']
  /** The time since the start, in ms. */
  readonly time: number
  readonly life: number
  /** The request, such as `POST /reserved_addrs {}`. */
  readonly question: string
  readonly kind: Kind | undefined
  answer: { readonly status: number | string; readonly body: string | null } | undefined
  hasChanged: boolean
}

/** Why a run went no further. */
export type Stuck = 'nothing' | 'time' | 'requests' | 'turns' | 'timers'

/** The most requests at one time, and in all. */
const MOST_REQUESTS = { atOneTime: 5000, inAll: 100_000 }

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
  readonly events: Event[] = []
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
  readonly #plan: ReadonlyMap<string, Kind>
  readonly #counts = new Map<string, number>()
  readonly #held: { readonly at: number; readonly isServed: boolean }[] = []
  #late: { readonly at: number; readonly answer: () => unknown }[] = []
  #start: number
  #life = 0
  #smallMoves = 0
  #isDead = false
  #requestsHere = { time: 0, count: 0, all: 0 }

  constructor(options: RunOptions<T, G>) {
    const { gateway, schedule, world } = options
    this.gateway = gateway
    this.schedule = schedule
    this.#options = options
    this.#world = world
    this.#start = world.clock.now
    this.#plan = new Map(schedule.map(({ at, nth, fault }) => [`${at}#${nth}`, kindNamed(fault)]))
  }

  /** The failures that have happened. */
  get applied(): number {
    return this.events.filter(({ kind }) => kind).length
  }

  /** How often the code was called. */
  get lives(): number {
    return this.#life
  }

  /** Returns the family and the id of each resource that was created. */
  leftovers(): readonly string[] {
    return this.gateway.leftovers().map(({ family, id }) => `${family} ${id}`)
  }

  async run(): Promise<void> {
    const { gateway, setup } = this.#options
    const world = this.#world
    this.#cleanUp = await this.drive(async () => setup?.(gateway))
    this.before = new Set(this.leftovers())
    this.#start = world.clock.now
    Object.assign(gateway.transport.hooks, {
      arrival: (arrival: Arrival) => this.#arrive(arrival),
      attempt: (...args: Parameters<Run<T, G>['attempt']>) => this.attempt(...args),
    })
    do await this.#live()
    while (this.#isDead)
    if (!this.stuck) await this.#afterwards()
    for (const { answer } of this.#late.splice(0)) answer()
    this.unhandled = world.unhandled
  }

  /** Ends the run: nothing of it may reach the next one. */
  async end(): Promise<void> {
    const { gateway } = this.#options
    if (typeof this.#cleanUp === 'function') await this.#cleanUp()
    gateway.transport.hooks.arrival = (arrival) => arrival.fail({ drop: true })
    if (this.#countHeld() > 0) {
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
    if (this.#isDead) world.dropTimers()
    this.#isDead = false
    const life = ++this.#life
    const isDead = () => life !== this.#life || this.#isDead
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
      if (await world.outside.wait(this.#countHeld())) continue
      if (this.#isDead || isOver()) return undefined
      if (this.#isOverloaded) return 'requests'
      const next = this.#nextAt()
      if (next === undefined) {
        // The first runs may load modules, which a runner fetches from another thread.
        if (pauses++ === (this.schedule.length === 0 ? 500 : world.outside.lastPauses)) return 'nothing'
        await world.outside.pause()
        continue
      }
      if (next > this.#start + this.#options.within) return 'time'
      this.#smallMoves = next > world.clock.now + 1 ? 0 : this.#smallMoves + 1
      if (this.#smallMoves > MOST_SMALL_MOVES) return 'timers'
      turns = 0
      this.#advanceTo(next)
    }
  }

  #nextAt(): number | undefined {
    const times = [this.#world.nextTimerAt(), ...this.#held.map(({ at }) => at), ...this.#late.map(({ at }) => at)]
    const next = times.reduce<number>((a, b) => Math.min(a, b ?? a), LATEST_TIME)
    return next === LATEST_TIME ? undefined : next
  }

  #advanceTo(at: number): void {
    const world = this.#world
    world.advanceTo(at)
    const { now } = world.clock
    for (const held of [...this.#held]) if (held.at <= now) this.#held.splice(this.#held.indexOf(held), 1)
    const due = this.#late.filter((each) => each.at <= now)
    this.#late = this.#late.filter((each) => each.at > now)
    for (const { answer } of due) answer()
  }

  #countHeld(): number {
    return this.#held.filter(({ isServed }) => isServed).length
  }

  /** Lets everything happen that the code has left under way. */
  async #afterwards(): Promise<void> {
    const world = this.#world
    const { length } = this.events
    this.timersLeft = world.delaysLeft()
    for (let stops = 0; stops < MOST_STOPS_AFTER; stops++) {
      await world.turn()
      const next = this.#nextAt()
      if (next === undefined || (world.delaysLeft().length === 0 && this.#held.length === 0)) break
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

  #event(at: string, on: Kind['at'], question: string, time = this.#world.clock.now): Event {
    const nth = (this.#counts.get(at) ?? 0) + 1
    this.#counts.set(at, nth)
    const planned = this.#plan.get(`${at}#${nth}`)
    const event: Event = {
      at,
      nth,
      on,
      time: time - this.#start,
      life: this.#life,
      question,
      kind: planned?.at === on ? planned : undefined,
      answer: undefined,
      hasChanged: false,
    }
    this.events.push(event)
    return event
  }

  get #isOverloaded(): boolean {
    const { count, all } = this.#requestsHere
    return count > MOST_REQUESTS.atOneTime || all > MOST_REQUESTS.inAll
  }

  #arrive(arrival: Arrival): HttpResponse {
    const world = this.#world
    world.activity++
    const { now } = world.clock
    const { time, count, all } = this.#requestsHere
    this.#requestsHere = { time: now, count: time === now ? count + 1 : 1, all: all + 1 }
    if (this.#isDead || this.#isOverloaded) return this.#unanswered(arrival)
    const { method, path, query, body, operation } = arrival
    const text = typeof body === 'string' ? body : ''
    const question = `${method} ${path}${query && `?${query}`}${text && ` ${text}`}`
    const event = this.#event(`${method} ${operation?.path ?? path}`, 'request', question)
    const response = this.#respond(arrival, event)
    if (response.delivery) this.#held.push({ at: response.delivery.notBefore, isServed: arrival.isServed })
    return response
  }

  #respond(arrival: Arrival, event: Event): HttpResponse {
    const { effect, name, step } = event.kind ?? {}
    if (step) this.#world.setAhead(step)
    if (name === 'late') this.#late.push({ at: this.#world.clock.now + LATE_MS, answer: () => arrival.answer() })
    const isUndone = effect !== undefined && isBefore(effect)
    const usual = isUndone ? undefined : this.#answer(arrival, event)
    if (name === 'crash') {
      this.#isDead = true
      return this.#unanswered(arrival)
    }
    if (!effect) return usual as HttpResponse // It was answered: nothing fails.
    const isCut = effect.truncate !== undefined
    const response = arrival.fail(isCut ? { truncate: (usual?.body?.length ?? 0) >> 1 } : effect, usual)
    if (isUndone) event.answer = response
    return response
  }

  #answer(arrival: Arrival, event: Event): HttpResponse {
    const { response, hasChanged } = arrival.answer()
    event.answer = response
    event.hasChanged = hasChanged
    return response
  }

  /** The answer for a request of a crashed process: none. */
  #unanswered({ isServed }: Arrival): HttpResponse {
    if (isServed) this.#held.push({ at: LATEST_TIME, isServed })
    return { status: 503, headers: {}, body: null, delivery: { drop: true, notBefore: LATEST_TIME } }
  }

  attempt(domain: string, now: number, usual: ProvisioningError | undefined): ProvisioningError | undefined {
    const event = this.#event(`attempt ${domain}`, 'attempt', `attempt ${domain}`, now)
    const error = event.kind ? (event.kind.name as ProvisioningError) : usual // Kinds of attempts have these names.
    event.answer = { status: error ?? 'success', body: null }
    event.hasChanged = true
    return error
  }

  async #effect<R>(name: string, work: () => R | Promise<R>, isDead: () => boolean): Promise<R> {
    if (isDead()) return never()
    this.#world.activity++
    const event = this.#event(`effect ${name}`, 'effect', name)
    event.hasChanged = true
    if (event.kind?.name === 'crash-before') this.#isDead = true
    if (isDead()) return never()
    const result = await work()
    if (!isDead() && event.kind?.name === 'crash-after') this.#isDead = true
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
