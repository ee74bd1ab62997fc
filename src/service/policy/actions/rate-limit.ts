import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { enforce, flag, text } from '../fields.ts'
import { HOUR, MINUTE, SECOND } from '../time.ts'

export const rateLimit = action({
  type: 'rate-limit',
  about: 'Returns 429 if more requests with the same key arrive within a window than the capacity allows.',
  page: 'rate-limit',
  phases: ['on_http_request'],
  outcomes: ['allowed', 'limited'],
  config: {
    name: { kind: 'text', minLength: 1, maxLength: 1023, isRequired: true, about: 'The name of the limit.' },
    algorithm: {
      kind: 'text',
      choices: ['sliding_window'],
      isRequired: true,
      about: 'How requests are counted.',
    },
    capacity: {
      kind: 'integer',
      min: 1,
      max: 2_000_000_000,
      isRequired: true,
      about: 'The maximum number of requests with the same key in a window.',
    },
    rate: {
      kind: 'duration',
      min: MINUTE,
      max: 24 * HOUR,
      step: 10 * SECOND,
      isRequired: true,
      about: 'The length of the window, in steps of 10 seconds.',
    },
    bucket_key: {
      kind: 'list',
      item: { kind: 'expression', result: 'any', about: 'A CEL expression.' },
      min: 1,
      max: 10,
      isRequired: true,
      about: 'CEL expressions. Requests for which all of the values are equal share one limit.',
    },
    enforce,
  },
  sets: {
    bucket_key: text('The key of the request.'),
    limited: flag('Whether the request was over the limit.'),
  },
  decisions: [DECISIONS.window],
  refusal: ({ limited }) => (limited === true ? { status: 429 } : undefined),
  run({ name, capacity, rate, bucket_key }, visit) {
    const retryAfter = visit.countRequest(name, bucket_key, capacity, rate)
    const sets = { bucket_key: bucket_key.map(String).join(), limited: retryAfter !== undefined }
    if (retryAfter === undefined) return { did: `counted the request toward ${name}`, sets }
    const headers = { 'retry-after': String(retryAfter) }
    return {
      did: `found ${name} over its capacity of ${capacity}`,
      sets,
      ends: { status: 429, headers },
      isRefusal: true,
      decision: DECISIONS.window,
    }
  },
})
