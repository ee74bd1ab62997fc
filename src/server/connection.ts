import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CONTROL_PATH } from '../control/address.ts'
import { stopwatch } from '../core/engine/clock.ts'
import type { RequestBody } from '../core/schema/body.ts'
import { general } from '../core/schema/general-errors.ts'
import { printError } from '../core/schema/print.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { splitUrl } from '../gateway/http/url.ts'
import type { Gateway } from '../gateway/types.ts'
import { respondAsAgent } from './agent-listener.ts'
import { INSPECTOR_HEADER, type Inspector } from './inspector.ts'
import { HEAD_LIMITS } from './limits.ts'
import type { PackedDocuments, PackedResponse } from './packed-documents.ts'
import { hasBody, readBody } from './request-body.ts'
import type { ParseError } from './request-queue.ts'

/** The gateway and the inspector for a request. */
export interface Responders {
  readonly gateway: Gateway
  readonly inspector: Inspector
  readonly documents: PackedDocuments
  /** Aborts when the gateway is removed from its server. Its reason is the response to waiting requests. */
  readonly removed?: AbortSignal
}

/** A request received on a connection, with its handlers. */
interface Turn extends Target {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The target of a request. */
export interface Target {
  readonly responders: Responders
  /** Its URL as passed to the gateway. */
  readonly url: string
  /** The error for a request to a gateway that does not exist; absent for any other request. */
  readonly missing?: () => HttpResponse
}

/** Returns the target of a request for a URL. */
export type FindTarget = (url: string) => Target

/** A connection. Its requests are handled one at a time. */
export class PipelinedConnection {
  readonly #socket: Socket
  readonly #findTarget: FindTarget
  /** The remote address. Node no longer provides it once the connection has ended. */
  readonly #peer: string
  /** Aborts once either side ends the connection. */
  readonly #closed: AbortSignal

  constructor(socket: Socket, findTarget: FindTarget) {
    this.#socket = socket
    this.#findTarget = findTarget
    this.#peer = socket.remoteAddress ?? 'unknown'
    const ended = new AbortController()
    this.#closed = ended.signal
    socket.once('close', () => ended.abort())
  }

  /** Handles a request once its body is read. */
  start(response: ServerResponse): void {
    const { req: request } = response
    const target = this.#guard(() => this.#findTarget(request.url ?? '/'))
    if (!target) return
    const turn = { ...target, request, response }
    const { transport } = turn.responders.gateway
    const head = this.#toHttpRequest(turn, '')
    const refusal = this.#guard(() => transport.callerRefusal(head) ?? turn.missing?.())
    const agentPath = refusal ? undefined : findAgentPath(turn)
    if (agentPath !== undefined) {
      const { gateway } = turn.responders
      respondAsAgent({ gateway, url: agentPath, page: `${gateway.url}/_fauxgate/#traffic` }, response)
      return
    }
    noteServed(turn)
    if (!hasBody(request)) return void this.#respond(turn, '', refusal)
    const findLimit = () => (refusal ? 0 : this.#guard(() => transport.bodyLimit(head)))
    readBody(
      request,
      () => findLimit() ?? 0,
      (body) => {
        if (!this.#socket.writable) return
        // Otherwise, the unread rest of the body would be parsed as the next request.
        if (!request.complete) response.shouldKeepAlive = false
        this.#respond(turn, body, refusal)
      },
    )
  }

  /** Runs part of the work for a request. An error ends this connection but not the process. */
  #guard<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#end(error)
      return undefined
    }
  }

  readonly #end = (error: unknown): void => {
    printError(error)
    this.#socket.destroy()
  }

  #toHttpRequest({ request, url }: Turn, body: RequestBody): HttpRequest {
    const { method = 'GET', headers, rawHeaders } = request
    const isInspector = headers[INSPECTOR_HEADER] !== undefined
    const header = (name: string) => headers[name]?.toString() ?? null
    return { method, url, header, rawHeaders, body, peer: this.#peer, isInspector, signal: this.#closed }
  }

  #respond(turn: Turn, body: RequestBody, refusal: HttpResponse | undefined): void {
    this.#guard(() => (refusal ? send(refusal, turn.response) : this.#answer(turn, body)?.catch(this.#end)))
  }

  /** Responds to a request immediately, unless a fault, a waiting control, or the store delays the response. */
  #answer(turn: Turn, body: RequestBody): Promise<unknown> | undefined {
    const { request, response } = turn
    const { gateway, inspector } = turn.responders
    const httpRequest = this.#toHttpRequest(turn, body)
    if (inspector.isFor(httpRequest)) {
      return inspector.respond(request, response, httpRequest).catch((error: unknown) => {
        if (response.headersSent) throw error
        send(internalFailure(gateway, error), response)
      })
    }
    const elapsed = stopwatch()
    const result = exchange(gateway, httpRequest)
    if (result.delivery || result.safe)
      return this.#delivered(turn, result).then((sent) => sent && this.#send(turn, sent, httpRequest, elapsed()))
    this.#send(turn, result, httpRequest, elapsed())
    return undefined
  }

  /** Sends a response after `elapsed` ms. */
  #send({ response, responders }: Turn, result: HttpResponse, httpRequest: HttpRequest, elapsed: number): void {
    const { inspector, documents } = responders
    inspector.broadcastControlUse(httpRequest, result)
    inspector.recordDuration(httpRequest, result, elapsed)
    const { drop, cut } = result.delivery ?? {}
    // Only the client ends a stalled response.
    if (cut?.ending === 'stall') response.once('close', () => inspector.broadcastCancelled(result))
    if (drop) this.#drop()
    else send(result, response, documents.pack(httpRequest, result))
  }

  /** Ends the connection without a response, and with a reset where Node can send one: without TLS, before the end of the connection. */
  #drop(): void {
    // Once the client has ended, Node ends too. A reset that fails meanwhile leaves a handle that keeps the process from exiting.
    if ('encrypted' in this.#socket || this.#socket.writableEnded) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /** Resolves with a response when it may be sent, or with undefined if the client has disconnected. */
  async #delivered({ responders }: Turn, response: HttpResponse): Promise<HttpResponse | undefined> {
    const { gateway, inspector, removed } = responders
    const signal = removed ? AbortSignal.any([this.#closed, removed]) : this.#closed
    try {
      return await gateway.transport.delivered(response, { signal })
    } catch (error) {
      if (removed?.aborted && error === removed.reason) return removed.reason
      if (!this.#socket.destroyed || error !== this.#closed.reason) return internalFailure(gateway, error)
      inspector.broadcastCancelled(response)
      return undefined
    }
  }
}

/** Calls the hook for served requests, except for control calls. */
function noteServed({ request, response, url, responders: { gateway } }: Turn): void {
  const { served } = gateway.transport.hooks
  if (!served) return
  const { path } = splitUrl(url, gateway.url)
  if (path.startsWith(`${CONTROL_PATH}/`)) return
  const ended = served.received(`${request.method} ${path}`, request.headers.authorization)
  response.once('close', () => ended(response.writableFinished ? response.statusCode : undefined))
}

/** For a request under the URL of a gateway with an agent, returns the path and query in the agent's API. */
function findAgentPath({ url, responders: { gateway } }: Turn): string | undefined {
  if (!url.includes('/api') || !('tunnelSession' in gateway.declare)) return undefined
  const { path, query } = splitUrl(url, gateway.url)
  // Any other path is a mistake of a client of the gateway, for example with a base URL that ends in /api.
  if (!/^\/api(?:\/(?:status|tunnels|endpoints|requests)(?:\/.*)?|\/?)$/.test(path)) return undefined
  return query === '' ? path : `${path}?${query}`
}

function exchange(gateway: Gateway, httpRequest: HttpRequest): HttpResponse {
  try {
    return gateway.transport.exchange(httpRequest)
  } catch (error) {
    return internalFailure(gateway, error)
  }
}

function internalFailure(gateway: Gateway, error: unknown): HttpResponse {
  printError(error)
  return gateway.transport.refused(general.internal_failure, {})
}

/** Returns the response to bytes that are not a request (rules: answers#no-request). */
export function parseErrorResponse(
  { transport: { refused } }: Gateway,
  { code, reason, message, status }: ParseError,
): HttpResponse {
  if (status === 501) return refused(general.transfer_encoding_unknown, {})
  if (status === 505) return refused(general.http_version_unknown, {})
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refused(general.request_timeout, { seconds: HEAD_LIMITS.seconds })
  if (code === 'HPE_HEADER_OVERFLOW') return refused(general.request_head_too_large, { limit: HEAD_LIMITS.bytes })
  return refused(general.request_malformed, { problem: reason ?? message })
}

/** Sends a response, or its compressed form. */
function send(result: HttpResponse, response: ServerResponse, packed?: PackedResponse): void {
  const { status, delivery } = result
  const { headers, body } = packed ?? result
  const { cut } = delivery ?? {}
  // Node writes a flat list of names and values unchanged.
  const lines: string[] = []
  for (const name in headers) lines.push(name, headers[name] ?? '')
  if (body !== null) lines.push('Content-Length', String(cut?.wholeBytes ?? Buffer.byteLength(body)))
  response.writeHead(status, lines)
  const { socket } = response
  // A stalled body does not end until the client disconnects.
  if (cut) return void response.write(body, () => cut.ending === 'break' && socket?.destroy())
  if (socket && body !== null) {
    // Writes head and body at once. `end(body)` would need a second write, of an empty chunk.
    socket.cork()
    response.write(body)
    socket.uncork()
    response.end()
  } else response.end(body)
}
