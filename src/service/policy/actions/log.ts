import { action } from '../action.ts'

export const log = action({
  type: 'log',
  about: 'Adds data to the event that describes the request or the connection.',
  page: 'log',
  phases: ['on_tcp_connect', 'on_http_request', 'on_http_response'],
  config: {
    metadata: {
      kind: 'map',
      keys: 'any',
      value: { kind: 'any', takesCel: true, about: 'A value.' },
      min: 1,
      takesCel: true,
      isRequired: true,
      about: 'The data, by name.',
    },
  },
  sets: { metadata: { type: 'map<string, dyn>', about: 'The data that was logged.' } },
  run: ({ metadata }) => ({
    did: `logged ${Object.keys(metadata).join(', ')}`,
    sets: { metadata },
    facts: { logs: metadata },
  }),
})
