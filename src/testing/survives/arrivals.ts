import type { Arrival } from '../../http/arrival.ts'
import { isBefore } from '../../http/fault-effects.ts'
import type { HttpResponse } from '../../http/messages.ts'
import type { ProvisioningError } from '../../provisioning/outcomes.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import { type Kind, kindNamed, LATE_MS } from './kinds.ts'
import type { ScheduledFault } from './types.ts'
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

/** The most requests at one time, and in all. */
const MOST_REQUESTS = { atOneTime: 5000, inAll: 100_000 }

/** The requests, attempts and effects of a run. The schedule decides which of them fail. */
export class Arrivals {
  readonly events: Event[] = []
  /** The number of times that the code was called. */
  life = 0
  /** True from a crash on, until the code is called again. */
  isDead = false
  readonly #world: World
  readonly #start: number
  readonly #plan: ReadonlyMap<string, Kind>
  readonly #counts = new Map<string, number>()
  /** The answers that are not due yet. */
  #held: { readonly at: number; readonly isServed: boolean }[] = []
  /** The changes that happen after the code has given up. */
  #late: { readonly at: number; readonly answer: () => unknown }[] = []
  #requestsHere = { time: 0, count: 0, all: 0 }

  constructor(world: World, schedule: readonly ScheduledFault[]) {
    this.#world = world
    this.#start = world.clock.now
    this.#plan = new Map(schedule.map(({ at, nth, fault }) => [`${at}#${nth}`, kindNamed(fault)]))
  }

  /** True if the code sends requests without end. */
  get isOverloaded(): boolean {
    const { count, all } = this.#requestsHere
    return count > MOST_REQUESTS.atOneTime || all > MOST_REQUESTS.inAll
  }

  /** True if a request waits for its answer. */
  get isWaiting(): boolean {
    return this.#held.length > 0
  }

  /** The number of sockets that wait for an answer. */
  get servedWaiting(): number {
    return this.#held.filter(({ isServed }) => isServed).length
  }

  /** Returns when the next answer or late change is due, in ms. */
  nextAt(): number {
    return [...this.#held, ...this.#late].reduce((next, { at }) => Math.min(next, at), LATEST_TIME)
  }

  /** Lets happen what is due by this time, in ms. */
  settle(now: number): void {
    this.#held = this.#held.filter(({ at }) => at > now)
    this.settleLate(now)
  }

  /** Makes the late changes that are due by this time, in ms; all of them if there is none. */
  settleLate(now = LATEST_TIME): void {
    const due = this.#late.filter(({ at }) => at <= now)
    this.#late = this.#late.filter(({ at }) => at > now)
    for (const { answer } of due) answer()
  }

  /** Adds an event, with its failure if the schedule has one for it. */
  add(at: string, on: Kind['at'], question: string, time = this.#world.clock.now): Event {
    const nth = (this.#counts.get(at) ?? 0) + 1
    this.#counts.set(at, nth)
    const planned = this.#plan.get(`${at}#${nth}`)
    const event: Event = {
      at,
      nth,
      on,
      time: time - this.#start,
      life: this.life,
      question,
      kind: planned?.at === on ? planned : undefined,
      answer: undefined,
      hasChanged: on !== 'request',
    }
    this.events.push(event)
    return event
  }

  /** Decides about a provisioning attempt. */
  attempt(domain: string, now: number, usual: ProvisioningError | undefined): ProvisioningError | undefined {
    const event = this.add(`attempt ${domain}`, 'attempt', `attempt ${domain}`, now)
    const error = event.kind ? (event.kind.name as ProvisioningError) : usual // Kinds of attempts have these names.
    event.answer = { status: error ?? 'success', body: null }
    return error
  }

  /** Answers a request. */
  arrive(arrival: Arrival): HttpResponse {
    const world = this.#world
    world.activity++
    const { now } = world.clock
    const { time, count, all } = this.#requestsHere
    this.#requestsHere = { time: now, count: time === now ? count + 1 : 1, all: all + 1 }
    if (this.isDead || this.isOverloaded) return this.#unanswered(arrival)
    const { method, path, query, body, operation } = arrival
    const text = typeof body === 'string' ? body : ''
    const question = `${method} ${path}${query && `?${query}`}${text && ` ${text}`}`
    const event = this.add(`${method} ${operation?.path ?? path}`, 'request', question)
    const response = this.#respond(arrival, event)
    if (response.delivery) this.#held.push({ at: response.delivery.notBefore, isServed: arrival.isServed })
    return response
  }

  #respond(arrival: Arrival, event: Event): HttpResponse {
    const { effect, name, step } = event.kind ?? {}
    if (step) this.#world.timers.setAhead(step)
    if (name === 'late') this.#late.push({ at: this.#world.clock.now + LATE_MS, answer: () => arrival.answer() })
    const isUndone = effect !== undefined && isBefore(effect)
    const usual = isUndone ? undefined : this.#answer(arrival, event)
    if (name === 'crash') {
      this.isDead = true
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
}
