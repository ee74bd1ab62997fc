import { quote } from '../core/schema/text.ts'
import { isSuspended } from '../service/ngrok/agent-start-errors.ts'
import type { EndpointRecord } from '../service/ngrok/endpoint-records.ts'
import { restrictions } from '../service/ngrok/ip-restrictions.ts'
import { DECISIONS, type Decision } from '../service/policy/decisions.ts'
import {
  type ActionOutcome,
  type ClientTls,
  type Ending,
  type IncomingResponse,
  type OutgoingRequest,
  SendFailure,
} from '../service/policy/visit.ts'
import { findTunnel } from './agent-calls.ts'
import { chooseTarget, describeNoTarget } from './backends.ts'
import { presentCertificate } from './certificate.ts'
import { checkClientTls } from './client-tls.ts'
import { type CompiledPolicy, compileOnce } from './compile.ts'
import { EndpointVisit } from './endpoint-visit.ts'
import { errorResponse, hasResponsePhase, isGatewayFailure, toUpstreamResponse } from './errors.ts'
import { streamEvents } from './event-stream.ts'
import type { Target } from './exchange.ts'
import { listTexts } from './field-value.ts'
import { findInterstitial } from './interstitial.ts'
import { UpstreamResponse, VisitorRequest } from './message.ts'
import { MessageHeaders } from './message-headers.ts'
import { runRequestModules, runResponseModules, runRestriction, runTlsModules } from './modules.ts'
import { noteErrorPhase, noteSkippedPhase, runPhase } from './policy-run.ts'
import { BodyProblem } from './read-body.ts'
import { type Binding, describeMissing, findEndpoints, findRoute } from './route.ts'
import { portOf, splitTarget, targetOf } from './target.ts'
import type { TracedStep } from './trace.ts'
import { callUpstream, readUpstream, type UpstreamPlace } from './upstream-call.ts'
import type { Compiled, VisitContext, WholeVisit } from './visit-context.ts'
import { DEFAULT_IP } from './visitor.ts'

/** The maximum number of endpoints that can forward a request, and the maximum nesting of requests sent by policies. */
const MAX_FORWARDS = 5
const MAX_SENDS = 3

/** The maximum size in bytes of a response body for `http-request`, as documented by the service. */
const MAX_SENT_BYTES = 256 * 1024

/** The path of the challenges that prove control of a domain to a certificate authority. The gateway itself responds there. */
const ACME_PATH = '/.well-known/acme-challenge'

function failForward(error: number, did: string, more: Partial<ActionOutcome>): ActionOutcome {
  return { did, ends: errorResponse(error), isRefusal: true, ...more }
}

/** A visit: one visitor request and its path through the gateway's endpoints, edges, and backends. */
export class GatewayVisit implements WholeVisit {
  /** The first endpoint, edge, or route that received the request, or null if none did. */
  endpoint: string | null = null
  /** The URL of the upstream, or the ID of the backend, that received the request, or null if none did. */
  upstream: string | null = null

  constructor(
    readonly context: VisitContext,
    readonly compiled: Compiled,
    readonly forwards = 0,
    readonly sends = 0,
  ) {}

  /** Runs the visit until it ends. */
  async run(request: VisitorRequest, { edge, route, backend }: Target): Promise<Ending> {
    if (edge !== undefined) return runTlsModules(this, edge) ?? this.#runEdge(edge, route, request, backend)
    if (backend !== undefined) return this.#sendToBackend(backend, request)
    return this.#runUrl(request, 'public')
  }

  #step(step: TracedStep['step'], did: string, ending?: Ending, decision?: Decision): void {
    this.context.trace.push({ step, did, ...(ending && { isEnd: true }), ...(decision && { decision }) })
  }

  async #runUrl(request: VisitorRequest, binding: Binding): Promise<Ending> {
    const url = new URL(request.url)
    const { path } = splitTarget(request.url)
    const end = (ending: Ending, did: string) => {
      this.#step('endpoint', did, ending, DECISIONS.noEndpoint)
      return ending
    }
    const found = findEndpoints(this.context.reader, url, binding)
    const [first] = found
    if (first && this.context.host.transact(isSuspended)) return end(errorResponse(3208), 'the account is suspended')
    if (!first) return end(errorResponse(3200), describeMissing(this.context.reader, url, binding))
    if (found.length > 1 && !found.every(({ pooling_enabled }) => pooling_enabled))
      return end(
        errorResponse(6030),
        `${found.length} endpoints are online at ${first.url}, but not all of them are pooled`,
      )
    const drawn = found.length > 1 ? this.context.host.transact((tx) => tx.randomInteger(found.length)) : 0
    const endpoint = found[drawn] ?? first
    this.endpoint ??= endpoint.id
    this.#step('endpoint', `${endpoint.id} at ${endpoint.url} handled the request`)
    if (url.protocol === 'https:' && binding === 'public') presentCertificate(this.context, endpoint, url.hostname)
    const rejected = endpoint.edge_id !== null && url.protocol === 'https:' && runTlsModules(this, endpoint.edge_id)
    if (rejected) return rejected
    if (path.startsWith(ACME_PATH) && endpoint.domain_id !== null) return { status: 404 }
    const visit = new EndpointVisit(request, endpoint, this)
    const check = async () => (binding === 'public' ? this.#checkAccount(visit) : undefined)
    if (endpoint.edge_id !== null) {
      const refusal = await check()
      if (refusal) return refusal
      const route = findRoute(this.context.reader, endpoint.edge_id, path)
      if (!route) return end(errorResponse(3200), `no route of the edge ${endpoint.edge_id} matches ${path}`)
      return this.#runEdge(endpoint.edge_id, route.id, request, undefined)
    }
    return this.#runEndpoint(endpoint, visit, check)
  }

  /** Applies the account's requirements for visitors to its endpoints. If a requirement rejects the visit, returns how the visit ends. */
  async #checkAccount(visit: EndpointVisit): Promise<Ending | undefined> {
    const restriction = this.context.reader.find(restrictions, 'type', 'endpoints')
    const refusal = restriction && (await runRestriction(visit, restriction))
    if (refusal) return refusal
    const page = findInterstitial(this.context.host, visit.request)
    if (page) this.#step('endpoint', "the browser got the free plan's interstitial page", page)
    return page
  }

  async #runEndpoint(
    endpoint: EndpointRecord,
    visit: EndpointVisit,
    check: () => Promise<Ending | undefined>,
  ): Promise<Ending> {
    const protocol = endpoint.url.startsWith('https:') ? 'https' : 'http'
    const place = endpoint.binding === 'internal' ? { place: 'internal' as const } : {}
    const policy = compileOnce(endpoint, endpoint.traffic_policy, { protocol, ...place }, this.compiled)
    const sendOn = async () => {
      const { upstream_url, url, upstream_protocol } = endpoint
      if (endpoint.type === 'cloud') {
        this.#step('endpoint', `the policy of ${endpoint.id} ended without a response`, 'close')
        return errorResponse(3200)
      }
      const base = upstream_url === null || !URL.canParse(upstream_url) ? url : upstream_url
      const protocol = upstream_protocol ?? undefined
      return this.#call(visit.request, {
        keys: [url, base],
        url: base,
        isAgent: true,
        protocol,
        tunnel: findTunnel(this.context.reader, endpoint),
      })
    }
    return this.#runPolicy(visit, policy, sendOn, check)
  }

  /** Runs the phases of a policy around the function that forwards the request. The account check follows the connection phase. */
  async #runPolicy(
    visit: EndpointVisit,
    policy: CompiledPolicy | undefined,
    sendOn: () => Promise<Ending>,
    check?: () => Promise<Ending | undefined>,
  ): Promise<Ending> {
    let reached: number | undefined
    try {
      if (policy?.readsLength) await visit.request.measure()
      const end =
        (policy && (await runPhase(policy, 'on_tcp_connect', visit))) ??
        (await check?.()) ??
        (policy && (await runPhase(policy, 'on_http_request', visit)))
      const isOwn = end !== undefined && !(end instanceof UpstreamResponse)
      if (isOwn && !hasResponsePhase(end)) {
        noteSkippedPhase(policy, end, this.context.trace)
        // A circuit breaker counts a request that was forwarded but didn't reach the upstream.
        if (this.upstream !== null) reached = 502
        return end
      }
      const ending = end ?? (await sendOn())
      if (ending === 'close') return ending
      if (!isOwn) reached = ending.status || 502
      const response = toUpstreamResponse(ending, this.context.host.dialect)
      if (!policy) return response
      visit.response = response
      if (isGatewayFailure(ending)) noteErrorPhase(policy, this.context.trace)
      try {
        if (policy.readsLength) await response.measure()
        const changed = await runPhase(policy, 'on_http_response', visit)
        if (!changed) return streamEvents(response, policy, visit)
        response.discard()
        return changed
      } catch (error) {
        response.discard()
        throw error
      }
    } finally {
      visit.settleBreakers(reached)
    }
  }

  async #runEdge(
    edge: string,
    route: string | undefined,
    request: VisitorRequest,
    backend: string | undefined,
  ): Promise<Ending> {
    const key = route === undefined ? edge : `${edge}/${route}`
    this.endpoint ??= route ?? edge
    const { reader } = this.context
    const visit = new EndpointVisit(
      request,
      { id: route ?? edge, url: new URL(request.url).origin, edge_id: edge },
      this,
    )
    const end = await runRequestModules(visit, (name) => reader.module(name, key))
    if (end) {
      visit.settleBreakers(undefined)
      return end
    }
    const compile = (owner: object, text: unknown, place: 'edge' | 'module') =>
      compileOnce(owner, text, { protocol: 'https', place }, this.compiled)
    const older = reader.module('traffic_policy', key)
    const newer = reader.module('route_traffic_policy', key)
    const policy =
      (newer && compile(reader.moduleRecord('route_traffic_policy', key), newer.value, 'edge')) ??
      (older && compile(reader.moduleRecord('traffic_policy', key), older, 'module'))
    const target = backend ?? reader.module('route_backend', key)?.backend_id
    const ending = await this.#runPolicy(visit, policy, () => this.#sendToBackend(target, request))
    if (ending === 'close') return ending
    const response = toUpstreamResponse(ending, this.context.host.dialect)
    visit.response = response
    await runResponseModules(visit, (name) => reader.module(name, key))
    return response
  }

  async #sendToBackend(id: unknown, request: VisitorRequest): Promise<Ending> {
    const { host, reader } = this.context
    const fail = (did: string) => {
      this.#step('backend', did, 'close')
      return errorResponse(3200)
    }
    if (typeof id !== 'string') return fail('the route has no enabled backend')
    const target = host.transact((tx) => chooseTarget(tx, reader, id))
    if (!target) return fail(describeNoTarget(reader, id))
    this.#step('backend', target.id === id ? `${id} handled the request` : `${id} chose ${target.id}`)
    if (target.kind === 'response') {
      const { status_code: status, headers, body } = target.response
      return { status, headers, body }
    }
    const { url = request.url, kind, isStarted } = target
    return this.#call(request, {
      keys: [target.id, ...(target.url === undefined ? [] : [url])],
      url,
      isAgent: kind === 'agent',
      isStarted,
    })
  }

  async #call(request: VisitorRequest, place: UpstreamPlace): Promise<Ending> {
    const { host, trace, signal, secrets, visitor } = this.context
    this.upstream = place.keys[0] ?? null
    return callUpstream(request, place, { host, trace, signal, secrets, ip: visitor.ip ?? DEFAULT_IP })
  }

  async forward(url: string, request: VisitorRequest): Promise<ActionOutcome> {
    if (!URL.canParse(url))
      return failForward(3900, `got ${quote(url)}, which is not a URL`, { decision: DECISIONS.noUrl })
    const target = new URL(url)
    const sets = { url: `${target.protocol}//${target.hostname}:${portOf(url)}` }
    if (this.forwards >= MAX_FORWARDS)
      return failForward(3501, `would forward the request through more than ${MAX_FORWARDS} endpoints`, { sets })
    if (findEndpoints(this.context.reader, target, 'internal').length === 0) {
      const hint = target.hostname.endsWith('.internal') ? '' : ', and only hosts under .internal are internal'
      return failForward(3200, `found no internal endpoint at ${target.origin}${hint}`, { sets })
    }
    const visit = new GatewayVisit(this.context, this.compiled, this.forwards + 1, this.sends)
    const ends = await visit.#runUrl(request.to(target.origin + targetOf(request.url)), 'internal')
    this.upstream = visit.upstream
    const did = `forwarded to ${target.origin}`
    const isPassedOn = true
    if (isGatewayFailure(ends)) return { did, sets, ends, isRefusal: true, isPassedOn }
    return { did, isPassedOn, ends: ends === 'close' ? ends : toUpstreamResponse(ends, this.context.host.dialect) }
  }

  async send({ method, url, headers, body }: OutgoingRequest, until: number): Promise<IncomingResponse> {
    const { host, signal } = this.context
    if (this.sends >= MAX_SENDS) throw new SendFailure(3603, 'the policy requests form a loop')
    if (findEndpoints(this.context.reader, new URL(url), 'internal').length === 0)
      throw new SendFailure(3200, `no internal endpoint is online at ${new URL(url).origin}`)
    const fields = MessageHeaders.ofTexts({ host: new URL(url).host, ...headers })
    const request = new VisitorRequest(method, url, fields, body === undefined ? null : new TextEncoder().encode(body))
    // The time limit ends the request and everything that it started.
    const end = new AbortController()
    const context = { ...this.context, signal: end.signal }
    const visit = new GatewayVisit(context, this.compiled, this.forwards, this.sends + 1)
    const stop = () => end.abort('ended')
    signal?.addEventListener('abort', stop)
    const waiting = host.waitUntil(until, end.signal).catch(() => signal?.throwIfAborted())
    try {
      const received = await Promise.race([visit.#receive(request), waiting.then(() => undefined)])
      if (received === undefined) throw new SendFailure(3602, 'it timed out')
      return received
    } finally {
      signal?.removeEventListener('abort', stop)
      stop()
    }
  }

  async #receive(request: VisitorRequest): Promise<IncomingResponse> {
    const ends = await this.#runUrl(request, 'internal')
    if (ends === 'close') throw new SendFailure(undefined, 'the connection closed')
    const response = toUpstreamResponse(ends, this.context.host.dialect)
    const body = await response.content(MAX_SENT_BYTES).catch((error) => {
      if (!(error instanceof BodyProblem)) throw error
      response.discard()
      throw new SendFailure(error.failure === 'tooLong' ? 3601 : undefined, error.message)
    })
    return { status: response.status, headers: listTexts(response.headers), body: new TextDecoder().decode(body) }
  }

  checkTls(required: ClientTls): ActionOutcome {
    if (this.forwards + this.sends > 0)
      return { did: 'skipped the TLS check between endpoints of the gateway', isIdle: true }
    return checkClientTls(this.context, required)
  }

  readUrl = (url: string): Promise<string> => readUpstream(url, this.context)
}
