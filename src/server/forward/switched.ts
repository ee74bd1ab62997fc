import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Switched } from '../../traffic/body.ts'

/** The connection to an upstream that has switched protocols, for example to WebSocket. */
export class SwitchedConnection implements Switched {
  readonly #socket: Duplex
  readonly #head: Buffer

  constructor(socket: Duplex, head: Buffer) {
    this.#socket = socket
    this.#head = head
    socket.on('error', () => socket.destroy())
  }

  end(): void {
    this.#socket.destroy()
  }

  /** Joins the connection with a visitor's, until either one ends or both are silent for too long. */
  join(visitor: Socket, head: Buffer, idle: number): void {
    visitor.on('error', () => visitor.destroy())
    visitor.setTimeout(idle, () => visitor.destroy())
    visitor.write(this.#head)
    this.#socket.write(head)
    for (const [from, to] of [
      [visitor, this.#socket],
      [this.#socket, visitor],
    ] as const) {
      from.once('close', () => (from.readableEnded ? to.end() : to.destroy()))
      from.pipe(to)
    }
  }
}
