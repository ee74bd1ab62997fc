// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { RouteIds, RouteModule } from './shared.ts'

/** A circuit breaker as it is to be. */
export interface CircuitBreakerBody {
  /** Whether the module applies to the traffic of the route. Default: true. (rules: route-modules#singletons) */
  readonly enabled?: boolean | undefined
  /**
   * Seconds to wait after the circuit trips before the health of the upstream is looked at again. An integer from 1 to
   * 4294967295. Default: 10. Refused as `tripped_duration_invalid`. (rules: circuit-breaker#numbers)
   */
  readonly tripped_duration?: number | undefined
  /**
   * Seconds of the window that the statistics are kept for. An integer from 1 to 4294967295. Default: 10. Refused as
   * `rolling_window_invalid`. (rules: circuit-breaker#numbers)
   */
  readonly rolling_window?: number | undefined
  /**
   * How many buckets the statistics of the window are kept in. An integer from 1 to 128. Default: 10. Refused as
   * `num_buckets_out_of_range`. (rules: circuit-breaker#numbers)
   */
  readonly num_buckets?: number | undefined
  /**
   * How many requests the window must have before the circuit can trip. An integer from 0 to 4294967295. Default: 10.
   * (rules: circuit-breaker#numbers)
   */
  readonly volume_threshold?: number | undefined
  /**
   * The share of failed requests in the window that trips the circuit: 0.5 is a half. A number from 0 to 1. Default:
   * 0.5. Refused as `error_threshold_out_of_range`.
   */
  readonly error_threshold_percentage?: number | undefined
}

/** Stops traffic to an upstream that fails too often. */
export interface CircuitBreaker extends CircuitBreakerBody {
  readonly enabled: boolean
  readonly tripped_duration: number
  readonly rolling_window: number
  readonly num_buckets: number
  readonly volume_threshold: number
  readonly error_threshold_percentage: number
}

/** The calls of `gateway.circuitBreaker`. */
export interface CircuitBreakerModule extends RouteModule<CircuitBreaker> {
  /**
   * Replace the circuit breaker module of a route: `PUT /edges/https/{edge_id}/routes/{id}/circuit_breaker`.
   * @throws GatewayError what ids and fields are refused as; 400: `field_unknown` 214, `field_invalid` 215.
   */
  replace(ids: RouteIds, body?: CircuitBreakerBody): CircuitBreaker
}
