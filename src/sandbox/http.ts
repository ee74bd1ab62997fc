import { createSecret } from '../core/engine/random.ts'
import { MAX_BODY_BYTES, type RequestBody } from '../core/schema/body.ts'
import { createErrorFacts, type ErrorFacts } from '../core/schema/error-facts.ts'
import { problem, Refusal } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { printError } from '../core/schema/print.ts'
import { createBrokenConnection } from '../core/schema/truncated-stream.ts'
import { GatewayError } from '../gateway/gateway-error.ts'
import { createErrorResponse as createErrorBody } from '../gateway/http/error-response.ts'
import { decodeBody, readRequest, toResponse as toPlatformResponse } from '../gateway/http/fetch.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { standard } from '../service/resources/dialects.ts'
import { errors } from './errors.ts'
import type { Grant } from './key-list.ts'
import { type Keys, type SentKeys, withKeys } from './keys.ts'

/** Returns the response that `work` produces. Converts an error to an error response. */
export async function respond(work: () => HttpResponse | Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await work()
  } catch (error) {
    return refusalResponse(error)
  }
}

/** Returns the response for an error, or for an object that the platform cannot reach. Rethrows any other error. */
export function refusalResponse(error: unknown): HttpResponse {
  if (error instanceof GatewayError) return createErrorResponse(error)
  if (error instanceof Refusal) return createErrorResponse(createErrorFacts(error, standard))
  // Set on the platform's own errors: the object's process has ended or is overloaded.
  const { retryable, overloaded }: { readonly retryable?: unknown; readonly overloaded?: unknown } = Object(error)
  if (retryable !== true && overloaded !== true) throw error
  return retryAfter(1, refusalResponse(new Refusal([problem(errors.object_unreachable, {})])))
}

/** Returns the response for any error. An unexpected error is only printed, because its message may contain secrets. */
export function failureResponse(error: unknown): HttpResponse {
  try {
    return refusalResponse(error)
  } catch {
    printError(error)
    return refusalResponse(new Refusal([problem(general.internal_failure, {})], { cause: error }))
  }
}

/** Returns the message of an error response. */
export function getMessage({ body }: HttpResponse): string {
  return JSON.parse(body ?? '{}').msg
}

function createErrorResponse(error: Omit<ErrorFacts, 'key'>): HttpResponse {
  const operationId = `op_${createSecret().slice(0, 27)}`
  const response = createErrorBody(error, operationId)
  return { ...response, headers: { ...response.headers, [standard.operationIdHeader]: operationId } }
}

export function retryAfter(seconds: number, response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, 'Retry-After': String(seconds) } }
}

/** Returns a response as the platform's object. A Worker cannot break a connection before the headers, so a fault breaks it after them. */
export function toWorkerResponse(response: HttpResponse): Response {
  const { status, headers, delivery } = response
  if (!delivery?.drop) return toPlatformResponse(response)
  const broken = new ReadableStream({ start: (stream) => stream.error(createBrokenConnection('terminated')) })
  return new Response(broken, { status, headers })
}

/** Returns a request without its body for the gateway of a sandbox. Allowed keys are replaced with the gateway's own keys. */
export function createHead(
  request: Request,
  url: string,
  sent: SentKeys,
  { api, control }: Grant,
  keys: Keys,
): HttpRequest {
  const { method, headers } = request
  const permitted = { api: api ? keys.api_key : sent.api, control: control ? keys.control_key : sent.control }
  // The Worker adds the CORS headers.
  const header = withKeys((name) => (name === 'origin' ? null : headers.get(name)), permitted)
  // The inspector has no API key.
  const isInspector = !headers.has('authorization') && headers.has('fauxgate-inspector')
  return { method, url, header, body: '', isInspector }
}

/** The maximum size, in bytes, of a body that contains a whole state. Durable Objects have little memory. */
export const MAX_STATE_BYTES = 20 * MAX_BODY_BYTES

/** Reads the body of a request. Reads the whole body at once if its length is known, because a stream takes longer. */
export async function readWholeBody(request: Request, limit: number): Promise<RequestBody> {
  const length = Number(request.headers.get('content-length'))
  if (!(length > 0 && length <= limit)) return (await readRequest(request, () => limit)).body
  try {
    const bytes = new Uint8Array(await request.arrayBuffer())
    return decodeBody([bytes], bytes.byteLength)
  } catch {
    return { unread: 'body_unreadable' }
  }
}

/**
 * Reads and discards the body of a request that was rejected without reading its body, up to the size of a whole state. If a server
 * responds and closes the connection while its client is still sending, the client sees a network error instead of the response.
 */
export async function discardBody({ body }: Request): Promise<void> {
  if (!body || body.locked) return
  const reader = body.getReader()
  try {
    let size = 0
    for (let part = await reader.read(); !part.done && size <= MAX_STATE_BYTES; part = await reader.read()) {
      size += part.value.byteLength
    }
    await reader.cancel()
  } catch {
    // The client has left.
  }
}
