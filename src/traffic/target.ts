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
