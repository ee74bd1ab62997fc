export const PROTOCOLS = ['https', 'http', 'tcp', 'tls'] as const

/** The protocols of endpoints. */
export type PolicyProtocol = (typeof PROTOCOLS)[number]

export const PLACES = ['cloud', 'agent', 'internal', 'kubernetes', 'edge', 'module'] as const

/** The place where a policy is used: a kind of endpoint, an edge, or the older `policy` module of edges and routes. */
export type PolicyPlace = (typeof PLACES)[number]

/** The context that a policy check needs. */
export interface PolicyOptions {
  /** The protocol of the endpoint. Default: `https`. */
  readonly protocol?: PolicyProtocol
  /** The place where the policy is used. Default: any endpoint. */
  readonly place?: PolicyPlace
  /** The account's plan, such as `free`. Without a plan, all paid features are allowed. */
  readonly plan?: string
  /** The maximum number of rules in the policy. Default: the plan's limit. */
  readonly maxRules?: number | undefined
  /** The maximum number of actions in a rule. Default: no limit, because the service documents none. */
  readonly maxActions?: number | undefined
  /** The maximum number of expressions in a rule. Default: no limit, because the service documents none. */
  readonly maxExpressions?: number | undefined
  /** True if the policy must terminate traffic. Default: true for the place `cloud`. */
  readonly mustEnd?: boolean
  /** `accept` allows actions that the service does not document. Default: `refuse`. */
  readonly unknownActions?: 'refuse' | 'accept'
  /** Returns whether an IP policy exists. If omitted, every ID counts as known. */
  readonly hasIpPolicy?: (id: string) => boolean
  /** Returns whether a vault has a secret. If omitted, every secret counts as known. */
  readonly hasSecret?: (vault: string, name: string) => boolean
}
