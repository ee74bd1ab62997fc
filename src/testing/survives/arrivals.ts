import type { Arrival } from '../../http/arrival.ts'
import { isBefore } from '../../http/fault-effects.ts'
import type { HttpResponse } from '../../http/messages.ts'
import type { ProvisioningError } from '../../provisioning/outcomes.ts'
import { LATEST_TIME } from '../../schema/time.ts'
import { type Kind, kindNamed, LATE_MS } from './kinds.ts'
import type { ScheduledFault } from './types.ts'
import type { World } from './world.ts'

/** An event of a run: a request, an attempt or an effect. A failure can be tried at each event. */
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

/** The most events at one time, and in all. */
const MOST_EVENTS = { atOneTime: 5000, inAll: 100_000 }

/** The response for a request of a crashed process: the connection breaks at the end of time. */
const UNANSWERED: HttpResponse = {
  status: 503,
  headers: {},
  body: null,
  delivery: { drop: true, notBefore: LATEST_TIME },
}

/** A response that is not due yet, or a change that happens after the code has given up. */
interface Pending {
  readonly at: number
  readonly isServed?: boolean
  readonly change?: () => unknown
}

/** The requests, attempts and effects of a run. The schedule decides which of them fail. */
export class Arrivals {
  readonly events: Event[] = []
  /** The number of times that the code was called. */
  life = 0
  /** True from a crash on, until the code is called again. */
  isDead = false
  /** The time at which the code was called first, in ms. */
  start: number
  readonly #world: World
  readonly #plan: ReadonlyMap<string, Kind>
  readonly #counts = new Map<string, number>()
  #pending: Pending[] = []

  constructor(world: World, schedule: readonly ScheduledFault[]) {
    this.#world = world
    this.start = world.clock.now
    this.#plan = new Map(schedule.map(({ at, nth, fault }) => [`${at}#${nth}`, kindNamed(fault)]))
  }

  /** True if the code sends requests without end. */
  get isOverloaded(): boolean {
    const { length } = this.events
    if (length < MOST_EVENTS.atOneTime) return false
    const isAtOneTime = this.events[length - MOST_EVENTS.atOneTime]?.time === this.#world.clock.now - this.start
    return isAtOneTime || length > MOST_EVENTS.inAll
  }

  /** True if a request waits for its answer. */
  get isWaiting(): boolean {
    return this.#pending.some(({ change }) => !change)
  }

  /** The number of sockets that wait for an answer. */
  get servedWaiting(): number {
    return this.#pending.filter(({ isServed }) => isServed).length
  }

  /** Returns when the next answer or late change is due, in ms. */
  nextAt(): number {
    return this.#pending.reduce((next, { at }) => Math.min(next, at), LATEST_TIME)
  }

  /** Runs the late changes that are due by this time, in ms, and drops the responses that are. */
  settle(now: number): void {
    const due = this.#pending.filter(({ at }) => at <= now)
    this.#pending = this.#pending.filter(({ at }) => at > now)
    for (const { change } of due) change?.()
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
      time: time - this.start,
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
    this.#world.activity++
    const { method, path, query, body, operation, isServed } = arrival
    let response = UNANSWERED
    if (!this.isDead && !this.isOverloaded) {
      const text = typeof body === 'string' ? body : ''
      const question = `${method} ${path}${query && `?${query}`}${text && ` ${text}`}`
      response = this.#respond(arrival, this.add(`${method} ${operation?.path ?? path}`, 'request', question))
    }
    if (response.delivery) this.#pending.push({ at: response.delivery.notBefore, isServed })
    return response
  }

  #respond(arrival: Arrival, event: Event): HttpResponse {
    const { effect, name, step } = event.kind ?? {}
    if (step) this.#world.timers.setAhead(step)
    if (name === 'late') this.#pending.push({ at: this.#world.clock.now + LATE_MS, change: () => arrival.answer() })
    const isUndone = effect !== undefined && isBefore(effect)
    const usual = isUndone ? undefined : this.#answer(arrival, event)
    if (name === 'crash') {
      this.isDead = true
      return UNANSWERED
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
}
