import { type ErrorFacts, factsOf } from '../contract/error-facts.ts'
import { Refusal } from '../contract/errors.ts'
import type { RuleContext } from '../contract/reading.ts'
import { freshSecret } from '../engine/random.ts'
import { GatewayError } from '../gateway/gateway-error.ts'
import { type HttpResponse, jsonAnswer } from '../http/messages.ts'
import { standard } from '../resources/dialects.ts'

/** What bodies of the account's calls are read with. They belong to no gateway. */
export const ACCOUNT_CONTEXT: RuleContext = { dialect: standard, rules: {}, catalogue: new Map() }

/** The answer of a call of the account; a refusal is answered as an error, in the shape that all errors have. */
export async function answered(work: () => HttpResponse | Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await work()
  } catch (error) {
    return refusalAnswer(error)
  }
}

/** The answer that a refusal is. What is none is thrown again. */
export function refusalAnswer(error: unknown): HttpResponse {
  if (error instanceof Refusal) return errorAnswer(factsOf(error, standard))
  if (error instanceof GatewayError) return errorAnswer(error)
  throw error
}

function errorAnswer({ code, status, message, details, headers }: Omit<ErrorFacts, 'key'>): HttpResponse {
  const operation_id = `op_${freshSecret().slice(0, 27)}`
  const body = { error_code: code, status_code: status, msg: message, details: { operation_id, ...details } }
  return jsonAnswer(status, body, { ...headers, [standard.operationIdHeader]: operation_id })
}

/** An answer as the platform has it. A connection that a fault breaks ends after its headers: a Worker cannot end it before. */
export function toResponse({ status, headers, body, delivery }: HttpResponse): Response {
  return new Response(delivery?.drop ? broken() : body, { status, headers })
}

function broken(): ReadableStream {
  return new ReadableStream({ start: (stream) => stream.error(new Error('A fault broke the connection.')) })
}
