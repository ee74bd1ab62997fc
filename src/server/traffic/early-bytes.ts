import type { Socket } from 'node:net'

/** The bytes that a visitor may send before the protocol has switched. */
const MAX_EARLY_BYTES = 65_536

/** Reads the connection of a visitor until an upstream has switched protocols. A visitor who ends it meanwhile has left. */
export class EarlyBytes {
  readonly #socket: Socket
  readonly #parts: Buffer[]
  #length = 0

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket
    this.#parts = [head]
    socket.on('data', this.#keep).on('end', this.#leave)
  }

  /** Stops reading, and returns what was read. */
  take(): Buffer {
    this.#socket.pause().off('data', this.#keep).off('end', this.#leave)
    return Buffer.concat(this.#parts)
  }

  readonly #keep = (part: Buffer): void => {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#length > MAX_EARLY_BYTES) this.#socket.pause()
  }

  readonly #leave = (): void => void this.#socket.destroy()
}
