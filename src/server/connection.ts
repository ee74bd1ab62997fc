import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A request whose body is read, whether all of that was handed on, and what gives it up. */
interface Reading {
  readonly request: IncomingMessage
  readonly isRead: boolean
  readonly giveUp: () => void
}

/** A client's connection, with what is under way on it. */
export class Connection {
  /** Answers that were not whole when the last request began, and its own. */
  #open: ServerResponse[] = []
  /** How many requests have begun on it. */
  #begun = 0
  #ended: AbortController | undefined
  /** The last request whose body was read. */
  reading: Reading | undefined
  /** Whether what came on it cannot be read any further. */
  isBroken = false

  /** The address of the other end. */
  readonly peer: string

  constructor(readonly socket: Socket) {
    // Of a connection that is gone already, nobody knows it any more.
    this.peer = socket.remoteAddress ?? 'unknown'
  }

  /** Aborted once the connection has ended, from whichever side. */
  get ended(): AbortSignal {
    if (!this.#ended) {
      const ended = new AbortController()
      // As many as there are requests one behind the other.
      setMaxListeners(0, ended.signal)
      this.#ended = ended
      if (this.socket.destroyed) ended.abort()
      else this.socket.once('close', () => ended.abort())
    }
    return this.#ended.signal
  }

  /** Notes a request that is to be answered. */
  begin(response: ServerResponse): void {
    const open = this.#open
    this.#begun++
    // Nearly always the request before has its answer, and there is no other one.
    if (open.length === 1 && open[0]?.closed) open[0] = response
    else this.#open = [...this.#unanswered, response]
  }

  get #unanswered(): ServerResponse[] {
    return this.#open.filter((response) => !response.closed)
  }

  /** Whether the body of a request is being read: the requests behind it have to wait. */
  get isReading(): boolean {
    return this.reading?.isRead === false
  }

  /** The request whose body is on its way, if there is one. */
  get midBody(): Reading | undefined {
    return this.reading?.request.complete === false ? this.reading : undefined
  }

  /** Whether the request that was on its way is whole, once all is read that was there already. */
  async hasComeMeanwhile(): Promise<boolean> {
    const [begun, wasMidBody] = [this.#begun, this.midBody !== undefined]
    await nextTurn()
    return (wasMidBody || this.#begun > begun) && !this.midBody
  }

  /** Whether answers are waited for beside that to a request whose body is on its way. */
  get isAwaited(): boolean {
    return this.#unanswered.length > (this.midBody ? 1 : 0)
  }

  /** Resolves when every request so far has its whole answer. */
  async answered(): Promise<void> {
    const closed = (response: ServerResponse) => new Promise<void>((resolve) => response.once('close', resolve))
    await Promise.all(this.#unanswered.map(closed))
  }
}
