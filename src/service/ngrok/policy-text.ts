import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  checkPolicyValue,
  languageErrors,
  type PolicyOptions,
  type PolicyPath,
  type PolicyProblem,
  readText,
} from '../policy/index.ts'
import { ipPolicyTarget } from './ip-policies.ts'

const unreadable = kit.declareErrors({
  endpoint_policy_unreadable: kit.ofField(
    18002,
    400,
    'The traffic policy in {field} is {received}, which cannot be read: {problem}. Allowed: JSON or YAML with one object, whose keys are phases and whose values are lists of rules.',
  ),
})

/** The errors of {@link policyProblems}. */
export const policyTextErrors = { ...parts.policyErrors, ...languageErrors, ...unreadable }

/** The place where a traffic policy is used. `protocol` is the kind of the edge, or the scheme of the endpoint. */
export interface PolicyLocation {
  readonly protocol: 'http' | 'https' | 'tcp' | 'tls'
  readonly place: 'edge' | 'public' | 'internal' | 'kubernetes'
}

const accountOptions = kit.sectionReader<{
  readonly account?: { readonly plan?: string | undefined } | undefined
  readonly unknownActions: 'refuse' | 'accept'
  readonly quirks?: { readonly policyMayFallThrough: boolean } | undefined
}>('unknownActions')

/** The facts about the gateway and the resource that a policy check needs. */
interface Known {
  readonly hasIpPolicy?: ((id: string) => boolean) | undefined
  /** True if the policy must terminate traffic (rules: traffic-policy#termination). */
  readonly mustEnd?: boolean | undefined
}

/** The row for a policy's `restrict-ips` in the table of references. */
export const ipPolicyInText = {
  to: ipPolicyTarget,
  missing: languageErrors.policy_ip_policy_unknown,
  deletion: 'dangles',
  rules: 'references#deleted',
} as const

/** Returns the IP policies in a traffic policy, given as a value or as JSON or YAML text. */
export function ipPoliciesIn(policy: unknown): readonly string[] {
  if (typeof policy === 'string') return ipPoliciesIn(readText(policy).value ?? null)
  const phases = parts.isObject(policy) ? Object.values(policy) : []
  const actions = listObjects(phases).flatMap(({ actions }) => listObjects([actions]))
  return actions.flatMap(({ type, config }) => {
    const ids = type === 'restrict-ips' && parts.isObject(config) ? config.ip_policies : []
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  })
}

function listObjects(lists: readonly unknown[]) {
  return lists.flatMap((each) => (Array.isArray(each) ? each.filter(parts.isObject) : []))
}

/** Creates the check that an IP policy in a traffic policy either exists or was already in the previous traffic policy. */
function createIpPolicyCheck(tx: kit.Transaction, before: unknown) {
  return (id: string) => ipPolicyTarget.has(tx, id) || ipPoliciesIn(before).includes(id)
}

/** Throws one of {@link policyTextErrors} for an invalid traffic policy. `before` is the policy that it replaces. */
export function requirePolicy(
  tx: kit.Transaction,
  text: string,
  at: PolicyLocation,
  { mustEnd = false, before }: Pick<Known, 'mustEnd'> & { readonly before?: string | null | undefined } = {},
): void {
  const hasIpPolicy = createIpPolicyCheck(tx, before)
  const [first, ...others] = policyProblems(text, at, tx.options, { hasIpPolicy, mustEnd })
  if (first) throw new parts.Refusal([first, ...others])
}

/**
 * Returns the problems of a traffic policy that was sent as a string, in JSON or YAML (rules: traffic-policy#text). The problems are about
 * the `value` field of an edge's module or the `traffic_policy` field of an endpoint.
 */
export function policyProblems(
  text: string,
  { protocol, place }: PolicyLocation,
  rules: kit.Transaction['options'],
  { hasIpPolicy, mustEnd }: Known = {},
): readonly kit.Problem[] {
  const field = place === 'edge' ? 'value' : 'traffic_policy'
  const { value, problem } = readText(text)
  if (problem || !parts.isObject(value)) {
    const reason = problem?.message ?? `it is ${kit.quote(value)}, not an object`
    const error = place === 'edge' ? byNumber.get(2236) : unreadable.endpoint_policy_unreadable
    const message = unreadable.endpoint_policy_unreadable.message({
      field,
      received: parts.quoteSecret(text),
      problem: reason,
    })
    return error ? [toProblem(error, field, message)] : []
  }
  const found = checkByLanguage(value, { protocol, ...(place !== 'public' && { place }) }, rules, {
    hasIpPolicy,
    mustEnd,
  })
  return found.slice(0, MAX_NAMED).flatMap((each) => toProblems(field, each))
}

/** Throws an error if the policy language does not accept the older `policy` module (rules: traffic-policy#module). */
export function requireModulePolicy(
  tx: kit.Transaction,
  body: object,
  protocol: PolicyLocation['protocol'],
  before: object | undefined,
): void {
  const hasIpPolicy = createIpPolicyCheck(tx, before)
  const found = checkByLanguage(body, { protocol, place: 'module' }, tx.options, { hasIpPolicy })
  const [first, ...others] = found
    .filter(({ number, path }) => number === UNREACHABLE || !isOfSchema(body, path))
    .slice(0, MAX_NAMED)
    .flatMap((each) => toProblems('', each))
  if (first) throw new parts.Refusal([first, ...others])
}

/** The error code for an action that is unreachable because of an earlier action. */
const UNREACHABLE = 2207

/** The actions whose shape the module's own schema checks. */
const OF_SCHEMA: ReadonlySet<unknown> = new Set(['url-rewrite', 'custom-response', 'deny', 'log'])

/** Returns whether a place in the module is within an action that the module's schema checks. */
function isOfSchema(body: object, [phase, index, actions, at]: PolicyPath): boolean {
  const rules: unknown = Reflect.get(body, String(phase))
  const rule: unknown = Array.isArray(rules) ? rules[Number(index)] : undefined
  const list = parts.isObject(rule) && actions === 'actions' ? rule.actions : undefined
  const action: unknown = Array.isArray(list) ? list[Number(at)] : undefined
  return parts.isObject(action) && OF_SCHEMA.has(action.type)
}

/** Checks a policy against the language, with the gateway's own options. */
function checkByLanguage(
  policy: unknown,
  place: PolicyOptions,
  rules: kit.Transaction['options'],
  { hasIpPolicy, mustEnd = false }: Known,
): readonly PolicyProblem[] {
  const { account, unknownActions, quirks } = accountOptions(rules)
  return checkPolicyValue(policy, {
    ...place,
    unknownActions,
    mustEnd: mustEnd && !quirks?.policyMayFallThrough,
    ...(account?.plan !== undefined && { plan: account.plan }),
    ...(hasIpPolicy && { hasIpPolicy }),
    ...parts.policyMaxima(rules),
  })
}

function toProblems(field: string, { number, path, message, hint }: PolicyProblem): readonly kit.Problem[] {
  const error = byNumber.get(number ?? 0)
  const at = (field === '' ? path : [field, ...path]).join('.')
  return error ? [toProblem(error, at, hint === undefined ? message : `${message} ${hint}`)] : []
}

/** Returns a problem whose message includes the location within the policy, wherever the policy is. */
function toProblem(error: kit.Problem['error'], field: string, message: string): kit.Problem {
  return { error: { ...error, message: () => message }, values: {}, field, message, prefix: '' }
}

/** The maximum number of problems that a response lists. */
const MAX_NAMED = 20

const byNumber: ReadonlyMap<number, kit.Problem['error']> = new Map(
  Object.values(policyTextErrors).map((error) => [error.number, error]),
)
