import { CONTROL_KEY_HEADER, CONTROL_PATH } from '../control/control.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { decodeBody, readRequest } from '../http/fetch.ts'
import { type HttpRequest, type HttpResponse, largestBody } from '../http/messages.ts'
import type { RequestBody } from '../schema/body.ts'
import { errors } from './errors.ts'
import type { Gate } from './gate.ts'
import type { KeyDigests } from './keys.ts'
import { EVENTS_PATH, isSocket, offeredKey } from './listeners.ts'

/** The header by which the inspector marks what it asks for itself. */
const INSPECTOR_HEADER = 'fauxgate-inspector'

const CONTROL_KEY = CONTROL_KEY_HEADER.toLowerCase()

/** A request as a sandbox's gateway takes it, before its body was read. */
export function headOf({ method, headers }: Request, url: string, gate: Gate, digests: KeyDigests): HttpRequest {
  const header = url === EVENTS_PATH ? withOfferedKey(headers) : (name: string) => headers.get(name)
  // The inspector has no API key.
  const isInspector = !headers.has('authorization') && headers.has(INSPECTOR_HEADER)
  return { method, url, header: gate.headers(header, digests), body: '', isInspector }
}

/** The body of a request that has one. One whose length is known is read at once: a stream takes longer than the answer. */
export async function bodyOf(request: Request): Promise<RequestBody> {
  const length = Number(request.headers.get('content-length'))
  if (!(length > 0 && length <= largestBody(request.method, request.url))) return (await readRequest(request)).body
  try {
    const bytes = new Uint8Array(await request.arrayBuffer())
    return decodeBody([bytes], bytes.byteLength)
  } catch {
    return { unread: 'body_unreadable' }
  }
}

/** Headers with the key that a WebSocket was offered with, since a browser can send it no other way. */
function withOfferedKey(headers: Headers): (name: string) => string | null {
  const header = (name: string) => headers.get(name)
  const key = isSocket(header) ? offeredKey(header('sec-websocket-protocol')) : null
  return (name) => (key !== null && name === CONTROL_KEY ? key : header(name))
}

/** What the controls answer to whoever may not use them; undefined for who may. */
export function refusalOf(gateway: Gateway, request: HttpRequest): HttpResponse | undefined {
  const answer = gateway.exchange({ ...request, method: 'GET', url: `${CONTROL_PATH}/clock`, body: '' })
  return answer.status === 200 ? undefined : answer
}

/** The answer to one request too many. */
export function busy(gateway: Gateway, most: number, wait: number): HttpResponse {
  const answer = gateway.refused(errors.sandbox_busy, { most, wait })
  return { ...answer, headers: { ...answer.headers, 'Retry-After': String(wait) } }
}
