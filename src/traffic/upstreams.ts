import { suggestion } from '../core/schema/nearest.ts'
import { quote } from '../core/schema/text.ts'
import type { BodyParts, Switched } from './body.ts'
import type { VisitorRequest } from './message.ts'

/** Answers the requests that the gateway sends on. */
export type UpstreamHandler = (request: Request) => Response | Promise<Response>

/** A response of an upstream that is a server. Its body passes unread. */
export interface ServedResponse {
  readonly status: number
  readonly headers: Iterable<readonly [string, string]>
  readonly body: BodyParts | null
  readonly switched?: Switched | undefined
}

/** The surroundings of a request that is sent on to a server. */
export interface ServedCall {
  /** Ends the request, and what is left of its response. */
  readonly signal?: AbortSignal | undefined
  /** The protocol that the agent speaks there. Default: `http1`. */
  readonly protocol?: string | undefined
}

/** Passes requests that the gateway sends on to a server. It is faster than a handler: no message becomes one of a `fetch`. */
export type ServedUpstream = (request: VisitorRequest, call: ServedCall) => Promise<ServedResponse>

/** The function of an upstream: that of a test, or that of a server. */
export type Responder = { readonly handler: UpstreamHandler } | { readonly serve: ServedUpstream }

interface Upstream {
  readonly responder: Responder
  readonly times: number
  hits: number
}

/** The keys that upstreams can have, in words. */
export const UPSTREAM_KEYS = 'a URL such as "https://app.internal", or the id of a backend'

/** Returns whether a text is a URL, or can be the id of a backend. */
export function isUpstreamKey(text: unknown): text is string {
  if (typeof text !== 'string') return false
  return text.includes('://') ? URL.canParse(text) : /^bkd[a-z]*_\w+$/.test(text)
}

/** A response that an upstream always gives. */
export interface CannedResponse {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | null | undefined
}

/** Makes a canned response. Statuses that allow no body get none. */
export function createCannedResponse({ status = 200, headers = {}, body = null }: CannedResponse): Response {
  const isBodiless = status === 204 || status === 205 || status === 304
  return new Response(isBodiless ? null : body, { status, headers })
}

/** The upstreams that a test has set: by URL, or by the id of a backend. */
export class Upstreams {
  readonly #byKey = new Map<string, Upstream>()
  readonly #lasting = new Map<string, ServedUpstream>()

  /** Adds an upstream, and returns a function that removes it. @throws TypeError */
  add(key: string, handler: UpstreamHandler, times?: number): () => void {
    return this.#set(key, { handler }, times)
  }

  #set(key: string, responder: Responder, times = Number.POSITIVE_INFINITY): () => void {
    if (!isUpstreamKey(key)) throw new TypeError(`${quote(key)} is no upstream. Allowed: ${UPSTREAM_KEYS}.`)
    const normal = normalizeKey(key)
    const upstream = { responder: responder, times, hits: 0 }
    this.#byKey.set(normal, upstream)
    return () => {
      if (this.#byKey.get(normal) === upstream) this.#byKey.delete(normal)
    }
  }

  /** Adds an upstream that stays when the others are cleared, such as one of a server. */
  addLasting(key: string, serve: ServedUpstream): void {
    this.#lasting.set(key, serve)
    this.#set(key, { serve })
  }

  /** Removes an upstream. Returns whether there was one. */
  remove(key: string): boolean {
    return this.#byKey.delete(normalizeKey(key))
  }

  get keys(): readonly string[] {
    return [...this.#byKey.keys()]
  }

  clear(): void {
    this.#byKey.clear()
    for (const [key, serve] of this.#lasting) this.#set(key, { serve })
  }

  /** Returns the upstream for the first of these URLs and ids that has one, and counts the request. */
  take(keys: readonly string[]): { readonly key: string; readonly responder: Responder } | undefined {
    for (const key of keys) {
      const normal = normalizeKey(key)
      const found = this.#byKey.has(normal) ? normal : this.#findAbove(normal)
      const upstream = found === undefined ? undefined : this.#byKey.get(found)
      if (found === undefined || !upstream || upstream.hits >= upstream.times) continue
      upstream.hits++
      return { key: found, responder: upstream.responder }
    }
    return undefined
  }

  /** Returns the longest URL above a URL that has an upstream. */
  #findAbove(key: string): string | undefined {
    const above = this.keys.filter((each) => key.startsWith(each) && /^[/?]/.test(key.slice(each.length)))
    return above.sort((a, b) => b.length - a.length)[0]
  }

  /** Returns a sentence about a name that is near, for an upstream that is missing. */
  hint(keys: readonly string[]): string {
    return suggestion(keys[0] ?? '', this.keys)
  }
}

/** Returns a URL without a final slash and without its usual port; an id, or what is neither, unchanged. */
function normalizeKey(key: string): string {
  if (!key.includes('://') || !URL.canParse(key)) return key
  const url = new URL(key)
  return `${url.protocol}//${url.host}${url.pathname}${url.search}`.replace(/\/$/, '')
}
