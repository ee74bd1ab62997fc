export interface ServerResponse {
  readonly status: number
  /** The JSON of the body, its text if it is not JSON, or null if there is no body. */
  readonly body: unknown
  /** True if the gateway may have sent the body: it is JSON, plain text, or absent with the status 204. */
  readonly isReadable: boolean
}

/** An error response: one sentence, and another for each field that it names. */
export class ResponseError extends Error {
  readonly status: number
  readonly fields: Readonly<Record<string, string>>

  constructor({ status, body }: Pick<ServerResponse, 'status' | 'body'>) {
    // Only the gateway's errors have these members. A proxy's errors, for example, do not.
    const { msg, details = {} } = (body ?? {}) as { msg?: string; details?: Record<string, string> }
    super(msg ?? `The response was ${status}.`)
    this.status = status
    const named = Object.entries(details).filter(([name]) => name.startsWith('field:'))
    this.fields = Object.fromEntries(named.map(([name, text]) => [name.slice('field:'.length), text]))
  }
}

/** Sends a request whose body is JSON, and returns the JSON of the response. Throws {@link ResponseError}. */
export async function requestJson<T>(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<T> {
  const content = body !== undefined && { body: JSON.stringify(body) }
  const all = content ? { ...headers, 'Content-Type': 'application/json' } : headers
  const response = await send(url, { method, headers: all, ...content })
  if (response.status >= 400) throw new ResponseError(response)
  if (!response.isReadable) throw new Error('The response is not JSON. Is a proxy responding instead of the gateway?')
  return response.body as T // The caller knows the type of the body.
}

async function send(url: string, init: RequestInit): Promise<ServerResponse> {
  const response = await fetch(url, init).catch((error) => {
    throw new Error(`The gateway could not be reached: ${error.message}`)
  })
  return readResponse(response)
}

async function readResponse(response: Response): Promise<ServerResponse> {
  const { status, headers } = response
  const text = await response.text()
  if (text === '') return { status, body: null, isReadable: status === 204 }
  try {
    return { status, body: JSON.parse(text), isReadable: true }
  } catch {
    return { status, body: text, isReadable: /^text\/plain/.test(headers.get('content-type') ?? '') }
  }
}

/** Decodes part of a link. A part that a person typed may not be encoded. Such a part is returned unchanged. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const KEY = 'fauxgate-control-key'

/** Takes the control key from a link such as `…/_fauxgate/#key=…`, and removes it from the address. Returns whether there was one. */
export function takeKeyFromLink(): boolean {
  const [, key] = /^#key=(.+)$/.exec(location.hash) ?? []
  if (key === undefined) return false
  sessionStorage.setItem(KEY, decodePart(key))
  history.replaceState(null, '', '#now')
  return true
}

interface ServerEvent {
  readonly event: string
  /** Parses the data. Called only if the data is needed, because commits contain a lot of data. */
  readonly data: () => unknown
}

export class Connection {
  /** The path of the gateway's base URL, without a trailing slash. */
  readonly base = location.pathname.replace(/\/_fauxgate\/.*$/, '')

  set key(key: string) {
    sessionStorage.setItem(KEY, key)
  }

  get hasKey(): boolean {
    return sessionStorage.getItem(KEY) !== null
  }

  get #headers(): Record<string, string> {
    // A header cannot carry other characters. The server then rejects the key, and the page asks for the key again.
    const key = sessionStorage.getItem(KEY)?.replace(/[^\x20-\xff]/g, '?')
    return { 'Fauxgate-Inspector': '1', ...(key && { 'Fauxgate-Control-Key': key }) }
  }

  control<T>(method: string, path: string, body?: unknown): Promise<T> {
    return requestJson(method, `${this.base}/_fauxgate${path}`, this.#headers, body)
  }

  /** Calls the service without an entry in the journal. Throws {@link ResponseError}. */
  service<T>(method: string, path: string, body?: unknown): Promise<T> {
    return requestJson(method, this.base + path, this.#headers, body)
  }

  /** Sends a request like any other client, with an entry in the journal. */
  async send(method: string, path: string, headers: Record<string, string>, body: string): Promise<ServerResponse> {
    const hasBody = method !== 'GET' && method !== 'HEAD'
    return send(this.base + path, { method, headers, ...(hasBody && { body }) })
  }

  /**
   * Yields the server's events until the connection ends or the page is hidden. Throws {@link ResponseError}.
   *
   * A server responds to `GET …/_fauxgate/events` with a stream of server-sent events, or with 204 (No Content). In the latter case, the
   * page opens a WebSocket at the same address. Each of its messages is one event in the same form.
   */
  async *events(): AsyncGenerator<ServerEvent> {
    const address = `${location.origin}${this.base}/_fauxgate/events`
    const response = await fetch(address, { headers: this.#headers })
    const isSocket = response.status === 204
    if (!isSocket && !response.ok) throw new ResponseError(await readResponse(response))
    // A response that is ok has a body, of bytes.
    const bytes = response.body as ReadableStream<Uint8Array<ArrayBuffer>>
    const texts = isSocket
      ? openWebSocket(address, sessionStorage.getItem(KEY))
      : bytes.pipeThrough(new TextDecoderStream())
    const reader = texts.getReader()
    // A browser opens at most six connections to a host. Pages that nobody sees leave them to others.
    addEventListener('visibilitychange', () => reader.cancel(), { once: true })
    if (document.hidden) await reader.cancel()
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (text + part.value).split('\n\n')
      text = events.pop() ?? ''
      for (const each of events) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(each) ?? []
        if (event && data) yield { event, data: () => JSON.parse(data) }
      }
    }
  }
}

/** The interval, in ms, of the messages `:` that keep a WebSocket open. */
const HEARTBEAT_MS = 30_000

/** Returns the messages of a WebSocket. A WebSocket cannot carry headers, so a subprotocol carries the control key. */
function openWebSocket(address: string, key: string | null): ReadableStream<string> {
  const protocols = key === null ? [] : [`fauxgate-key.${encodeURIComponent(key)}`]
  const socket = new WebSocket(address.replace(/^http/, 'ws'), ['fauxgate', ...protocols])
  const heartbeat = setInterval(() => socket.send(':'), HEARTBEAT_MS)
  return new ReadableStream({
    start(stream) {
      socket.onmessage = ({ data }) => stream.enqueue(`${data}\n\n`)
      socket.onclose = () => {
        clearInterval(heartbeat)
        stream.close()
      }
    },
    cancel() {
      socket.onclose = () => clearInterval(heartbeat)
      socket.close()
    },
  })
}
