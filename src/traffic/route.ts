import { type RouteRecord, routes } from '../service/ngrok/edge-records.ts'
import type { EndpointRecord } from '../service/ngrok/endpoint-records.ts'
import { endpoints, parseUrl } from '../service/ngrok/endpoint-records.ts'
import type { Reader } from './reader.ts'
import { findHostProblem } from './target.ts'

export type Binding = EndpointRecord['binding']

/**
 * Returns the endpoints at a URL, oldest first: the endpoints at its host or, if there are none, at the most specific wildcard that covers
 * the host.
 */
export function findEndpoints(reader: Reader, url: URL, binding: Binding): readonly EndpointRecord[] {
  // A policy can forward to a host name of any length.
  if (findHostProblem(url.hostname) !== undefined) return []
  for (const host of listHosts(url.hostname)) {
    const normal = parseUrl(`${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`)
    const found = normal ? reader.findAll(endpoints, 'place', `${binding} ${normal.url}`) : []
    if (found.length > 0) return found
  }
  return []
}

/** Yields a host and the wildcards that cover it. Most requests need only the host. */
function* listHosts(host: string): Generator<string> {
  yield host
  for (let at = host.indexOf('.'); at >= 0; at = host.indexOf('.', at + 1)) yield `*${host.slice(at)}`
}

/** Creates the message that no endpoint is online at a URL. It names an endpoint at this host with another scheme or binding, if any. */
export function describeMissing(reader: Reader, { protocol, host }: URL, binding: Binding): string {
  const missing = `no ${binding} endpoint is online at ${protocol}//${host}`
  for (const each of ['public', 'internal', 'kubernetes'] as const) {
    for (const scheme of ['https:', 'http:']) {
      const [other] = findEndpoints(reader, new URL(`${scheme}//${host}`), each)
      if (other) return `${missing}, but ${other.url} is${each === 'public' ? '' : `, with the binding ${each}`}`
    }
  }
  return missing
}

/** Returns an edge's route for a path: the route with exactly this path, or else the route with the longest matching prefix. */
export function findRoute(reader: Reader, edge: string, path: string): RouteRecord | undefined {
  const all = reader.findAll(routes, 'edge', edge)
  const exact = all.find(({ match_type, match }) => match_type === 'exact_path' && match === path)
  const prefixes = all.filter(({ match_type, match }) => match_type === 'path_prefix' && path.startsWith(match))
  return exact ?? prefixes.sort((a, b) => b.match.length - a.match.length)[0]
}
