import type { Warning } from './warning.ts'

export const everybodyDenied: Warning = {
  id: 'everybody-denied',
  about: '`restrict-ips` does not allow any range.',
  reason: 'An address passes only if it is in an allowed range. Denying some ranges does not allow the others.',
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
      const hint = 'To allow everything that is not denied, write allow: [0.0.0.0/0, "::/0"].'
      return [
        { path: [...path, 'type'], what: 'is restrict-ips without an allowed range, which denies everyone', hint },
      ]
    }),
}
