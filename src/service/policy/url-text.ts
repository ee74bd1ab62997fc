/** Returns a URL with percent signs for what no URL has, such as the decoded path of a visitor (RFC 3986, section 2). */
export function toUrlText(text: string): string {
  return text.replace(/[^\x21-\x7e]+/gu, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
}

/** Reads a URL of http or https; undefined for all other texts. */
export function readHttpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
