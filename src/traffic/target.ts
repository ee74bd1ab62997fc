import { quote } from '../core/schema/text.ts'

/** The form of hosts that visitors can ask for, as in the DNS (RFC 1035, section 2.3.4). */
export const HOST_SIZES = 'at most 253 characters, and 63 between two dots'

/** Returns the reason why no visitor can ask for a host, or undefined. Each place that reads a host calls it before others read it. */
export function findHostProblem(host: string): string | undefined {
  // No host of this length is too long.
  if (host.length <= 63) return undefined
  const name = host.replace(/\.$/, '')
  if (name.length <= 253 && name.split('.').every(({ length }) => length <= 63)) return undefined
  return `The host is ${quote(host)}. Allowed: ${HOST_SIZES}.`
}

/** Returns the path and the query of a URL, or of the target of a request, as they were sent: no gateway may change them (RFC 9110, section 7.7). */
export function targetOf(url: string): string {
  const target = url.replace(/^[^/?#]*:\/\/[^/?#]*/, '')
  return target.startsWith('/') ? target : `/${target}`
}

/** Returns the path and the query of a URL, as they were sent: a rule that reads them as a browser would lets `/admin/../x` pass. */
export function splitTarget(url: string): { readonly path: string; readonly query: string } {
  const [, path = '/', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(targetOf(url)) ?? []
  return { path, query }
}

/** Returns the port of a URL of http or https. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
}
