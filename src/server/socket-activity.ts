import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Server, Socket } from 'node:net'
// Fake timers may replace the globals and the members of this module, but sockets make progress in real turns of the event loop.
import { setImmediate as atNextTurn, setTimeout } from 'node:timers'
import type { Clock } from '../core/engine/clock.ts'
import { EventLoop } from '../core/engine/event-loop.ts'

const after = setTimeout

/** The number of times that other code runs after the last activity of a socket, until its client counts as idle. */
const QUIET_RUNS = 5

/** The number of pauses, of about 1 ms each, after which bytes on their way and connections without bytes are no longer awaited. */
const MAX_PAUSES = 250

/**
 * Makes a manual clock wait, at each stop of an asynchronous move, until clients in the same process have had time to read a response from
 * this server and to send the next request. Ends when the server closes.
 */
export function awaitClients(server: Server, clock: Clock): void {
  const detach = clock.attach?.(new SocketActivity(server))
  server.once('close', () => {
    if (typeof detach === 'function') detach()
  })
}

/** The connections of a server, and their sockets in clients in the same process. */
class SocketActivity {
  readonly #server: Server
  readonly #eventLoop = new EventLoop(atNextTurn)
  readonly #connections = new Set<Socket>()
  readonly #clients = new Set<Socket>()
  /** Increases when a connection opens or closes. Includes the bytes of closed connections. */
  #past = 0
  #last = 0
  #quietRuns = QUIET_RUNS
  #pauses = 0
  /** The sockets that were awaited in vain, with their bytes at that time. */
  readonly #stuck = new WeakMap<Socket, number>()

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#past++
      this.#connections.add(socket)
      socket.once('close', () => {
        this.#past += 1 + countBytes(socket)
        this.#connections.delete(socket)
      })
    })
    subscribe('net.client.socket', this.#addClient)
    server.once('close', () => unsubscribe('net.client.socket', this.#addClient))
  }

  readonly nextDueAt = () => undefined

  readonly nextStopAt = () => undefined

  readonly settle = () => undefined

  readonly inProgress = (): Promise<unknown> | undefined => {
    const now = [...this.#connections].reduce((sum, socket) => sum + countBytes(socket), this.#past)
    if (now !== this.#last) {
      this.#last = now
      this.#quietRuns = 0
      this.#pauses = 0
    } else this.#quietRuns++
    if (this.#quietRuns < QUIET_RUNS) return this.#eventLoop.turn()
    const inTransit = this.#listInTransit()
    if (inTransit.length === 0) return undefined
    if (++this.#pauses < MAX_PAUSES) return new Promise((resolve) => after(resolve, 1))
    for (const socket of inTransit) this.#stuck.set(socket, countBytes(socket))
    return undefined
  }

  readonly #addClient = (message: unknown): void => {
    const { socket } = Object(message)
    if (!(socket instanceof Socket)) return
    this.#clients.add(socket)
    this.#pauses = 0
    socket.once('connect', () => {
      const address = this.#server.address()
      if (typeof address === 'object' && socket.remotePort !== address?.port) this.#clients.delete(socket)
    })
    socket.once('close', () => this.#clients.delete(socket))
  }

  /** Returns the sockets with bytes on their way, or without any bytes yet. On TLS connections, only the first bytes count. */
  #listInTransit(): readonly Socket[] {
    const byPort = new Map([...this.#connections].map((socket) => [socket.remotePort, socket]))
    const silent = [...this.#connections].filter(({ bytesRead }) => bytesRead === 0)
    const behind = [...this.#clients].filter((client) => {
      const { bytesRead, bytesWritten } = byPort.get(client.localPort) ?? {}
      return bytesRead !== client.bytesWritten || bytesWritten !== client.bytesRead
    })
    return [...silent, ...behind].filter((socket) => this.#stuck.get(socket) !== countBytes(socket))
  }
}

function countBytes({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten
}
