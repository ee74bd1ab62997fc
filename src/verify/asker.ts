import { type Answer, type AskedRequest, answerOf } from './exchange.ts'
import type { Pace } from './pace.ts'

export interface AskerOptions {
  /** The base URL, without a trailing slash. */
  readonly url: string
  readonly key: string
  readonly versionHeader: string
  readonly pace: Pace
  /** The ms to wait for an answer. */
  readonly timeout: number
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Called before a longer wait that the service asks for. */
  readonly onWait?: ((seconds: number) => void) | undefined
}

/** A request that brought no answer. */
export interface Failure {
  readonly failed: string
}

/** The times that a request is sent again after a 429. */
const MOST_AGAIN = 3
/** The longest wait that a service may ask for, in ms; a longer one is not waited for. */
const LONGEST_WAIT_MS = 120_000
/** The wait after a 429 without `Retry-After`, in ms; twice as long after each further one. */
const FIRST_WAIT_MS = 5_000

/** Something that sends requests. */
export type Asking = Pick<Asker, 'ask'>

/** Sends requests with the key, one after the other, at a pace that a service can bear. */
export class Asker {
  readonly #options: AskerOptions

  constructor(options: AskerOptions) {
    this.#options = options
  }

  /** Sends a request, again after a 429, and returns its answer or why there is none. Never rejects. */
  async ask(request: AskedRequest): Promise<Answer | Failure> {
    for (let again = 0; ; again++) {
      await this.#options.pace.turn(this.#options.signal)
      const answer = await this.#once(request)
      if ('failed' in answer || answer.status !== 429 || this.#options.signal.aborted) return answer
      const wait = this.#waitAfter(answer, again)
      if (again === MOST_AGAIN) return { failed: `answered 429 ${again + 1} times` }
      if (wait > LONGEST_WAIT_MS) return { failed: `answered 429, to wait ${Math.ceil(wait / 1000)} s` }
      this.#options.onWait?.(Math.ceil(wait / 1000))
      await this.#options.pace.host.sleep(wait, this.#options.signal)
    }
  }

  #waitAfter({ headers }: Answer, again: number): number {
    const text = headers['retry-after'] ?? ''
    if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
    const at = Date.parse(text)
    return Number.isNaN(at) ? FIRST_WAIT_MS * 2 ** again : Math.max(0, at - this.#options.pace.host.now())
  }

  async #once(request: AskedRequest): Promise<Answer | Failure> {
    const { url, key, versionHeader, pace, timeout } = this.#options
    const { host } = pace
    const signal = host.deadline(timeout)
    try {
      const init = { ...initOf(request, key, versionHeader), redirect: 'manual', signal } as const
      return await answerOf(await host.fetch(url + request.path, init))
    } catch (error) {
      return { failed: signal.aborted ? `no answer within ${timeout / 1000} s` : this.#reasonOf(error) }
    }
  }

  /** Says why a request failed, without what it sent. */
  #reasonOf(error: unknown): string {
    return noConnection(error).replaceAll(this.#options.key, '[key]')
  }
}

/** Says why a request brought no answer. */
export function noConnection(error: unknown): string {
  // Errors of fetch have the reason in their cause.
  const { code, message } = ((error as { readonly cause?: unknown }).cause ?? error) as NetworkError // All that is thrown here.
  const known = REASONS.find(([pattern]) => pattern.test(code ?? ''))?.[1]
  const reason = code ?? message ?? 'unknown reason'
  return `no connection: ${known === undefined ? reason : `${known} (${reason})`}`
}

/** Makes the method, headers and body of a request. */
export function initOf({ method, body, headers = {} }: AskedRequest, key: string, versionHeader: string): RequestInit {
  const all = new Headers({ authorization: `Bearer ${key}`, [versionHeader]: '2' })
  if (body !== undefined) all.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name)
    else all.set(name, value)
  }
  return { method, headers: all, ...(body !== undefined && { body }) }
}

/** The causes of failed requests, by the code of the error. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'nobody knows the name of the host, or there is no network'],
  [/ECONNREFUSED/, 'nobody listens there'],
  [/ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|CONNECT_TIMEOUT/, 'the host cannot be reached'],
  [/ECONNRESET|UND_ERR_SOCKET/, 'the server ended the connection'],
  [/SSL|EPROTO/, 'there is no TLS at this port'],
  [/CERT|SELF_SIGNED|ISSUER/, 'its certificate is not trusted; NODE_EXTRA_CA_CERTS names a root that is'],
]

interface NetworkError {
  readonly code?: string
  readonly message?: string
}
