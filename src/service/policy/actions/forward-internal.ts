import { quote } from '../../../core/schema/text.ts'
import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { onError, text } from '../fields.ts'

export const forwardInternal = action({
  type: 'forward-internal',
  about: "Forwards traffic to one of the account's internal endpoints, whose own policy also runs.",
  page: 'forward-internal',
  phases: ['on_tcp_connect', 'on_http_request'],
  config: {
    url: {
      kind: 'text',
      format: 'url',
      takesCel: true,
      isRequired: true,
      about: "The endpoint's URL, such as `https://api.internal`.",
    },
    on_error: onError('halt'),
    binding: { kind: 'text', choices: ['internal'], about: "The endpoint's binding, which must be internal." },
  },
  check({ url }, phase, protocol) {
    const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(typeof url === 'string' ? url : '') ?? []
    if (scheme === undefined) return []
    const isHttp = /^https?$/i.test(scheme)
    const problem = (allowed: string) => [
      { number: 2222, path: ['url'], message: `has the scheme ${quote(scheme)}. Allowed ${allowed}` },
    ]
    if (phase !== 'on_tcp_connect') return isHttp ? [] : problem('in this phase: http, https')
    return isHttp && (protocol === 'tcp' || protocol === 'tls') ? problem(`for ${protocol} endpoints: tcp, tls`) : []
  },
  ends: ({ on_error }) => on_error !== 'continue',
  sets: { url: text('The URL of the endpoint.') },
  decisions: [DECISIONS.noUrl],
  run: ({ url }, visit) => visit.forward(url),
})
