import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { CONTROL_PATH } from '../control/address.ts'
import type { HttpRequest, HttpResponse } from '../gateway/http/messages.ts'
import { createPageHeaders, PAGE_SCRIPTS, SCRIPT_HEADERS } from '../gateway/http/page-headers.ts'
import { splitUrl } from '../gateway/http/url.ts'
import { createControlEvent, findControlRefusal } from '../gateway/inspected.ts'
import type { Gateway } from '../gateway/types.ts'
import { EVENT_HEADERS, Events } from './events.ts'

/** The header that marks the inspector's own requests. */
export const INSPECTOR_HEADER = 'fauxgate-inspector'

const PAGE = `${CONTROL_PATH}/`
const EVENTS = `${CONTROL_PATH}/events`
/** The paths of the page and of its scripts, with the names of their documents. */
const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  [PAGE, 'inspector'],
  ...PAGE_SCRIPTS.map((name) => [`${PAGE}${name}.js`, name] as const),
])

export class Inspector {
  readonly #gateway: Gateway
  readonly #events: Events

  /** Creates the inspector of a gateway. `name` distinguishes it from other gateways. */
  constructor(gateway: Gateway, name: string | null) {
    this.#gateway = gateway
    this.#events = new Events(gateway, name)
  }

  isFor({ method, url }: HttpRequest): boolean {
    return url.includes(CONTROL_PATH) && (method === 'GET' || method === 'HEAD') && this.#takes(this.#path(url))
  }

  #takes(path: string): boolean {
    return path === CONTROL_PATH || path === EVENTS || DOCUMENTS.has(path)
  }

  async respond(request: IncomingMessage, response: ServerResponse, httpRequest: HttpRequest): Promise<void> {
    const path = this.#path(httpRequest.url)
    const refusal = findControlRefusal(this.#gateway, httpRequest)
    const document = DOCUMENTS.get(path)
    // Documents do not contain the gateway's data. The page asks for the key, because a browser cannot send a key when it loads a page.
    const isOpen = refusal === undefined || (path !== EVENTS && refusal.status === 401)
    if (!isOpen) response.writeHead(refusal.status, refusal.headers).end(refusal.body)
    else if (path === CONTROL_PATH) response.writeHead(308, { Location: `${request.url?.split('?', 1)[0]}/` }).end()
    else if (document !== undefined) await sendDocument(document, request, response)
    else if (httpRequest.method === 'HEAD') response.writeHead(200, EVENT_HEADERS).end()
    else this.#events.add(response)
  }

  /** Ends the streams of events. */
  close(): void {
    this.#events.close()
  }

  /** Tells all listeners that a control was used. Some controls create no commit. */
  broadcastControlUse(request: HttpRequest, response: HttpResponse): void {
    if (!request.url.includes(CONTROL_PATH)) return
    const path = this.#path(request.url)
    if (!path.startsWith(PAGE)) return
    const event = createControlEvent(request, response, path.slice(CONTROL_PATH.length))
    if (event) this.#events.broadcast('control', event)
  }

  /** Tells all listeners that the client of a request gave up before its response was sent. */
  broadcastCancelled({ delivery }: HttpResponse): void {
    if (delivery?.operationId) this.#events.broadcast('cancelled', { operationId: delivery.operationId })
  }

  /** Records the response time of a request in the journal, in ms. */
  recordDuration({ isInspector, url }: HttpRequest, { headers }: HttpResponse, ms: number): void {
    const id = headers[this.#gateway.dialect.operationIdHeader]
    if (id !== undefined && !isInspector && !url.includes(CONTROL_PATH)) this.#events.recordDuration(id, ms)
  }

  #path(url: string): string {
    return splitUrl(url, this.#gateway.url).path
  }
}

async function sendDocument(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { packed, text, headers } = await readDocument(name)
  const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const body = acceptsGzip ? packed : text
  const encoding = acceptsGzip && { 'Content-Encoding': 'gzip' }
  response.writeHead(200, { ...headers, 'Content-Length': body.length, Vary: 'Accept-Encoding', ...encoding })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** The possible locations of the documents: next to the built server, or in the build folder when running from source. */
const PLACES = ['./documents.js', '../../dist/documents.js'].map((place) => new URL(place, import.meta.url))

async function readDocument(name: string) {
  const place = PLACES.find((each) => existsSync(each))
  if (!place) throw new Error('The inspector has not been built. Run npm run build.')
  // The file is a module, for Workers. Reading it as a string works in both CommonJS and ECMAScript modules.
  const [, base64 = ''] = new RegExp(`\\b${name} = "([^"]*)"`).exec(await readFile(place, 'utf8')) ?? []
  const packed = Buffer.from(base64, 'base64')
  const text = await promisify(gunzip)(packed)
  return { packed, text, headers: name === 'inspector' ? createPageHeaders(text.toString('utf8')) : SCRIPT_HEADERS }
}
