import type { CommonDialect } from '../core/schema/dialect.ts'
import type { Ending, OwnResponse } from '../service/policy/visit.ts'
import { UpstreamResponse } from './message.ts'
import { MessageHeaders } from './message-headers.ts'

/** The errors that visitors can receive, by error number: the status and the message. The numbers are the service's. */
const ERRORS: Readonly<Record<number, readonly [status: number, sentence: string]>> = {
  3004: [502, 'The upstream did not send a valid HTTP response.'],
  3005: [504, 'The upstream did not respond in time.'],
  3003: [421, 'The client sent no TLS server name, which is needed to find the endpoint.'],
  3006: [502, 'The upstream rejected the connection.'],
  3007: [500, 'The gateway failed.'],
  3009: [502, 'The upstream failed before it responded.'],
  3010: [502, 'The upstream responded with an invalid status.'],
  3105: [403, 'You are not allowed to use this site.'],
  3200: [404, 'No endpoint is online at this URL.'],
  3202: [503, 'The circuit breaker is open.'],
  3203: [403, 'An IP policy rejects the address.'],
  3204: [403, 'The webhook could not be verified.'],
  3205: [403, 'An IP restriction rejects the address.'],
  3208: [403, 'The account that owns this URL is suspended.'],
  3401: [401, 'The request has no valid token.'],
  3501: [502, 'The request was forwarded through too many endpoints.'],
  3601: [502, "The policy's request failed: response size exceeded."],
  3602: [504, "The policy's request timed out."],
  3603: [508, "The policy's request caused a loop."],
  3604: [500, 'Responses with this status have no body.'],
  3700: [403, 'The web application firewall rejects the request.'],
  3701: [500, 'The web application firewall failed.'],
  3702: [403, 'The web application firewall rejects the response.'],
  3900: [500, 'A policy expression failed.'],
  3901: [500, 'A policy expression returned an invalid pattern.'],
  3903: [502, 'The body could not be read.'],
  3904: [502, 'The body could not be changed.'],
  5312: [403, 'None of your groups is allowed to use this site.'],
  6030: [502, 'Several endpoints are online at this URL, and not all of them are pooled.'],
  8012: [502, 'The agent cannot connect to its upstream.'],
}

/** Returns the response for the end of a visit. @throws EvaluationProblem for a header that cannot be sent */
export function toUpstreamResponse(end: Exclude<Ending, 'close'>, dialect: CommonDialect): UpstreamResponse {
  if (end instanceof UpstreamResponse) return end
  return toOwnResponse(end as OwnResponse, dialect) // Every upstream response is an `UpstreamResponse`.
}

/** The errors with which an endpoint's policy rejects a request. */
const REFUSALS = /^(3105|320[2-5]|34\d\d|370[02]|5312)$/

/**
 * Returns whether a visit to an endpoint ended with an error from the gateway rather than from the endpoint's policy (rules:
 * traffic#responses).
 */
export function isGatewayFailure(end: Ending): boolean {
  return end !== 'close' && 'error' in end && end.error !== undefined && !REFUSALS.test(String(end.error))
}

/** Returns the message of an error, by its number. */
export function sentenceOf(error: number): string {
  return ERRORS[error]?.[1] ?? 'A policy rule failed.'
}

/** Returns whether response rules run on the response that a rule caused (rules: traffic#responses). */
export function hasResponsePhase(end: Ending): boolean {
  return end !== 'close' && 'hasResponsePhase' in end
}

/** Throws an error if the response of an action has a header that cannot be sent. @throws EvaluationProblem */
export function requireSendable(end: Ending | undefined): void {
  if (end === undefined || end === 'close' || end instanceof UpstreamResponse) return
  const { headers = {} } = end as OwnResponse // Every upstream response is an `UpstreamResponse`.
  MessageHeaders.ofTexts(headers)
}

/** Creates a response from the gateway itself. The body of an error is its code and message as text (rules: traffic#errors). */
function toOwnResponse(own: OwnResponse, dialect: CommonDialect): UpstreamResponse {
  const headers = MessageHeaders.ofTexts(own.headers ?? {})
  if (own.error === undefined) return new UpstreamResponse(own.status, headers, toBody(own.body))
  const code = `${dialect.errorPrefix}${own.error}`
  const [status] = ERRORS[own.error] ?? [own.status]
  headers.set(dialect.errorCodeHeader, code)
  headers.set('content-type', 'text/plain; charset=utf-8')
  return new UpstreamResponse(
    own.status === 0 ? status : own.status,
    headers,
    toBody(`${code}\n${own.body ?? sentenceOf(own.error)}\n`),
  )
}

/** Creates an error response by its number. */
export function errorResponse(error: number, body?: string): OwnResponse {
  return { status: 0, error, ...(body !== undefined && { body }) }
}

function toBody(text: string | undefined): Uint8Array | null {
  return text === undefined ? null : new TextEncoder().encode(text)
}
