import { action } from '../action.ts'

export const deny = action({
  type: 'deny',
  about: 'Rejects the request with a status and no body, or closes the connection.',
  page: 'deny',
  phases: ['on_tcp_connect', 'on_http_request'],
  config: { status_code: { kind: 'integer', min: 200, max: 599, default: 403, about: 'The status of the response.' } },
  check: ({ status_code }, phase) =>
    phase === 'on_tcp_connect' && status_code !== undefined
      ? [
          {
            number: 2203,
            path: ['status_code'],
            message: 'is not a field of deny in on_tcp_connect, where deny has no fields',
            isOfKey: true,
          },
        ]
      : [],
  ends: () => true,
  run: ({ status_code: status }, { phase }) =>
    phase === 'on_tcp_connect'
      ? { did: 'closed the connection', ends: 'close' }
      : { did: `denied with ${status}`, ends: { status } },
})
