import type { Decision } from '../service/policy/decisions.ts'

/** The value of a rule's expression, and the values used to compute it. */
export interface TracedExpression {
  readonly source: string
  /** The value, or undefined if the expression failed. */
  readonly value: unknown
  /** The values of the variables in the expression, by path, and of calls such as `getReqHeader('x-a')`, by source text. */
  readonly values: Readonly<Record<string, unknown>>
  /** The reason that the expression failed. A rule with a failed expression does not apply. */
  readonly error?: string
}

/** The outcome of an action that is not a check. */
export const RAN = 'ran'

/** The effect of a rule's action. */
export interface TracedAction {
  readonly type: string
  /** The effect as text, such as `denied with 403`. */
  readonly did: string
  /** The outcome of a check, such as `limited`; `ran` for other actions. Undefined if the action failed or had nothing to do. */
  readonly outcome?: string
  /** The parts of the action's config that had an effect, such as replacements that matched. */
  readonly parts?: readonly string[]
  /** Facts for traffic events, such as the data of `log`. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** The fauxgate decision that the effect depends on, if the service's documentation does not specify the effect. */
  readonly decision?: Decision
  /** True if the action terminated the traffic. */
  readonly isEnd?: true
}

/** A rule that was evaluated. */
export interface TracedRule {
  /** The owner of the policy: the ID of an endpoint, an edge, or a route. */
  readonly policy: string
  /** The phase, as named in the policy, such as `on_http_request`. */
  readonly phase: string
  /** The zero-based index of the rule in its phase. */
  readonly index: number
  readonly name?: string
  /** True if all expressions were true. */
  readonly matched: boolean
  readonly expressions: readonly TracedExpression[]
  readonly actions: readonly TracedAction[]
  /** The fauxgate decision that kept the rule from applying. */
  readonly decision?: Decision
}

/** A step of a visit other than a rule: an endpoint, a module, a backend, an upstream, or a policy that stopped early. */
export interface TracedStep {
  readonly step: 'endpoint' | 'certificate' | 'module' | 'backend' | 'upstream' | 'policy'
  readonly did: string
  /** The action that is equivalent to a module, such as `restrict-ips`. */
  readonly action?: string
  /** Facts for traffic events. */
  readonly facts?: Readonly<Record<string, unknown>>
  readonly decision?: Decision
  readonly isEnd?: true
  /** True if the request had no upstream, or if its upstream had no responses left. */
  readonly isMissing?: true
  /** The request as the upstream received it. */
  readonly request?: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** The upstream's response before rules and modules changed it. */
  readonly response?: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
}

/** The steps and rules of a visit, in order. */
export type Trace = readonly (TracedRule | TracedStep)[]

/** Returns the name of a rule, or else its position. */
export function nameOf({ name, phase, index }: Pick<TracedRule, 'name' | 'phase' | 'index'>): string {
  return name ?? `${phase}.${index}`
}

/** Returns the rule whose action responded or closed the connection, or undefined if no rule did. */
export function findDecision(trace: Trace): TracedRule | undefined {
  return trace.findLast((each): each is TracedRule => 'actions' in each && hasEnded(each))
}

/** Returns whether traffic ended at a rule or a step. */
export function hasEnded(each: TracedRule | TracedStep): boolean {
  return 'actions' in each ? each.actions.some(({ isEnd }) => isEnd) : each.isEnd === true
}
