import { splitUrl } from './url.ts'

/** A location in one of several gateways on a host, such as `/s/NAME/reserved_domains`. */
export interface Place {
  /** The name that the client sent. It may be invalid. */
  readonly name: string
  /** The gateway's base URL, without a trailing slash. */
  readonly base: string
  /** The path under the base URL, with the query, as sent. The gateway parses it. */
  readonly below: string
  /** The path as the gateway parses it, for all code that inspects paths. */
  readonly path: string
}

/** Splits a path into the name after a prefix such as `/s`, and the path under it. Returns undefined for any other path. */
export function splitName(prefix: string, path: string): { readonly name: string; readonly below: string } | undefined {
  if (!path.startsWith(`${prefix}/`)) return undefined
  const rest = path.slice(prefix.length + 1)
  const end = rest.indexOf('/')
  return end === -1 ? { name: rest, below: '' } : { name: rest.slice(0, end), below: rest.slice(end) }
}

/** Returns the place of a path under a gateway's base URL. `query` is empty, or begins with a question mark. */
export function createPlace(name: string, base: string, path: string, query: string): Place {
  const below = withOneSlash(path) + query
  return { name, base, below, path: splitUrl(below, base).path }
}

/** Returns a path with a single leading slash. Clients append paths to base URLs that may end in a slash. */
function withOneSlash(path: string): string {
  return path.startsWith('//') ? path.slice(1) : path || '/'
}
