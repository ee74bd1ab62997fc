import type { Warning } from './warning.ts'

export const everybodyDenied: Warning = {
  id: 'everybody-denied',
  about: '`restrict-ips` allows no range.',
  reason: 'An address passes only if an allowed range has it. Ranges that are denied allow no others.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/restrict-ips/#allow-and-deny-conditions',
  wrong: `on_http_request:
  - actions: [{ type: restrict-ips, config: { deny: [203.0.113.0/24] } }]
`,
  right: `on_http_request:
  - actions: [{ type: restrict-ips, config: { allow: [0.0.0.0/0, '::/0'], deny: [203.0.113.0/24] } }]
`,
  find: ({ actions }) =>
    actions.flatMap(({ row, config, path }) => {
      const { allow, ip_policies, enforce } = config
      // What is no list has an error.
      const hasRange = [allow, ip_policies].some((list) => (Array.isArray(list) ? list.length > 0 : list !== undefined))
      if (row.type !== 'restrict-ips' || hasRange || enforce === false) return []
      const hint = 'Write allow: [0.0.0.0/0, "::/0"] if all that is not denied may pass.'
      return [{ path: [...path, 'type'], what: 'is restrict-ips, which allows no range and denies everybody', hint }]
    }),
}
