import * as v from 'valibot'
import { documented, type Facts, named } from '../schema/documentation.ts'
import { declareErrors, field } from '../schema/errors.ts'
import { integerFrom } from '../schema/options.ts'
import { enabled, refusedAs } from '../schema/schema.ts'
import { routeModule } from './route-module.ts'

const errors = declareErrors({
  error_threshold_out_of_range: field(7011, 400),
  tripped_duration_invalid: field(7016, 400),
  rolling_window_invalid: field(7017, 400),
  num_buckets_out_of_range: field(7018, 400),
})

const SHARE = 'a number from 0 to 1'

const share = documented(
  v.pipe(v.number(SHARE), v.minValue(0, SHARE), v.maxValue(1, SHARE), refusedAs(errors.error_threshold_out_of_range)),
  'The share of failed requests in the window that trips the circuit: 0.5 is a half.',
)

const NUMBERS: Facts = { rules: 'circuit-breaker#numbers' }

const fields = {
  enabled,
  tripped_duration: v.optional(
    documented(
      v.pipe(integerFrom(1), refusedAs(errors.tripped_duration_invalid)),
      'Seconds to wait after the circuit trips before the health of the upstream is looked at again.',
      NUMBERS,
    ),
    10,
  ),
  rolling_window: v.optional(
    documented(
      v.pipe(integerFrom(1), refusedAs(errors.rolling_window_invalid)),
      'Seconds of the window that the statistics are kept for.',
      NUMBERS,
    ),
    10,
  ),
  num_buckets: v.optional(
    documented(
      v.pipe(integerFrom(1, 128), refusedAs(errors.num_buckets_out_of_range)),
      'The number of buckets of the statistics.',
      NUMBERS,
    ),
    10,
  ),
  volume_threshold: v.optional(
    documented(integerFrom(0), 'The number of requests in the window before the circuit can trip.', NUMBERS),
    10,
  ),
  error_threshold_percentage: v.optional(share, 0.5),
}

// (rules: circuit-breaker#numbers, circuit-breaker#defaults)
/** The circuit breaker of an HTTPS edge's route. */
export const circuitBreaker = routeModule({
  name: 'circuit_breaker',
  segment: 'circuit_breaker',
  errors,
  what: 'circuit breaker',
  body: named(v.object(fields), 'CircuitBreakerBody', 'The new circuit breaker.', {
    json: { examples: [{ tripped_duration: 30, error_threshold_percentage: 0.2 }] },
  }),
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
  moduleOf: (body) => body,
})
