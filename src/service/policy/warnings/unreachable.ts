import type { ASTNode } from '@marcbachmann/cel-js'
import { pathOfNode } from '../expression.ts'
import { type Finding, literalOf, type ReadAction, type ReadRule, type Warning } from './warning.ts'

const DOCS = 'https://ngrok.com/docs/traffic-policy/how-it-works/#chaining-rules-and-priority'

export const ruleUnreachable: Warning = {
  id: 'rule-unreachable',
  about: "An earlier rule ends all of a rule's traffic: it has no expressions, or a shorter prefix of the path.",
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
  find: ({ rules }) => findUnreachable(rules, false),
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
  find: ({ rules }) => findUnreachable(rules, true),
}

/** The traffic that a rule ends: all of it, or the paths of these tests. */
interface Ending {
  readonly rule: ReadRule
  readonly by: ReadAction
  readonly tests: readonly PathTest[]
}

interface PathTest {
  readonly kind: 'prefix' | 'equal'
  readonly path: string
}

/** The tests of the path in each condition of a rule, of which one must hold; undefined for a condition that is something else. */
type Tests = readonly (readonly PathTest[] | undefined)[]

/** Finds the rules, with a rate limit or without, whose traffic an earlier rule ends. */
function findUnreachable(rules: readonly ReadRule[], isLimit: boolean): readonly Finding[] {
  const found: Finding[] = []
  const endings: Ending[] = []
  for (const rule of rules) {
    const tests: Tests = rule.conditions.map(({ tree }) => tree && readTests(tree))
    const isAsked = isLimit === rule.actions.some(({ row }) => row.type === 'rate-limit')
    const before = isAsked ? endings.find((each) => isBefore(each, rule) && isEnded(tests, each)) : undefined
    if (before) {
      const [phase, index] = before.rule.path
      const [first] = before.tests
      const which = first
        ? `requests whose path ${first.kind === 'prefix' ? 'begins with' : 'is'} "${first.path}"`
        : 'all traffic'
      found.push({
        path: rule.path,
        what: `${isLimit ? 'limits nothing' : 'is never reached'}: ${before.by.row.type} in ${phase}[${index}] ends ${which} first`,
        hint: `Move this rule before ${phase}[${index}].`,
      })
    }
    // A rewritten URL may have another path.
    if (rule.actions.some(({ row }) => row.type === 'url-rewrite')) endings.length = 0
    const by = rule.actions.find(isEnding)
    const [only = []] = tests
    if (by && tests.length <= 1 && (tests.length === 0 || only.length > 0)) endings.push({ rule, by, tests: only })
  }
  return found
}

function isEnding({ row, config }: ReadAction): boolean {
  // A redirect without a pattern changes every URL but its own.
  if (row.type === 'redirect') return config.from === undefined || config.from === null
  return config.on_error !== 'continue' && row.ends?.(config) === true
}

function isBefore({ rule, tests }: Ending, later: ReadRule): boolean {
  if (rule.phase === later.phase) return true
  // Responses are not from the upstream alone: actions before may have answered.
  return tests.length === 0 && rule.phase === 'on_tcp_connect'
}

function isEnded(conditions: Tests, { tests }: Ending): boolean {
  if (tests.length === 0) return true
  return conditions.some((own) => own?.every((each) => tests.some((test) => covers(test, each))))
}

function covers(test: PathTest, other: PathTest): boolean {
  return test.kind === 'prefix' ? other.path.startsWith(test.path) : other.kind === 'equal' && other.path === test.path
}

/** Returns the tests of the path of which one must hold; undefined if the expression is something else. */
function readTests(tree: ASTNode): readonly PathTest[] | undefined {
  if (tree.op === '||') {
    const [left, right] = tree.args.map(readTests)
    return left && right ? [...left, ...right] : undefined
  }
  if (tree.op === 'value' && tree.args === true) return undefined
  if (tree.op === '==' && isPath(tree.args[0])) return toTests('equal', literalOf(tree.args[1]))
  if (tree.op === 'rcall' && tree.args[0] === 'startsWith' && isPath(tree.args[1]))
    return toTests('prefix', literalOf(tree.args[2][0]))
  return undefined
}

function isPath(node: ASTNode): boolean {
  return pathOfNode(node) === 'req.url.path'
}

function toTests(kind: PathTest['kind'], path: string | undefined): readonly PathTest[] | undefined {
  return path === undefined ? undefined : [{ kind, path }]
}
