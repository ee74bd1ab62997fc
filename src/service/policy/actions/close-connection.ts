import type { Action } from '../action.ts'

export const closeConnection: Action = {
  type: 'close-connection',
  about: 'Closes the connection at once.',
  page: 'close-connection',
  phases: ['on_tcp_connect', 'on_http_request'],
  config: {},
  ends: () => true,
}
