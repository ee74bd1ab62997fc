import type { Action } from '../action.ts'

export const deny: Action = {
  type: 'deny',
  about: 'Refuses the request with a status and no body, or closes the connection.',
  page: 'deny',
  phases: ['on_tcp_connect', 'on_http_request'],
  config: { status_code: { kind: 'integer', min: 100, max: 599, default: 403, about: 'The status of the response.' } },
  ends: () => true,
}
