import type { Engine } from '../../core/engine/engine.ts'
import { OpenTransaction } from '../../core/engine/transactions.ts'
import type { EventTarget } from '../../core/operation/events.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { describeNetworkError } from '../../core/schema/network-errors.ts'
import { type KeptEvent, toPayload } from './item.ts'

/** The maximum number of events in one request. */
const MAX_BATCH = 100

/** The wait after the first failed attempt, in ms. The wait doubles with each failure, up to the maximum. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 5 * 60_000

/** The age, in ms, from which an event isn't retried. */
const MAX_AGE_MS = 24 * 3_600_000

/** The maximum real time of one attempt, in ms. */
const LONGEST_ATTEMPT_MS = 10_000

/** A `fetch` function that reaches the network. */
export type Post = (url: string, init: RequestInit) => Promise<Response>

/** The events that wait for one destination, oldest first. */
interface Waiting {
  readonly events: KeptEvent[]
  /** The time of the next attempt in ms, or undefined while one is in progress. */
  next: number | undefined
  /** Starts the next attempt now. */
  start: () => void
  /** Resolves at the end of the most recent attempt. */
  attempt: Promise<void>
}

/** Posts events to the URLs of their destinations, in order. Retries failed attempts, on the gateway's clock. */
export class Deliveries {
  readonly #waiting = new Map<string, Waiting>()
  #end = new AbortController()

  constructor(
    readonly engine: Engine,
    /** The addresses that the test sets, by kind of target. */
    readonly addresses: Readonly<Record<string, string | undefined>>,
    readonly post: Post,
    /** Returns the current target of a destination, or undefined if the destination was deleted. */
    readonly findTarget: (tx: Transaction, destination: string) => EventTarget | undefined,
  ) {}

  add(event: KeptEvent): void {
    if (this.findAddress(event.destination).url === undefined) return
    event.delivery = 'waiting'
    const known = this.#waiting.get(event.destination)
    if (known) return void known.events.push(event)
    const waiting = { events: [event], next: undefined, start: () => undefined, attempt: Promise.resolve() }
    this.#waiting.set(event.destination, waiting)
    void this.#run(event.destination, waiting)
  }

  /** Resolves once no attempt is in progress or due. */
  async idle(): Promise<void> {
    const isDue = ({ next }: Waiting) => next === undefined || next <= this.engine.now
    for (;;) {
      const due = [...this.#waiting.values()].find(isDue)
      if (!due) return
      // The system clock's timer may not have fired yet.
      due.start()
      await due.attempt
    }
  }

  /** Drops the waiting events. */
  clear(): void {
    this.#end.abort()
    this.#end = new AbortController()
    this.#waiting.clear()
  }

  /** Returns the current target of a destination, and its URL, if the test set one. */
  findAddress(destination: string) {
    const target = this.findTarget(new OpenTransaction(this.engine.state, this.engine.lastNow), destination)
    return { target, url: target && this.addresses[target.kind] }
  }

  async #run(destination: string, waiting: Waiting): Promise<void> {
    const { signal } = this.#end
    const step = { event: 'delivery', key: destination } as const
    let wait = FIRST_WAIT_MS
    while (waiting.events.length > 0) {
      waiting.next = undefined
      waiting.attempt = this.#attempt(destination, waiting, wait, signal)
      await waiting.attempt
      if (waiting.next !== undefined) {
        wait = Math.min(wait * 2, LONGEST_WAIT_MS)
        const started = new Promise<void>((resolve) => {
          waiting.start = resolve
        })
        const isDue = this.engine.clock.waitUntil(waiting.next, signal, step).catch(() => undefined)
        await Promise.race([started, isDue])
      }
      if (signal.aborted) return
    }
    this.#waiting.delete(destination)
  }

  async #attempt(destination: string, waiting: Waiting, wait: number, signal: AbortSignal): Promise<void> {
    // One request contains all events of one call.
    await undefined
    if (signal.aborted) return
    const { target, url } = this.findAddress(destination)
    const batch = waiting.events.slice(0, MAX_BATCH)
    const problem =
      target && url !== undefined ? await this.#send(url, target, batch, signal) : 'the destination was deleted'
    if (signal.aborted) return
    const { now } = this.engine
    for (const event of batch) {
      event.attempts += target ? 1 : 0
      event.problem = problem ?? null
      if (problem === undefined) event.delivery = 'delivered'
      else if (!target || now - event.at >= MAX_AGE_MS) event.delivery = 'failed'
    }
    const left = batch.filter(({ delivery }) => delivery === 'waiting')
    waiting.events.splice(0, batch.length, ...left)
    if (problem !== undefined && target && waiting.events.length > 0) waiting.next = now + wait
  }

  /** Posts events. Returns the reason for a failure, or undefined on success. */
  async #send(url: string, { headers, added }: EventTarget, events: readonly KeptEvent[], signal: AbortSignal) {
    // For an invalid header, the message from `fetch` would show its secret value.
    if (Object.values(headers).some((value) => !/^[\t -~\u0080-\u00ff]*$/.test(value)))
      return "the destination's API key contains a character that HTTP headers cannot contain; update the key"
    const limit = AbortSignal.timeout(LONGEST_ATTEMPT_MS)
    try {
      const response = await this.post(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(events.map((event) => ({ ...toPayload(event), ...added }))),
        signal: AbortSignal.any([signal, limit]),
        // A redirect could send the destination's key to another host.
        redirect: 'manual',
      })
      void response.body?.cancel().catch(() => undefined)
      if (response.ok) return undefined
      const { status } = response
      const isRedirect = status >= 300 && status < 400
      return `the destination responded with ${status}${isRedirect ? ', and redirects are not followed' : ''}`
    } catch (error) {
      if (limit.aborted) return `no response within ${LONGEST_ATTEMPT_MS / 1000} seconds`
      return describeNetworkError(error)
    }
  }
}
