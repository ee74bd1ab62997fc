import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { readJsonOrYaml } from './json-or-yaml.ts'

const PHASES = ['on_tcp_connect', 'on_http_request', 'on_http_response', 'on_event_stream_message'] as const
type Phase = (typeof PHASES)[number]

const unreadableMessage = (it: parts.FieldFacts & { problem: string }) =>
  `The traffic policy in ${it.field} is ${it.received}, which cannot be read: ${it.problem}. ` +
  'Allowed is JSON or YAML: one object whose keys are phases, each with a list of rules.'

const wrongPhaseError = (number: number) =>
  kit.ofField(
    number,
    400,
    (it: parts.FieldFacts & { allowed: string }) =>
      `${it.field} has the phase ${it.received}. Allowed here: ${it.allowed}.`,
  )

const textErrors = kit.declareErrors({
  policy_action_not_in_phase: kit.field(2202, 400),
  policy_phase_invalid: wrongPhaseError(2230),
  policy_unreadable: kit.ofField(2236, 400, unreadableMessage),
  policy_tcp_phase_on_edge: wrongPhaseError(2248),
  policy_tcp_phase_internal: wrongPhaseError(2262),
  endpoint_policy_unreadable: kit.ofField(18002, 400, unreadableMessage),
})

/** The errors of {@link policyProblems}. */
export const policyTextErrors = { ...parts.policyErrors, ...textErrors }

/** The place of a traffic policy. `protocol` is the kind of the edge, or the scheme of the endpoint. */
export interface PolicyPlace {
  readonly protocol: 'http' | 'https' | 'tcp' | 'tls'
  readonly place: 'edge' | 'public' | 'internal' | 'kubernetes'
}

/** The actions that are allowed in only one phase. */
const ONLY_IN: Readonly<Record<string, Phase>> = {
  'terminate-tls': 'on_tcp_connect',
  'compress-response': 'on_http_response',
  'owasp-crs-response': 'on_http_response',
  'response-body-find-replace': 'on_http_response',
  'sse-find-replace': 'on_event_stream_message',
}

const splitWords = (text: string) => text.trim().split(/\s+/)

const ACTIONS: Readonly<Record<Phase, readonly string[]>> = {
  on_tcp_connect: splitWords('close-connection deny forward-internal log restrict-ips set-vars terminate-tls'),
  on_http_request: parts.POLICY_ACTIONS.filter((type) => !Object.hasOwn(ONLY_IN, type)),
  on_http_response: splitWords(`
    add-headers compress-response custom-response http-request log owasp-crs-response remove-headers
    response-body-find-replace restrict-ips set-vars
  `),
  on_event_stream_message: ['sse-find-replace'],
}

const policy = v.pipe(
  v.object(Object.fromEntries(PHASES.map((phase) => [phase, v.optional(v.array(parts.policyRule))]))),
  kit.ruleOnWhole([textErrors.policy_action_not_in_phase], (phases, report) => {
    for (const phase of PHASES) {
      for (const [index, { actions }] of filterObjects(phases[phase])) {
        for (const [place, { type }] of filterObjects(actions)) {
          if (typeof type !== 'string' || !parts.POLICY_ACTIONS.includes(type) || ACTIONS[phase].includes(type))
            continue
          const at = { path: [phase, index, 'actions', place, 'type'], value: type }
          report(textErrors.policy_action_not_in_phase, { allowed: ACTIONS[phase].join(', ') }, at)
        }
      }
    }
  }),
)

function filterObjects(list: unknown): readonly (readonly [number, Readonly<Record<string, unknown>>])[] {
  return Array.isArray(list) ? [...list.entries()].filter(([, each]) => parts.isObject(each)) : []
}

/** The readers of policies by the field that has the text, which problems name. */
const readers = {
  value: parts.bodyReader(v.object({ value: policy })),
  traffic_policy: parts.bodyReader(v.object({ traffic_policy: policy })),
}

/** Refuses a traffic policy that is not valid, by {@link policyTextErrors}. */
export function requirePolicy(tx: kit.Transaction, text: string, at: PolicyPlace): void {
  const [first, ...others] = policyProblems(text, at, tx)
  if (first) throw new parts.Refusal([first, ...others])
}

/**
 * Returns the problems of a traffic policy that was sent as a text, in JSON or YAML (rules: traffic-policy#texts). They
 * name the field `value` of an edge's module, or `traffic_policy` of an endpoint.
 */
export function policyProblems(
  text: string,
  at: PolicyPlace,
  { dialect, rules }: Pick<kit.Transaction, 'dialect' | 'rules'>,
): readonly kit.Problem[] {
  const name = at.place === 'edge' ? 'value' : 'traffic_policy'
  const { phases, problem } = parsePhases(text)
  if (!phases) {
    const error = at.place === 'edge' ? textErrors.policy_unreadable : textErrors.endpoint_policy_unreadable
    return [parts.problem(error, { field: name, received: kit.quote(text), problem })]
  }
  const allowed: readonly string[] = getAllowedPhases(at)
  const problems = Object.keys(phases)
    .filter((key) => !allowed.includes(key))
    .slice(0, MAX_NAMED_PHASES)
    .map((key) => {
      const error = choosePhaseError(key, at)
      return parts.problem(error, { field: name, received: kit.quote(key), allowed: allowed.join(', ') })
    })
  const known = Object.fromEntries(Object.entries(phases).filter(([key]) => allowed.includes(key)))
  try {
    readers[name]({ [name]: known }, {}, { dialect, rules, catalogue: new Map() })
  } catch (error) {
    if (!(error instanceof parts.Refusal)) throw error
    problems.push(...error.problems)
  }
  const tooMany = parts.ruleLimitProblem(rules, name, Object.values(phases).flat().length)
  if (tooMany) problems.push(tooMany)
  return problems.map(withPolicyMessage)
}

/** Adds a beginning to the message of a problem, by which programs recognize errors of policies. */
function withPolicyMessage(each: kit.Problem): kit.Problem {
  const prefix = 'The traffic policy is not valid: '
  return { ...each, prefix, message: prefix + each.message }
}

/** The maximum number of wrong phases that problems name. */
const MAX_NAMED_PHASES = 20

type Lists = Readonly<Record<string, readonly unknown[]>>

function parsePhases(
  text: string,
): { readonly phases: Lists; readonly problem?: never } | { phases?: never; problem: string } {
  const { value, problem } = readJsonOrYaml(text)
  if (problem !== undefined) return { problem }
  if (!parts.isObject(value)) return { problem: `it is ${kit.quote(value)}, not an object` }
  const [wrong] = Object.entries(value).filter(([, listed]) => !Array.isArray(listed))
  // The line above has checked that every value is a list.
  return wrong
    ? { problem: `${kit.quote(wrong[0])} is ${kit.quote(wrong[1])}, not a list of rules` }
    : { phases: value as Lists }
}

function getAllowedPhases({ protocol, place }: PolicyPlace): readonly Phase[] {
  if (protocol === 'tcp' || protocol === 'tls') return ['on_tcp_connect']
  return place === 'public' || place === 'kubernetes' ? PHASES : PHASES.filter((phase) => phase !== 'on_tcp_connect')
}

function choosePhaseError(key: string, { place }: PolicyPlace) {
  if (key !== 'on_tcp_connect') return textErrors.policy_phase_invalid
  return place === 'edge' ? textErrors.policy_tcp_phase_on_edge : textErrors.policy_tcp_phase_internal
}
