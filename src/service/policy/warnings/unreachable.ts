import type { ASTNode } from '@marcbachmann/cel-js'
import { cut } from '../../../core/schema/text.ts'
import { endsRule } from '../check-end.ts'
import { pathOfNode } from '../expression.ts'
import { Cases, listTests, readTest, treesOf } from './cases.ts'
import { type Finding, isWithin, type ReadAction, type ReadPolicy, type ReadRule, type Warning } from './warning.ts'

const DOCS = 'https://ngrok.com/docs/traffic-policy/how-it-works/#chaining-rules-and-priority'

export const ruleUnreachable: Warning = {
  id: 'rule-unreachable',
  about:
    "An earlier rule ends all of a rule's traffic: it has no expressions, the same expressions, or a shorter path prefix.",
  reason: 'Rules run in order, and a terminating action ends them.',
  docs: DOCS,
  wrong: `on_http_request:
  - expressions: ["req.url.path.startsWith('/api')"]
    actions: [{ type: forward-internal, config: { url: https://api.internal } }]
  - expressions: ["req.url.path.startsWith('/api/admin')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["req.url.path.startsWith('/api/admin')"]
    actions: [{ type: deny }]
  - expressions: ["req.url.path.startsWith('/api')"]
    actions: [{ type: forward-internal, config: { url: https://api.internal } }]
`,
  find: (policy) => findUnreachable(policy, false),
}

export const rateLimitUnreachable: Warning = {
  id: 'rate-limit-unreachable',
  about: 'A rate limit comes after the action that ends its traffic.',
  reason: 'Rules run in order, and a terminating action ends them. A rate limit counts only requests that reach it.',
  docs: DOCS,
  wrong: `on_http_request:
  - actions: [{ type: forward-internal, config: { url: https://api.internal } }]
  - actions:
      - type: rate-limit
        config: { name: calls, algorithm: sliding_window, capacity: 10, rate: 60s, bucket_key: [conn.client_ip] }
`,
  right: `on_http_request:
  - actions:
      - type: rate-limit
        config: { name: calls, algorithm: sliding_window, capacity: 10, rate: 60s, bucket_key: [conn.client_ip] }
  - actions: [{ type: forward-internal, config: { url: https://api.internal } }]
`,
  find: (policy) => findUnreachable(policy, true),
}

/** A rule that ends all traffic for which its conditions are true. */
interface Ending {
  readonly rule: ReadRule
  readonly by: ReadAction
  readonly conditions: readonly ASTNode[]
}

/** The values that a condition may read but that may differ in another rule, because they change or are random. */
const UNSTABLE = /\b(?:actions|rand|vars)\./
/** The values that header actions change. */
const OF_HEADERS = /\bre[qs]\.(?!url\b|method\b|status_code\b)|Header|Cookie/

/** Finds the rules, with or without a rate limit, whose traffic an earlier rule ends. */
function findUnreachable({ rules, problems }: ReadPolicy, isLimit: boolean): readonly Finding[] {
  const cases = new Cases()
  const found: Finding[] = []
  let endings: Ending[] = []
  for (const rule of rules) {
    const conditions = treesOf(rule).filter(({ op, args }) => op !== 'value' || args !== true)
    const isAsked = isLimit === rule.actions.some(({ row }) => row.type === 'rate-limit')
    const isCovered = (each: Ending) => isBefore(each, rule) && cases.implies(conditions, each.conditions)
    const before = isAsked ? endings.find(isCovered) : undefined
    if (before) {
      const [phase, index] = before.rule.path
      const source = before.rule.conditions.map((each) => each.source.trim()).join(' && ')
      const which = before.conditions.length > 0 ? `all traffic for which ${cut(source)} is true` : 'all traffic'
      const isSame = rule.actions.some(isEnding) && cases.implies(before.conditions, conditions)
      found.push({
        path: rule.path,
        what: `${isLimit ? 'limits nothing' : 'is never reached'}: ${before.by.row.type} in ${phase}[${index}] already ends ${which}`,
        hint: isSame ? 'Remove one of the two rules.' : `Move this rule before ${phase}[${index}].`,
      })
    }
    const together = isAsked && !before ? endings.filter((each) => isBefore(each, rule) && isAlwaysKnown(each)) : []
    if (together.length > 1 && cases.implies(conditions, ...together.map((each) => each.conditions)))
      found.push({
        path: rule.path,
        what: 'is never reached: the rules before it end all of its traffic',
        hint: 'Remove this rule, or change the expressions of the rules before it.',
      })
    const changes = rule.actions.map(({ row }) => row.type)
    // A rewrite may change the path.
    if (changes.includes('url-rewrite')) endings = []
    if (changes.includes('add-headers') || changes.includes('remove-headers'))
      endings = endings.filter((each) => !each.conditions.some(({ input }) => OF_HEADERS.test(input)))
    const by = rule.actions.find(isEnding)
    const isStable = rule.conditions.every(({ source }) => !UNSTABLE.test(source))
    // A rule with an error may have been intended for less traffic.
    const isWrong = problems.some((each) => isWithin(each.path, rule.path) && each.path[2] !== 'actions')
    if (by && isStable && !isWrong) endings.push({ rule, by, conditions })
  }
  return found
}

/** Returns whether the conditions of an ending are either true or false for every request, that is, whether none of them can fail. */
function isAlwaysKnown({ conditions }: Ending): boolean {
  const isKnown = (node: ASTNode) =>
    /^req\.(?:method|url\.path|host)$/.test(pathOfNode(readTest(node)?.subject ?? node) ?? '')
  return conditions.every((tree) => listTests(tree).every(({ node }) => isKnown(node)))
}

/** Returns whether an action ends all traffic. A redirect does not: the URL that it redirects to passes. */
function isEnding({ row, config }: ReadAction): boolean {
  return endsRule(row, { config })
}

function isBefore({ rule, conditions }: Ending, later: ReadRule): boolean {
  if (rule.phase === later.phase) return true
  // Responses may come from earlier actions instead of the upstream.
  return conditions.length === 0 && rule.phase === 'on_tcp_connect'
}
