import { suggestion } from '../../core/schema/nearest.ts'
import { quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import type { Action, Config } from './action.ts'
import { suggestAction } from './action-names.ts'
import { ACTIONS } from './actions/index.ts'
import { checkCondition } from './cel-fields.ts'
import { checkConfig } from './config.ts'
import type { PolicyExpression } from './expression.ts'
import { type PolicyOptions, PROTOCOLS } from './options.ts'
import { PHASES, type Phase, phasesOf } from './phases.ts'
import type { Place } from './place.ts'
import type { PolicyPath, PolicyProblem } from './problem.ts'
import { Reporter } from './reporter.ts'

/** The most characters of the text of one rule. */
const MAX_RULE_LENGTH = 65_536
/** The most rules of a policy: the check of more would take too long. */
const MAX_RULES = 1_000
/** The deepest policy that is checked. */
const MAX_DEPTH = 64

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_DEPTH) return true
  for (const each of Array.isArray(value) ? value : Object.values(value)) if (isTooDeep(each, depth + 1)) return true
  return false
}

type Known = Omit<Place, 'action'>

/** Checks a parsed policy. Returns all problems, by path. */
export function checkPolicyValue(policy: unknown, options: PolicyOptions = {}): readonly PolicyProblem[] {
  return examinePolicy(policy, options).problems
}

/** Checks a parsed policy. Returns its problems and its expressions. */
export function examinePolicy(
  policy: unknown,
  options: PolicyOptions = {},
): Pick<Reporter, 'problems' | 'expressions'> {
  const reporter = new Reporter()
  const { protocol = 'https', place, mustEnd = place === 'cloud' } = options
  if (!PROTOCOLS.includes(protocol)) {
    reporter.report(2229, [], `is for the protocol ${quote(protocol)}. Allowed: ${PROTOCOLS.join(', ')}`)
  } else if (!isObject(policy)) {
    reporter.reportValue(2236, [], policy, 'one object whose keys are phases, each with a list of rules')
  } else if (isTooDeep(policy)) {
    reporter.report(2236, [], `is nested deeper than ${MAX_DEPTH} levels`)
  } else {
    checkPhases(policy, { ...options, protocol }, reporter)
    if (mustEnd && reporter.problems.length === 0) checkEnd(policy, protocol, reporter)
  }
  return reporter
}

/** Lists all CEL expressions of a parsed policy, with their syntax trees, types and places. */
export function listExpressions(policy: unknown, options: PolicyOptions = {}): readonly PolicyExpression[] {
  return examinePolicy(policy, options).expressions
}

function checkPhases(
  policy: Config,
  options: PolicyOptions & { protocol: NonNullable<PolicyOptions['protocol']> },
  reporter: Reporter,
): undefined {
  const { protocol, place, plan, maxRules = plan === 'free' ? 5 : MAX_RULES } = options
  const phases = phasesOf(protocol, place)
  const seen = new Map<string, PolicyPath>()
  let amount = 0
  for (const [key, rules] of Object.entries(policy)) {
    if (place === 'module' && key === 'enabled') continue
    const phase = Object.hasOwn(phases, key) ? phases[key] : undefined
    if (!phase) {
      reportPhase(key, Object.keys(phases), options, reporter)
      continue
    }
    if (rules === null) continue
    if (!Array.isArray(rules)) {
      reporter.reportValue(2236, [key], rules, 'a list of rules')
      continue
    }
    const known: Known = {
      scope: {
        phase,
        hasTls: protocol === 'https' || protocol === 'tls',
        ...(place === 'module' && { isModule: true }),
      },
      options,
      reporter,
      declared: new Set(),
    }
    const before = amount
    amount += rules.length
    if (amount > maxRules && before <= maxRules) {
      reporter.report(
        2264,
        [key],
        `brings the rules to ${amount}. At most ${maxRules} are allowed${plan === undefined ? '' : ` on the plan ${plan}`}`,
      )
    }
    if (amount > MAX_RULES) return
    for (const [index, rule] of rules.entries()) if (!reporter.isFull) checkRule(rule, [key, index], known, seen)
  }
}

function reportPhase(
  key: string,
  allowed: readonly string[],
  { protocol, place }: PolicyOptions,
  reporter: Reporter,
): undefined {
  const isConnect = key === 'on_tcp_connect' && (protocol === 'https' || protocol === 'http')
  const number = isConnect && place === 'edge' ? 2248 : isConnect && place === 'internal' ? 2262 : 2230
  const known: readonly string[] = PHASES
  const what = known.includes(key)
    ? `is a phase that does not exist for ${protocol} ${placeName(place)}`
    : 'is no phase'
  reporter.report(number, [key], `${what}.${suggestion(key, allowed)} Allowed: ${allowed.join(', ')}`)
}

function placeName(place: PolicyOptions['place']): string {
  if (place === 'edge') return 'edges'
  return place === 'internal' ? 'endpoints that are internal' : 'endpoints'
}

const RULE_FIELDS = ['name', 'expressions', 'actions']

function checkRule(rule: unknown, path: PolicyPath, known: Known, seen: Map<string, PolicyPath>): undefined {
  const { reporter, options } = known
  if (!isObject(rule)) return reporter.reportValue(2236, path, rule, `a rule: an object with ${RULE_FIELDS.join(', ')}`)
  for (const key of Object.keys(rule)) {
    if (RULE_FIELDS.includes(key)) continue
    reporter.report(
      2236,
      [...path, key],
      `is no field of a rule.${suggestion(key, RULE_FIELDS)} Allowed: ${RULE_FIELDS.join(', ')}`,
    )
  }
  const { name, expressions, actions } = rule
  if (name !== undefined && name !== null && typeof name !== 'string')
    reporter.reportValue(2236, [...path, 'name'], name, 'a text')
  const length = JSON.stringify(rule).length
  if (length > MAX_RULE_LENGTH) {
    return reporter.report(2236, path, `has ${length} characters. At most ${MAX_RULE_LENGTH} are allowed in a rule`)
  }
  checkExpressions(expressions, [...path, 'expressions'], known)
  const at = [...path, 'actions']
  if (actions === undefined || actions === null || (Array.isArray(actions) && actions.length === 0)) {
    return reporter.report(
      2206,
      at,
      `is ${actions === undefined ? 'missing' : 'empty'}. Every rule needs at least one action`,
    )
  }
  if (!Array.isArray(actions)) return reporter.reportValue(2236, at, actions, 'a list of actions')
  checkLimit(actions.length, 'actions', options.maxActions, at, known)
  let last: string | undefined
  for (const [index, each] of actions.entries()) {
    const action = checkAction(each, [...at, index], known, seen)
    if (last !== undefined && isObject(each)) {
      reporter.report(
        2207,
        [...at, index],
        `is ${quote(each.type)} and comes after ${last}, which ends the rule. Put what ends a rule last`,
      )
      last = undefined
    }
    if (action && isObject(each) && endsRule(action, each)) last = action.type
  }
}

function checkExpressions(expressions: unknown, path: PolicyPath, known: Known): undefined {
  if (expressions === undefined || expressions === null) return
  if (!Array.isArray(expressions))
    return known.reporter.reportValue(2236, path, expressions, 'a list of CEL expressions')
  checkLimit(expressions.length, 'expressions', known.options.maxExpressions, path, known)
  for (const [index, each] of expressions.entries()) {
    // YAML reads `true` as a boolean.
    if (typeof each === 'string') checkCondition(each, [...path, index], known)
    else if (typeof each !== 'boolean')
      known.reporter.reportValue(2200, [...path, index], each, 'a CEL expression, as text')
  }
}

function checkLimit(
  amount: number,
  what: string,
  max: number | undefined,
  path: PolicyPath,
  { reporter }: Known,
): undefined {
  if (max !== undefined && amount > max)
    reporter.report(2265, path, `has ${amount} ${what}. At most ${max} are allowed in a rule`)
}

const ACTION_FIELDS = ['type', 'config']

/** Checks an action. Returns its row, if its type exists. */
function checkAction(each: unknown, path: PolicyPath, known: Known, seen: Map<string, PolicyPath>): Action | undefined {
  const { reporter, options, scope } = known
  if (!isObject(each)) {
    reporter.reportValue(2236, path, each, 'an action: an object with type and config')
    return undefined
  }
  for (const key of Object.keys(each)) {
    if (!ACTION_FIELDS.includes(key)) {
      reporter.report(
        2236,
        [...path, key],
        `is no field of an action.${suggestion(key, ACTION_FIELDS)} Allowed: ${ACTION_FIELDS.join(', ')}`,
      )
    }
  }
  const action = ACTIONS.find(({ type }) => type === each.type)
  const at = [...path, 'type']
  if (!action) {
    if (options.unknownActions === 'accept') return undefined
    const types = ACTIONS.map(({ type }) => type)
    const near = typeof each.type === 'string' ? suggestAction(each.type, types) : ''
    const received = each.type === undefined ? 'missing' : quote(each.type)
    reporter.report(2201, at, `is ${received}.${near} Allowed: ${types.join(', ')}`)
    return undefined
  }
  // The config of an action that is in a wrong place would have problems of its own, which do not matter.
  if (!checkPlace(action, at, known, seen)) return action
  const { config } = each
  if (config !== undefined && config !== null && !isObject(config)) {
    reporter.reportValue(2203, [...path, 'config'], config, 'an object')
  } else {
    checkConfig(isObject(config) ? config : {}, [...path, 'config'], { ...known, action, scope })
  }
  return action
}

/** Checks that an action may be in its phase, for its protocol, on the plan, and beside the others. Returns whether it may be there. */
function checkPlace(
  { type, phases, protocols, notOnPlans, onlyOne }: Action,
  at: PolicyPath,
  { reporter, options, scope }: Known,
  seen: Map<string, PolicyPath>,
): boolean {
  const { protocol = 'https', plan } = options
  const isInPhase = phases.includes(scope.phase)
  const isForProtocol = !protocols || protocols.includes(protocol)
  if (!isInPhase) {
    reporter.report(
      2202,
      at,
      `is ${type}, which does not exist in this phase. Allowed: ${actionsIn(scope.phase).join(', ')}`,
    )
  } else if (protocols && !isForProtocol) {
    reporter.report(2205, at, `is ${type}, which does not exist for ${protocol}. It exists for ${protocols.join(', ')}`)
  }
  if (plan !== undefined && notOnPlans?.includes(plan))
    reporter.report(2256, at, `is ${type}, which the plan ${plan} does not have`)
  if (onlyOne && seen.has(onlyOne.group)) {
    const members = ACTIONS.filter((each) => each.onlyOne?.group === onlyOne.group).map((each) => each.type)
    reporter.report(
      onlyOne.number,
      at,
      `is ${type}, and the policy has one already. Only one ${members.join(', ')} is allowed in a policy`,
    )
  }
  if (onlyOne) seen.set(onlyOne.group, at)
  return isInPhase && isForProtocol
}

function actionsIn(phase: Phase): readonly string[] {
  return ACTIONS.filter(({ phases }) => phases.includes(phase)).map(({ type }) => type)
}

/** Returns whether nothing after an action in its rule runs. An action with `on_error: continue` ends no rule. */
function endsRule({ ends }: Action, { config }: Config): boolean {
  const given = isObject(config) ? config : {}
  return given.on_error !== 'continue' && ends?.(given) === true
}

/** Checks that the policy of a cloud endpoint answers all traffic: its last rule without expressions must end it. */
function checkEnd(policy: Config, protocol: string, reporter: Reporter): undefined {
  const last = protocol === 'tcp' || protocol === 'tls' ? 'on_tcp_connect' : 'on_http_request'
  const rules: readonly unknown[] = [policy.on_tcp_connect, policy[last]].flat()
  const isEnd = rules.some(
    (rule) => isObject(rule) && matchesAll(rule) && Array.isArray(rule.actions) && rule.actions.some(isEnding),
  )
  if (!isEnd) {
    const path = Object.hasOwn(policy, last) ? [last] : []
    reporter.report(
      2235,
      path,
      'does not answer all traffic. End it with a rule without expressions whose last action is custom-response, deny, forward-internal, redirect or close-connection',
    )
  }
}

function matchesAll({ expressions }: Config): boolean {
  return !Array.isArray(expressions) || expressions.every((each) => each === true || each === 'true')
}

function isEnding(each: unknown): boolean {
  const action = isObject(each) ? ACTIONS.find(({ type }) => type === each.type) : undefined
  return action !== undefined && isObject(each) && (action.mayEnd === true || endsRule(action, each))
}
