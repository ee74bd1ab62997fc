import { quote } from '../core/schema/text.ts'

/** The maximum lengths of hosts that visitors can request, as in DNS (RFC 1035, section 2.3.4). */
export const HOST_SIZES = 'at most 253 characters, with at most 63 between dots'

/**
 * Returns why visitors can't request a host, or undefined if they can. All code that accepts hosts calls this function first.
 */
export function findHostProblem(host: string): string | undefined {
  // A host of this length is never too long.
  if (host.length <= 63) return undefined
  const name = host.replace(/\.$/, '')
  if (name.length <= 253 && name.split('.').every(({ length }) => length <= 63)) return undefined
  return `The host is ${quote(host)}. Allowed: ${HOST_SIZES}.`
}

/** Returns the path and query of a URL or a request target, as sent, because gateways must not change them (RFC 9110, section 7.7). */
export function targetOf(url: string): string {
  const target = url.replace(/^[^/?#]*:\/\/[^/?#]*/, '')
  return target.startsWith('/') ? target : `/${target}`
}

/** Returns the path and query of a URL, as sent. If the path were normalized as browsers do, rules would let `/admin/../x` pass. */
export function splitTarget(url: string): { readonly path: string; readonly query: string } {
  const [, path = '/', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(targetOf(url)) ?? []
  return { path, query }
}

/** Returns the port of an http or https URL. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
}
