import type { ServerResponse } from 'node:http'
import type { Gateway } from '../gateway/gateway.ts'
import { eventText, inspected, overviewEvent, subscribeToEvents } from '../gateway/inspected.ts'

/** How often it is looked whether something has become due, or a clock was moved, in ms. */
const LOOK_MS = 100

/** How often those who listen hear that the connection lives, in looks. */
const LOOKS_PER_HEARTBEAT = 150

/** How much may wait for one who reads slowly, in bytes; what comes after that is missed. */
const MOST_WAITING = 1024 * 1024

/** What an answer that carries events has as headers. */
export const EVENT_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const

/** Someone who listens. */
interface Listener {
  readonly response: ServerResponse
  /** True if there was something that it did not get. */
  hasMissed: boolean
}

/**
 * What happens in a gateway, as server-sent events: `commit`, `request` (a line of the journal), `emptied` (the journal
 * was), `control` (a control was used over HTTP), `overview` (the time or a number has changed), and `missed` in the
 * place of what one who reads slowly did not get. Nobody listening costs nothing.
 */
export class Events {
  readonly #gateway: Gateway
  readonly #listeners = new Set<Listener>()
  /** Ends what the gateway tells; undefined while it tells nothing. */
  #deafen: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #overview: string | undefined
  #looks = 0

  constructor(gateway: Gateway) {
    this.#gateway = gateway
  }

  /** Lets a response carry what happens from now on, beginning with the overview. */
  add(response: ServerResponse): void {
    const listener: Listener = { response, hasMissed: false }
    const first = overviewEvent(this.#gateway)
    response.writeHead(200, EVENT_HEADERS).write(first)
    response.on('drain', () => this.#caughtUp(listener))
    response.once('close', () => this.#remove(listener))
    this.#listeners.add(listener)
    this.#listen()
  }

  /** True if anyone listens. */
  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  /** Tells everyone who listens. What is told is made into text once. */
  tell(event: string, value: unknown): void {
    const text = eventText(event, value)
    let isRead = false
    for (const listener of this.#listeners) {
      if (listener.response.writableLength > MOST_WAITING) listener.hasMissed = true
      else {
        listener.response.write(text)
        isRead = true
      }
    }
    // In the middle of a long move, nobody gets what is told any more; so nothing more is made of it.
    if (!isRead) this.#deafen?.()
  }

  #listen(): void {
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
    if (this.#deafen) return
    const end = subscribeToEvents(this.#gateway, (event, value) => this.tell(event, value))
    this.#deafen = () => {
      end()
      this.#deafen = undefined
    }
  }

  /** What becomes due happens, and makes commits; the rest is seen by its numbers. */
  #look(): void {
    this.#looks++
    try {
      const { now, ...rest } = inspected(this.#gateway).overview()
      const text = JSON.stringify(rest.manual ? { now, ...rest } : rest)
      if (text !== this.#overview) this.tell('overview', { now, ...rest })
      else if (this.#looks % LOOKS_PER_HEARTBEAT === 0) this.#beat()
      this.#overview = text
    } catch {
      // A clock that is being moved just now, or cannot be read. The next look comes soon.
    }
  }

  #beat(): void {
    for (const { response } of this.#listeners) if (response.writableLength === 0) response.write(':\n\n')
  }

  #caughtUp(listener: Listener): void {
    if (!listener.hasMissed) return
    listener.hasMissed = false
    this.#listen()
    listener.response.write(eventText('missed', {}) + overviewEvent(this.#gateway))
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.isHeard) return
    this.#deafen?.()
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#overview = undefined
  }
}
