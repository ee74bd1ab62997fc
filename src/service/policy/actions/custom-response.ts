import { isJson } from '../../../core/schema/values.ts'
import { action } from '../action.ts'
import { headers } from '../fields.ts'

export const customResponse = action({
  type: 'custom-response',
  about: "Responds to the request instead of the upstream, or replaces the upstream's response.",
  page: 'custom-response',
  phases: ['on_http_request', 'on_http_response'],
  config: {
    status_code: { kind: 'integer', min: 200, max: 599, default: 200, about: 'The status of the response.' },
    body: { kind: 'text', takesCel: true, about: 'The body of the response.' },
    headers: headers('The headers of the response. Without `content-type`, the type is guessed from the body.'),
    content: { kind: 'text', takesCel: true, about: 'The older name of `body`.' },
    content_type: {
      kind: 'text',
      format: 'header-value',
      takesCel: true,
      about: 'The older way to set the `content-type` header.',
    },
  },
  ends: () => true,
  run({ status_code: status, content, body = content, content_type, headers = {} }) {
    if (body && hasNoBody(status))
      return {
        did: `set a body, but a response with status ${status} cannot have one`,
        ends: { status: 500, error: 3604 },
      }
    const did = `responded with ${status}`
    // The length is that of the sent body.
    const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length')
    const isTyped = sent.some(([name]) => name.toLowerCase() === 'content-type')
    const type = isTyped || body === undefined ? {} : { 'content-type': content_type ?? guessType(body) }
    const response = { status, headers: { ...type, ...Object.fromEntries(sent) }, ...(body !== undefined && { body }) }
    return { did, ends: { ...response, hasResponsePhase: true } }
  },
})

/** Returns whether responses with this status have no body (RFC 9110, section 6.4.1). */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304
}

function guessType(body: string): string {
  const text = body.trimStart()
  if (/^[[{]/.test(text) && isJson(text)) return 'application/json'
  if (/^<(!doctype html|html|head|body|h1|p|div)\b/i.test(text)) return 'text/html; charset=utf-8'
  return text.startsWith('<?xml') ? 'text/xml; charset=utf-8' : 'text/plain; charset=utf-8'
}
