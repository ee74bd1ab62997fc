import type { Action } from '../action.ts'
import { headers } from '../fields.ts'

export const addHeaders: Action = {
  type: 'add-headers',
  about:
    'Adds headers to the request or to the response. A header that is there already gets a further value; `host` is replaced.',
  page: 'add-headers',
  phases: ['on_http_request', 'on_http_response'],
  config: { headers: { ...headers('The headers to add, by name.', 1), isRequired: true } },
  sets: { headers_added: { type: 'map<string, list<string>>', about: 'The headers that the action added.' } },
}
