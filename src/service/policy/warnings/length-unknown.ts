import { pathOfNode } from '../expression.ts'
import { Cases, listTestsOf, readTest, treesOf } from './cases.ts'
import { checkOf, isDenial } from './holes.ts'
import type { Finding, ReadPolicy, ReadRule, Warning } from './warning.ts'

const DOCS = 'https://ngrok.com/docs/traffic-policy/variables/req#req-content-length'

export const lengthUnknown: Warning = {
  id: 'length-unknown',
  about: 'A rule denies large requests, but requests without `Content-Length` pass.',
  reason: 'A client that streams its body does not send its length, and `req.content_length` may then be missing.',
  docs: DOCS,
  wrong: `on_http_request:
  - expressions: ["req.content_length > 1000000"]
    actions: [{ type: deny, config: { status_code: 413 } }]
`,
  right: `on_http_request:
  - expressions: ["req.content_length > 1000000"]
    actions: [{ type: deny, config: { status_code: 413 } }]
  - expressions: ["req.method in ['POST', 'PUT', 'PATCH'] && !hasReqHeader('content-length')"]
    actions: [{ type: deny, config: { status_code: 411 } }]
`,
  find: findLimits,
}

const LENGTHS: readonly unknown[] = ['req.content_length', 'req.ContentLength']
const ABOUT_LENGTH = /content[-_]?length|transfer-encoding/i

function findLimits({ rules }: ReadPolicy): readonly Finding[] {
  // Authenticated clients are trusted not to evade a limit.
  if (rules.some(checkOf)) return []
  const cases = new Cases()
  const denials = rules.filter(
    (rule) => isDenial(rule) && rule.conditions.some(({ source }) => ABOUT_LENGTH.test(source)),
  )
  const isDenied = denials.some((rule) => canApply(rule, cases, 0))
  return isDenied ? [] : denials.flatMap((rule) => describeLimit(rule, cases) ?? [])
}

/** Returns whether a rule can apply to a request whose length variable is set. */
function canApply(rule: ReadRule, cases: Cases, length: number): boolean {
  return cases.canHold(treesOf(rule), new Map(LENGTHS.map((name) => [String(name), length])))
}

/** Describes the test of a rule that denies requests by a length that may be missing. */
function describeLimit(rule: ReadRule, cases: Cases): Finding | undefined {
  if (!canApply(rule, cases, Number.MAX_SAFE_INTEGER)) return undefined
  const test = listTestsOf(rule).find(({ node }) => LENGTHS.includes(pathOfNode(readTest(node)?.subject ?? node)))
  if (!test) return undefined
  const what = 'denies requests by their length, but a request that streams its body without Content-Length passes'
  const hint = `Also deny requests for which "req.method in ['POST', 'PUT', 'PATCH'] && !hasReqHeader('content-length')".`
  return { ...test.place, what, hint }
}
