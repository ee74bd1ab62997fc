import { action } from '../action.ts'

export const removeHeaders = action({
  type: 'remove-headers',
  about: 'Removes headers from the request or the response.',
  page: 'remove-headers',
  phases: ['on_http_request', 'on_http_response'],
  config: {
    headers: {
      kind: 'list',
      item: { kind: 'header-name', about: 'The name of a header to remove.' },
      min: 1,
      max: 10,
      countNumber: 2212,
      isRequired: true,
      about: 'The names of the headers to remove.',
    },
  },
  sets: { headers_removed: { type: 'list<string>', about: 'The headers that the action removed.' } },
  parts: ({ headers }) => (Array.isArray(headers) ? headers.map((name) => String(name).toLowerCase()) : []),
  run({ headers }, { message, request, response }) {
    const names = headers.map((name) => name.toLowerCase())
    // The headers of forwarding are added when the request is sent on.
    if (!response) for (const name of names) request.withheld.add(name)
    const removed = names.filter((name) => message.headers.delete(name))
    const did = `removed ${removed.join(', ') || 'nothing'}`
    return { did, sets: { headers_removed: removed }, isIdle: removed.length === 0, parts: removed }
  },
})
