import { action, type Field } from '../action.ts'
import { listNarrowest } from '../cel/addresses.ts'
import { enforce, nameItems, text } from '../fields.ts'
import type { Phase } from '../phases.ts'

const ranges = (about: string) =>
  ({
    kind: 'list',
    item: { kind: 'text', format: 'cidr', takesCel: true, about: 'A range, such as `203.0.113.0/24`.' },
    about,
  }) as const satisfies Field

export const restrictIps = action({
  type: 'restrict-ips',
  about: 'Allows only connections from addresses that are in an allowed range and not in a denied range.',
  page: 'restrict-ips',
  phases: ['on_tcp_connect', 'on_http_request', 'on_http_response'],
  outcomes: ['allowed', 'denied'],
  config: {
    enforce,
    allow: ranges('The ranges whose addresses are allowed.'),
    deny: ranges('The ranges whose addresses are denied.'),
    ip_policies: {
      kind: 'list',
      item: { kind: 'ip-policy', about: 'The ID of an IP policy.' },
      about: 'The IP policies whose rules are added to the ranges.',
    },
  },
  sets: {
    action: text('`allow` or `deny`.', ['allow', 'deny']),
    matched_cidr: text('The range that contains the address, or an empty string.'),
  },
  parts: ({ allow, deny }) => [...nameItems('allow', allow), ...nameItems('deny', deny)],
  refusal: ({ action }, phase) => (action === 'deny' ? refuse(phase) : undefined),
  run({ allow = [], deny = [], ip_policies = [] }, visit) {
    const rules = [
      ...allow.map((cidr) => ({ cidr, action: 'allow' })),
      ...deny.map((cidr) => ({ cidr, action: 'deny' })),
      ...ip_policies.flatMap((id) => visit.ipPolicyRules(id)),
    ]
    const matching = rules.filter(({ cidr }) => visit.isInRange(visit.clientIp, cidr))
    const denied = matching.find(({ action }) => action === 'deny')
    const [matched] = denied ? [denied] : matching
    const lists = matched?.action === 'deny' ? { deny } : matched ? { allow } : {}
    const parts = Object.entries(lists).flatMap(([name, ranges]) => {
      const narrowest = listNarrowest(
        matching.map(({ cidr }) => cidr).filter((cidr) => ranges.includes(cidr)),
        String,
      )
      return nameItems(name, ranges).filter((_, index) => narrowest.includes(ranges[index] ?? ''))
    })
    const sets = { action: matched?.action ?? 'deny', matched_cidr: matched?.cidr ?? '' }
    if (matched?.action === 'allow') return { did: `allowed ${visit.clientIp} by ${matched.cidr}`, sets, parts }
    const of = ip_policies.length > 0 ? ` of the policy or of ${ip_policies.join(', ')}` : ''
    const why = matched ? `by ${matched.cidr}` : `because it is in no allowed range${of}`
    return { did: `denied ${visit.clientIp} ${why}`, sets, parts, ends: refuse(visit.phase), isRefusal: true }
  },
})

function refuse(phase: Phase) {
  return phase === 'on_tcp_connect' ? 'close' : { status: 403, error: 3205 }
}
