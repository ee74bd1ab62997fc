import { refuse } from '../core/schema/errors.ts'
import { endpoints } from '../service/ngrok/endpoint-records.ts'
import { createExpressions } from '../service/policy/cel/expression.ts'
import { EvaluationProblem, MissingFact } from '../service/policy/cel/values.ts'
import type { Ending } from '../service/policy/visit.ts'
import { domains } from '../service/resources/reserved-domains/records.ts'
import type { BodyParts, Inform } from './body.ts'
import { toUpstreamResponse } from './errors.ts'
import { createFilterMatcher } from './event-filter.ts'
import { noSecrets, type Target, type VisitorExchange } from './exchange.ts'
import { GatewayVisit } from './gateway-visit.ts'
import { readFacts } from './given-facts.ts'
import { keepBody } from './kept-body.ts'
import { type UpstreamResponse, VisitorRequest } from './message.ts'
import type { MessageHeaders } from './message-headers.ts'
import { describeProblem, NotSimulated } from './policy-run.ts'
import { Reader } from './reader.ts'
import { refusals } from './refusals.ts'
import { findEndpoints } from './route.ts'
import { TlsFailure } from './tls-failure.ts'
import type { TrafficHost } from './traffic-host.ts'
import { callUpstream, type UpstreamPlace } from './upstream-call.ts'
import type { VisitContext } from './visit-context.ts'
import { VisitMeter } from './visit-meter.ts'
import { DEFAULT_IP, type TrafficInit, type Visitor } from './visitor.ts'

/** A request that a server received for an endpoint. */
export interface ServedRequest {
  readonly method: string
  /** The URL that the visitor requests, with its path and query. */
  readonly url: string
  readonly headers: MessageHeaders
  readonly body: BodyParts | null
  /** The address of the visitor. */
  readonly ip: string
  /** The visitor's client certificate with its chain, as PEM, or undefined if there is none. */
  readonly certificate?: string | undefined
  /** The facts about the connection's TLS, by variable path. */
  readonly tls?: Arrival['tls'] | undefined
  /** Receives informational responses from the upstream. */
  readonly inform: Inform
  /** Aborts when the visitor disconnects. */
  readonly signal: AbortSignal
}

/** A visitor request, and how it arrived. */
interface Arrival {
  readonly request: VisitorRequest
  readonly from: Visitor
  readonly target: Target
  readonly signal: AbortSignal | undefined
  /** True if a server received it. */
  readonly isServed?: true
  readonly tls?: readonly (readonly [path: string, fact: unknown])[] | undefined
  readonly onRecorded?: ((number: number) => void) | undefined
}

/** The gateway, as visitors see it. */
export class GatewayTraffic {
  #reader: Reader | undefined
  readonly #compiled
  readonly #matches = createFilterMatcher()

  constructor(readonly host: TrafficHost) {
    this.#compiled = { expressions: createExpressions(host.onDecided), keys: new Map(), policies: new WeakMap() }
  }

  /** Returns whether a URL belongs to a public endpoint, or to a reserved domain without one. */
  takes(url: string): boolean {
    if (!URL.canParse(url)) return false
    const parsed = new URL(url)
    const reader = this.#read()
    const isReserved = reader.find(domains, 'domain', parsed.hostname) !== undefined
    return isReserved || findEndpoints(reader, parsed, 'public').length > 0
  }

  /**
   * Returns the origin that a visitor to a local port wants to reach: the host without `.localhost`, with the first of these schemes that
   * has an endpoint. A single label, as in `app.localhost`, means the oldest endpoint whose host begins with that label.
   */
  locate(host: string, schemes: readonly string[]): string {
    const reader = this.#read()
    const name = host.toLowerCase().replace(/\.localhost$/, '')
    const origins = schemes.map((scheme) => `${scheme}://${name}`)
    const found = origins.find((origin) => findEndpoints(reader, new URL(origin), 'public').length > 0)
    if (found !== undefined || name.includes('.')) return found ?? String(origins[0])
    const labelled = origins.flatMap((origin) => reader.findAll(endpoints, 'label', origin).slice(0, 1))
    const [oldest] = labelled.sort((a, b) => (a.id < b.id ? -1 : 1))
    return oldest?.url ?? String(origins[0])
  }

  /** Sends a request through the gateway as a visitor would. `onRecorded` receives its number in the traffic journal. */
  async fetch(
    input: string | URL | Request,
    { from = {}, edge, route, backend, ...init }: TrafficInit,
    onRecorded?: (number: number) => void,
  ): Promise<Response> {
    const signal = init.signal ?? (input instanceof Request ? input.signal : undefined)
    signal?.throwIfAborted()
    const request = VisitorRequest.from(input, init)
    const target = { edge, route, backend }
    const visited = await this.#visit({ request, from, target, signal, onRecorded })
    // A `fetch` can't switch to another protocol.
    visited.switched?.end()
    return visited.toResponse(request.method)
  }

  /** Sends a request that a server received through the gateway. Its messages are not converted to `fetch` requests and responses. */
  async serve({
    method,
    url,
    headers,
    body,
    ip,
    certificate,
    tls,
    signal,
    inform,
  }: ServedRequest): Promise<UpstreamResponse> {
    const request = new VisitorRequest(method, url, headers, body, inform)
    const from = { ip, ...(certificate !== undefined && { certificate }) }
    return this.#visit({ request, from, target: {}, signal, tls, isServed: true })
  }

  async #visit(arrival: Arrival): Promise<UpstreamResponse> {
    try {
      const response = await this.#pass(arrival)
      if (response) return response
    } catch (error) {
      if (error instanceof TlsFailure) throw new TypeError('fetch failed', { cause: error })
      if (error instanceof MissingFact) refuse(refusals.traffic_fact_missing, { path: error.path })
      if (error instanceof NotSimulated) refuse(refusals.traffic_not_simulated, { action: error.action })
      throw error
    }
    const cause = Object.assign(new Error('The gateway closed the connection.'), { code: 'ECONNRESET' })
    throw new TypeError('fetch failed', { cause })
  }

  /**
   * Sends a request from an agent to its upstream again, bypassing endpoints and policies. Resolves when the response has passed through.
   */
  async replay(request: VisitorRequest, place: UpstreamPlace, ip: string): Promise<void> {
    const end = new AbortController()
    const call = { host: this.host, trace: [], secrets: noSecrets(), signal: end.signal, ip }
    try {
      const ending = await callUpstream(request, { ...place, isReplay: true }, call)
      if (ending !== 'close') await toUpstreamResponse(ending, this.host.dialect).drain()
    } finally {
      // Ends a connection that has switched protocols, because there is no visitor to join it to.
      end.abort('replayed')
    }
  }

  /** Returns the response, or undefined if the connection was closed. */
  async #pass(arrival: Arrival): Promise<UpstreamResponse | undefined> {
    const { request, from: visitor, target, signal, isServed = false, tls = [], onRecorded } = arrival
    const { host } = this
    const trace: VisitContext['trace'] = []
    const context: VisitContext = {
      host,
      visitor,
      isServed,
      signal,
      trace,
      sentUrl: request.url,
      secrets: noSecrets(),
      reader: this.#read(),
      facts: tls.length === 0 ? readFacts(visitor) : new Map([...tls, ...readFacts(visitor)]),
      closing: {},
      startedAt: host.now,
      meter: host.awaitsEnds ? new VisitMeter(request, isServed, signal) : undefined,
    }
    const visit = new GatewayVisit(context, this.#compiled)
    const { method, url } = request
    const headers = request.headers.toPairs()
    const body = keepBody(request)
    let response: UpstreamResponse | undefined
    let exchange: VisitorExchange | undefined
    let failure: number | null = null
    try {
      const end = await visit.run(request, target).catch((error) => endOf(error, trace))
      if (end !== 'close') response = toUpstreamResponse(end, host.dialect)
      else if (context.closing.cause) throw context.closing.cause
    } catch (error) {
      const did = describeStop(error)
      if (did !== undefined) trace.push({ step: 'policy', did, isEnd: true })
      // A port responds with this status (rules: traffic#ports); a call in the same process rejects.
      if (did !== undefined && isServed) failure = 501
      throw error
    } finally {
      exchange = {
        at: context.startedAt,
        method,
        url,
        ip: visitor.ip ?? DEFAULT_IP,
        headers,
        endpoint: visit.endpoint,
        upstream: visit.upstream,
        trace,
        secrets: context.secrets,
        from: visitor,
        facts: context.facts,
        target,
        body,
        status: response?.status ?? failure,
        responseHeaders: response?.headers.toPairs() ?? [],
        error: response?.headers.get(host.dialect.errorCodeHeader) ?? null,
      }
      const number = host.record(exchange)
      onRecorded?.(number)
    }
    await context.meter?.finish(response, method, (sizes) => host.ended(exchange, sizes, this.#matches))
    return response
  }

  /** Returns the reader of the current records, which `reset` and `restore` replace. */
  #read(): Reader {
    const { records } = this.host
    if (this.#reader?.records !== records) this.#reader = new Reader(records)
    return this.#reader
  }
}

/** Returns the result of a request whose modules or backend can't be applied. Throws any other error. */
function endOf(error: unknown, trace: VisitContext['trace']): Ending {
  if (!(error instanceof EvaluationProblem)) throw error
  const { ends, ...deed } = describeProblem(error)
  trace.push({ step: 'module', ...deed, isEnd: true })
  return ends
}

/** Returns why a policy stopped early, or undefined for any other error. */
function describeStop(error: unknown): string | undefined {
  if (error instanceof MissingFact) return `needs the fact ${error.path}, which the visitor lacks. See from.facts`
  if (error instanceof NotSimulated) return `needs the result of the action ${error.action}. See from.actions`
  return undefined
}
