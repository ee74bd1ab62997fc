import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { declareErrors, ofField } from '../../core/schema/errors.ts'
import { suggestion } from '../../core/schema/nearest.ts'
import { ruleOnWhole } from '../../core/schema/rule.ts'
import { enabled, secret } from '../../core/schema/schema.ts'
import { toBytes } from '../x509/bytes.ts'
import { readOr } from '../x509/der.ts'
import { readPublicKey } from '../x509/keys.ts'
import { edgeModule, HTTPS_ROUTES } from './route-module.ts'

const errors = declareErrors({
  webhook_secret_not_accepted: ofField(
    7026,
    400,
    '{field} was sent, but the provider {provider} does not use it. Omit it.',
  ),
  webhook_secret_missing: ofField(
    7027,
    400,
    '{field} is missing. The provider {provider} requires a non-empty string.',
  ),
  webhook_provider_missing: ofField(7029, 400, '{field} is missing. Send one of {allowed}.'),
  webhook_provider_unsupported: ofField(7030, 400, '{field} is {received}.{suggestion} Allowed: one of {allowed}.'),
  webhook_key_invalid: ofField(
    7107,
    400,
    '{field} is not a verification key of {provider}, which is the base64 of an ECDSA public key.',
  ),
})

/** The webhook providers whose requests a route can verify (rules: webhook-verification#provider). */
export const WEBHOOK_PROVIDERS: readonly string[] = `
  aftership airship alchemy autodesk bitbucket bolt box brex buildkite calendly castle chargify circleci clearbit
  clerk coinbase contentful docusign dropbox facebook_graph_api facebook_messenger frameio github gitlab go1
  graphcms heroku hostedhooks hubspot instagram intercom jira launch_darkly linear mailchimp mailgun microsoft_teams
  modern_treasury mongodb mux orb orbit pagerduty pinwheel plivo pusher sendgrid sentry shopify signal_sciences
  slack sns sonatype square stripe svix terraform tiktok trendmicro_conformity twilio twitter typeform vmware webex
  whatsapp worldline xero zendesk zoom
`
  .trim()
  .split(/\s+/)

const ALLOWED = WEBHOOK_PROVIDERS.join(', ')

/** The only provider whose secret is a public key. */
const WITH_KEY = 'sendgrid'

/** The only provider that signs with its own certificates instead of a shared secret. */
const WITHOUT_SECRET = 'sns'

const provider = documented(
  v.string(),
  'The webhook provider, in uppercase or lowercase. Responses repeat it as sent.',
  {
    // Case doesn't matter, and a pattern for every spelling would be very long.
    json: {
      listed: WEBHOOK_PROVIDERS,
      pattern: `^(${WEBHOOK_PROVIDERS.join('|')}|[0-9a-z_]*[A-Z][0-9A-Za-z_]*)$`,
    },
    isRequired: true,
    rules: 'webhook-verification#provider',
  },
)

const providerSecret = documented(
  v.pipe(v.string(), secret),
  `The secret that verifies the provider's requests. Required for every provider except \`${WITHOUT_SECRET}\`, ` +
    `which has none.`,
  { rules: 'webhook-verification#secret' },
)

const fields = v.object({ enabled, provider: v.optional(provider, ''), secret: v.optional(providerSecret, '') })

type ProviderError = (typeof errors)[keyof typeof errors]

/** Returns whether a provider is supported. Case doesn't matter for ASCII letters. */
function isSupported(provider: string): boolean {
  return /^[a-zA-Z0-9_]+$/.test(provider) && WEBHOOK_PROVIDERS.includes(provider.toLowerCase())
}

/** Returns whether a string is a base64-encoded ECDSA public key. */
function isEcdsaKey(text: unknown): boolean {
  return readOr(
    () => /^[A-Za-z0-9+/]+=*$/.test(String(text)) && readPublicKey(toBytes(atob(String(text)))).kind === 'ecdsa',
    () => false,
  )
}

/** The rule for the combination of provider and secret. Each field may already have a problem. */
const providerAndSecret = ruleOnWhole<v.InferOutput<typeof fields>, ProviderError>(
  Object.values(errors),
  ({ provider, secret: sent }, report) => {
    const at = { path: ['provider'], value: provider }
    if (provider === undefined || provider === '')
      return report(errors.webhook_provider_missing, { allowed: ALLOWED }, at)
    if (typeof provider !== 'string') return
    if (!isSupported(provider)) {
      const facts = { suggestion: suggestion(provider, WEBHOOK_PROVIDERS), allowed: ALLOWED }
      return report(errors.webhook_provider_unsupported, facts, at)
    }
    const isRequired = provider.toLowerCase() !== WITHOUT_SECRET
    const isSent = sent !== undefined && sent !== ''
    const secretAt = { path: ['secret'], value: sent }
    if (isRequired && !isSent) report(errors.webhook_secret_missing, { provider }, secretAt)
    if (!isRequired && isSent) report(errors.webhook_secret_not_accepted, { provider }, secretAt)
    if (provider.toLowerCase() === WITH_KEY && isSent && !isEcdsaKey(sent))
      report(errors.webhook_key_invalid, { provider }, secretAt)
  },
)

/** The webhook verification module, for its owners (rules: webhook-verification#provider). */
export const webhookModule = {
  errors,
  what: 'webhook verification',
  body: named(v.pipe(fields, providerAndSecret), 'WebhookVerificationBody', 'The new webhook verification settings.', {
    json: { examples: [{ provider: 'github', secret: 'a shared secret' }] },
  }),
  shape: named(
    v.object({ enabled: v.unwrap(enabled), provider, secret: providerSecret }),
    'WebhookVerification',
    'Accepts only webhooks that were signed by their provider.',
  ),
}

// (rules: route-modules#singletons)
/** The webhook verification module of an HTTPS edge route. */
export const webhookVerification = edgeModule(HTTPS_ROUTES, {
  name: 'webhook_verification',
  segment: 'webhook_verification',
  ...webhookModule,
})
