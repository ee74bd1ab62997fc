import { formatProblem } from '../formats.ts'
import { findInExpressions, literalOf, type Warning } from './warning.ts'

export const invalidRange: Warning = {
  id: 'invalid-range',
  about: 'A string passed to `inCidrRange` or `inCidrRanges` is not a range.',
  reason:
    'An invalid range contains no addresses. A single address also needs a prefix length, such as `203.0.113.9/32`.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#incidrrangeipcidr---bool',
  wrong: `on_http_request:
  - expressions: ["inCidrRange(conn.client_ip, '203.0.113.9')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["inCidrRange(conn.client_ip, '203.0.113.9/32')"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    findInExpressions(policy, 'inCidrRange', (node) => {
      if (node.op !== 'call' || !/^inCidrRanges?$/.test(node.args[0])) return undefined
      const [, ranges] = node.args[1]
      const texts = ranges?.op === 'list' ? ranges.args.map(literalOf) : [literalOf(ranges)]
      const [problem] = texts.flatMap((text) => (text === undefined ? [] : (formatProblem('cidr', text) ?? [])))
      return (
        problem && { what: 'has an invalid range, which contains no addresses', hint: `The range ${problem.what}.` }
      )
    }),
}
