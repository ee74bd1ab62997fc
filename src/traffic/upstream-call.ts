import { cut } from '../core/schema/text.ts'
import { truncateStream } from '../core/schema/truncated-stream.ts'
import type { Ending } from '../service/policy/visit.ts'
import type { PassedTunnel } from './agent-calls.ts'
import { toFetchBody } from './body.ts'
import { errorResponse, toUpstreamResponse } from './errors.ts'
import type { KnownSecrets } from './exchange.ts'
import { UpstreamResponse, VisitorRequest } from './message.ts'
import { MessageHeaders, removeHopByHop } from './message-headers.ts'
import { targetOf } from './target.ts'
import type { TracedStep } from './trace.ts'
import type { TrafficHost, UpstreamFault } from './traffic-host.ts'
import type { Responder, ServedCall } from './upstreams.ts'

/** The time within which an upstream must send its response headers, in ms. The service closes a connection that is idle for this long. */
const TIMEOUT = 300_000

/** States how to set an upstream: only a server of the command reaches other servers. */
const adviseUpstream = ({ dialer }: TrafficHost['upstreams']): string =>
  `Set one with ${dialer ? '"fauxgate upstream" or --upstream' : 'gateway.traffic.upstream'}`

/** The target of a forwarded request. */
export interface UpstreamPlace {
  /** The URLs and IDs for which a test may have set an upstream, most specific first. */
  readonly keys: readonly string[]
  /** The request's destination URL, without the path. */
  readonly url: string
  /** True for an agent's upstream, whose failures have a separate error number. */
  readonly isAgent: boolean
  /** True if the request passes through a tunnel of a group that an agent's API started. */
  readonly isStarted?: true | undefined
  /** The agent's tunnel, if the request passes through a tunnel of a known agent. */
  readonly tunnel?: PassedTunnel | undefined
  /** The protocol for the agent's connection to a server. Default: `http1`. */
  readonly protocol?: string | undefined
  /** True for a request that already has the headers that a gateway adds. */
  readonly isReplay?: true
}

interface Call {
  readonly host: TrafficHost
  readonly trace: { push(step: TracedStep): unknown }
  readonly signal: AbortSignal | undefined
  /** The address of the visitor. */
  readonly ip: string
  readonly secrets: KnownSecrets
}

/** Forwards a request to its upstream, with the headers that a gateway adds. Returns the upstream's response or the gateway's error. */
export async function callUpstream(request: VisitorRequest, place: UpstreamPlace, call: Call): Promise<Ending> {
  const { host, ip, secrets } = call
  const { tunnel, url } = place
  const sent = toSent(request, place, call)
  const see = tunnel && host.watchAgent({ tunnel, request: sent, upstream: url, ip, secrets, at: host.now })
  const end = await passOn(sent, place, call)
  if (end !== 'close') see?.(toUpstreamResponse(end, host.dialect), host.now)
  return end
}

async function passOn(request: VisitorRequest, place: UpstreamPlace, call: Call): Promise<Ending> {
  const { host, trace, signal } = call
  const seen = { url: request.url, headers: request.headers.toRecord() }
  const fail = (number: number, did: string, body?: string, facts: Pick<TracedStep, 'isMissing'> = {}): Ending => {
    trace.push({ step: 'upstream', did, isEnd: true, ...facts, request: seen })
    return errorResponse(number, body)
  }
  const refused = place.isAgent ? 8012 : 3006
  const fault = host.applyFault(place.keys)
  if (fault?.latency) await host.waitUntil(host.now + fault.latency, signal)
  if (fault?.drop) return fail(refused, `was rejected by the fault ${fault.id}`)
  if (fault?.status !== undefined) {
    const response = { status: fault.status, headers: {} }
    trace.push({
      step: 'upstream',
      did: `responded with ${fault.status}, from the fault ${fault.id}`,
      request: seen,
      response,
    })
    return { status: fault.status, ...(fault.body !== undefined && { body: fault.body }) }
  }
  const upstream = host.upstreams.take(place.keys) ?? dialStarted(place, host)
  if (!upstream) {
    const did = `${host.upstreams.describeMissing(place.keys)} ${adviseUpstream(host.upstreams)}`
    return fail(refused, did, undefined, { isMissing: true })
  }
  if ('problem' in upstream) return fail(refused, upstream.problem)
  const { key, responder } = upstream
  let received: UpstreamResponse | undefined
  try {
    const run = () => callHandler(responder, request, { signal, protocol: place.protocol })
    // Servers enforce their own limit, in real time.
    received = await ('serve' in responder ? run() : withTimeout(run, call))
  } catch (error) {
    signal?.throwIfAborted()
    const { code } = Object(error)
    if (code === 'ECONNREFUSED') return fail(refused, `${key} rejected the connection. Start the server there`)
    if (code === 'ETIMEDOUT') return fail(3005, `${key} sent nothing for too long`)
    const reason = error instanceof Error ? error.message : String(error)
    const did = error instanceof WrongResponse ? reason : `threw: ${cut(reason, 200)}`
    return fail(3004, `the function for the upstream ${key} ${did}`, OWN_FAULT)
  }
  if (!received) return fail(3005, `the function for the upstream ${key} did not respond within ${TIMEOUT / 1000} s`)
  if (received.status < 100 || received.status > 599) {
    const number = received.status === 0 ? 3009 : 3010
    received.discard()
    return fail(number, `${key} responded with ${received.status}, which is not an HTTP status`)
  }
  // Only the gateway may send these headers.
  removeHopByHop(received.headers)
  received.headers.delete(host.dialect.errorCodeHeader)
  const { status, headers } = received
  trace.push({
    step: 'upstream',
    did: `${key} responded with ${status}`,
    request: seen,
    response: { status, headers: headers.toRecord() },
  })
  return withFault(received, fault, signal)
}

/**
 * Reaches the upstream of a tunnel that a program started, and for which it named the upstream, through the agent's API (rules:
 * agent#upstreams).
 */
function dialStarted({ isStarted, tunnel, url }: UpstreamPlace, { upstreams }: TrafficHost) {
  return (isStarted ?? tunnel?.isStarted) ? upstreams.dial(url) : undefined
}

const OWN_FAULT = "The upstream's function failed. See the request's trace."

/** The error for a test's function that doesn't return a response. */
class WrongResponse extends Error {}

/** Calls an upstream's function. */
function callHandler(
  responder: Responder,
  request: VisitorRequest,
  call: ServedCall,
): UpstreamResponse | Promise<UpstreamResponse> {
  if ('serve' in responder) {
    return responder
      .serve(request, call)
      .then(
        ({ status, headers, body, switched }) =>
          new UpstreamResponse(status, new MessageHeaders(headers), body, switched),
      )
  }
  const response = responder.handler(toUpstreamRequest(request, call.signal))
  return response instanceof Promise ? response.then(receive) : receive(response)
}

function receive(response: Response): UpstreamResponse {
  if (!(response instanceof Response)) throw new WrongResponse('returned no Response')
  if (response.bodyUsed || response.body?.locked)
    throw new WrongResponse('returned a Response whose body had already been read')
  return UpstreamResponse.from(response)
}

function withFault(
  response: UpstreamResponse,
  fault: UpstreamFault | undefined,
  signal: AbortSignal | undefined,
): UpstreamResponse {
  const stream = fault?.truncate === undefined ? null : response.stream
  if (fault?.truncate === undefined || !stream) return response
  response.replaceBody(truncateStream(stream, { length: fault.truncate, ending: fault.ending, signal }))
  return response
}

/** Returns the request as the upstream receives it (rules: traffic#headers). */
function toSent(request: VisitorRequest, { url, isReplay }: UpstreamPlace, { ip }: Call): VisitorRequest {
  const sent = request.to(new URL(url).origin + targetOf(request.url))
  const { headers, withheld } = sent
  if (isReplay) return sent
  removeHopByHop(headers)
  if (!withheld.has('x-forwarded-for')) headers.extend('x-forwarded-for', ip)
  if (!withheld.has('x-forwarded-proto'))
    headers.extend('x-forwarded-proto', request.url.startsWith('https:') ? 'https' : 'http')
  const host = headers.get('host')
  const isSet = headers.get('x-forwarded-host') !== undefined || withheld.has('x-forwarded-host')
  if (!isSet && host !== undefined) headers.setBytes('x-forwarded-host', host)
  return sent
}

function toUpstreamRequest(sent: VisitorRequest, signal: AbortSignal | undefined): Request {
  const { method, body, headers } = sent
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== null
  const init = hasBody ? { body: toFetchBody(body), duplex: 'half' } : {}
  // A record is faster than pairs.
  return new Request(sent.url, { method, headers: headers.toRecord(), ...init, ...(signal && { signal }) })
}

/** Runs a test function. Returns undefined if it takes too long on the gateway's clock. A late response is discarded. */
async function withTimeout(
  run: () => UpstreamResponse | Promise<UpstreamResponse>,
  { host, signal }: Pick<Call, 'host' | 'signal'>,
): Promise<UpstreamResponse | undefined> {
  const running = run()
  if (!(running instanceof Promise)) return running
  const end = new AbortController()
  // Without a reason, each abort creates an error.
  const stop = () => end.abort('answered')
  signal?.addEventListener('abort', stop)
  const waiting = host.waitUntil(host.now + TIMEOUT, end.signal).catch(() => signal?.throwIfAborted())
  try {
    const received = await Promise.race([running, waiting.then(() => undefined)])
    if (!received) running.then((late) => late.discard()).catch(() => {})
    return received
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

/** Returns the text at a URL that the test serves as an upstream. @throws TypeError if no upstream responds in time */
export async function readUpstream(url: string, { host, signal }: Pick<Call, 'host' | 'signal'>): Promise<string> {
  const upstream = host.upstreams.take([url])
  if (!upstream) throw new TypeError(`no upstream serves ${url}. ${adviseUpstream(host.upstreams)}`)
  const call = () => callHandler(upstream.responder, VisitorRequest.from(url, {}), { signal })
  const response = await withTimeout(call, { host, signal })
  if (!response) throw new TypeError(`the upstream at ${url} did not respond in time`)
  return new TextDecoder().decode(await response.content())
}
