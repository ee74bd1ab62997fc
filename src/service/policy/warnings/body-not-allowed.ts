import { hasNoBody } from '../actions/custom-response.ts'
import type { Warning } from './warning.ts'

export const bodyNotAllowed: Warning = {
  id: 'body-not-allowed',
  about: 'A `custom-response` with the status 204 or 304 has a body.',
  reason: 'A response with this status cannot have a body. The client receives a 500 response with `ERR_NGROK_3604`.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/custom-response/',
  wrong: `on_http_request:
  - actions: [{ type: custom-response, config: { status_code: 204, body: done } }]
`,
  right: `on_http_request:
  - actions: [{ type: custom-response, config: { status_code: 204 } }]
`,
  find: ({ actions }) =>
    actions.flatMap(({ row, config, path }) => {
      if (row.type !== 'custom-response' || !hasNoBody(Number(config.status_code))) return []
      const field = ['body', 'content'].find((name) => typeof config[name] === 'string' && config[name] !== '')
      if (field === undefined) return []
      const what = `is set, but a response with the status ${config.status_code} cannot have a body, so the client receives 500`
      return [{ path: [...path, 'config', field], what, hint: `Remove ${field}, or use the status 200.` }]
    }),
}
