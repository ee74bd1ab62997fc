import { quote } from '../../../core/schema/text.ts'
import type { Warning } from './warning.ts'

export const urlNotReachable: Warning = {
  id: 'url-not-reachable',
  about:
    '`forward-internal` or `http-request` names a host that is not under `.internal`, or the URL of `http-request` is not http or https.',
  reason:
    'Traffic is forwarded only to internal endpoints, whose hosts end in `.internal`. Requests are made over HTTP, and to other hosts only if support enables it.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/forward-internal/',
  wrong: `on_http_request:
  - actions: [{ type: forward-internal, config: { url: https://api.example.com } }]
`,
  right: `on_http_request:
  - actions: [{ type: forward-internal, config: { url: https://api.internal } }]
`,
  find: ({ actions }) =>
    actions.flatMap(({ row: { type }, config: { url }, path: action }) => {
      // The text before a `${…}` is only part of the host.
      const [, scheme, host] = /^([a-z][a-z0-9+.-]*):\/\/(?:([^/?#:$]+)(?=[/?#:]|$))?/i.exec(String(url)) ?? []
      const path = [...action, 'config', 'url']
      if (type === 'forward-internal' && host !== undefined && !/\.internal$/i.test(host))
        return [
          {
            path,
            number: 3200,
            what: `names the host ${quote(host)}, which cannot be an internal endpoint, so it fails at run time for every request`,
            hint: 'Use the URL of an internal endpoint, such as "https://api.internal".',
          },
        ]
      if (type === 'http-request' && scheme !== undefined && !/^https?$/i.test(scheme))
        return [
          {
            path,
            what: `has the scheme ${quote(scheme)}, which http-request does not support`,
            hint: 'Use http or https.',
          },
        ]
      if (type === 'http-request' && host !== undefined && !/\.internal$/i.test(host))
        return [
          {
            path,
            what: `names the host ${quote(host)}, but requests to external hosts are disabled by default`,
            hint: 'Use the URL of an internal endpoint, such as "https://api.internal", or ask ngrok\'s support to enable external requests.',
            docs: 'https://ngrok.com/docs/traffic-policy/actions/http-request/',
          },
        ]
      return []
    }),
}
