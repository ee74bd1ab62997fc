import { action } from '../action.ts'

export const closeConnection = action({
  type: 'close-connection',
  about: 'Closes the connection immediately.',
  page: 'close-connection',
  phases: ['on_tcp_connect', 'on_http_request'],
  config: {},
  ends: () => true,
  run: () => ({ did: 'closed the connection', ends: 'close' }),
})
