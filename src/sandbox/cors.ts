import { CONTROL_PATH } from '../control/address.ts'
import { createPreflightResponse, isPreflight } from '../gateway/http/cors.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { dialects } from '../service/resources/dialects.ts'
import type { Address } from './address.ts'
import { readOrigins, type SandboxEnvironment } from './environment.ts'

const METHODS = new Map(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, undefined]))
const EXPOSED_HEADERS = [
  ...Object.values(dialects).map(({ operationIdHeader }) => operationIdHeader),
  'Retry-After',
].join(', ')

/**
 * Returns the headers that let pages from other origins read a response (rules: sandboxes#pages-of-other-sites). Origins in `ALLOW_ORIGINS`
 * can read everything; others can read only API responses, without credentials.
 */
export function corsHeaders(
  request: Pick<HttpRequest, 'header'>,
  address: Address,
  env: SandboxEnvironment,
): Readonly<Record<string, string>> {
  const origin = request.header('origin')
  if (origin === null) return {}
  const isAllowed = readOrigins(env).includes(origin)
  if (!isAllowed && !isApiAddress(address)) return {}
  const whose = isAllowed
    ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true', Vary: 'Origin' }
    : { 'Access-Control-Allow-Origin': '*' }
  return { ...whose, 'Access-Control-Expose-Headers': EXPOSED_HEADERS }
}

function isApiAddress({ name, path }: Address): boolean {
  return name !== undefined && !path.startsWith(CONTROL_PATH)
}

/** Returns the response to a preflight, the same for all sandboxes, or undefined for any other request. */
export function preflightResponse(
  request: HttpRequest,
  cors: Readonly<Record<string, string>>,
): HttpResponse | undefined {
  if (!isPreflight(request)) return undefined
  const isAllowed = cors['Access-Control-Allow-Origin'] !== undefined
  const { headers } = createPreflightResponse(request, { methods: METHODS })
  return { status: 204, headers: { ...cors, ...(isAllowed && headers) }, body: null }
}
