import { TLSSocket } from 'node:tls'
import type { Gateway } from '../../gateway/types.ts'
import { writePem } from '../../service/x509/pem.ts'
import type { Inform } from '../../traffic/body.ts'
import { errorResponse, toUpstreamResponse } from '../../traffic/errors.ts'
import { UpstreamResponse } from '../../traffic/message.ts'
import { MessageHeaders } from '../../traffic/message-headers.ts'
import { targetOf } from '../../traffic/target.ts'
import { type Arrived, findHeadProblem, readHost, toBody, toHeaders } from './head.ts'
import { logVisit, type VisitorLog } from './visitor-log.ts'

interface VisitCall {
  /** Aborts when the visitor has disconnected or has received the whole response. */
  readonly signal: AbortSignal
  readonly inform: Inform
  /** The protocol that the visitor asks to switch to. */
  readonly upgrade?: string | undefined
}

/** Sends a visitor's request through the gateway. */
export type SendVisit = (request: Arrived, call: VisitCall) => Promise<UpstreamResponse>

interface VisitOptions {
  readonly tls: boolean
  readonly log: VisitorLog | undefined
}

/**
 * Creates the function that sends requests from one port through a gateway. The host of a request selects the endpoint (rules:
 * traffic#ports).
 */
export function createVisitSender(gateway: Gateway, { tls, log }: VisitOptions): SendVisit {
  // Endpoints terminate TLS at the gateway. A port without TLS serves both schemes.
  const schemes = tls ? ['https'] : ['http', 'https']
  const refuse = (number: number) => toUpstreamResponse(errorResponse(number), gateway.dialect)
  return async (request, { upgrade, ...call }) => {
    const { socket, method = 'GET', url = '' } = request
    const secure = socket instanceof TLSSocket ? socket : undefined
    // Missing in Node's types: the name that the client sent, or false if it sent none.
    if (tls && !(secure && Reflect.get(secure, 'servername'))) return refuse(3003)
    const wrong = findHeadProblem(request)
    if (wrong) return answerText(wrong.status, wrong.problem)
    // The target of this request is the gateway itself, even if it is a URL without a path (RFC 9112, section 3.2.4).
    if (method === 'OPTIONS' && /^(\*|https?:\/\/[^/?]+)$/i.test(url))
      return new UpstreamResponse(200, new MessageHeaders(), null)
    const host = readHost(request)
    if ('problem' in host) return answerText(400, host.problem)
    const origin = await gateway.transport.locate(host.name, schemes)
    const headers = toHeaders(request, new URL(origin).host, upgrade)
    const ip = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    const sent = {
      ...call,
      method,
      url: origin + targetOf(url),
      headers,
      body: toBody(request),
      ip,
      ...(secure && describeTls(secure)),
    }
    const visited = gateway.transport.serveVisitor(sent)
    return log ? logVisit(visited, { gateway, log, sent }) : visited
  }
}

/** Returns the TLS facts of a connection that policies can read, and the visitor's certificates, starting with the visitor's own. */
function describeTls(socket: TLSSocket) {
  const tls = [
    ['conn.tls.version', (socket.getProtocol() ?? '').replace('TLSv', '')],
    ['conn.tls.cipher_suite', socket.getCipher().standardName],
  ] as const
  const chain: Buffer[] = []
  let { raw, issuerCertificate: above } = socket.getPeerCertificate(true)
  // Node shows a self-signed certificate as its own issuer.
  for (; raw && !chain.some((each) => each.equals(raw)); { raw, issuerCertificate: above } = above ?? {})
    chain.push(raw)
  return { tls, certificate: chain.map((der) => writePem('CERTIFICATE', der)).join('') || undefined }
}

/** Creates a response to a request that reaches no endpoint. Nothing more is read from the request's connection. */
export function answerText(status: number, text: string): UpstreamResponse {
  const headers = new MessageHeaders([['content-type', 'text/plain; charset=utf-8']])
  return new UpstreamResponse(status, headers, new TextEncoder().encode(`${text}\n`))
}
