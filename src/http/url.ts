import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { fieldPath, quote } from '../schema/text.ts'

/** Splits a URL into its path below the base URL and its query. */
export function splitUrl(url: string, base: string): { path: string; query: string } {
  const start = pathStart(url)
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?', start)
  const pathEnd = mark === -1 || mark > end ? end : mark
  const path = url.slice(start, pathEnd) || '/'
  const prefixStart = pathStart(base)
  const query = url.slice(pathEnd + 1, end)
  if (prefixStart === base.length) return { path, query }
  const prefix = base.slice(prefixStart)
  return { path: path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path, query }
}

/** Whether a URL lies below a base URL. Both are brought to their normal form; what is no absolute URL lies nowhere. */
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

/** The parameters of a query, each at most once (rules: requests#query). */
export function queryParameters(query: string): Record<string, string> {
  const parameters: Record<string, string> = {}
  if (query === '') return parameters
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(parameters, name))
      refuse(general.query_repeated, { field: fieldPath([name]), received: quote(name) })
    Object.defineProperty(parameters, name, { value, enumerable: true })
  }
  return parameters
}

/** Where the path of a URL starts: behind the authority of an absolute one. */
function pathStart(url: string): number {
  if (url.startsWith('/')) return 0
  const scheme = url.indexOf('://')
  if (scheme === -1) return 0
  // Sign by sign: it is asked of the base URL for every request, and a regular expression takes three times as long.
  const from = scheme + 3
  return Math.min(placeOf('/', url, from), placeOf('?', url, from), placeOf('#', url, from))
}

function placeOf(sign: string, text: string, from: number): number {
  const place = text.indexOf(sign, from)
  return place === -1 ? text.length : place
}
