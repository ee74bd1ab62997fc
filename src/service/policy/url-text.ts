import { EvaluationProblem } from './cel/values.ts'

/** The maximum number of bytes of a message's head, including its URL: 1 MB, as documented by the service. */
export const MAX_HEAD_BYTES = 1_000_000

/**
 * Returns a URL with invalid characters percent-encoded, such as those in a visitor's decoded path (RFC 3986, section 2). Adds a slash
 * before a URL where a path is expected, as in the example on the `redirect` page.
 * @throws EvaluationProblem for a URL that is too long for a head (rules: traffic#header-values)
 */
export function toUrlText(text: string): string {
  const full = text.replace(/^(https?:\/\/[^/?#]+?)(?=https?:\/\/)/i, '$1/')
  const url = full.replace(/[^\x21-\x7e]+/gu, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
  if (url.length > MAX_HEAD_BYTES)
    throw new EvaluationProblem(`the new URL is ${url.length} characters long. The maximum is ${MAX_HEAD_BYTES}`)
  return url
}

/**
 * Completes a path with the scheme and host of the request, and a URL without a host, such as `https:/path`, with the host. For example,
 * replacing `/.*` in a whole URL leaves a URL without a host. Returns other strings unchanged.
 */
export function completeUrl(text: string, request: string): string {
  const { origin, host } = new URL(request)
  if (/^\/(?!\/)/.test(text)) return origin + text
  return text.replace(/^(https?:)(?:\/\/)?(?=\/(?!\/)|[?#]|$)/i, `$1//${host}`)
}

/** Parses an http or https URL. Returns undefined for all other strings. */
export function readHttpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
