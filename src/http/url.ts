/** Scheme and authority, which a path alone has not; the path; the query. */
const URL_PARTS = /^(?:[^/?#]*:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/

/** Splits a URL into its path below the base URL and its query. */
export function splitUrl(url: string, base: string): { path: string; query: string } {
  const [, path = '', query = ''] = URL_PARTS.exec(url) ?? []
  const [, prefix = ''] = URL_PARTS.exec(base) ?? []
  const isBelowPrefix = prefix !== '' && path.startsWith(`${prefix}/`)
  return { path: (isBelowPrefix ? path.slice(prefix.length) : path) || '/', query }
}

/** Tells whether a URL is below a base URL, both in their normal form. Only an absolute URL can be. */
export function isBelow(url: string, base: string): boolean {
  const start = normalUrl(base)?.replace(/\/$/, '')
  const rest = normalUrl(url)
  if (start === undefined || !rest?.startsWith(start)) return false
  return rest.length === start.length || /^[/?#]/.test(rest.slice(start.length))
}

function normalUrl(url: string): string | undefined {
  try {
    return new URL(url).href
  } catch {
    return undefined
  }
}
