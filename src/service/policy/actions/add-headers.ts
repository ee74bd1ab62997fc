import { action } from '../action.ts'
import { headers } from '../fields.ts'

export const addHeaders = action({
  type: 'add-headers',
  about:
    'Adds headers to the request or the response. If a header already exists, the action adds another value, but replaces `host`.',
  page: 'add-headers',
  phases: ['on_http_request', 'on_http_response'],
  config: { headers: { ...headers('The headers to add, by name.', 1), isRequired: true } },
  sets: { headers_added: { type: 'map<string, list<string>>', about: 'The headers that the action added.' } },
  run({ headers }, { message }) {
    const names = Object.entries(headers).map(([name, value]) => {
      const key = name.toLowerCase()
      if (key === 'host') message.headers.set(key, value)
      else message.headers.append(key, value)
      return key
    })
    const added = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]])
    return { did: `added ${names.join(', ')}`, sets: { headers_added: Object.fromEntries(added) } }
  },
})
