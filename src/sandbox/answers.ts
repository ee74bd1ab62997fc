import { freshSecret } from '../engine/random.ts'
import { GatewayError } from '../gateway/gateway-error.ts'
import { type HttpResponse, jsonAnswer } from '../http/messages.ts'
import { standard } from '../resources/dialects.ts'
import { type ErrorFacts, factsOf } from '../schema/error-facts.ts'
import { problem, Refusal } from '../schema/errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import { errors } from './errors.ts'

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

/** The answer that a refusal is, or that the platform could not reach an object. What is neither is thrown again. */
export function refusalAnswer(error: unknown): HttpResponse {
  if (error instanceof GatewayError) return errorAnswer(error)
  const refusal = isUnreachable(error) ? new Refusal([problem(errors.object_unreachable, {})]) : error
  if (!(refusal instanceof Refusal)) throw error
  const answer = errorAnswer(factsOf(refusal, standard))
  return refusal === error ? answer : { ...answer, headers: { ...answer.headers, 'Retry-After': '1' } }
}

/** Whether the platform says of an error that it has no object to ask just now: its process has ended, or has too much to do. */
function isUnreachable(error: unknown): boolean {
  // The platform's own errors have these.
  const { retryable, overloaded } = error as { readonly retryable?: boolean; readonly overloaded?: boolean }
  return retryable === true || overloaded === true
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
