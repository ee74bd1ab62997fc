import { errorsOf } from '../../src/contract/operation-errors.ts'
import type { Gateway, GatewayError } from '../../src/index.ts'
import { tableOf } from '../../src/table.ts'

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON, or undefined where there is no body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
  readonly body: any
}

/** What a request carries besides method and path; a plain object or array is sent as JSON. */
export interface Sending {
  readonly json?: unknown
  readonly raw?: BodyInit
  /** Further headers; null takes a standard one away. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export type Client = (method: string, path: string, sending?: Sending) => Promise<Answer>

/** Sends HTTP requests through `gateway.fetch` with the headers that every request must have. */
export function client(gateway: Gateway): Client {
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
    const answer = await read(await gateway.fetch(/^https?:/.test(path) ? path : gateway.url + path, init))
    if (answer.body?.error_code !== undefined) requireDeclared(gateway, answer)
    return answer
  }
}

/** Every error that an operation answers with is one that it declares, so that documents can say which there are. */
function requireDeclared(gateway: Gateway, { body }: Answer): void {
  const entry = gateway.requests.last()
  const operation = tableOf().api.operations.find(({ name }) => name === entry?.operation)
  if (!operation || !entry || entry.fault !== null || entry.response === undefined) return
  const number = Number(String(body?.error_code).replace(gateway.dialect.errorPrefix, ''))
  const declared = errorsOf(operation).map((error) => error.number)
  if (!declared.includes(number))
    throw new Error(`${operation.name} answered ${body?.error_code}, which it does not declare.`)
}

/** Reads a response to its end. */
export async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

/** An answer in one line: its status and, of an error, its code, such as `409 ERR_GATEWAY_413`. */
export function outcome({ status, body }: Answer): string {
  return body?.error_code === undefined ? String(status) : `${status} ${body.error_code}`
}

/** The error that a call of the direct API throws, or the failure that it throws none. */
export function thrownBy(call: () => unknown): GatewayError {
  try {
    call()
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('The call threw nothing.')
}

/** The key of the catalogue that a call of the direct API is refused with, or `ok`. */
export function refusalOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return (error as GatewayError).key ?? String(error)
  }
  return 'ok'
}
