import { suggestion } from '../../core/schema/nearest.ts'
import { quote } from '../../core/schema/text.ts'
import { isObject, lookUp } from '../../core/schema/values.ts'
import type { Action } from './action.ts'
import { ACTIONS } from './actions/index.ts'
import { ANY_NAME } from './cel-fields.ts'
import { checkConfig } from './config.ts'
import type { Place } from './place.ts'
import type { PolicyPath } from './problem.ts'

type Known = Omit<Place, 'action'>

/** The numbers of fields that are unknown, missing, or of a wrong form, so that their content is unknown. */
const UNREAD: readonly number[] = [2203, 2234, 2252]

/**
 * Checks an action. Returns the row of an action, if the action's type exists. `seen` contains the actions found so far that a policy can
 * have only once.
 */
export function checkAction(
  each: unknown,
  path: PolicyPath,
  known: Known,
  seen: Map<string, PolicyPath>,
): Action | undefined {
  const { reporter } = known
  if (!isObject(each)) return reporter.reportValue(2236, path, each, 'an object with type and config')
  reporter.reportUnknown(2236, path, each, ['type', 'config'], 'an action')
  const action = ACTIONS.find(({ type }) => type === each.type)
  const at = [...path, 'type']
  if (!action) return known.options.unknownActions === 'accept' ? undefined : reportType(each.type, at, known)
  // The config of a misplaced action would have additional problems, which do not matter.
  if (!checkPlace(action, at, known, seen)) return action
  const { config } = each
  if (config !== undefined && config !== null && !isObject(config)) {
    reporter.reportValue(2203, [...path, 'config'], config, 'an object')
  } else {
    const before = reporter.problems.length
    checkConfig(isObject(config) ? config : {}, [...path, 'config'], { ...known, action })
    const isUnread = reporter.problems.slice(before).some(({ number = 0 }) => UNREAD.includes(number))
    if (action.type === 'set-vars' && isUnread) known.declared.add(ANY_NAME)
  }
  return action
}

function reportType(type: unknown, at: PolicyPath, { reporter }: Known): undefined {
  const types = ACTIONS.map((each) => each.type)
  const near = typeof type === 'string' ? suggestAction(type, types) : ''
  const received = type === undefined ? 'missing' : quote(type)
  reporter.report(2201, at, `is ${received}.${near} Allowed: ${types.join(', ')}`)
}

/**
 * Returns whether an action is allowed in its phase, for its protocol, on the plan, and alongside the other actions. Reports a problem if
 * it isn't.
 */
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
    const allowed = ACTIONS.filter((each) => each.phases.includes(scope.phase)).map((each) => each.type)
    reporter.report(2202, at, `is ${type}, which is not available in this phase. Allowed: ${allowed.join(', ')}`)
  } else if (protocols && !isForProtocol) {
    reporter.report(
      2205,
      at,
      `is ${type}, which is not available for ${protocol}. It is available for ${protocols.join(', ')}`,
    )
  }
  if (plan !== undefined && notOnPlans?.includes(plan))
    reporter.report(2256, at, `is ${type}, which the ${plan} plan does not include`)
  if (onlyOne && seen.has(onlyOne.group)) {
    const members = ACTIONS.filter((each) => each.onlyOne?.group === onlyOne.group).map((each) => each.type)
    const names = members.length > 1 ? `of ${members.join(', ').replace(/, ([^,]*)$/, ', and $1')}` : type
    const what = `is ${type}, but the policy already has one. A policy can have only one ${names}`
    reporter.report(onlyOne.number, at, what)
  }
  if (onlyOne) seen.set(onlyOne.group, at)
  return isInPhase && isForProtocol
}

/** Names of actions used on other pages and in older versions. */
const OLDER: Readonly<Record<string, string>> = {
  oidc: 'openid-connect',
  'webhook-verification': 'verify-webhook',
  'webhook-validation': 'verify-webhook',
  'ip-restriction': 'restrict-ips',
}

/**
 * Returns the only action whose name contains all words of a name, or whose words are all in the name, such as `rate-limit` for `limit`.
 */
function findByWords(name: string, types: readonly string[]): string {
  const words = name.split(/[-_ ]/)
  const found = types.filter((type) => {
    const own = type.split('-')
    return words.every((word) => own.includes(word)) || own.every((word) => words.includes(word))
  })
  return found.length === 1 ? String(found[0]) : name
}

/** Returns a suggestion for an unknown action type, such as ` Did you mean rate-limit?`, or an empty string if there is none. */
function suggestAction(received: string, types: readonly string[]): string {
  return suggestion(lookUp(OLDER, received) ?? findByWords(received, types), types)
}
