import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { checkPolicyValue, languageErrors, readText } from '../policy/index.ts'
import { policies } from './ip-policies.ts'

const unreadable = kit.declareErrors({
  endpoint_policy_unreadable: kit.ofField(
    18002,
    400,
    (it: parts.FieldFacts & { problem: string }) =>
      `The traffic policy in ${it.field} is ${it.received}, which cannot be read: ${it.problem}. ` +
      'Allowed is JSON or YAML: one object whose keys are phases, each with a list of rules.',
  ),
})

/** The errors of {@link policyProblems}. */
export const policyTextErrors = { ...parts.policyErrors, ...languageErrors, ...unreadable }

/** The place of a traffic policy. `protocol` is the kind of the edge, or the scheme of the endpoint. */
export interface PolicyPlace {
  readonly protocol: 'http' | 'https' | 'tcp' | 'tls'
  readonly place: 'edge' | 'public' | 'internal' | 'kubernetes'
}

const accountRules = kit.sectionReader<{
  readonly account?: { readonly plan?: string | undefined } | undefined
  readonly unknownActions: 'refuse' | 'accept'
}>()

/** Refuses a traffic policy that is not valid, by {@link policyTextErrors}. */
export function requirePolicy(tx: kit.Transaction, text: string, at: PolicyPlace): void {
  const [first, ...others] = policyProblems(text, at, tx.rules, (id) => tx.get(policies, id) !== undefined)
  if (first) throw new parts.Refusal([first, ...others])
}

/**
 * Returns the problems of a traffic policy that was sent as a text, in JSON or YAML (rules: traffic-policy#texts). They
 * name the field `value` of an edge's module, or `traffic_policy` of an endpoint.
 */
export function policyProblems(
  text: string,
  { protocol, place }: PolicyPlace,
  rules: kit.Transaction['rules'],
  hasIpPolicy?: (id: string) => boolean,
): readonly kit.Problem[] {
  const field = place === 'edge' ? 'value' : 'traffic_policy'
  const { value, problem } = readText(text)
  if (problem || !parts.isObject(value)) {
    const reason = problem?.message ?? `it is ${kit.quote(value)}, not an object`
    const error = place === 'edge' ? byNumber.get(2236) : unreadable.endpoint_policy_unreadable
    const message = unreadable.endpoint_policy_unreadable.message({ field, received: kit.quote(text), problem: reason })
    return error ? [toProblem(error, field, message)] : []
  }
  const { account, unknownActions } = accountRules(rules)
  const options = {
    protocol,
    unknownActions,
    ...(place !== 'public' && { place }),
    ...(account?.plan !== undefined && { plan: account.plan }),
    ...(hasIpPolicy && { hasIpPolicy }),
    // The account's limit of rules is an option of the gateway.
    maxRules: MAX_RULES,
  }
  const found = checkPolicyValue(value, options)
    .slice(0, MAX_NAMED)
    .flatMap(({ number, path, message, hint }) => {
      const error = byNumber.get(number ?? 0)
      const sentences = hint === undefined ? message : `${message} ${hint}`
      return error ? [toProblem(error, [field, ...path].join('.'), sentences)] : []
    })
  const tooMany = parts.ruleLimitProblem(rules, field, Object.values(value).flat().length)
  return tooMany ? [...found, toProblem(tooMany.error, field, `The policy is too large. ${tooMany.message}`)] : found
}

/** Returns a problem whose message says the place in the policy itself, wherever the policy is. */
function toProblem(error: kit.Problem['error'], field: string, message: string): kit.Problem {
  return { error: { ...error, message: () => message }, values: {}, field, message, prefix: '' }
}

const MAX_RULES = 1_000
/** The maximum number of problems that a response names. */
const MAX_NAMED = 20

const byNumber: ReadonlyMap<number, kit.Problem['error']> = new Map(
  Object.values(policyTextErrors).map((error) => [error.number, error]),
)
