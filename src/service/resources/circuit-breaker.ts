import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { declareErrors, field } from '../../core/schema/errors.ts'
import { integerFrom } from '../../core/schema/options.ts'
import { enabled, refusedAs } from '../../core/schema/schema.ts'
import { edgeModule, HTTPS_ROUTES } from './route-module.ts'

const errors = declareErrors({
  error_threshold_out_of_range: field(7011, 400),
  tripped_duration_invalid: field(7016, 400),
  rolling_window_invalid: field(7017, 400),
  num_buckets_out_of_range: field(7018, 400),
})

const SHARE = 'a number from 0 to 1'

const share = documented(
  v.pipe(v.number(SHARE), v.minValue(0, SHARE), v.maxValue(1, SHARE), refusedAs(errors.error_threshold_out_of_range)),
  'The share of failed requests in the window that trips the circuit: 0.5 means half.',
)

/** Creates the schema of an integer that defaults to 10. */
function defaultTen<Schema extends v.GenericSchema<number>>(schema: Schema, sentence: string) {
  return v.optional(documented(schema, sentence, { rules: 'circuit-breaker#numbers' }), 10)
}

const fields = {
  enabled,
  tripped_duration: defaultTen(
    v.pipe(integerFrom(1), refusedAs(errors.tripped_duration_invalid)),
    "Seconds to wait after the circuit trips before checking the upstream's health again.",
  ),
  rolling_window: defaultTen(
    v.pipe(integerFrom(1), refusedAs(errors.rolling_window_invalid)),
    'The length of the statistics window, in seconds.',
  ),
  num_buckets: defaultTen(
    v.pipe(integerFrom(1, 128), refusedAs(errors.num_buckets_out_of_range)),
    'The number of buckets in the statistics window.',
  ),
  volume_threshold: defaultTen(integerFrom(0), 'The number of requests in the window before the circuit can trip.'),
  error_threshold_percentage: v.optional(share, 0.5),
}

/** The circuit breaker module, for its owners (rules: circuit-breaker#numbers, circuit-breaker#defaults). */
export const circuitBreakerModule = {
  segment: 'circuit_breaker',
  errors,
  what: 'circuit breaker',
  body: named(v.object(fields), 'CircuitBreakerBody', 'The new circuit breaker settings.', {
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
}

/** The circuit breaker of an HTTPS edge route. */
export const circuitBreaker = edgeModule(HTTPS_ROUTES, { name: 'circuit_breaker', ...circuitBreakerModule })
