import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { circuitDuration, enforce } from '../fields.ts'

export const circuitBreaker = action({
  type: 'circuit-breaker',
  about: 'Returns 503 for a while after too many upstream errors.',
  page: 'circuit-breaker',
  phases: ['on_http_request'],
  outcomes: ['closed', 'open'],
  config: {
    error_threshold: {
      kind: 'number',
      min: 0,
      max: 1,
      default: 0.5,
      isRequired: true,
      about: 'The error rate at which the breaker starts to reject requests.',
    },
    volume_threshold: {
      kind: 'integer',
      min: 1,
      max: 2_000_000_000,
      default: 10,
      about: 'The minimum number of requests in a window before errors count.',
    },
    window_duration: circuitDuration('The window in which requests are counted.'),
    tripped_duration: circuitDuration('How long requests are rejected before a request may try the upstream.'),
    num_buckets: {
      kind: 'integer',
      min: 10,
      max: 10,
      default: 10,
      about: 'The number of parts into which the window is divided.',
    },
    enforce,
  },
  decisions: [DECISIONS.halfOpen],
  run({ error_threshold, volume_threshold, window_duration, tripped_duration, num_buckets, enforce }, visit) {
    if (!enforce) return { did: 'let the request pass, because of enforce: false' }
    const state = visit.passBreaker({
      window: window_duration,
      buckets: num_buckets,
      tripped: tripped_duration,
      volume: volume_threshold,
      threshold: error_threshold,
    })
    if (state === 'closed') return { did: 'let the request pass' }
    if (state === 'half open')
      return { did: 'was half open, and let the request try the upstream', decision: DECISIONS.halfOpen }
    return { did: 'was open', ends: { status: 503, error: 3202 }, isRefusal: true }
  },
})
