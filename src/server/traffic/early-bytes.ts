import type { IncomingMessage, ServerResponse as Response } from 'node:http'
import type { Socket } from 'node:net'
import { ServerResponse } from '../http.ts'

/** The maximum number of bytes that a visitor may send before the protocol has switched. */
const MAX_EARLY_BYTES = 65_536

/** The events that show that a visitor has disconnected. */
const ENDS = ['end', 'timeout', 'error']

/**
 * Reads the connection of a visitor whose last request asks to switch protocols, until its next owner takes over. A visitor who closes the
 * connection in the meantime, or is silent for the server's timeout, counts as disconnected. Node no longer watches the connection.
 */
export class EarlyBytes {
  readonly #socket: Socket
  readonly #parts: Buffer[]
  #length = 0

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket
    this.#parts = [head]
    socket.on('data', this.#keep)
    for (const event of ENDS) socket.on(event, this.#leave)
  }

  /** Creates the response to the request. It is the last HTTP response on this connection. */
  respondTo(request: IncomingMessage): Response {
    const outgoing = new ServerResponse(request)
    outgoing.shouldKeepAlive = false
    outgoing.assignSocket(this.#socket)
    return outgoing.once('finish', () => this.#socket.destroySoon())
  }

  /** Stops reading, and returns what was read. */
  take(): Buffer {
    this.#socket.pause().off('data', this.#keep)
    for (const event of ENDS) this.#socket.off(event, this.#leave)
    return Buffer.concat(this.#parts)
  }

  readonly #keep = (part: Buffer): void => {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#length > MAX_EARLY_BYTES) this.#socket.pause()
  }

  readonly #leave = (): void => void this.#socket.destroy()
}
