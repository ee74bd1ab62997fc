/**
 * Returns a URL with percent signs for what no URL has, such as the decoded path of a visitor (RFC 3986, section 2). A URL in the
 * place of a path gets a slash before it, as in the example of the page of `redirect`.
 */
export function toUrlText(text: string): string {
  const full = text.replace(/^(https?:\/\/[^/?#]+?)(?=https?:\/\/)/i, '$1/')
  return full.replace(/[^\x21-\x7e]+/gu, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
}

/** Reads a URL of http or https; undefined for all other texts. */
export function readHttpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
