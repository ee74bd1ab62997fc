import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import { TIME_ALLOWED, timeMs } from '../../../core/schema/time.ts'
import { HASHES } from '../functions.ts'
import { isDuration } from '../time.ts'
import { findInExpressions, literalOf, type Warning } from './warning.ts'

export const invalidConstant: Warning = {
  id: 'invalid-constant',
  about: 'A constant for `duration`, `timestamp`, `rand.int` or a hash makes each evaluation fail.',
  reason:
    'The service checks the types of an expression, and not its values. A rule whose condition fails does not apply.',
  docs: 'https://ngrok.com/docs/traffic-policy/concepts/expressions/',
  wrong: `on_http_request:
  - expressions: ["timestamp(time.now) - timestamp('2026-01-01T00:00:00Z') > duration('5 minutes')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["timestamp(time.now) - timestamp('2026-01-01T00:00:00Z') > duration('5m')"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    findInExpressions(policy, '(', (node) => {
      const wrong = readWrong(node)
      return wrong && { what: `has ${wrong.received}, which fails for each request`, hint: `Use ${wrong.allowed}.` }
    }),
}

/** Returns the constant with which a call fails, and what is allowed there. */
function readWrong(node: ASTNode): { readonly received: string; readonly allowed: string } | undefined {
  if (node.op === 'call') {
    const text = literalOf(node.args[1][0])
    const [name] = node.args
    if (text === undefined) return undefined
    if (name === 'duration' && !isDuration(text))
      return { received: quote(text), allowed: 'a duration such as "1h30m"' }
    if (name === 'timestamp' && timeMs(text) === undefined) return { received: quote(text), allowed: TIME_ALLOWED }
  }
  if (node.op !== 'rcall') return undefined
  const [name, owner, args] = node.args
  const namespace = owner.op === 'id' ? owner.args : undefined
  if (HASHES.includes(name)) {
    const form = literalOf(args[namespace === 'hash' ? 1 : 0])
    if (form !== undefined && form !== 'hex' && form !== 'base64')
      return { received: quote(form), allowed: '"hex" or "base64"' }
  }
  if (name !== 'int' || namespace !== 'rand') return undefined
  const [min, max] = args.map((each) => (each.op === 'value' && typeof each.args === 'bigint' ? each.args : undefined))
  if (min === undefined || max === undefined || min <= max) return undefined
  return { received: `rand.int(${min}, ${max})`, allowed: 'the smaller number first' }
}
