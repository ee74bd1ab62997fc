import * as v from 'valibot'
import { bodyReader, requireJsonObject } from '../../core/schema/body.ts'
import { Refusal } from '../../core/schema/errors.ts'
import { oneOfThese } from '../../core/schema/options.ts'
import { platform } from '../../core/schema/platform.ts'
import { anyObject } from '../../core/schema/schema.ts'
import { cut } from '../../core/schema/text.ts'
import { isJson } from '../../core/schema/values.ts'
import type { ControlHost } from '../control.ts'
import { type Call, findIn, type Handler, listOf, NO_CONTENT, ok } from './call.ts'
import { NAME_BY_DEFAULT, readDefinition, type TunnelDefinition } from './definition.ts'
import { errors } from './errors.ts'
import { withAgentFault } from './faulted.ts'
import { runStart } from './refused-starts.ts'
import { deleteRequests, getRequest, listRequests, replay } from './request-calls.ts'
import type { AgentTunnel } from './resources.ts'
import {
  AgentFailure,
  type AgentResponse,
  createInvalid,
  createNotFound,
  createUnknownPath,
  notStarted,
  type Started,
  withAgentErrors,
} from './response.ts'
import { type EndpointStart, readPlace, toStarts, toUpstream } from './starts.ts'
import type { AgentRequest } from './state.ts'
import { status, statusPage } from './status.ts'
import { Agent } from './tunnels.ts'
import { viewEndpoint, viewEndpointDetail, viewTunnel } from './views.ts'

/** Starts the tunnels of a definition, and returns the first one. */
export function startTunnel(host: ControlHost, definition: TunnelDefinition): AgentTunnel {
  const starts = toStarts(definition)
  return viewTunnel(
    runStart(host, definition.name, (agent) => agent.start(starts)),
    host.agent.captured,
  )
}

export function restartAgent(host: ControlHost, hasNewUrls: boolean): void {
  Agent.transact(host, (agent) => agent.restart(hasNewUrls))
  host.agent.captured.empty()
}

const listTunnels: Handler = ({ host }) => {
  const shown = listOf(host).filter(({ hasUrl }) => hasUrl)
  return ok({ tunnels: shown.map((each) => viewTunnel(each, host.agent.captured)), uri: '/api/tunnels' })
}

const postTunnel: Handler = ({ host, readJson }) => {
  const definition = withAgentErrors(() => readDefinition(readJson(), host.engine.context))
  const starts = withAgentErrors(() => toStarts(definition))
  const open = respondToStart(host, definition.name, (agent) => agent.start(starts))
  return { status: 201, body: viewTunnel(open, host.agent.captured) }
}

const getTunnel: Handler = ({ host, name, path }) => {
  const open = findIn(host, name)
  return open ? ok(viewTunnel(open, host.agent.captured)) : createNotFound(path)
}

const stop: Handler = ({ host, name, path }) =>
  Agent.transact(host, (agent) => agent.stop(name)) ? NO_CONTENT : createNotFound(path)

const listEndpoints: Handler = ({ host }) => {
  const shown = listOf(host).filter(({ hasUrl }) => hasUrl)
  return ok({ endpoints: shown.flatMap((each) => viewEndpoint(each) ?? []) })
}

const getEndpoint: Handler = ({ host, name, path }) => {
  const open = findIn(host, name)
  const body = open && viewEndpointDetail(open, host.agent.captured)
  return body ? ok(body) : createNotFound(path)
}

const text = v.exactOptional(v.string())
const endpointBody = v.object({
  name: text,
  uri: text,
  url: text,
  upstream: v.object({
    url: v.union([v.string(), v.number()], 'a port, an address, or a URL'),
    // The API's page lists https; the config file's page lists http1 and http2.
    protocol: v.exactOptional(oneOfThese(['http', 'http1', 'http2', 'https', 'tcp', 'tls'])),
    proxy_protocol: v.exactOptional(v.unknown()),
  }),
  inspect: v.exactOptional(v.boolean()),
  traffic_policy: v.exactOptional(v.union([v.string(), anyObject<object>()], 'a string or an object')),
  pooling_enabled: v.exactOptional(v.boolean()),
  description: text,
  metadata: text,
  bindings: v.exactOptional(v.array(v.picklist(['public', 'internal', 'kubernetes']))),
  metrics: v.exactOptional(v.unknown()),
  agent_tls_termination: v.exactOptional(v.unknown()),
})
const readEndpoint = bodyReader(endpointBody)

function toEndpointStart({ host, readJson, name: inPath }: Call): EndpointStart {
  return withAgentErrors(() => {
    const sent = readEndpoint(readJson(), {}, host.engine.context)
    const { name, url, upstream, bindings, traffic_policy, ...others } = sent
    const { uri: _uri, metrics: _metrics, agent_tls_termination: _tls, ...rest } = others
    const place = readPlace(url)
    const transport = place.scheme === 'tcp' || place.scheme === 'tls' ? place.scheme : 'http'
    return {
      ...rest,
      ...place,
      name: inPath || name || NAME_BY_DEFAULT,
      forwards_to: toUpstream(upstream.url, transport, 'upstream.url'),
      ...(upstream.protocol !== undefined && { upstream_protocol: upstream.protocol }),
      ...(bindings?.[0] !== undefined && { binding: bindings[0] }),
      ...(traffic_policy !== undefined && {
        traffic_policy: typeof traffic_policy === 'string' ? traffic_policy : JSON.stringify(traffic_policy),
      }),
    }
  }, 'endpoint')
}

const postEndpoint: Handler = (call) => {
  const start = toEndpointStart(call)
  const open = respondToStart(call.host, start.name, (agent) => agent.start([start]), 'endpoint')
  return { status: 201, body: viewEndpointDetail(open, call.host.agent.captured) ?? {} }
}

const putEndpoint: Handler = (call) => {
  const start = toEndpointStart(call)
  // In one transaction: if the service rejects the new endpoint, the old one stays.
  const { wasOpen, open } = respondToStart(
    call.host,
    start.name,
    (agent) => {
      const before = agent.find(start.name)?.endpoint
      const wasOpen = agent.stop(start.name)
      return { wasOpen, open: agent.start([start.scheme ? start : { ...start, urlBefore: before?.url }]) }
    },
    'endpoint',
  )
  return { status: wasOpen ? 200 : 201, body: viewEndpointDetail(open, call.host.agent.captured) ?? {} }
}

/** Runs a start. A service error is converted to the agent's error, and nothing is changed. */
function respondToStart<T>(host: ControlHost, name: string, work: (agent: Agent) => T, what: Started = 'tunnel'): T {
  try {
    return runStart(host, name, work)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const isTaken = error.problems[0].error.key === errors.agent_tunnel_taken.key
    throw new AgentFailure(
      isTaken ? createInvalid(error.message.replace('tunnel', what), what) : notStarted(error, host.dialect, what),
    )
  }
}

const root: Handler = () =>
  ok({
    uri: '/api',
    tunnels_uri: '/api/tunnels',
    endpoints_uri: '/api/endpoints',
    requests_uri: '/api/requests/http',
    status_uri: '/api/status',
  })

/** The handlers, by path and method. `*` represents a name or an ID. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/api': { GET: root },
  '/api/status': { GET: status },
  '/status': { GET: statusPage },
  '/api/tunnels': { GET: listTunnels, POST: postTunnel },
  '/api/tunnels/*': { GET: getTunnel, DELETE: stop },
  '/api/endpoints': { GET: listEndpoints, POST: postEndpoint },
  '/api/endpoints/*': { GET: getEndpoint, PUT: putEndpoint, DELETE: stop },
  '/api/requests/http': { GET: listRequests, POST: replay, DELETE: deleteRequests },
  '/api/requests/http/*': { GET: getRequest },
}

/** The maximum length of a response in a report. */
const MAX_SHOWN = 300

/** Responds to a request to the agent's API, after applying the fault that matches it, if any. */
export async function respondTo(host: ControlHost, request: Request, asked: AgentRequest): Promise<Response> {
  const response = await withAgentFault(host, request, asked, () => respondUsually(host, request, asked))
  asked.outcome = `${response.status}`
  return response
}

async function respondUsually(host: ControlHost, request: Request, asked: AgentRequest): Promise<Response> {
  const { status, body, page = body && `${JSON.stringify(body)}\n` } = await respond(host, request)
  // Other responses may contain visitors' requests and policies.
  if (page && (status >= 400 || asked.path.startsWith('/api/tunnels'))) asked.response = cut(page.trim(), MAX_SHOWN)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (status < 300 && !isRead) host.controlLog.addAgentRequest()
  const headers = page === undefined ? {} : { 'Content-Type': body ? 'application/json' : 'text/html; charset=utf-8' }
  return new (platform('Response'))(request.method === 'HEAD' ? null : (page ?? null), { status, headers })
}

async function respond(host: ControlHost, request: Request): Promise<AgentResponse> {
  const { pathname, searchParams: query } = new URL(request.url)
  const path = pathname.replace(/(.)\/$/, '$1')
  const [, parent = '', last = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? []
  const exact = ROUTES[path]
  const methods = exact ?? ROUTES[`${parent}/*`]
  const name = exact ? '' : decode(last)
  if (!methods || name === undefined) return createUnknownPath(404, path)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(methods, method) && methods[method]
  if (!handler) return createUnknownPath(405, path)
  const sent = await request.text()
  try {
    return await handler({ host, path, query, name, readJson: () => requireJsonObject(parse(sent, path)) })
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error
    const { invalid: why, response } = error
    if (why !== undefined && STARTS.test(path))
      host.agent.addRefused(name || readName(sent), { why, credential: undefined })
    return response
  }
}

/** Matches the paths to which programs send what the agent starts. */
const STARTS = /^\/api\/(?:tunnels|endpoints)/

function readName(sent: string): string {
  const { name } = isJson(sent) ? Object(JSON.parse(sent)) : {}
  return typeof name === 'string' ? name : NAME_BY_DEFAULT
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const what = path.startsWith('/api/endpoints') ? 'endpoint' : 'tunnel'
    throw new AgentFailure(createInvalid(String(error), what), `The body is not JSON. ${error}`)
  }
}

/** Returns undefined for a malformed percent-encoded string. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
