import type { Engine } from '../../core/engine/engine.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { createErrorFacts, type ErrorFacts } from '../../core/schema/error-facts.ts'
import { type CatalogueError, problem, Refusal } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { mapValues } from '../../core/schema/values.ts'
import { createJsonResponse, type HttpResponse } from './messages.ts'

/** Creates the response for an error (rules: errors#body). No other code formats errors as JSON. */
export function createErrorResponse(error: Omit<ErrorFacts, 'key'>, operation_id: string): HttpResponse {
  const { code, status, message, details, headers } = error
  const body = { error_code: code, status_code: status, msg: message, details: { operation_id, ...details } }
  return createJsonResponse(status, body, headers)
}

/** Returns a string for an error's `msg`. It differs for each request (rules: errors#varied). */
export function createVariedText(operationId: string): string {
  return `Programs must not read this text, because it varies (errorText: 'varied'). Read error_code instead. ${operationId}`
}

/** Creates the response for an error without the usual fields. The journal still shows the message. */
export function createVariedResponse(facts: Omit<ErrorFacts, 'key'>, operationId: string): HttpResponse {
  const message = createVariedText(operationId)
  const details = mapValues(facts.details, (text, name) => (name.startsWith('field:') ? message : text))
  return { ...createErrorResponse({ ...facts, message, details }, operationId), problem: facts.message }
}

const UNKNOWN_PATHS: readonly string[] = [general.path_not_found.key, general.method_not_allowed.key]

/** Returns the response to an unknown path or method, for dialects whose service does not send details (rules: dialects#unknown-paths). */
export function createBareResponse(
  { key, message }: ErrorFacts,
  path: string,
  dialect: CommonDialect,
): HttpResponse | undefined {
  if (dialect.unknownPaths !== 'bare' || !UNKNOWN_PATHS.includes(key)) return undefined
  const response = createJsonResponse(404, { status_code: 404, msg: 'Not Found', details: { path } })
  return { ...response, problem: message }
}

/** A function that creates the response to bytes that aren't a valid request: the usual error, with an operation ID. */
export type Refused = <Values extends object>(
  // The shape of a `CatalogueError`, so a gateway's types don't need the catalogue's types.
  error: {
    readonly key: string
    readonly number: number
    readonly status: number
    readonly message: (values: Values) => string
  },
  values: NoInfer<Values>,
) => HttpResponse

interface RefusedOptions {
  readonly engine: Engine
  readonly dialect: CommonDialect
}

/** Creates the function that a transport uses to reject bytes that are not a request. */
export function createRefused({ engine, dialect }: RefusedOptions): Refused {
  return (error, values) => {
    const operationId = engine.state.nextOperationId()
    const response = createErrorResponse(createErrorFacts(createRefusal(engine, error, values), dialect), operationId)
    return { ...response, headers: { [dialect.operationIdHeader]: operationId, ...response.headers } }
  }
}

/** Creates the response for an error, or for the store's error if the store could not reserve the ID. */
function createRefusal<Values extends object>(
  engine: Engine,
  error: CatalogueError<string, Values>,
  values: Values,
): Refusal {
  try {
    engine.reserveOperationIds()
    return new Refusal([problem(error, values)])
  } catch (failure) {
    if (failure instanceof Refusal) return failure
    throw failure
  }
}
