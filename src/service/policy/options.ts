export const PROTOCOLS = ['https', 'http', 'tcp', 'tls'] as const

/** The protocols of endpoints. */
export type PolicyProtocol = (typeof PROTOCOLS)[number]

export const PLACES = ['cloud', 'agent', 'internal', 'kubernetes', 'edge', 'module'] as const

/** The place where a policy is in use: an endpoint's kind, an edge, or the older module `policy` of edges and routes. */
export type PolicyPlace = (typeof PLACES)[number]

/** The surroundings of a policy, as far as its check needs them. */
export interface PolicyOptions {
  /** Default `https`. */
  readonly protocol?: PolicyProtocol
  /** Default: any endpoint, whose policy need not end traffic. */
  readonly place?: PolicyPlace
  /** The account's plan, such as `free`. Without a plan, no feature is rejected for its price. */
  readonly plan?: string
  /** The maximum number of rules of the policy. Default: the limit of the plan. */
  readonly maxRules?: number | undefined
  /** The maximum number of actions of a rule. Default: no limit, since the service publishes none. */
  readonly maxActions?: number | undefined
  /** The maximum number of expressions of a rule. Default: no limit, since the service publishes none. */
  readonly maxExpressions?: number | undefined
  /** True if the policy must end traffic. Default: true for the place `cloud`. */
  readonly mustEnd?: boolean
  /** With `accept`, an action that the service does not document passes. Default `refuse`. */
  readonly unknownActions?: 'refuse' | 'accept'
  /** Returns whether an IP policy exists. Without the function, every id counts as known. */
  readonly hasIpPolicy?: (id: string) => boolean
  /** Returns whether a vault has a secret. Without the function, every secret counts as known. */
  readonly hasSecret?: (vault: string, name: string) => boolean
}
