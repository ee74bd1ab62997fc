import * as v from 'valibot'
import { as, enabled, uint32 } from '../contract/schema.ts'
import { routeModule } from './route-module.ts'

const share = v.pipe(
  v.number(as('error_threshold_out_of_range')),
  v.minValue(0, as('error_threshold_out_of_range')),
  v.maxValue(1, as('error_threshold_out_of_range')),
)

/** The circuit breaker module: service document, "HTTPS edge route modules"; decisions, "Route modules". */
export const circuitBreaker = routeModule({
  name: 'circuit_breaker',
  segment: 'circuit_breaker',
  what: 'circuit breaker',
  body: v.object({
    enabled,
    tripped_duration: uint32('tripped_duration_invalid', { min: 1, default: 10 }),
    rolling_window: uint32('rolling_window_invalid', { min: 1, default: 10 }),
    num_buckets: uint32('num_buckets_out_of_range', { min: 1, max: 128, default: 10 }),
    volume_threshold: uint32('field_invalid', { min: 0, default: 10 }),
    error_threshold_percentage: v.optional(share, 0.5),
  }),
  shape: v.object({
    enabled: v.boolean(),
    tripped_duration: v.number(),
    rolling_window: v.number(),
    num_buckets: v.number(),
    volume_threshold: v.number(),
    error_threshold_percentage: v.number(),
  }),
  settle: (body) => body,
})
