import type { SideRecords } from '../core/engine/persistence/stored-records.ts'
import type { StoredChange } from '../core/operation/store.ts'
import { suggestion } from '../core/schema/nearest.ts'
import { formatCount, quote } from '../core/schema/text.ts'
import type { BodyParts, Switched } from './body.ts'
import type { VisitorRequest } from './message.ts'

/** Responds to the requests that the gateway forwards. */
export type UpstreamHandler = (request: Request) => Response | Promise<Response>

/** The response of a server upstream. Its body is passed on unread. */
export interface ServedResponse {
  readonly status: number
  readonly headers: Iterable<readonly [string, string]>
  readonly body: BodyParts | null
  readonly switched?: Switched | undefined
}

/** The context of a request that is forwarded to a server. */
export interface ServedCall {
  /** Aborts the request and the rest of its response. */
  readonly signal?: AbortSignal | undefined
  /** The protocol that the agent uses for its upstream. Default: `http1`. */
  readonly protocol?: string | undefined
}

/** Passes forwarded requests to a server. Faster than a handler, because messages aren't converted to `fetch` requests and responses. */
export type ServedUpstream = (request: VisitorRequest, call: ServedCall) => Promise<ServedResponse>

/** An upstream's function, provided by a test or a server. */
export type Responder = { readonly handler: UpstreamHandler } | { readonly serve: ServedUpstream }

/**
 * Returns a function that sends requests to a URL that a program specified as an agent's upstream, or the problem if the server is not
 * allowed to call the URL.
 */
export type Dialer = (url: string) => { readonly serve: ServedUpstream } | { readonly problem: string }

interface Upstream {
  readonly responder: Responder
  readonly times: number
  /** The response of an upstream that always returns the same response. Such an upstream is stored. */
  readonly canned?: CannedResponse
  hits: number
}

/** A description of the allowed keys of upstreams. */
export const UPSTREAM_KEYS = 'an http or https URL such as "https://app.internal", or the ID of a backend'

/** Returns whether a string is an http or https URL, or can be the ID of a backend. */
export function isUpstreamKey(text: unknown): text is string {
  if (typeof text !== 'string') return false
  return text.includes('://') ? /^https?:/i.test(text) && URL.canParse(text) : /^bkd[a-z]*_\w+$/.test(text)
}

/** A response that an upstream always returns. */
export interface CannedResponse {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | null | undefined
}

/** Creates a canned response, without a body if its status doesn't allow one. */
export function createCannedResponse({ status = 200, headers = {}, body = null }: CannedResponse): Response {
  const isBodiless = status === 204 || status === 205 || status === 304
  return new Response(isBodiless ? null : body, { status, headers })
}

/** The collection name of upstreams in a store. */
export const UPSTREAMS = 'upstreams'

/** An upstream with a canned response, as stored. */
interface StoredUpstream {
  readonly canned: CannedResponse
  /** The maximum number of responses; null for no limit. */
  readonly times: number | null
  readonly hits: number
}

/** The upstreams set by a test, by URL or backend ID. Those with a canned response are stored. */
export class Upstreams implements SideRecords {
  readonly #byKey = new Map<string, Upstream>()
  readonly #lasting = new Map<string, ServedUpstream>()
  /** Reaches agent upstreams that aren't set here. Undefined without a server. */
  dialer: Dialer | undefined

  constructor(
    /** Passes changes to the store, if any. Throws if the store rejects them. */
    readonly append: (changes: () => readonly StoredChange[]) => void,
  ) {}

  /** Adds an upstream, and returns a function that removes it. @throws TypeError */
  add(key: string, handler: UpstreamHandler, times?: number): () => void {
    return this.#set(key, { handler }, times)
  }

  /** Adds an upstream that always returns the same response. */
  addCanned(key: string, canned: CannedResponse, times?: number): void {
    this.#set(key, { handler: () => createCannedResponse(canned) }, times, canned)
  }

  #set(key: string, responder: Responder, times = Number.POSITIVE_INFINITY, canned?: CannedResponse): () => void {
    if (!isUpstreamKey(key)) throw new TypeError(`${quote(key)} is not an upstream. Allowed: ${UPSTREAM_KEYS}.`)
    const normal = normalizeKey(key)
    const upstream = { responder, times, hits: 0, ...(canned && { canned }) }
    this.#store(normal, upstream)
    this.#byKey.set(normal, upstream)
    return () => {
      if (this.#byKey.get(normal) === upstream) this.remove(key)
    }
  }

  /** Stores an upstream, or removes it from the store. */
  #store(key: string, upstream: Upstream | undefined): void {
    const after = upstream && toStored(upstream)
    if (after || this.#byKey.get(key)?.canned) this.append(() => [{ collection: UPSTREAMS, key, after: after ?? null }])
  }

  rows(): ReadonlyMap<string, object> {
    return new Map(
      [...this.#byKey].flatMap(([key, upstream]) => {
        const stored = toStored(upstream)
        return stored ? [[key, stored] as const] : []
      }),
    )
  }

  load(rows: ReadonlyMap<string, object>): void {
    for (const [key, { canned }] of this.#byKey) if (canned) this.#byKey.delete(key)
    for (const [key, row] of rows) {
      const { canned, times, hits } = row as StoredUpstream // `rows` created this value.
      const responder = { handler: () => createCannedResponse(canned) }
      this.#byKey.set(key, { responder, times: times ?? Number.POSITIVE_INFINITY, canned, hits })
    }
  }

  /** Adds an upstream that remains when the others are cleared, such as a server's upstream. */
  addLasting(key: string, serve: ServedUpstream): void {
    this.#lasting.set(key, serve)
    this.#set(key, { serve })
  }

  /** The upstreams that remain when the others are cleared. */
  get lasting(): ReadonlyMap<string, ServedUpstream> {
    return this.#lasting
  }

  /** Removes an upstream. Returns false if it doesn't exist. */
  remove(key: string): boolean {
    const normal = normalizeKey(key)
    this.#store(normal, undefined)
    return this.#byKey.delete(normal)
  }

  get keys(): readonly string[] {
    return [...this.#byKey.keys()]
  }

  clear(): void {
    const keys = [...this.rows().keys()]
    if (keys.length > 0) this.append(() => keys.map((key) => ({ collection: UPSTREAMS, key, after: null })))
    this.#byKey.clear()
    for (const [key, serve] of this.#lasting) this.#set(key, { serve })
  }

  /** Returns the upstream for the first of these URLs and IDs that has an upstream, and counts the request. */
  take(keys: readonly string[]): { readonly key: string; readonly responder: Responder } | undefined {
    const found = this.#find(keys)
    if (!found) return undefined
    const { key, upstream } = found
    // Without a limit, the number isn't needed after a restart.
    if (Number.isFinite(upstream.times)) this.#store(key, { ...upstream, hits: upstream.hits + 1 })
    upstream.hits++
    return { key, responder: upstream.responder }
  }

  /** Returns whether the next request to one of these URLs and IDs has an upstream. */
  has(keys: readonly string[]): boolean {
    return this.#find(keys) !== undefined
  }

  #find(keys: readonly string[]): { readonly key: string; readonly upstream: Upstream } | undefined {
    for (const each of keys) {
      // Most keys are already normalized.
      const normal = this.#byKey.has(each) ? each : normalizeKey(each)
      const key = this.#byKey.has(normal) ? normal : this.#findAbove(normal)
      const upstream = key === undefined ? undefined : this.#byKey.get(key)
      if (key !== undefined && upstream && upstream.hits < upstream.times) return { key, upstream }
    }
    return undefined
  }

  /** Returns the server at a URL that a program specified as an agent's upstream, or undefined for a gateway without a server. */
  dial(
    url: string,
  ): { readonly key: string; readonly responder: Responder } | { readonly problem: string } | undefined {
    const dialed = this.dialer?.(url)
    return dialed && 'serve' in dialed ? { key: url, responder: dialed } : dialed
  }

  /** Returns the longest parent of a URL that has an upstream. */
  #findAbove(key: string): string | undefined {
    const above = this.keys.filter((each) => key.startsWith(each) && /^[/?]/.test(key.slice(each.length)))
    return above.sort((a, b) => b.length - a.length)[0]
  }

  /** Creates the message that none of these URLs and IDs has an upstream, or that its responses are used up. */
  describeMissing(keys: readonly string[]): string {
    for (const key of keys) {
      const { times = 0 } = this.#byKey.get(normalizeKey(key)) ?? {}
      if (times > 0) return `the upstream for ${key} has no responses left after ${formatCount(times, 'request')}.`
    }
    const [key = ''] = keys
    return `${key} has no upstream.${suggestion(key, this.keys)}`
  }
}

function toStored({ canned, times, hits }: Upstream): StoredUpstream | undefined {
  return canned && Object.freeze({ canned, times: Number.isFinite(times) ? times : null, hits })
}

/** Returns a URL without a trailing slash or its default port. Returns any other string unchanged. */
function normalizeKey(key: string): string {
  if (!key.includes('://') || !URL.canParse(key)) return key
  const url = new URL(key)
  return `${url.protocol}//${url.host}${url.pathname}${url.search}`.replace(/\/$/, '')
}
