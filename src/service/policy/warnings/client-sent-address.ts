import { quote } from '../../../core/schema/text.ts'
import { ADDRESS_HEADERS, placeOf } from './holes.ts'
import type { Warning } from './warning.ts'

const READ_HEADER = /^(getReqHeader\(|req\.headers\[)["']([\w-]+)["']/

export const clientSentAddress: Warning = {
  id: 'client-sent-address',
  about:
    'A rule admits or limits requests based on an address header, such as `X-Forwarded-For`, that the client sends.',
  reason:
    'Anyone can send the header with an allowed address. `restrict-ips` and `conn.client_ip` use the address of the connection.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/restrict-ips/',
  wrong: `on_http_request:
  - expressions: ["!getReqHeader('x-forwarded-for').exists(v, v == '203.0.113.7')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["conn.client_ip != '203.0.113.7'"]
    actions: [{ type: deny }]
`,
  find: (policy) => {
    // If a proxy's own address is checked, the headers come from the proxy.
    const isChecked = policy.actions.some(({ row, config }) => row.type === 'restrict-ips' && config.enforce !== false)
    if (isChecked || policy.expressions.some(({ source }) => /\bconn\.client_ip\b(?!\.)/.test(source))) return []
    const keys = policy.expressions.flatMap(({ path, source }) => {
      const [, , name = ''] = READ_HEADER.exec(source) ?? []
      if (!path.includes('bucket_key') || !ADDRESS_HEADERS.test(`'${name.toLowerCase()}'`)) return []
      const what = `limits clients by the header ${quote(name)}, which the client sends`
      return { path, what, hint: 'Use conn.client_ip.' }
    })
    const holes = policy.holes().flatMap((hole) => {
      if (!hole.isClientAddress) return []
      const name = hole.subject.name?.replaceAll("'", '') ?? ''
      return {
        ...placeOf(hole),
        what: `admits requests based on the header ${quote(name)}, which the client sends`,
        hint: 'Use conn.client_ip, or restrict-ips.',
      }
    })
    return [...holes, ...keys]
  },
}
