/** Matches a URL or a path with its query: scheme and authority, if any; the path; the query. */
const URL_PARTS = /^(?:[^/?#]*:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/

/** Matches the percent encoding of a letter, a digit, "-", ".", "_", or "~". */
const ENCODED_UNRESERVED = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi

/** Splits a URL into its path under the base URL and its query. RFC 3986, 6.2.2.2: unreserved characters in the path are decoded. */
export function splitUrl(url: string, base: string): { path: string; query: string } {
  const [, sent = '', query = ''] = URL_PARTS.exec(url) ?? []
  const path = sent.replace(ENCODED_UNRESERVED, decodeURIComponent)
  const prefixStart = base.indexOf('/', base.indexOf('://') + 3)
  if (prefixStart === -1) return { path: path || '/', query }
  const prefix = base.slice(prefixStart)
  return { path: (`${path}/`.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path) || '/', query }
}

/** Returns whether a URL is under a base URL, after normalizing both. Always false for a relative URL. */
export function isBelow(url: string, base: string): boolean {
  const start = parseUrl(base)?.href.replace(/\/$/, '')
  const rest = parseUrl(url)?.href
  if (start === undefined || !rest?.startsWith(start)) return false
  return rest.length === start.length || /^[/?#]/.test(rest.slice(start.length))
}

/** Returns the parts of an absolute URL, or undefined for any other string. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
