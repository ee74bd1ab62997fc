import { action } from '../action.ts'

export const deny = action({
  type: 'deny',
  about: 'Refuses the request with a status and no body, or closes the connection.',
  page: 'deny',
  phases: ['on_tcp_connect', 'on_http_request'],
  config: { status_code: { kind: 'integer', min: 100, max: 599, default: 403, about: 'The status of the response.' } },
  ends: () => true,
  run: ({ status_code: status }, { phase }) =>
    phase === 'on_tcp_connect'
      ? { did: 'closed the connection', ends: 'close' }
      : { did: `denied with ${status}`, ends: { status } },
})
