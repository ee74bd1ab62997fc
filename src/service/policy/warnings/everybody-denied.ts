import { isInRange } from '../cel/addresses.ts'
import { formatProblem } from '../formats.ts'
import { isWithin, type Warning } from './warning.ts'

export const everybodyDenied: Warning = {
  id: 'everybody-denied',
  about: '`restrict-ips` does not allow any range, or denies each range that it allows.',
  reason: 'An address passes only if it is in an allowed range. Denying some ranges does not allow the others.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/restrict-ips/#allow-and-deny-conditions',
  wrong: `on_http_request:
  - actions: [{ type: restrict-ips, config: { deny: [203.0.113.0/24] } }]
`,
  right: `on_http_request:
  - actions: [{ type: restrict-ips, config: { allow: [0.0.0.0/0, '::/0'], deny: [203.0.113.0/24] } }]
`,
  find: ({ actions, problems }) =>
    actions.flatMap(({ row, config, path }) => {
      const { allow, deny, ip_policies, enforce } = config
      const [allowed = [], denied = []] = [allow, deny].map((list) => (Array.isArray(list) ? list.map(String) : []))
      // A value that is not a list is an error.
      const hasRange = [allow, ip_policies].some((list) => (Array.isArray(list) ? list.length > 0 : list !== undefined))
      const isOverlap = allowed.length > 0 && allowed.every((each) => denied.some((range) => hasAll(range, each)))
      const isDenied = ip_policies === undefined && isOverlap
      if (row.type !== 'restrict-ips' || (hasRange && !isDenied) || enforce === false) return []
      // Errors in an action must be fixed first.
      if (problems.some((each) => isWithin(each.path, path))) return []
      const why = hasRange ? 'that denies each range that it allows, and so' : 'without an allowed range, which'
      const hint = hasRange
        ? 'Allow a range that is not in a denied range.'
        : 'To allow everything that is not denied, write allow: [0.0.0.0/0, "::/0"].'
      return [{ path: [...path, 'type'], what: `is restrict-ips ${why} denies everyone`, hint }]
    }),
}

/** Returns whether a CIDR range contains another range. */
function hasAll(range: string, other: string): boolean {
  const [address = '', bits] = other.split('/')
  const isRange = [range, other].every((each) => !formatProblem('cidr', each))
  return isRange && Number(range.split('/')[1]) <= Number(bits) && isInRange(address, range)
}
