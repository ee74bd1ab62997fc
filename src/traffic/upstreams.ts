import { suggestion } from '../core/schema/nearest.ts'
import { quote } from '../core/schema/text.ts'

/** Answers the requests that the gateway sends on. */
export type UpstreamHandler = (request: Request) => Response | Promise<Response>

interface Upstream {
  readonly handler: UpstreamHandler
  readonly times: number
  hits: number
}

/** The upstreams that a test has set: by URL, or by the id of a backend. */
export class Upstreams {
  readonly #byKey = new Map<string, Upstream>()

  /** Adds an upstream, and returns a function that removes it. @throws TypeError */
  add(key: string, handler: UpstreamHandler, times = Number.POSITIVE_INFINITY): () => void {
    if (!(key.includes('://') ? URL.canParse(key) : /^bkd[a-z]*_\w+$/.test(key))) {
      throw new TypeError(
        `${quote(key)} is no upstream. Allowed: a URL such as "https://app.internal", or the id of a backend.`,
      )
    }
    const normal = normalizeKey(key)
    const upstream = { handler, times, hits: 0 }
    this.#byKey.set(normal, upstream)
    return () => {
      if (this.#byKey.get(normal) === upstream) this.#byKey.delete(normal)
    }
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
  }

  /** Returns the upstream for the first of these URLs and ids that has one, and counts the request. */
  take(keys: readonly string[]): { readonly key: string; readonly handler: UpstreamHandler } | undefined {
    for (const key of keys) {
      const normal = normalizeKey(key)
      const found = this.#byKey.has(normal) ? normal : this.#findAbove(normal)
      const upstream = found === undefined ? undefined : this.#byKey.get(found)
      if (found === undefined || !upstream || upstream.hits >= upstream.times) continue
      upstream.hits++
      return { key: found, handler: upstream.handler }
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
