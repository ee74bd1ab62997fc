import type { ServerResponse } from 'node:http'
import { readClock, systemClock } from '../core/engine/clock.ts'
import { Queue } from '../core/engine/queue.ts'
import {
  createGatewayEvent,
  createOverviewEvent,
  describeChanges,
  formatEvent,
  subscribeToEvents,
  toInspected,
} from '../gateway/inspected.ts'
import type { Gateway } from '../gateway/types.ts'

/** The interval, in ms, at which due events and the clock are checked. */
const CHECK_MS = 100

/** The number of checks between two heartbeats. */
const CHECKS_PER_HEARTBEAT = 150

/** The maximum number of bytes queued for a slow listener. The listener misses later events. */
const MAX_WAITING_BYTES = 1024 * 1024

/** The maximum number of durations to keep for pages opened later. */
const MAX_DURATIONS = 1000

export const EVENT_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const

interface Listener {
  readonly response: ServerResponse
  /** True if the listener has missed an event. */
  hasMissed: boolean
}

/**
 * The server-sent events of a gateway. docs/inspector.md lists the events. Without listeners, the class neither checks the gateway nor
 * subscribes to it.
 */
export class Events {
  readonly #gateway: Gateway
  readonly #name: string | null
  readonly #started = new Date(readClock(systemClock)).toISOString()
  readonly #listeners = new Set<Listener>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #overview: string | undefined
  /** True if the listeners will be sent `changed` at the end of this turn. */
  #willTellChange = false
  #checks = 0
  /** Operation IDs and the durations of their responses in ms, oldest first. */
  readonly #durations = new Queue<[string, number]>()

  constructor(gateway: Gateway, name: string | null) {
    this.#gateway = gateway
    this.#name = name
  }

  add(response: ServerResponse): void {
    const listener: Listener = { response, hasMissed: false }
    const durations =
      this.#durations.size === 0 ? '' : formatEvent('durations', Object.fromEntries(this.#durations.all()))
    const first =
      createGatewayEvent(this.#gateway, this.#name, this.#started) +
      createOverviewEvent(this.#gateway) +
      this.#createChangedEvent() +
      durations
    response.writeHead(200, EVENT_HEADERS).write(first)
    response.on('drain', () => this.#sendMissed(listener))
    response.once('close', () => this.#remove(listener))
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref()
    this.#unsubscribe ??= subscribeToEvents(
      this.#gateway,
      () => this.#tellChange(),
      (event, value) => this.broadcast(event, value),
    )
  }

  /** Ends the streams of all listeners. */
  close(): void {
    for (const { response } of this.#listeners) response.end()
  }

  #createChangedEvent(): string {
    return formatEvent('changed', describeChanges(this.#gateway))
  }

  /** Sends one `changed` event for all changes in this turn. One clock move can cause 20,000 changes. */
  #tellChange(): void {
    if (this.#willTellChange) return
    this.#willTellChange = true
    queueMicrotask(() => {
      this.#willTellChange = false
      this.broadcast('changed', describeChanges(this.#gateway))
    })
  }

  /** Records the duration of an operation's response. */
  recordDuration(operationId: string, ms: number): void {
    const rounded = Math.round(ms * 100) / 100
    this.#durations.add([operationId, rounded])
    if (this.#durations.size > MAX_DURATIONS) this.#durations.drop()
    if (this.#listeners.size > 0) this.broadcast('durations', { [operationId]: rounded })
  }

  broadcast(event: string, value: unknown): void {
    if (this.#listeners.size === 0) return
    const text = formatEvent(event, value)
    for (const listener of this.#listeners) {
      if (listener.response.writableLength > MAX_WAITING_BYTES) listener.hasMissed = true
      else listener.response.write(text)
    }
  }

  /** Reads the overview, and sends it if it has changed. Reading the overview runs due events first. */
  #check(): void {
    this.#checks++
    try {
      const { now, ...rest } = toInspected(this.#gateway).overview()
      const text = JSON.stringify(rest.manual ? { now, ...rest } : rest)
      if (text !== this.#overview) this.broadcast('overview', { now, ...rest })
      else if (this.#checks % CHECKS_PER_HEARTBEAT === 0) this.#sendHeartbeat()
      this.#overview = text
    } catch {
      // The clock is being advanced or cannot be read. The next check follows soon.
    }
  }

  #sendHeartbeat(): void {
    for (const { response } of this.#listeners) if (response.writableLength === 0) response.write(':\n\n')
  }

  #sendMissed(listener: Listener): void {
    if (!listener.hasMissed) return
    listener.hasMissed = false
    listener.response.write(formatEvent('missed', {}) + this.#createChangedEvent())
    // The next check sends the overview, because it cannot be read while the clock is being advanced.
    this.#overview = undefined
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#overview = undefined
  }
}
