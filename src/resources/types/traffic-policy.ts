// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { RouteIds, RouteModule } from './shared.ts'

/** A traffic policy as it is to be. */
export interface TrafficPolicyBody {
  /** Whether the module applies to the traffic of the route. Default: true. (rules: route-modules#singletons) */
  readonly enabled?: boolean | undefined
  /** The rules on what comes in, in their order. (rules: traffic-policy#rules) */
  readonly inbound?: readonly EndpointRuleBody[] | undefined
  /** The rules on what goes out, in their order. (rules: traffic-policy#rules) */
  readonly outbound?: readonly EndpointRuleBody[] | undefined
}

/** What is done with some of the traffic. Refused as `rule_without_action`, `action_unreachable`. */
export interface EndpointRuleBody {
  /** How people call the rule. */
  readonly name?: string | undefined
  /**
   * CEL expressions over `req`, `res` and `conn` that traffic must meet for the rule to apply; all traffic without any.
   * Refused as `expression_invalid`. (rules: traffic-policy#expressions)
   */
  readonly expressions?: readonly string[] | undefined
  /**
   * What is done with the traffic, in this order; nothing follows `deny` and `custom-response`. At least 1. Required.
   * (rules: traffic-policy#nothing-after-the-end)
   */
  readonly actions?: readonly EndpointActionBody[] | undefined
}

/** One thing that is done with traffic. Refused as `action_unknown`, `action_config_invalid`. */
export interface EndpointActionBody {
  /**
   * What kind of action it is, such as `deny`. One of `add-headers`, `ai-gateway`, `basic-auth`, `circuit-breaker`,
   * `close-connection`, `compress-response`, `custom-response`, `deny`, `forward-internal`, `http-request`,
   * `jwt-validation`, `log`, `oauth`, `openid-connect`, `owasp-crs-request`, `owasp-crs-response`, `rate-limit`,
   * `redirect`, `remove-headers`, `request-body-find-replace`, `response-body-find-replace`, `restrict-ips`, `saml`,
   * `set-vars`, `sse-find-replace`, `terminate-tls`, `url-rewrite`, `verify-webhook`. (rules: traffic-policy#actions)
   */
  readonly type: string
  /** The configuration of the action; its fields hang on the type. */
  readonly config?: Readonly<Record<string, unknown>> | undefined
}

/** Rules on the traffic of a route. */
export interface TrafficPolicy extends TrafficPolicyBody {
  readonly enabled: boolean
  readonly inbound: readonly EndpointRule[]
  readonly outbound: readonly EndpointRule[]
}

/** What is done with some of the traffic. */
export interface EndpointRule extends EndpointRuleBody {
  readonly name?: string
  readonly expressions?: readonly string[]
  readonly actions: readonly EndpointAction[]
}

/** One thing that is done with traffic. */
export interface EndpointAction extends EndpointActionBody {
  readonly type: string
  readonly config?: Readonly<Record<string, unknown>>
}

/** The calls of `gateway.trafficPolicy`. */
export interface TrafficPolicyModule extends RouteModule<TrafficPolicy> {
  /**
   * Replace the traffic policy module of a route: `PUT /edges/https/{edge_id}/routes/{id}/policy`.
   * @throws GatewayError what ids and fields are refused as; 400: `field_unknown` 214, `field_invalid` 215.
   */
  replace(ids: RouteIds, body?: TrafficPolicyBody): TrafficPolicy
}
