import type { CommonDialect } from '../../core/schema/dialect.ts'
import type { HttpRequest, HttpResponse } from './messages.ts'
import { listAllowedMethods } from './router.ts'

const PREFLIGHT_AGE_SECONDS = 600

/** Returns whether a request is a preflight, in which a browser asks whether it may send the actual request. */
export function isPreflight(request: HttpRequest): boolean {
  return request.method === 'OPTIONS' && request.header('access-control-request-method') !== null
}

/** Creates the response to a preflight of a known path (rules: answers#cors). */
export function createPreflightResponse(
  request: HttpRequest,
  route: { methods: ReadonlyMap<string, unknown> },
): HttpResponse {
  const requested = request.header('access-control-request-headers')
  const headers = {
    'Access-Control-Allow-Methods': listAllowedMethods(route.methods),
    ...(requested && { 'Access-Control-Allow-Headers': requested }),
    'Access-Control-Max-Age': String(PREFLIGHT_AGE_SECONDS),
  }
  return { status: 204, headers, body: null }
}

/** Creates the CORS headers of a response to a page from an origin (rules: answers#cors). */
export function createCorsHeaders(origin: string, dialect: CommonDialect): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': dialect.operationIdHeader,
    Vary: 'Origin',
  }
}
