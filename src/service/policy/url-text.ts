/**
 * Returns a URL with percent signs for what no URL has, such as the decoded path of a visitor (RFC 3986, section 2). A URL in the
 * place of a path gets a slash before it, as in the example of the page of `redirect`.
 */
export function toUrlText(text: string): string {
  const full = text.replace(/^(https?:\/\/[^/?#]+?)(?=https?:\/\/)/i, '$1/')
  return full.replace(/[^\x21-\x7e]+/gu, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
}

/**
 * Returns a path with the scheme and the host of the request, and a URL without a host with the host, such as `https:/path`, which `/.*`
 * leaves of a whole URL. Other strings stay unchanged.
 */
export function completeUrl(text: string, request: string): string {
  const { origin, host } = new URL(request)
  if (/^\/(?!\/)/.test(text)) return origin + text
  return text.replace(/^(https?:)(?:\/\/)?(?=\/(?!\/)|[?#]|$)/i, `$1//${host}`)
}

/** Reads a URL of http or https, or undefined for all other strings. */
export function readHttpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
