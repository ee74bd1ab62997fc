import type { CallableFamilies as Families } from '../../src/gateway/direct/direct-api.ts'
import type { Gateway, GatewayError } from '../../src/index.ts'
import { findDifferences, type SentRequest } from './documented.ts'

/** A response whose body was read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON; undefined if there is no body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it has requested
  readonly body: any
}

/** The parts of a request besides method and path. `json` is sent as JSON. */
export interface RequestParts {
  readonly json?: unknown
  readonly raw?: BodyInit
  /** Additional headers; null removes a standard one. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export type Client = (method: string, path: string, sending?: RequestParts) => Promise<Answer>

/**
 * Creates a client of `gateway.fetch` that adds the required headers. It throws if a response differs from the OpenAPI document
 * of the gateway and the passed families.
 */
export function client(gateway: Gateway, families?: Families): Client {
  const send = uncheckedClient(gateway)
  return async (method, path, sending = {}) => {
    const answer = await send(method, path, sending)
    const { json } = sending
    const sentJson = json === undefined ? undefined : JSON.parse(JSON.stringify(json))
    requireDocumented(gateway, { method, url: toUrl(gateway, path), json: sentJson }, answer, families)
    return answer
  }
}

/** Creates a client that does not compare responses with the OpenAPI document. */
export function uncheckedClient(gateway: Gateway): Client {
  return async (method, path, { json, raw, headers = {} } = {}) => {
    const sent = new Headers({ authorization: 'Bearer key', [gateway.dialect.versionHeader]: '2' })
    const init: RequestInit & { duplex?: 'half' } = { method, headers: sent }
    if (json !== undefined) {
      sent.set('content-type', 'application/json')
      init.body = JSON.stringify(json)
    } else if (raw !== undefined) {
      init.body = raw
      if (raw instanceof ReadableStream) init.duplex = 'half'
    }
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) sent.delete(name)
      else sent.set(name, value)
    }
    return readResponse(await gateway.fetch(toUrl(gateway, path), init))
  }
}

const toUrl = (gateway: Gateway, path: string) => (/^https?:/.test(path) ? path : gateway.url + path)

/** Throws unless the OpenAPI document allows the request, and the response's status, headers, body and error. */
function requireDocumented(gateway: Gateway, request: SentRequest, answer: Answer, families?: Families): void {
  const problems = findDifferences(gateway, request, answer, families)
  if (problems.length === 0) return
  const what = `${request.method} ${request.url} answers ${answer.status}, not as documented`
  throw new Error(`${what}: ${problems.join('; ')}\n${answer.text.slice(0, 1000)}`)
}

/** A function that calls the control API. */
export type Control = (method: string, path: string, json?: unknown) => Promise<Answer>

/** Creates a client of the control API under a base URL. It sends no key. */
export function createControlClient(fetch: Gateway['fetch'], base: string): Control {
  return async (method, path, json) => {
    const sent =
      json === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
    return readResponse(await fetch(`${base}/_fauxgate${path}`, { method, ...sent }))
  }
}

/** Creates a client of the control API of a gateway in this process. */
export function controlClient(gateway: Gateway): Control {
  return createControlClient(gateway.fetch, 'http://localhost')
}

/** Reads a response to its end. */
export async function readResponse(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

/** Returns the status of a response and, of an error, its code, such as `409 ERR_GATEWAY_413`. */
export function outcome({ status, body }: Answer): string {
  return body?.error_code === undefined ? String(status) : `${status} ${body.error_code}`
}

/** Returns the error that a call of the direct API throws, if any. */
export function catchError(call: () => unknown): GatewayError | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    return error as GatewayError
  }
}

/** Returns the error that a call of the direct API throws. Throws if there is none. */
export function expectError(call: () => unknown): GatewayError {
  const error = catchError(call)
  if (!error) throw new Error('The call threw nothing.')
  return error
}

/** Returns the catalogue key of the error that a call of the direct API throws, or `ok`. */
export function refusalKey(call: () => unknown): string {
  const error = catchError(call)
  return error ? (error.key ?? String(error)) : 'ok'
}
