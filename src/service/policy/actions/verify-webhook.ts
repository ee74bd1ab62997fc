import { WEBHOOK_PROVIDERS } from '../../resources/webhook-verification.ts'
import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { enforce, flag } from '../fields.ts'

export const verifyWebhook = action({
  type: 'verify-webhook',
  about: 'Rejects webhooks without a valid signature from their sender.',
  page: 'verify-webhook',
  phases: ['on_http_request'],
  outcomes: ['verified', 'failed'],
  config: {
    provider: {
      kind: 'text',
      choices: WEBHOOK_PROVIDERS,
      isAnyCase: true,
      isRequired: true,
      about: 'The sender of the webhooks.',
    },
    secret: {
      kind: 'text',
      minLength: 1,
      takesCel: true,
      isSecret: true,
      about: 'The secret with which the sender signs. All senders except `sns` need one.',
    },
    enforce,
  },
  check: ({ provider, secret }) => {
    const isSns = typeof provider === 'string' && provider.toLowerCase() === 'sns'
    return isSns || (secret !== undefined && secret !== null)
      ? []
      : [{ number: 2234, path: ['secret'], message: 'is missing. It is required' }]
  },
  sets: { verified: flag('Whether the signature was correct.') },
  decisions: [DECISIONS.webhookTime],
  refusal: ({ verified }) => (verified === false ? { status: 403, error: 3204 } : undefined),
  run: ({ provider, secret = '' }, visit) => visit.verifyWebhook(provider.toLowerCase(), secret),
})
