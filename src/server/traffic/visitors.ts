import { constants } from 'node:http2'
import { Refusal } from '../../core/schema/errors.ts'
import { printError } from '../../core/schema/print.ts'
import type { Gateway } from '../../gateway/types.ts'
import { errorResponse, toUpstreamResponse } from '../../traffic/errors.ts'
import { MessageHeaders } from '../../traffic/message-headers.ts'
import { asSystemError } from '../errors.ts'
import { abort, formatHead, sendInformation, sendLast, sendResponse, type VisitorResponse } from '../forward/respond.ts'
import { SwitchedConnection } from '../forward/switched.ts'
import type { EarlyBytes } from './early-bytes.ts'
import { type Arrived, hasBody } from './head.ts'
import { answerText, type SendVisit } from './visit.ts'

/** The abort reason at the end of a visit. With a reason, an abort does not create an error. */
const ENDED = 'The visit has ended.'

/**
 * The visitors of a port. The class isolates requests from each other. A failed request either receives a response with an error code, or
 * its connection and everything else that it opened are closed.
 */
export class Visitors {
  readonly #gateway: Gateway
  readonly #send: SendVisit
  readonly #idle: number

  constructor(gateway: Gateway, send: SendVisit, idle: number) {
    this.#gateway = gateway
    this.#send = send
    this.#idle = idle
  }

  /**
   * Responds to a request. With `early`, its connection is joined with the connection to an upstream that switches protocols, such as to
   * WebSocket.
   */
  async answer(request: Arrived, outgoing: VisitorResponse, early?: EarlyBytes): Promise<void> {
    const end = new AbortController()
    const leave = () => end.abort(ENDED)
    outgoing.once('close', leave)
    if (hasBody(request)) this.#limitSilence(request, outgoing, end)
    try {
      const upgrade = early && request.headers.upgrade
      const response = await this.#send(request, { signal: end.signal, inform: this.#informer(outgoing), upgrade })
      if (end.signal.aborted) return
      const { switched, headers } = response
      const socket = early && 'assignSocket' in outgoing && outgoing.socket
      if (!socket || !(switched instanceof SwitchedConnection))
        return sendResponse(response, outgoing, this.#gateway.dialect.errorCodeHeader)
      outgoing.detachSocket(socket)
      headers.set('connection', 'Upgrade')
      // A policy may have set these headers, but a 1xx has no body (RFC 9110, section 8.6; RFC 9112, section 6.1).
      for (const name of ['content-length', 'transfer-encoding']) headers.delete(name)
      socket.once('close', leave).write(formatHead(101, headers), 'latin1')
      switched.join(socket, early.take(), this.#idle)
    } catch (error) {
      if (!end.signal.aborted) this.#fail(error, outgoing)
    }
  }

  /** Responds to a visitor that is silent in the middle of a body. A silent upstream ends its own call with status 504. */
  #limitSilence(request: Arrived, outgoing: VisitorResponse, end: AbortController): void {
    outgoing.setTimeout(this.#idle)
    outgoing.once('timeout', () => {
      if (outgoing.headersSent) return abort(outgoing)
      // Node takes twice as long to notice that an upstream has stopped reading. Without a listener, Node then ends the connection.
      if (!awaitsBody(request)) return void outgoing.setTimeout(2 * this.#idle)
      end.abort('The visitor stopped sending in the middle of a body.')
      sendLast(answerText(408, `No more of the body arrived within ${this.#idle / 1000} s.`), outgoing)
    })
  }

  #informer(outgoing: VisitorResponse) {
    return (status: number, fields: Iterable<readonly [string, string]>) => {
      const headers = new MessageHeaders(fields)
      headers.delete(this.#gateway.dialect.errorCodeHeader)
      try {
        sendInformation(status, headers, outgoing)
      } catch {
        // The visitor has just left, or cannot receive the response. The final response is enough.
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
    const isClosed = /^(ECONNRESET$|ERR_SSL_)/.test(String(asSystemError(asSystemError(error).cause ?? {}).code))
    if (isClosed || outgoing.headersSent) abort(outgoing)
    // A policy needs a fact that was not provided.
    else if (error instanceof Refusal) sendResponse(answerText(501, error.message), outgoing)
    else {
      printError(error)
      sendResponse(toUpstreamResponse(errorResponse(3007), this.#gateway.dialect), outgoing)
    }
  }
}

/** Returns whether a request waits for bytes of its body rather than for the body's reader. */
function awaitsBody(request: Arrived): boolean {
  if (!('stream' in request)) return !request.complete && request.readableLength === 0
  const { state, readableLength } = request.stream
  const hasAll = state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE
  return !hasAll && readableLength + request.readableLength === 0
}
