import { refuse } from '../contract/errors.ts'
import { fieldPath } from '../contract/field-path.ts'
import { general } from '../contract/general-errors.ts'
import { quote } from '../contract/quote.ts'

/** Splits a URL into its path below the base URL and its query. */
export function splitUrl(url: string, base: string): { path: string; query: string } {
  const start = pathStart(url)
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?', start)
  const pathEnd = mark === -1 || mark > end ? end : mark
  const path = url.slice(start, pathEnd) || '/'
  const prefix = base.slice(pathStart(base))
  const isBelow = prefix !== '' && path.startsWith(`${prefix}/`)
  return { path: isBelow ? path.slice(prefix.length) : path, query: url.slice(pathEnd + 1, end) }
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
  const scheme = url.indexOf('://')
  if (url.startsWith('/') || scheme === -1) return 0
  const authority = scheme + 3
  const length = url.slice(authority).search(/[/?#]/)
  return length === -1 ? url.length : authority + length
}
