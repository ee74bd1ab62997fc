import { suggestion } from '../../core/schema/nearest.ts'
import { quote } from '../../core/schema/text.ts'
import { isObject, lookUp } from '../../core/schema/values.ts'
import { RULES_OF_PLANS } from '../resources/policy-limits.ts'
import type { Config } from './action.ts'
import { checkEnd } from './check-end.ts'
import { checkRule } from './check-rule.ts'
import type { PolicyExpression } from './expression.ts'
import { type PolicyOptions, PROTOCOLS } from './options.ts'
import { PHASES, phasesOf } from './phases.ts'
import type { PolicyPath, PolicyProblem } from './problem.ts'
import { KEY, Reporter } from './reporter.ts'

/** The maximum number of rules in a policy. Checking more would take too long. */
export const MAX_RULES = 1_000
/** The maximum nesting depth of a policy. */
const MAX_DEPTH = 64

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_DEPTH) return true
  for (const each of Array.isArray(value) ? value : Object.values(value)) if (isTooDeep(each, depth + 1)) return true
  return false
}

/** Checks a parsed policy. Returns all problems, by path. */
export function checkPolicyValue(policy: unknown, options: PolicyOptions = {}): readonly PolicyProblem[] {
  return examinePolicy(policy, options).problems
}

/** Lists all CEL expressions of a parsed policy, with their syntax trees, types, and locations. */
export function listExpressions(policy: unknown, options: PolicyOptions = {}): readonly PolicyExpression[] {
  return examinePolicy(policy, options).expressions
}

/** Checks a parsed policy. Returns the policy's problems and expressions. */
export function examinePolicy(
  policy: unknown,
  options: PolicyOptions = {},
): Pick<Reporter, 'problems' | 'expressions'> {
  const reporter = new Reporter()
  const { protocol = 'https', place, mustEnd = place === 'cloud' } = options
  if (!PROTOCOLS.includes(protocol)) {
    reporter.report(2229, [], `is for the protocol ${quote(protocol)}. Allowed: ${PROTOCOLS.join(', ')}`)
  } else if (!isObject(policy)) {
    reporter.reportValue(2236, [], policy, 'one object, whose keys are phases and whose values are lists of rules')
  } else if (isTooDeep(policy)) {
    reporter.report(2236, [], `is nested deeper than ${MAX_DEPTH} levels`)
  } else {
    checkPhases(policy, { ...options, protocol }, reporter)
    if (mustEnd && reporter.problems.length === 0) checkEnd(policy, protocol, reporter)
  }
  return reporter
}

type Known = PolicyOptions & { readonly protocol: NonNullable<PolicyOptions['protocol']> }

function checkPhases(policy: Config, options: Known, reporter: Reporter): undefined {
  const { protocol, place, plan, maxRules = lookUp(RULES_OF_PLANS, plan ?? '') } = options
  const phases = phasesOf(protocol, place)
  const most = Math.min(maxRules ?? MAX_RULES, MAX_RULES)
  const seen = new Map<string, PolicyPath>()
  let amount = 0
  for (const [key, rules] of Object.entries(policy)) {
    if (place === 'module' && key === 'enabled') continue
    const phase = lookUp(phases, key)
    if (!phase) {
      reportPhase(key, Object.keys(phases), options, reporter)
      continue
    }
    if (rules === null) continue
    if (!Array.isArray(rules)) {
      reporter.reportValue(2236, [key], rules, 'a list of rules')
      continue
    }
    const before = amount
    amount += rules.length
    if (amount > most && before <= most) {
      const by = plan === undefined || maxRules !== lookUp(RULES_OF_PLANS, plan) ? '' : ` on the ${plan} plan`
      reporter.report(2264, [key], `brings the number of rules to ${amount}. The maximum is ${most}${by}`)
    }
    if (amount > MAX_RULES) return
    const hasTls = protocol === 'https' || protocol === 'tls'
    const scope = { phase, hasTls, ...(place === 'module' && { isModule: true }) }
    const known = { scope, options, reporter, declared: new Set<string>() }
    for (const [index, rule] of rules.entries()) if (!reporter.isFull) checkRule(rule, [key, index], known, seen)
  }
}

const OLDER_NAMES: Readonly<Record<string, string>> = { inbound: 'on_http_request', outbound: 'on_http_response' }

function reportPhase(
  key: string,
  allowed: readonly string[],
  { protocol, place }: Known,
  reporter: Reporter,
): undefined {
  const isConnect = key === 'on_tcp_connect' && (protocol === 'https' || protocol === 'http')
  const number = isConnect && place === 'edge' ? 2248 : isConnect && place === 'internal' ? 2262 : 2230
  const known: readonly string[] = PHASES
  const what = known.includes(key)
    ? `is a phase that is not available for ${placeName(protocol, place)}`
    : 'is not a phase'
  const older = lookUp(OLDER_NAMES, key)
  const hint = older && allowed.includes(older) ? { hint: `${key} is the older name of ${older}.` } : {}
  reporter.report(number, [key], `${what}.${suggestion(key, allowed)} Allowed: ${allowed.join(', ')}`, {
    ...KEY,
    ...hint,
  })
}

function placeName(protocol: Known['protocol'], place: Known['place']): string {
  if (place === 'edge') return `${protocol} edges`
  return place === 'internal' ? `internal ${protocol} endpoints` : `${protocol} endpoints`
}
