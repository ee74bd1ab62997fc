import type { Action, Field } from '../action.ts'
import { enforce, text } from '../fields.ts'

const ranges = (about: string): Field => ({
  kind: 'list',
  item: { kind: 'text', format: 'cidr', takesCel: true, about: 'A range, such as `203.0.113.0/24`.' },
  about,
})

export const restrictIps: Action = {
  type: 'restrict-ips',
  about: 'Lets pass only connections whose address an allowed range has and no denied range has.',
  page: 'restrict-ips',
  phases: ['on_tcp_connect', 'on_http_request', 'on_http_response'],
  config: {
    enforce,
    allow: ranges('The ranges whose addresses may pass.'),
    deny: ranges('The ranges whose addresses may not pass.'),
    ip_policies: {
      kind: 'list',
      item: { kind: 'ip-policy', about: 'The id of an IP policy.' },
      about: 'IP policies whose rules join the ranges.',
    },
  },
  sets: {
    action: text('`allow` or `deny`.'),
    matched_cidr: text('The range that has the address, or an empty text.'),
  },
}
