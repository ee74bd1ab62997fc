import { nearest } from '../../core/schema/nearest.ts'
import { quote } from '../../core/schema/text.ts'
import { isObject } from '../../core/schema/values.ts'
import { checkCondition } from './cel-fields.ts'
import { checkAction } from './check-action.ts'
import { endsRule } from './check-end.ts'
import type { Place } from './place.ts'
import type { PolicyPath } from './problem.ts'

/** The facts about a policy's phase that the check of the phase's rules needs. */
export type Known = Omit<Place, 'action'>

/** The maximum number of characters in the text of a rule. */
const MAX_RULE_LENGTH = 65_536

const FIELDS = ['name', 'expressions', 'actions']

/** Checks a rule. `seen` contains the actions found so far that a policy can have only once. */
export function checkRule(rule: unknown, path: PolicyPath, known: Known, seen: Map<string, PolicyPath>): undefined {
  const { reporter } = known
  if (!isObject(rule)) return reporter.reportValue(2236, path, rule, `an object with ${FIELDS.join(', ')}`)
  const { name, expressions, actions } = rule
  const isAction = actions === undefined && typeof rule.type === 'string'
  // The type and the config of an action outside of a list are one mistake.
  const unknown = reporter.reportUnknown(2236, path, rule, isAction ? [...FIELDS, 'type', 'config'] : FIELDS, 'a rule')
  if (name !== undefined && name !== null && typeof name !== 'string')
    reporter.reportValue(2236, [...path, 'name'], name, 'a string')
  const length = JSON.stringify(rule).length
  if (length > MAX_RULE_LENGTH)
    return reporter.report(2236, path, `is ${length} characters long. The maximum for a rule is ${MAX_RULE_LENGTH}`)
  checkExpressions(expressions, [...path, 'expressions'], known)
  // A misspelt `actions` is one mistake, not two.
  if (actions !== undefined || !unknown.some((key) => nearest(key, FIELDS) === 'actions'))
    checkActions(actions, [...path, 'actions'], known, seen, isAction ? HINT : {})
}

const HINT = { hint: 'Put the type and the config in a list: actions: [{ type: …, config: … }].' }

function checkExpressions(expressions: unknown, path: PolicyPath, known: Known): undefined {
  if (expressions === undefined || expressions === null) return
  if (!Array.isArray(expressions))
    return known.reporter.reportValue(2236, path, expressions, 'a list of CEL expressions')
  checkLimit(expressions.length, 'expressions', known.options.maxExpressions, path, known)
  for (const [index, each] of expressions.entries()) {
    // YAML reads `true` as a boolean.
    if (typeof each === 'string' || typeof each === 'boolean') checkCondition(`${each}`, [...path, index], known)
    else known.reporter.reportValue(2200, [...path, index], each, 'a CEL expression, as a string')
  }
}

function checkActions(
  actions: unknown,
  path: PolicyPath,
  known: Known,
  seen: Map<string, PolicyPath>,
  hint: { readonly hint?: string },
): undefined {
  const { reporter, options } = known
  if (actions === undefined || actions === null || (Array.isArray(actions) && actions.length === 0)) {
    const what = actions === undefined ? 'missing' : 'empty'
    return reporter.report(2206, path, `is ${what}. Every rule needs at least one action`, hint)
  }
  if (!Array.isArray(actions)) return reporter.reportValue(2236, path, actions, 'a list of actions')
  checkLimit(actions.length, 'actions', options.maxActions, path, known)
  let last: string | undefined
  for (const [index, each] of actions.entries()) {
    const action = checkAction(each, [...path, index], known, seen)
    if (last !== undefined && isObject(each)) {
      const what = `is ${quote(each.type)} and comes after ${last}, which ends the rule. Put the terminating action last`
      reporter.report(2207, [...path, index], what)
      last = undefined
    }
    if (action && isObject(each) && endsRule(action, each)) last = action.type
  }
}

function checkLimit(amount: number, what: string, max: number | undefined, path: PolicyPath, known: Known): undefined {
  if (max !== undefined && amount > max)
    known.reporter.report(2265, path, `has ${amount} ${what}. The maximum for a rule is ${max}`)
}
