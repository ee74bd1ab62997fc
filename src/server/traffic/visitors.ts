import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { printError } from '../../core/schema/print.ts'
import type { Gateway } from '../../gateway/types.ts'
import { errorResponse, toUpstreamResponse } from '../../traffic/errors.ts'
import { MessageHeaders } from '../../traffic/message-headers.ts'
import { asSystemError } from '../errors.ts'
import { abort, formatHead, sendInformation, sendResponse, type VisitorResponse } from '../forward/respond.ts'
import { SwitchedConnection } from '../forward/switched.ts'
import { ServerResponse } from '../http.ts'
import type { EarlyBytes } from './early-bytes.ts'
import type { Arrived } from './head.ts'
import { answerText, type Visit } from './visit.ts'

/** The reason of what ends because the visit has ended. With one, an abort makes no error. */
const ENDED = 'The visit has ended.'

/**
 * The visitors of a port. It is the boundary around each request: whatever fails there gets a response with a number, or ends its own
 * connection, and what the request has opened ends with it.
 */
export class Visitors {
  readonly #gateway: Gateway
  readonly #visit: Visit
  readonly #idle: number

  constructor(gateway: Gateway, visit: Visit, idle: number) {
    this.#gateway = gateway
    this.#visit = visit
    this.#idle = idle
  }

  /** Answers a request. */
  async answer(request: Arrived, outgoing: VisitorResponse): Promise<void> {
    const end = new AbortController()
    outgoing.once('close', () => end.abort(ENDED))
    try {
      const inform = this.#informer(outgoing)
      const response = await this.#visit(request, { signal: end.signal, inform })
      if (!end.signal.aborted) sendResponse(response, outgoing, this.#gateway.dialect.errorCodeHeader)
    } catch (error) {
      if (!end.signal.aborted) this.#fail(error, outgoing)
    }
  }

  /** Lets a request to switch protocols, such as that of a WebSocket, pass the gateway, and joins the two connections. */
  async switchProtocols(request: IncomingMessage, socket: Socket, early: EarlyBytes): Promise<void> {
    const end = new AbortController()
    socket.once('close', () => end.abort(ENDED))
    const outgoing = new ServerResponse(request)
    outgoing.shouldKeepAlive = false
    outgoing.assignSocket(socket)
    outgoing.once('finish', () => socket.end())
    try {
      const { upgrade } = request.headers
      const response = await this.#visit(request, { signal: end.signal, inform: this.#informer(outgoing), upgrade })
      if (end.signal.aborted) return
      const { switched, headers } = response
      if (!(switched instanceof SwitchedConnection)) return sendResponse(response, outgoing)
      outgoing.detachSocket(socket)
      headers.set('connection', 'Upgrade')
      socket.write(formatHead(101, headers), 'latin1')
      switched.join(socket, early.take(), this.#idle)
    } catch (error) {
      if (!end.signal.aborted) this.#fail(error, outgoing)
    }
  }

  #informer(outgoing: VisitorResponse) {
    return (status: number, fields: Iterable<readonly [string, string]>) => {
      const headers = new MessageHeaders(fields)
      headers.delete(this.#gateway.dialect.errorCodeHeader)
      try {
        sendInformation(status, headers, outgoing)
      } catch {
        // The visitor has left in this moment, or cannot get it. The final response says all.
      }
    }
  }

  #fail(error: unknown, outgoing: VisitorResponse): void {
    try {
      this.#answerFailure(error, outgoing)
    } catch {
      abort(outgoing)
    }
  }

  #answerFailure(error: unknown, outgoing: VisitorResponse): void {
    const isClosed = asSystemError(asSystemError(error).cause ?? {}).code === 'ECONNRESET'
    // A policy needs a fact that nobody gave.
    const isRefusal = error instanceof Error && 'key' in error
    if (isClosed || outgoing.headersSent) abort(outgoing)
    else if (isRefusal) sendResponse(answerText(501, error.message), outgoing)
    else {
      printError(error)
      sendResponse(toUpstreamResponse(errorResponse(3007), this.#gateway.dialect), outgoing)
    }
  }
}
