import type { Dialect } from '../contract/dialect.ts'
import { Refusal, refuse } from '../contract/errors.ts'
import { GatewayError } from '../contract/gateway-error.ts'
import { namedParameters } from '../contract/list-query.ts'
import type { Operation } from '../contract/operation.ts'
import { quote } from '../contract/quote.ts'
import type { Engine } from '../engine/engine.ts'
import { authenticate, checkVersion } from './authenticate.ts'
import { jsonBody } from './body.ts'
import { corsHeaders, isPreflight, preflightAnswer } from './cors.ts'
import type { HttpRequest, HttpResponse } from './messages.ts'
import { operationFor, type Router } from './router.ts'

/** What the HTTP handler of a gateway is made of. */
export interface HandlerOptions {
  readonly engine: Engine
  readonly router: Router
  readonly dialect: Dialect
  readonly keys: readonly string[] | undefined
  readonly emptyJsonOnDelete: boolean
}

/** Answers one request at once: no timers, no host I/O, nothing to wait for. */
export type Handler = (request: HttpRequest) => HttpResponse

/** Makes the HTTP handler of a gateway: request to operation to response. */
export function handlerOf(options: HandlerOptions): Handler {
  const { engine, dialect } = options
  return (request) => {
    const operationId = engine.nextOperationId()
    const answer = answerOrError(options, request, operationId)
    const headers = { [dialect.operationIdHeader]: operationId, ...answer.headers, ...corsHeaders(request, dialect) }
    return { ...answer, headers, body: request.method === 'HEAD' ? null : answer.body }
  }
}

function answerOrError(options: HandlerOptions, request: HttpRequest, operationId: string): HttpResponse {
  try {
    return answer(options, request)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return errorAnswer(new GatewayError(error, options.dialect), operationId)
  }
}

/** The checks in their order (decisions, "Requests"); the first failure answers. */
function answer(
  { engine, router, dialect, keys, emptyJsonOnDelete }: HandlerOptions,
  request: HttpRequest,
): HttpResponse {
  const { path, query } = split(request.url, engine.url)
  const route = router(path) ?? refuse('path_not_found', { method: request.method, path: quote(path) })
  if (isPreflight(request)) return preflightAnswer(request, route)
  const operation = operationFor(route, request.method, path)
  authenticate(request, keys)
  checkVersion(request, dialect)
  const body = jsonBody(request)
  const parameters = queryParameters(query, operation, dialect)
  const result = engine.execute(operation, route.ids, operation.query ? parameters : body)
  if (operation.status === 204) return emptyJsonOnDelete ? json(200, {}) : { status: 204, headers: {}, body: null }
  return json(operation.status, result)
}

function json(status: number, value: unknown): HttpResponse {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(value) }
}

const JSON_HEADERS = { 'Content-Type': 'application/json' } as const

/** The wire's form of an error (decisions, "Wire": Error body). The only place that renders one. */
function errorAnswer(error: GatewayError, operation_id: string): HttpResponse {
  const { code, status, message, details, headers } = error
  const body = { error_code: code, status_code: status, msg: message, details: { operation_id, ...details } }
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) }
}

/** Splits a URL into its path below the base URL and its query. */
function split(url: string, base: string): { path: string; query: string } {
  const start = pathStart(url)
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?', start)
  const pathEnd = mark === -1 || mark > end ? end : mark
  const path = url.slice(start, pathEnd) || '/'
  const prefix = base.slice(pathStart(base))
  const isBelow = prefix !== '' && path.startsWith(`${prefix}/`)
  return { path: isBelow ? path.slice(prefix.length) : path, query: url.slice(pathEnd + 1, end) }
}

/** Where the path of a URL starts: behind the authority of an absolute one. */
function pathStart(url: string): number {
  const scheme = url.indexOf('://')
  if (url.startsWith('/') || scheme === -1) return 0
  const slash = url.indexOf('/', scheme + 3)
  const mark = url.slice(scheme + 3).search(/[?#]/)
  if (mark !== -1 && (slash === -1 || scheme + 3 + mark < slash)) return scheme + 3 + mark
  return slash === -1 ? url.length : slash
}

/** The parameters of a query; of an operation without one, only that there are none. */
function queryParameters(query: string, operation: Operation, dialect: Dialect): Record<string, string> {
  const parameters: Record<string, string> = {}
  if (query === '') return parameters
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(parameters, name)) refuse('query_repeated', { received: quote(name) })
    Object.defineProperty(parameters, name, { value, enumerable: true })
  }
  if (!operation.query) namedParameters(parameters, [], dialect)
  return parameters
}
