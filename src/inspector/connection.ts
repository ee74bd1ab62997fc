import type { JournalEntry } from '../journal/entry.ts'
import { liveChannel, type Told } from './live-channel.ts'

/** What was answered to a request of the page. */
export interface Answer {
  readonly status: number
  /** The JSON of the body; a text where it is none; null for no body. */
  readonly body: unknown
}

/** A refusal, as a page shows it: one sentence, and one per field that it names. */
export class Refused extends Error {
  readonly fields: Readonly<Record<string, string>>

  constructor(
    readonly status: number,
    body: unknown,
  ) {
    // A refusal of the gateway has both, and anything else neither.
    const { msg, details = {} } = (body ?? {}) as { msg?: string; details?: Record<string, string> }
    super(msg ?? `The answer was ${status}.`)
    const named = Object.entries(details).filter(([name]) => name.startsWith('field:'))
    this.fields = Object.fromEntries(named.map(([name, text]) => [name.slice('field:'.length), text]))
  }
}

const KEY = 'fauxgate-control-key'

/** The page's way to its own server. */
export class Connection {
  /** What stands before every path: nothing, unless the gateway has a base URL with a path. */
  readonly base = location.pathname.replace(/\/_fauxgate\/.*$/, '')
  /** Called when the server asks for a control key. */
  onKeyNeeded: () => void = () => undefined
  /** The header that requests to the service tell the version by. */
  version: Readonly<Record<string, string>> = {}

  set key(key: string) {
    sessionStorage.setItem(KEY, key)
  }

  get #own(): Record<string, string> {
    const key = sessionStorage.getItem(KEY)
    return { 'Fauxgate-Inspector': '1', ...(key && { 'Fauxgate-Control-Key': key }) }
  }

  /** Asks a control. Throws {@link Refused}. */
  control<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.#json<T>(method, `/_fauxgate${path}`, body, this.#own)
  }

  /** Asks the service without leaving a trace in the journal. Throws {@link Refused}. */
  service<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.#json<T>(method, path, body, { ...this.#own, ...this.version })
  }

  /** Sends a request as any client would; it is in the journal like any other. */
  async replay(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
  ): Promise<Answer> {
    const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
    return read(await fetch(this.base + path, { method, headers, ...(hasBody && { body }) }))
  }

  /** What happens, as it happens, until the connection ends. Throws {@link Refused}. */
  async *events(): AsyncGenerator<Told> {
    const address = `${location.origin}${this.base}/_fauxgate/events`
    const refusal = yield* liveChannel(address, this.#own, sessionStorage.getItem(KEY))
    if (refusal) this.#refuse(refusal.status, await refusal.json())
  }

  async #json<T>(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<T> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const typed = body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' }
    const answer = await read(await fetch(this.base + path, { method, headers: typed, ...sent }))
    if (answer.status >= 400) this.#refuse(answer.status, answer.body)
    return answer.body as T // Whoever asks knows the answer's type.
  }

  #refuse(status: number, body: unknown): never {
    if (status === 401) this.onKeyNeeded()
    throw new Refused(status, body)
  }
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  if (text === '') return { status: response.status, body: null }
  try {
    return { status: response.status, body: JSON.parse(text) }
  } catch {
    return { status: response.status, body: text }
  }
}

export type { JournalEntry }
