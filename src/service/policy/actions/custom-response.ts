import type { Action } from '../action.ts'
import { headers } from '../fields.ts'

export const customResponse: Action = {
  type: 'custom-response',
  about: 'Answers the request itself, or replaces the response of the upstream.',
  page: 'custom-response',
  phases: ['on_http_request', 'on_http_response'],
  config: {
    status_code: { kind: 'integer', min: 100, max: 599, default: 200, about: 'The status of the response.' },
    body: { kind: 'text', takesCel: true, about: 'The body of the response.' },
    headers: headers('The headers of the response. Without `content-type`, the type is guessed from the body.'),
    content: { kind: 'text', takesCel: true, about: 'The older name of `body`.' },
    content_type: { kind: 'text', takesCel: true, about: 'The older way to set the header `content-type`.' },
  },
  ends: () => true,
}
