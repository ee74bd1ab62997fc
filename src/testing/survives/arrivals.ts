import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Arrival } from '../../gateway/http/arrival.ts'
import { replacesOperation } from '../../gateway/http/fault-effects.ts'
import type { HttpResponse } from '../../gateway/http/messages.ts'
import type { ProvisioningError } from '../../service/provisioning/outcomes.ts'
import type { Copy, Pasts } from './copy.ts'
import { type Failure, LATE_MS, requireFailure } from './failures.ts'
import type { Interleaving } from './interleaving.ts'
import type { ScheduledFault } from './types.ts'

/** An event in a run: a request, an attempt, or an effect. A failure can be injected at each event. */
export interface Event {
  /** The operation, such as `POST /reserved_addrs`, in the form used in schedules. */
  readonly at: string
  /** The position of the event among the events of the same operation, starting at 1. */
  readonly nth: number
  readonly type: Failure['type']
  /** The time since the start, in ms. */
  readonly time: number
  readonly life: number
  /** The name of the copy that the event belongs to, or an empty string for an attempt. */
  readonly copy: string
  /** The event as text in a story, such as `POST /reserved_addrs {}`. */
  readonly description: string
  /** Returns an event's description without secrets. */
  readonly hideSecrets: Arrival['hideSecrets']
  readonly failure: Failure | undefined
  response: { readonly status: number | string; readonly body: string | null } | undefined
  hasChanged: boolean
}

/** The maximum number of events at the same time, and in total. */
const MAX_EVENTS = { atOneTime: 5000, inAll: 100_000 }

type EventDetails = Partial<Pick<Event, 'time' | 'hideSecrets'>> & { readonly copy?: Copy | undefined }

/** The response to a request from a crashed process: the connection breaks only at the end of time. */
const NO_RESPONSE: HttpResponse = {
  status: 503,
  headers: {},
  body: null,
  delivery: { drop: true, notBefore: LATEST_TIME },
}

/** A response that is not due yet, or a change that happens after the code has given up. */
interface Pending {
  readonly at: number
  /** The request that waits for the response. */
  readonly arrival?: Arrival
  readonly change?: () => unknown
}

/** The environment of a run: the gateway's clock and the running copy. */
export interface Surroundings {
  readonly clock: ManualClock
  /** Counts the code's actions that can have consequences. */
  activity: number
  /** The running copy, if there are several. */
  readonly copy: Copy | undefined
  /** The duration of each response, in ms. */
  readonly latency: number
  /** The history of each copy at each request, or undefined for code with its own random values. */
  readonly pasts?: Pasts
  /** Moves the client's date by a number of ms, independently of the gateway's clock. */
  setAhead?(ms: number): void
  /** Ends a crashed copy in another process. Returns the response that the copy no longer reads. */
  crash?: (copy: Copy) => HttpResponse
}

/** The requests, attempts, and effects in a run. The schedule determines which of them fail. */
export class Arrivals {
  readonly events: Event[] = []
  /** A request from a copy, and the request that the copy sent after the same history in another run. */
  difference: readonly [string, string] | undefined
  /** The requests that are waiting for their turn. */
  readonly #held = new Set<Arrival>()
  /** The time at which the code was first called, in ms. */
  start: number
  readonly #world: Surroundings
  /** The failures in the schedule, by the operation and position of the event. */
  readonly #planned: ReadonlyMap<string, Failure>
  readonly #counts = new Map<string, number>()
  #pending: Pending[] = []

  constructor(
    world: Surroundings,
    schedule: readonly ScheduledFault[],
    readonly copies: readonly Copy[],
    readonly interleaving: Interleaving | undefined,
  ) {
    this.#world = world
    this.start = world.clock.now
    this.#planned = new Map(schedule.map(({ at, nth, fault }) => [`${at}#${nth}`, requireFailure(fault)]))
  }

  /** True if the code sends requests endlessly. */
  get isOverloaded(): boolean {
    const { length } = this.events
    if (length < MAX_EVENTS.atOneTime) return false
    const isAtOneTime = this.events[length - MAX_EVENTS.atOneTime]?.time === this.#world.clock.now - this.start
    return isAtOneTime || length > MAX_EVENTS.inAll
  }

  /** True if a request waits for its response. */
  get isWaiting(): boolean {
    return this.#pending.some(({ change }) => !change)
  }

  /** The number of sockets that wait for a response. */
  get waitingSockets(): number {
    const waiting = [...this.#pending.map(({ arrival }) => arrival), ...this.#held]
    return waiting.filter((arrival) => arrival?.isConnected()).length
  }

  /** Returns when the next response or late change is due, in ms. */
  nextAt(): number {
    return this.#pending.reduce((next, { at }) => Math.min(next, at), LATEST_TIME)
  }

  /** Runs the late changes that are due by this time, in ms, and drops the responses due by then. */
  settle(now: number): void {
    const due = this.#pending.filter(({ at }) => at <= now)
    this.#pending = this.#pending.filter(({ at }) => at > now)
    for (const { change } of due) change?.()
  }

  /** Adds an event, with its failure if the schedule has one. */
  add(
    at: string,
    type: Failure['type'],
    description: string,
    { copy, time = this.#world.clock.now, hideSecrets = (text) => text }: EventDetails = {},
  ): Event {
    const nth = (this.#counts.get(at) ?? 0) + 1
    this.#counts.set(at, nth)
    const planned = this.#planned.get(`${at}#${nth}`)
    const event: Event = {
      at,
      nth,
      type,
      time: time - this.start,
      life: copy?.life ?? 1,
      copy: copy?.name ?? '',
      description,
      hideSecrets,
      failure: planned?.type === type ? planned : undefined,
      response: undefined,
      hasChanged: type !== 'request',
    }
    this.events.push(event)
    return event
  }

  /** Returns the error of a provisioning attempt, or undefined if it succeeds. */
  attempt(domain: string, now: number, gatewayError: ProvisioningError | undefined): ProvisioningError | undefined {
    const event = this.add(`attempt ${domain}`, 'attempt', `attempt ${domain}`, { time: now })
    const error = event.failure ? (event.failure.name as ProvisioningError) : gatewayError // Named after its error.
    event.response = { status: error ?? 'success', body: null }
    return error
  }

  /** True for a request that a copy has already sent, if nothing has changed or failed since then. */
  isPoll(arrival: Arrival, copy: Copy): boolean {
    const last = this.events.findLastIndex(({ hasChanged, failure }) => hasChanged || failure)
    const description = describe(arrival)
    return this.events.slice(last + 1).some((event) => event.copy === copy.name && event.description === description)
  }

  /** Returns the response for a request. */
  arrive(arrival: Arrival): HttpResponse {
    this.#world.activity++
    const { interleaving } = this
    const copy = this.#world.copy ?? (interleaving ? undefined : this.copies[0])
    if (!interleaving || !copy) return this.#handle(arrival, copy)
    return copy.hasCrashed ? NO_RESPONSE : { ...NO_RESPONSE, safe: this.#handleInTurn(arrival, copy, interleaving) }
  }

  async #handleInTurn(arrival: Arrival, copy: Copy, interleaving: Interleaving): Promise<HttpResponse> {
    const { clock, pasts } = this.#world
    const { life } = copy
    const request = describe(arrival)
    const known = pasts?.noteRequest(copy, request) ?? request
    if (known !== request) this.difference ??= [arrival.hideSecrets(request), arrival.hideSecrets(known)]
    this.#held.add(arrival)
    const step = await interleaving.wait(copy.name)
    this.#held.delete(arrival)
    if (life !== copy.life) return NO_RESPONSE
    const response = this.#handle(arrival, copy)
    const { hasChanged = true, failure } = this.events.at(-1) ?? {}
    step.hasChanged = hasChanged
    pasts?.note(copy, `${clock.now} ${response.status} ${response.body} ${failure?.name}`)
    return response
  }

  #handle(arrival: Arrival, copy: Copy | undefined): HttpResponse {
    const { method, path, operation } = arrival
    let response = NO_RESPONSE
    if (!copy?.hasCrashed && !this.isOverloaded) {
      const event = this.add(`${method} ${operation?.path ?? path}`, 'request', describe(arrival), {
        copy,
        hideSecrets: arrival.hideSecrets,
      })
      response = this.#respond(arrival, event, copy)
    }
    if (response.delivery) this.#pending.push({ at: response.delivery.notBefore, arrival })
    return response
  }

  #respond(arrival: Arrival, event: Event, copy: Copy | undefined): HttpResponse {
    const { effect, name, jump } = event.failure ?? {}
    if (jump) this.#world.setAhead?.(jump)
    if (name === 'late') this.#pending.push({ at: this.#world.clock.now + LATE_MS, change: () => arrival.respond() })
    const isUndone = effect !== undefined && replacesOperation(effect)
    const gatewayResponse = isUndone ? undefined : this.#respondFromGateway(arrival, event)
    if (name === 'crash') {
      if (copy) copy.hasCrashed = true
      return (copy && this.#world.crash?.(copy)) ?? NO_RESPONSE
    }
    const { latency } = this.#world
    if (!effect && latency === 0) return gatewayResponse as HttpResponse // Without a failure, there is a response.
    if (!effect) return arrival.fail({ latency }, gatewayResponse)
    const isCut = effect.truncate !== undefined
    const response = arrival.fail(
      isCut ? { truncate: (gatewayResponse?.body?.length ?? 0) >> 1 } : effect,
      gatewayResponse,
    )
    if (isUndone) event.response = response
    return response
  }

  #respondFromGateway(arrival: Arrival, event: Event): HttpResponse {
    const { response, hasChanged } = arrival.respond()
    event.response = response
    event.hasChanged = hasChanged
    return response
  }
}

function describe({ method, path, query, body }: Arrival): string {
  const text = typeof body === 'string' ? body : ''
  return `${method} ${path}${query && `?${query}`}${text && ` ${text}`}`
}
