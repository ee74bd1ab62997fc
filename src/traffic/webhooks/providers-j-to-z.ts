import { answerTwitter, answerWorldline, answerXero, answerZoom } from './challenges.ts'
import { hub, meta, svix, timed } from './common-schemes.ts'
import type { Provider } from './scheme.ts'
import {
  bodyHashProblem,
  formValues,
  plivoTarget,
  urlWithoutPath,
  urlWithoutPort,
  urlWithoutQuery,
  urlWithPort,
} from './signed-values.ts'

/** Square signs the configured URL, which may end after the host. */
const square = {
  encoding: 'base64',
  values: { withoutPath: urlWithoutPath },
  signed: ['{url}{body}', '{withoutPath}{body}'],
} as const

/** The providers whose names begin with the letters J to Z. */
export const providersJToZ: Readonly<Record<string, Provider>> = {
  jira: {
    page: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/#secure-admin-webhooks',
    schemes: [hub('sha256')],
  },
  launch_darkly: {
    page: 'https://launchdarkly.com/docs/home/infrastructure/webhooks#sign-the-webhook',
    schemes: [{ signature: 'x-ld-signature' }],
  },
  linear: {
    page: 'https://linear.app/developers/webhooks#securing-webhooks',
    schemes: [{ signature: 'linear-signature', timestamp: { field: 'webhookTimestamp' }, isTimestampOptional: true }],
  },
  mailchimp: {
    page: 'https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/#authenticating-webhook-requests',
    remark: 'Only Transactional (Mandrill) documents a signature. Audience webhooks have none.',
    schemes: [
      {
        signature: 'x-mandrill-signature',
        algorithm: 'hmac-sha1',
        encoding: 'base64',
        values: { form: formValues },
        signed: '{url}{form}',
      },
    ],
  },
  mailgun: {
    page: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks',
    schemes: [
      {
        signature: { field: 'signature.signature' },
        timestamp: { field: 'signature.timestamp' },
        values: { token: { field: 'signature.token' } },
        signed: '{timestamp}{token}',
      },
    ],
  },
  microsoft_teams: {
    page: 'https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook',
    schemes: [{ signature: 'authorization', prefix: 'HMAC ', encoding: 'base64', secret: 'base64' }],
  },
  modern_treasury: {
    page: 'https://docs.moderntreasury.com/platform/reference/validating-webhooks',
    schemes: [{ signature: 'x-signature' }],
  },
  mongodb: {
    page: 'https://www.mongodb.com/docs/atlas/tutorial/webhook-integration/',
    schemes: [{ signature: 'x-mms-signature', algorithm: 'hmac-sha1', encoding: 'base64' }],
  },
  mux: {
    page: 'https://www.mux.com/docs/core/verify-webhook-signatures',
    schemes: [timed('mux-signature', 't=', 'v1=')],
  },
  orb: {
    page: 'https://docs.withorb.com/integrations-and-exports/webhooks',
    schemes: [
      {
        signature: 'x-orb-signature',
        prefix: 'v1=',
        separator: ' ',
        timestamp: 'x-orb-timestamp',
        signed: 'v1:{timestamp}:{body}',
      },
    ],
  },
  orbit: {
    page: 'https://docs.redwoodjs.com/docs/webhooks/#secret-key-verifier-used-by-orbit',
    remark: 'The pages of Orbit are no longer public. RedwoodJS documents the scheme: the header repeats the secret.',
    schemes: [{ signature: 'x-orbit-signature', algorithm: 'token' }],
  },
  pagerduty: {
    page: 'https://developer.pagerduty.com/docs/verifying-webhook-signatures',
    schemes: [{ signature: 'x-pagerduty-signature', prefix: 'v1=', separator: ',' }],
  },
  pinwheel: {
    page: 'https://docs.pinwheelapi.com/docs/webhook-signature-verification',
    schemes: [
      { signature: 'x-pinwheel-signature', prefix: 'v2=', timestamp: 'x-timestamp', signed: 'v2:{timestamp}:{body}' },
    ],
  },
  plivo: {
    page: 'https://docs.plivo.com/docs/voice/xml/request/validation',
    schemes: [
      {
        signature: ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3'],
        separator: ',',
        encoding: 'base64',
        values: { nonce: 'x-plivo-signature-v3-nonce', target: plivoTarget },
        signed: '{target}.{nonce}',
      },
      {
        signature: ['x-plivo-signature-v2', 'x-plivo-signature-ma-v2'],
        separator: ',',
        encoding: 'base64',
        values: { nonce: 'x-plivo-signature-v2-nonce', target: urlWithoutQuery },
        signed: '{target}{nonce}',
      },
    ],
  },
  pusher: {
    page: 'https://pusher.com/docs/channels/server_api/webhooks/#authentication',
    schemes: [{ signature: 'x-pusher-signature', values: { key: 'x-pusher-key' } }],
  },
  sendgrid: {
    page: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
    schemes: [
      {
        signature: 'x-twilio-email-event-webhook-signature',
        algorithm: 'ecdsa-p256',
        timestamp: 'x-twilio-email-event-webhook-timestamp',
        signed: '{timestamp}{body}',
      },
    ],
  },
  sentry: {
    page: 'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/#sentry-hook-signature',
    schemes: [{ signature: 'sentry-hook-signature' }],
  },
  shopify: {
    page: 'https://shopify.dev/docs/apps/build/webhooks/subscribe/https#step-2-validate-the-origin-of-your-webhook',
    schemes: [{ signature: ['shopify-hmac-sha256', 'x-shopify-hmac-sha256'], encoding: 'base64' }],
  },
  signal_sciences: {
    page: 'https://docs.fastly.com/signalsciences/integrations/generic-webhooks/',
    schemes: [{ signature: 'x-sigsci-signature' }],
  },
  slack: {
    page: 'https://docs.slack.dev/authentication/verifying-requests-from-slack/',
    schemes: [
      {
        signature: 'x-slack-signature',
        prefix: 'v0=',
        timestamp: 'x-slack-request-timestamp',
        signed: 'v0:{timestamp}:{body}',
      },
    ],
  },
  sns: {
    page: 'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html',
    schemes: 'certificate',
  },
  sonatype: {
    page: 'https://help.sonatype.com/en/working-with-hmac-payloads.html',
    schemes: [{ signature: 'x-nexus-webhook-signature', algorithm: 'hmac-sha1' }],
  },
  square: {
    page: 'https://developer.squareup.com/docs/webhooks/step3validate',
    schemes: [
      { signature: 'x-square-hmacsha256-signature', ...square },
      { signature: 'x-square-signature', algorithm: 'hmac-sha1', ...square },
    ],
  },
  stripe: {
    page: 'https://docs.stripe.com/webhooks/signature',
    schemes: [timed('stripe-signature', 't=', 'v1=')],
  },
  svix: { page: 'https://docs.svix.com/receiving/verifying-payloads/how-manual', schemes: svix },
  terraform: {
    page: 'https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations#notification-authenticity',
    schemes: [{ signature: 'x-tfe-notification-signature', algorithm: 'hmac-sha512' }],
  },
  tiktok: {
    page: 'https://developers.tiktok.com/doc/webhooks-verification',
    schemes: [timed('tiktok-signature', 't=', 's=')],
  },
  trendmicro_conformity: {
    page: 'https://cloudone.trendmicro.com/docs/conformity/webhook-communication/',
    schemes: [{ signature: 'x-conformity-signature' }],
  },
  twilio: {
    page: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
    schemes: [
      {
        signature: 'x-twilio-signature',
        algorithm: 'hmac-sha1',
        encoding: 'base64',
        values: { form: formValues, withPort: urlWithPort, withoutPort: urlWithoutPort },
        signed: ['{url}{form}', '{withPort}{form}', '{withoutPort}{form}'],
        check: bodyHashProblem,
      },
    ],
  },
  twitter: {
    page: 'https://docs.x.com/x-api/webhooks/introduction',
    schemes: [{ ...hub('sha256', 'x-twitter-webhooks-signature'), encoding: 'base64' }],
    challenge: answerTwitter,
  },
  typeform: {
    page: 'https://www.typeform.com/developers/webhooks/secure-your-webhooks/',
    schemes: [{ ...hub('sha256', 'typeform-signature'), encoding: 'base64' }],
  },
  vmware: {
    page: 'https://ngrok.com/docs/integrations/webhooks/vmware-webhooks',
    schemes: [{ signature: 'authorization', algorithm: 'token', prefix: 'Basic ', secret: 'credentials' }],
  },
  webex: {
    page: 'https://developer.webex.com/docs/api/guides/webhooks#handling-requests-from-webex',
    schemes: [{ signature: 'x-spark-signature', algorithm: 'hmac-sha1' }],
  },
  whatsapp: {
    page: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads',
    schemes: meta,
  },
  worldline: {
    page: 'https://docs.direct.worldline-solutions.com/en/integration/api-developer-guide/webhooks',
    schemes: [{ signature: 'x-gcs-signature', encoding: 'base64' }],
    challenge: answerWorldline,
  },
  xero: {
    page: 'https://developer.xero.com/documentation/guides/webhooks/configuring-your-server/',
    schemes: [{ signature: 'x-xero-signature', encoding: 'base64' }],
    challenge: answerXero,
  },
  zendesk: {
    page: 'https://developer.zendesk.com/documentation/webhooks/verifying/',
    schemes: [
      {
        signature: 'x-zendesk-webhook-signature',
        encoding: 'base64',
        timestamp: 'x-zendesk-webhook-signature-timestamp',
        signed: '{timestamp}{body}',
      },
    ],
  },
  zoom: {
    page: 'https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events',
    schemes: [
      {
        signature: 'x-zm-signature',
        prefix: 'v0=',
        timestamp: 'x-zm-request-timestamp',
        signed: 'v0:{timestamp}:{body}',
      },
      // Zoom's older verification token.
      { signature: 'authorization', algorithm: 'token' },
    ],
    challenge: answerZoom,
  },
}
