import { isObject } from '../../../core/schema/values.ts'
import { action } from '../action.ts'
import { text, whole } from '../fields.ts'

/**
 * The statuses of its errors, by error code. All other errors have status 422 (https://ngrok.com/docs/ai-gateway/reference/error-codes).
 */
const STATUSES: Readonly<Record<number, number>> = { 3800: 502, 3801: 400, 3802: 400, 3807: 503, 3810: 504, 3811: 413 }

export const aiGateway = action({
  type: 'ai-gateway',
  about: 'Routes requests to language model providers. Of its fields, only the provider keys are checked.',
  page: 'ai-gateway',
  phases: ['on_http_request'],
  outcomes: ['succeeded', 'failed'],
  config: {},
  isOpen: true,
  mayEnd: true,
  // Only a custom provider, which has a base URL, may have keys here.
  check: ({ providers }) =>
    (Array.isArray(providers) ? [...providers.entries()] : [])
      .filter(([, each]) => isObject(each) && each.api_keys !== undefined && each.base_url === undefined)
      .map(([index]) => ({
        number: 2267,
        path: ['providers', index, 'api_keys'],
        message: 'has keys for a provider that is not your own. Attach them to your AI Gateway API key instead',
      })),
  onlyOne: { group: 'ai-gateway', number: 2266 },
  refusal({ status, error }) {
    if (status !== 'error') return undefined
    const number = Number(/\d+$/.exec(String(isObject(error) ? error.code : '')) ?? 3800)
    return { status: STATUSES[number] ?? 422, error: number }
  },
  sets: {
    status: text('`success` or `error`.', ['success', 'error']),
    client: { type: 'map<string, dyn>', about: 'The model that the client requested.' },
    input_ngrok_tokens: whole('The tokens in the request.'),
    output_ngrok_tokens: whole('The tokens in the response.'),
    gateway_latency_ms: whole('The latency that the gateway added.'),
    model_selection: { type: 'list<dyn>', about: 'How models were chosen.' },
    success: { type: 'map<string, dyn>', about: 'The request that succeeded.' },
    models_tried: { type: 'list<dyn>', about: 'The models that were tried.' },
  },
})
