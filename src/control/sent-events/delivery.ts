import type { Engine } from '../../core/engine/engine.ts'
import { toError } from '../../core/schema/text.ts'
import { recordedMs } from '../../core/schema/time.ts'
import { type KeptEvent, toPayload } from './item.ts'

/** The maximum number of events in one request. */
const MAX_BATCH = 100

/** The wait after the first failed attempt, in ms. It doubles with each failure, up to the longest wait. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 5 * 60_000

/** The time after which an event is no longer sent to a destination, in ms. */
const MAX_AGE_MS = 24 * 3_600_000

/** The longest real time of one attempt, in ms. */
const LONGEST_ATTEMPT_MS = 10_000

/** A `fetch` that reaches the network. */
export type Post = (url: string, init: RequestInit) => Promise<Response>

/** The events that wait for one destination. */
interface Waiting {
  readonly url: string
  readonly events: KeptEvent[]
  /** The time of the next attempt in ms; undefined while one is under way. */
  next: number | undefined
  /** Resolves at the end of the last attempt. */
  attempt: Promise<void>
}

/** Posts events to the addresses of their destinations, in order. Repeats failed attempts, on the gateway's clock. */
export class Deliveries {
  readonly #waiting = new Map<string, Waiting>()
  #end = new AbortController()

  constructor(
    readonly engine: Engine,
    /** The addresses that the test sets, by kind of target. */
    readonly addresses: Readonly<Record<string, string | undefined>>,
    readonly post: Post,
  ) {}

  add(event: KeptEvent): void {
    const url = this.addresses[event.route.kind]
    if (url === undefined) return
    event.delivery = 'waiting'
    const known = this.#waiting.get(event.destination)
    if (known) return void known.events.push(event)
    const waiting: Waiting = { url, events: [event], next: undefined, attempt: Promise.resolve() }
    this.#waiting.set(event.destination, waiting)
    void this.#run(event.destination, waiting)
  }

  /** Resolves once no attempt is under way or due. */
  async idle(): Promise<void> {
    const isDue = ({ next }: Waiting) => next === undefined || next <= this.engine.now
    for (let due = this.#find(isDue); due; due = this.#find(isDue)) await due.attempt
  }

  #find(isWanted: (waiting: Waiting) => boolean): Waiting | undefined {
    return [...this.#waiting.values()].find(isWanted)
  }

  /** Drops the waiting events. */
  clear(): void {
    this.#end.abort()
    this.#end = new AbortController()
    this.#waiting.clear()
  }

  async #run(destination: string, waiting: Waiting): Promise<void> {
    const { signal } = this.#end
    let wait = FIRST_WAIT_MS
    while (waiting.events.length > 0) {
      waiting.next = undefined
      waiting.attempt = this.#attempt(waiting, wait, signal)
      await waiting.attempt
      wait = waiting.next === undefined ? FIRST_WAIT_MS : Math.min(wait * 2, LONGEST_WAIT_MS)
      if (waiting.next !== undefined)
        await this.engine.clock.waitInBackground(waiting.next, signal).catch(() => undefined)
      if (signal.aborted) return
    }
    this.#waiting.delete(destination)
  }

  async #attempt(waiting: Waiting, wait: number, signal: AbortSignal): Promise<void> {
    // The events of one call are one request.
    await undefined
    const batch = waiting.events.slice(0, MAX_BATCH)
    const problem = await this.#send(waiting.url, batch, signal)
    if (signal.aborted) return
    const { now } = this.engine
    for (const event of batch) {
      event.attempts++
      event.problem = problem ?? null
      if (problem === undefined) event.delivery = 'delivered'
      else if (now - (recordedMs(event.event_timestamp) ?? now) >= MAX_AGE_MS) event.delivery = 'failed'
    }
    const left = batch.filter(({ delivery }) => delivery === 'waiting')
    waiting.events.splice(0, batch.length, ...left)
    if (problem !== undefined) waiting.next = now + wait
  }

  /** Posts events. Returns the reason for a failure, or undefined if it succeeded. */
  async #send(url: string, events: readonly KeptEvent[], signal: AbortSignal): Promise<string | undefined> {
    const headers = readHeaders({ 'content-type': 'application/json', ...events.at(-1)?.route.headers })
    if (!headers) return 'the API key of the destination has a character that no header can have'
    const limit = AbortSignal.timeout(LONGEST_ATTEMPT_MS)
    const limited = AbortSignal.any([signal, limit])
    try {
      const body = JSON.stringify(events.map(toPayload))
      // A redirect could send the destination's key to another host.
      const response = await this.post(url, { method: 'POST', headers, body, signal: limited, redirect: 'manual' })
      void response.body?.cancel().catch(() => undefined)
      return response.ok ? undefined : `the destination responded with ${response.status}`
    } catch (error) {
      if (limit.aborted) return `no response within ${LONGEST_ATTEMPT_MS / 1000} seconds`
      const { message, cause } = toError(error)
      return cause instanceof Error ? `${message}: ${cause.message}` : message
    }
  }
}

/** Returns headers, or undefined if one is invalid. The message of that error would show its value, which is secret. */
function readHeaders(headers: Readonly<Record<string, string>>): Headers | undefined {
  try {
    return new Headers(headers)
  } catch {
    return undefined
  }
}
