import * as v from 'valibot'
import { documented, named } from '../contract/documentation.ts'
import { enabled, ruleOnWhole, secret } from '../contract/schema.ts'
import { routeModule } from './route-module.ts'
import { WEBHOOK_PROVIDERS } from './webhook-providers.ts'

const SUPPORTED: ReadonlySet<string> = new Set(WEBHOOK_PROVIDERS)
const ALLOWED = WEBHOOK_PROVIDERS.join(', ')

/** The one provider that signs with its own certificates instead of a shared secret. */
const WITHOUT_SECRET = 'sns'

const provider = documented(
  v.string(),
  'Who sends the webhooks: one of the list in letters of either case, answered as sent.',
  {
    json: { anyOf: [{ enum: WEBHOOK_PROVIDERS }, { pattern: '^[0-9A-Za-z_]+$' }] },
    isRequired: true,
  },
)

const providerSecret = documented(
  v.pipe(v.string(), secret),
  `What requests of the provider are checked with: required for every provider but \`${WITHOUT_SECRET}\`, which has none.`,
)

const fields = v.object({ enabled, provider: v.optional(provider, ''), secret: v.optional(providerSecret, '') })

/** Case does not matter, but only for letters that are ASCII as they were sent. */
function isSupported(provider: string): boolean {
  return /^[a-zA-Z0-9_]+$/.test(provider) && SUPPORTED.has(provider.toLowerCase())
}

/** The rules on provider and secret together; either may have problems of its own already. */
const providerAndSecret = ruleOnWhole<v.InferOutput<typeof fields>>(({ provider, secret: sent }, report) => {
  const at = { path: ['provider'], value: provider }
  if (provider === undefined || provider === '') return report('webhook_provider_missing', { allowed: ALLOWED }, at)
  if (typeof provider !== 'string') return
  if (!isSupported(provider)) return report('webhook_provider_unsupported', { allowed: ALLOWED }, at)
  const isNeeded = provider.toLowerCase() !== WITHOUT_SECRET
  const isSent = sent !== undefined && sent !== ''
  const secretAt = { path: ['secret'], value: sent }
  if (isNeeded && !isSent) report('webhook_secret_missing', { provider }, secretAt)
  if (!isNeeded && isSent) report('webhook_secret_not_accepted', { provider }, secretAt)
})

/** The webhook verification module: service document, "HTTPS edge route modules"; decisions, "Route modules". */
export const webhookVerification = routeModule({
  name: 'webhook_verification',
  segment: 'webhook_verification',
  what: 'webhook verification',
  body: named(v.pipe(fields, providerAndSecret), 'WebhookVerificationBody', 'A webhook verification as it is to be.'),
  shape: named(
    v.object({ enabled: v.unwrap(enabled), provider, secret: providerSecret }),
    'WebhookVerification',
    'Lets only those webhooks pass that their provider has signed.',
  ),
  settle: (body) => body,
})
