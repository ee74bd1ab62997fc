import { describeNetworkError } from '../core/schema/network-errors.ts'
import { type ApiRequest, type ApiResponse, readResponse, UnreadableResponse } from './exchange.ts'

/** The functions of the platform that a run uses. */
export interface VerifyHost {
  /** Sends a request, as the global `fetch` does. */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** The current time in ms since the Unix epoch. */
  now(): number
  /** Waits for a number of ms. Resolves early if the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
  /** Returns a signal that aborts after a number of ms. */
  deadline(ms: number): AbortSignal
}

export interface ServiceClientOptions {
  /** The base URL, without a trailing slash. */
  readonly url: string
  readonly key: string
  readonly versionHeader: string
  /** The maximum number of requests per minute. */
  readonly perMinute: number
  /** The time to wait for a response, in ms. */
  readonly timeout: number
  readonly host: VerifyHost
  /** Ends all waits between requests. */
  readonly signal: AbortSignal
  /** Called before a longer wait requested by the service. */
  readonly onWait?: ((seconds: number) => void) | undefined
}

/** The reason that a request did not receive a response. */
export interface NoResponse {
  readonly failed: string
}

/** A client that sends requests to a base URL. */
export type Sender = Pick<ServiceClient, 'url' | 'send'>

const MAX_RETRIES = 3
/** The maximum wait that a service may request. */
const MAX_WAIT_MS = 120_000
/** The wait after a 429 without `Retry-After`. It doubles after each further 429. */
const DEFAULT_WAIT_MS = 5_000

/** Sends requests with the key, one at a time, at a rate that a service can handle. */
export class ServiceClient {
  readonly url: string
  /** The number of requests so far. */
  requestCount = 0
  #nextAt = 0
  #signal: AbortSignal
  readonly #options: ServiceClientOptions

  constructor(options: ServiceClientOptions) {
    this.url = options.url
    this.#signal = options.signal
    this.#options = options
  }

  /** Makes all further requests wait as required, even after the signal was aborted. */
  ignoreSignal(): void {
    this.#signal = new AbortController().signal
  }

  /** Sends a request, repeating it after a 429, and returns its response or why it received none. Never rejects. */
  async send(request: ApiRequest): Promise<ApiResponse | NoResponse> {
    const { host, onWait } = this.#options
    for (let retries = 0; ; retries++) {
      await this.#waitForTurn()
      const response = await this.#sendOnce(request)
      if ('failed' in response || response.status !== 429 || this.#signal.aborted) return response
      const wait = this.#waitAfter(response, retries)
      if (retries === MAX_RETRIES) return { failed: `responded with 429 ${retries + 1} times` }
      if (wait > MAX_WAIT_MS) return { failed: `responded with 429 and asked to wait ${Math.ceil(wait / 1000)} s` }
      onWait?.(Math.ceil(wait / 1000))
      await host.sleep(wait, this.#signal)
    }
  }

  async #waitForTurn(): Promise<void> {
    const { host, perMinute } = this.#options
    const now = host.now()
    if (this.#nextAt > now) await host.sleep(this.#nextAt - now, this.#signal)
    this.requestCount++
    this.#nextAt = Math.max(this.#nextAt, now) + 60_000 / perMinute
  }

  #waitAfter({ headers }: ApiResponse, retries: number): number {
    const text = headers['retry-after'] ?? ''
    if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
    const at = Date.parse(text)
    return Number.isNaN(at) ? DEFAULT_WAIT_MS * 2 ** retries : Math.max(0, at - this.#options.host.now())
  }

  async #sendOnce(request: ApiRequest): Promise<ApiResponse | NoResponse> {
    const { url, key, versionHeader, host, timeout } = this.#options
    const signal = host.deadline(timeout)
    try {
      const init = { ...requestInit(request, key, versionHeader), redirect: 'manual', signal } as const
      return await readResponse(await host.fetch(url + request.path, init))
    } catch (error) {
      if (signal.aborted) return { failed: `no response within ${timeout / 1000} s` }
      return { failed: connectionProblem(error) }
    }
  }
}

/** Describes why a request received no response. Omits messages from other programs, because they may quote a header. */
export function connectionProblem(error: unknown): string {
  if (error instanceof UnreadableResponse) return error.message
  return `no connection: ${describeNetworkError(error)}`
}

/** Creates the method, headers, and body of a request. */
export function requestInit({ method, body, headers = {} }: ApiRequest, key: string, versionHeader: string) {
  const all = new Headers({ authorization: `Bearer ${key}`, [versionHeader]: '2' })
  if (body !== undefined) all.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name)
    else all.set(name, value)
  }
  return { method, headers: all, ...(body !== undefined && { body }) }
}
