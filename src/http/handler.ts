import type { Dialect } from '../contract/dialect.ts'
import { Refusal, refuse } from '../contract/errors.ts'
import { GatewayError } from '../contract/gateway-error.ts'
import { namedParameters } from '../contract/list-query.ts'
import type { Operation } from '../contract/operation.ts'
import { quote } from '../contract/quote.ts'
import type { Engine } from '../engine/engine.ts'
import { authenticate, checkVersion } from './authenticate.ts'
import { jsonBody } from './body.ts'
import type { ControlHandler } from './control-handler.ts'
import { corsHeaders, isPreflight, preflightAnswer } from './cors.ts'
import { type HttpRequest, type HttpResponse, jsonAnswer, NO_CONTENT } from './messages.ts'
import { operationFor, type Router } from './router.ts'
import { queryParameters, splitUrl } from './url.ts'

/** What the HTTP handler of a gateway is made of. */
export interface HandlerOptions {
  readonly engine: Engine
  readonly router: Router<Operation>
  readonly control: ControlHandler
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
function answer(options: HandlerOptions, request: HttpRequest): HttpResponse {
  const { engine, router, control, dialect, keys, emptyJsonOnDelete } = options
  const { path, query } = splitUrl(request.url, engine.url)
  const controlled = control(request, path, query)
  if (controlled) return controlled
  const route = router(path) ?? refuse('path_not_found', { method: request.method, path: quote(path) })
  if (isPreflight(request)) return preflightAnswer(request, route)
  const operation = operationFor(route, request.method, path)
  authenticate(request, keys)
  checkVersion(request, dialect)
  const body = jsonBody(request)
  const parameters = parametersFor(operation, query, dialect)
  const result = engine.execute(operation, route.ids, operation.query ? parameters : body)
  if (operation.status === 204) return emptyJsonOnDelete ? jsonAnswer(200, {}) : NO_CONTENT
  return jsonAnswer(operation.status, result)
}

/** The wire's form of an error (decisions, "Wire": Error body). The only place that renders one. */
function errorAnswer(error: GatewayError, operation_id: string): HttpResponse {
  const { code, status, message, details, headers } = error
  const body = { error_code: code, status_code: status, msg: message, details: { operation_id, ...details } }
  return jsonAnswer(status, body, headers)
}

/** The parameters of a query; of an operation without one, only that there are none. */
function parametersFor(operation: Operation, query: string, dialect: Dialect): Record<string, string> {
  const parameters = queryParameters(query)
  if (!operation.query) namedParameters(parameters, [], dialect)
  return parameters
}
