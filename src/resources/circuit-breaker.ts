import * as v from 'valibot'
import { documented, named } from '../contract/documentation.ts'
import { as, enabled, uint32 } from '../contract/schema.ts'
import { routeModule } from './route-module.ts'

const share = documented(
  v.pipe(
    v.number(as('error_threshold_out_of_range')),
    v.minValue(0, as('error_threshold_out_of_range')),
    v.maxValue(1, as('error_threshold_out_of_range')),
  ),
  'The share of failed requests in the window that trips the circuit: 0.5 is a half.',
)

const fields = {
  enabled,
  tripped_duration: uint32(
    'tripped_duration_invalid',
    { min: 1, default: 10 },
    'Seconds to wait after the circuit trips before the health of the upstream is looked at again.',
  ),
  rolling_window: uint32(
    'rolling_window_invalid',
    { min: 1, default: 10 },
    'Seconds of the window that the statistics are kept for.',
  ),
  num_buckets: uint32(
    'num_buckets_out_of_range',
    { min: 1, max: 128, default: 10 },
    'How many buckets the statistics of the window are kept in.',
  ),
  volume_threshold: uint32(
    'field_invalid',
    { min: 0, default: 10 },
    'How many requests the window must have before the circuit can trip.',
  ),
  error_threshold_percentage: v.optional(share, 0.5),
}

/** The circuit breaker module: service document, "HTTPS edge route modules"; decisions, "Route modules". */
export const circuitBreaker = routeModule({
  name: 'circuit_breaker',
  segment: 'circuit_breaker',
  what: 'circuit breaker',
  body: named(v.object(fields), 'CircuitBreakerBody', 'A circuit breaker as it is to be.'),
  shape: named(
    v.object({
      enabled: v.unwrap(fields.enabled),
      tripped_duration: v.unwrap(fields.tripped_duration),
      rolling_window: v.unwrap(fields.rolling_window),
      num_buckets: v.unwrap(fields.num_buckets),
      volume_threshold: v.unwrap(fields.volume_threshold),
      error_threshold_percentage: v.unwrap(fields.error_threshold_percentage),
    }),
    'CircuitBreaker',
    'Stops traffic to an upstream that fails too often.',
  ),
  settle: (body) => body,
})
