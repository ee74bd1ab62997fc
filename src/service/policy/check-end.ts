import { isObject } from '../../core/schema/values.ts'
import type { Action, Config } from './action.ts'
import { ACTIONS } from './actions/index.ts'
import type { Reporter } from './reporter.ts'

/**
 * Checks that a cloud endpoint's policy terminates traffic. The rule that terminates it may have expressions, because some of the service's
 * tutorials only route by path (rules: traffic-policy#termination). A last rule for all requests must end them.
 */
export function checkEnd(policy: Config, protocol: string, reporter: Reporter): undefined {
  const last = protocol === 'tcp' || protocol === 'tls' ? 'on_tcp_connect' : 'on_http_request'
  const rules: readonly unknown[] = [policy.on_tcp_connect, policy[last]].flat()
  const isEnd = (rule: unknown) => isObject(rule) && Array.isArray(rule.actions) && rule.actions.some(isEnding)
  const allowed = 'custom-response, deny, forward-internal, redirect or close-connection'
  const path = Object.hasOwn(policy, last) ? [last] : []
  if (!rules.some(isEnd))
    return reporter.report(2235, path, `does not terminate traffic. Add a rule whose last action is ${allowed}`)
  const isForAll = (rule: unknown) => isObject(rule) && ![rule.expressions ?? []].flat().length
  const own: readonly unknown[] = Array.isArray(policy[last]) ? policy[last] : []
  if (isForAll(own.at(-1)) && !rules.some((rule) => isForAll(rule) && isEnd(rule))) {
    const what = `is for all traffic that reaches it, but does not terminate it. Let its last action be ${allowed}`
    reporter.report(2235, [last, own.length - 1], what)
  }
}

/** Returns whether an action ends its rule, so that nothing after it runs. An action with `on_error: continue` never does. */
export function endsRule({ ends }: Action, { config }: Config): boolean {
  const given = isObject(config) ? config : {}
  return (given.on_error ?? 'halt') === 'halt' && ends?.(given) === true
}

function isEnding(each: unknown): boolean {
  const action = isObject(each) ? ACTIONS.find(({ type }) => type === each.type) : undefined
  return action !== undefined && isObject(each) && (action.mayEnd === true || endsRule(action, each))
}
