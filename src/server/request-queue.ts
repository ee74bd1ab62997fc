import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The number of waiting requests at which reading from a connection pauses. During a pause, a client that leaves is not noticed. */
const MAX_WAITING_REQUESTS = 100

/**
 * The requests of a connection, which start one after the other: each only when the client has received the last response
 * (rules: answers#pipelining). A request whose client leaves earlier does not start.
 */
export class RequestQueue {
  readonly #socket: Socket
  readonly #start: (response: ServerResponse) => void
  /** The responses to the requests that wait for the current one. */
  readonly #waiting: ServerResponse[] = []
  /** The response to the current request. */
  current: ServerResponse | undefined

  constructor(socket: Socket, start: (response: ServerResponse) => void) {
    this.#socket = socket
    this.#start = start
  }

  /** Starts a request after the earlier ones. */
  add(response: ServerResponse): void {
    // Node's parser loses the bytes behind a request whose wish to switch protocols is ignored.
    if (response.req.headers.upgrade !== undefined) response.shouldKeepAlive = false
    if (this.current?.closed === false) this.#wait(this.current, response)
    else this.#begin(response)
  }

  /** Calls a function after the requests that were added, unless the connection has ended. */
  whenDone(run: () => void): void {
    const last = this.#waiting.at(-1) ?? this.current
    const runIfOpen = () => this.#socket.writable && run()
    if (last?.closed === false) last.once('close', runIfOpen)
    else runIfOpen()
  }

  #wait(current: ServerResponse, response: ServerResponse): void {
    this.#waiting.push(response)
    if (this.#waiting.length === 1) current.once('close', () => this.#startNext())
    if (this.#waiting.length > MAX_WAITING_REQUESTS) this.#socket.pause()
  }

  #startNext(): void {
    const next = this.#waiting.shift()
    if (!next) return
    this.#begin(next)
    if (this.#waiting.length > 0) next.once('close', () => this.#startNext())
    if (this.#waiting.length <= MAX_WAITING_REQUESTS && this.#socket.isPaused()) this.#socket.resume()
  }

  #begin(response: ServerResponse): void {
    if (!this.#socket.writable) return
    this.current = response
    this.#start(response)
  }
}
