import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { requireFunction } from '../../core/schema/arguments.ts'
import { describeReceived } from '../../core/schema/errors.ts'
import { quote, toError } from '../../core/schema/text.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Arrival } from '../../gateway/http/arrival.ts'
import type { Fetch } from '../../gateway/http/fetch.ts'
import type { HttpResponse } from '../../gateway/http/messages.ts'
import type { Gateway } from '../../gateway/types.ts'
import { nameRequest } from '../request-name.ts'
import { type Copy, createDisk } from './copy.ts'
import { Driver } from './driver.ts'
import type { Masks } from './masks.ts'
import type { ParsedSurvivalOptions } from './options.ts'
import { type Plan, RunRecord } from './record.ts'
import type { CodeUnderTest } from './types.ts'
import type { World } from './world.ts'

/** The number of turns in which sockets can close at the end of a run. */
const MAX_CLOSING_TURNS = 10

/**
 * The number of microtasks before code sees a response. Code that doesn't await a request ends before that, even if its end passes through
 * several functions.
 */
const MICROTASKS = 100

/** A request through `fetch` without a response so far. */
interface OpenRequest {
  readonly copy: Copy
  readonly method: string
  readonly name: string
  /** The time at which it was sent, in ms. */
  readonly at: number
}

const neverSettles = () => new Promise<never>(() => undefined)

/** One run of code in this process: from the first call, through crashes, to the end of all the work that it causes. */
export class Run extends RunRecord {
  readonly #world: World
  readonly #driver: Driver
  readonly #urls: ReadonlyMap<string, string>
  /** True if clients wait on sockets for responses that never arrive. */
  #hasOpenSockets = false
  #cleanUp: unknown
  readonly #fetches = new Map<Copy, Fetch>()
  readonly #open = new Set<OpenRequest>()
  /** The time at which the most recent copy ended, in ms. */
  #settledAt: number | undefined

  /** @param urls the URLs of the copies, if servers serve the gateway */
  constructor(
    world: World,
    options: ParsedSurvivalOptions,
    masks: Masks,
    gateway: Gateway<ManualClock>,
    plan: Plan,
    urls: ReadonlyMap<string, string>,
  ) {
    super(world, options, masks, gateway, plan)
    this.#world = world
    this.#urls = urls
    this.#driver = new Driver(world, this.arrivals, options.within, plan.schedule.length === 0)
  }

  /** Runs the code, rerunning it after each crash, and then the work that it left pending. */
  async run(code: CodeUnderTest): Promise<void> {
    const { gateway, arrivals } = this
    const world = this.#world
    const { hooks } = gateway.transport
    const { setup } = this.options
    hooks.arrival = undefined
    hooks.attempt = undefined
    if (setup) this.#cleanUp = await this.runToEnd('setup', () => setup(gateway))
    await this.runCopies((group) => {
      for (const copy of group) this.#startLife(copy, code)
      return this.#driver.advanceUntil(() => {
        for (const copy of group) if (copy.hasCrashed || this.shouldResume(copy)) this.#startLife(copy, code)
        return group.every(({ settled }) => settled)
      })
    })
    this.remainingTimers = world.remainingDelays()
    this.eventsBeforeEnd = arrivals.events.length
    if (!this.stopReason) await this.#driver.finishWork()
    const after = arrivals.events.slice(this.eventsBeforeEnd)
    this.requestsAfterEnd = after.filter(({ type }) => type === 'request').length
    this.unhandled = world.unhandled
    this.#hasOpenSockets = arrivals.waitingSockets > 0
    arrivals.settle(LATEST_TIME)
  }

  runToEnd(option: string, work: () => unknown): Promise<unknown> {
    return this.#driver.runToEnd(option, work)
  }

  async end(): Promise<void> {
    const { gateway } = this
    const cleanUp = this.#cleanUp
    if (typeof cleanUp === 'function') await this.#driver.cleanUp(() => cleanUp())
    gateway.transport.hooks.arrival = (arrival) => arrival.fail({ drop: true })
    for (const copy of this.copies) copy.hasCrashed = true
    if (!this.#hasOpenSockets) return
    // The reset breaks the connections of waiting clients.
    gateway.reset()
    for (let turns = 0; turns < MAX_CLOSING_TURNS; turns++) await this.#world.host.turn()
  }

  /** Calls the code for a copy. */
  #startLife(copy: Copy, code: CodeUnderTest): void {
    const { gateway } = this
    const world = this.#world
    if (copy.hasCrashed) world.dropTimers(copy)
    for (const request of this.#open) if (request.copy === copy) this.#open.delete(request)
    const life = this.beginLife(copy)
    world.pasts.note(copy, `${copy.name} starts at ${world.clock.now}`)
    const url = this.#urls.get(copy.name) ?? gateway.url
    const hasCrashed = () => life !== copy.life || copy.hasCrashed
    const fetch = this.#createFetch(copy, hasCrashed)
    this.#fetches.set(copy, fetch)
    world.target = { url: gateway.url, fetch: (...args) => (this.#fetches.get(world.copy ?? copy) ?? fetch)(...args) }
    const effect = <R>(name: string, work: () => R | Promise<R>) => this.#runEffect(name, work, copy, hasCrashed)
    const disk = createDisk(copy, hasCrashed)
    const settle = (settled: Copy['settled']) => {
      if (hasCrashed()) return
      copy.settled = settled
      this.#settledAt = world.clock.now
      this.notAwaited ??= this.#findNotAwaited(copy)
    }
    const work = async () => code({ fetch, url, gateway, disk, life, effect, copy: copy.name })
    void world.runAs(copy, work).then(
      (value) => settle({ value }),
      (thrown) => settle({ error: toError(thrown) }),
    )
  }

  /** Returns the `fetch` of a life. Its open requests never settle if the life crashes. */
  #createFetch(copy: Copy, hasCrashed: () => boolean): Fetch {
    const { fetch } = this.gateway
    return async (input, init) => {
      if (hasCrashed()) return neverSettles()
      const request = { ...nameRequest(input, init, this.gateway.url), copy, at: this.#world.clock.now }
      this.#open.add(request)
      const response = this.#world.runAs(copy, () => fetch(input, init))
      await response.catch(() => undefined)
      for (let count = 0; count < MICROTASKS; count++) await null
      this.#open.delete(request)
      return hasCrashed() ? neverSettles() : response
    }
  }

  /**
   * Returns a request that a copy sent immediately before it ended, without awaiting it. An older request may be one that the code
   * abandoned.
   */
  #findNotAwaited(copy: Copy): string | undefined {
    const isOne = ({ copy: sender, method, at }: OpenRequest) =>
      sender === copy && at === this.#world.clock.now && this.#mustAwait(method)
    return [...this.#open].find(isOne)?.name
  }

  /** Returns false for GET requests after a failure, because `Promise.all` doesn't await the other reads once one has failed. */
  #mustAwait(method: string): boolean {
    return method !== 'GET' || this.schedule.length === 0
  }

  /** Notes a request that arrives just after the code has ended, such as one over a socket or the second request of a cleanup. */
  protected override arrive(arrival: Arrival): HttpResponse {
    const { method, path } = arrival
    const hasJustEnded = this.copies.length === 1 && this.hasEnded && this.#settledAt === this.#world.clock.now
    if (hasJustEnded && this.#mustAwait(method)) this.notAwaited ??= `${method} ${path}`
    return super.arrive(arrival)
  }

  async #runEffect<R>(name: string, work: () => R | Promise<R>, copy: Copy, hasCrashed: () => boolean): Promise<R> {
    if (typeof name !== 'string') {
      throw new TypeError(`The effect's name is ${describeReceived(quote(name))}. Allowed: a string.`)
    }
    requireFunction("The effect's work", work)
    if (hasCrashed()) return neverSettles()
    this.#world.activity++
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
