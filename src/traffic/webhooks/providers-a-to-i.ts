import { hub, meta, standard, svix, timed } from './common-schemes.ts'
import type { Provider } from './scheme.ts'
import {
  contentfulHeaders,
  contentfulPath,
  escapedText,
  hubspotText,
  hubspotUrl,
  hygraphEvent,
} from './signed-values.ts'

/** The providers whose names begin with the letters A to I. Each row contains everything that the engine needs to know about a provider. */
export const providersAToI: Readonly<Record<string, Provider>> = {
  aftership: {
    page: 'https://www.aftership.com/docs/tracking/webhook/webhook-signature',
    schemes: [{ signature: 'aftership-hmac-sha256', encoding: 'base64' }],
  },
  airship: {
    page: 'https://support.airship.com/hc/en-us/articles/360032501831-Implementing-a-Signature-Hash-and-Validating-an-Open-Channel-Webhook',
    schemes: [{ signature: 'x-ua-signature', timestamp: 'x-ua-timestamp', signed: '{timestamp}:{body}' }],
  },
  alchemy: {
    page: 'https://docs.alchemy.com/reference/notify-api-quickstart',
    schemes: [{ signature: 'x-alchemy-signature' }],
  },
  autodesk: {
    page: 'https://aps.autodesk.com/en/docs/webhooks/v1/developers_guide/webhook-security',
    schemes: [{ signature: 'x-adsk-signature', algorithm: 'hmac-sha1', prefix: 'sha1hash=' }],
  },
  bitbucket: {
    page: 'https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/',
    schemes: [hub('sha256')],
  },
  bolt: {
    page: 'https://help.bolt.com/developers/guides/webhooks/hook-verification/',
    schemes: [{ signature: ['x-bolt-hmac-sha256', 'x-bolt-hmac-sha256-pending'], encoding: 'base64' }],
  },
  box: {
    page: 'https://developer.box.com/guides/webhooks/v2/signatures-v2/',
    schemes: [
      {
        signature: ['box-signature-primary', 'box-signature-secondary'],
        encoding: 'base64',
        timestamp: 'box-delivery-timestamp',
        values: { escaped: escapedText },
        signed: ['{body}{timestamp}', '{escaped}{timestamp}'],
      },
    ],
  },
  brex: { page: 'https://developer.brex.com/docs/webhooks/', schemes: [standard('webhook')] },
  buildkite: {
    page: 'https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature',
    schemes: [
      timed('x-buildkite-signature', 'timestamp=', 'signature='),
      { signature: 'x-buildkite-token', algorithm: 'token' },
    ],
  },
  calendly: {
    page: 'https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures',
    schemes: [timed('calendly-webhook-signature', 't=', 'v1=')],
  },
  castle: {
    page: 'https://docs.castle.io/docs/webhooks',
    schemes: [{ signature: 'x-castle-signature', encoding: 'base64' }],
  },
  chargify: {
    page: 'https://maxio.zendesk.com/hc/en-us/articles/24266143173901-Webhooks-Overview',
    schemes: [{ signature: 'x-chargify-webhook-signature-hmac-sha-256' }],
  },
  circleci: {
    page: 'https://circleci.com/docs/webhooks/#validate-webhooks',
    schemes: [{ signature: 'circleci-signature', prefix: 'v1=', separator: ',' }],
  },
  clearbit: {
    page: 'https://github.com/clearbit/clearbit-ruby/blob/master/lib/clearbit/webhook.rb',
    schemes: [{ ...hub('sha1', 'x-request-signature'), secret: 'api-key' }],
  },
  clerk: { page: 'https://clerk.com/docs/webhooks/sync-data', schemes: svix },
  coinbase: {
    page: 'https://docs.cdp.coinbase.com/commerce/api-arcitecture/webhooks-security',
    remark: 'Only Commerce documents a signature with a shared secret.',
    schemes: [{ signature: 'x-cc-webhook-signature' }],
  },
  contentful: {
    page: 'https://www.contentful.com/developers/docs/webhooks/request-verification/',
    schemes: [
      {
        signature: 'x-contentful-signature',
        timestamp: 'x-contentful-timestamp',
        values: { path: contentfulPath, headers: contentfulHeaders },
        signed: '{method}\n{path}\n{headers}\n{body}',
      },
    ],
  },
  docusign: {
    page: 'https://developers.docusign.com/platform/webhooks/connect/validate/',
    schemes: [
      {
        // One entry for each of up to 100 secrets.
        signature: Array.from({ length: 100 }, (_, index) => `x-docusign-signature-${index + 1}`),
        encoding: 'base64',
      },
    ],
  },
  dropbox: {
    page: 'https://www.dropbox.com/developers/reference/webhooks',
    schemes: [{ signature: 'x-dropbox-signature' }],
  },
  facebook_graph_api: {
    page: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads',
    schemes: meta,
  },
  facebook_messenger: {
    page: 'https://developers.facebook.com/docs/messenger-platform/webhooks#validate-payloads',
    schemes: meta,
  },
  frameio: {
    page: 'https://developer.frame.io/docs/automations-webhooks/webhooks',
    schemes: [
      {
        signature: 'x-frameio-signature',
        prefix: 'v0=',
        timestamp: 'x-frameio-request-timestamp',
        signed: 'v0:{timestamp}:{body}',
      },
    ],
  },
  github: {
    page: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
    schemes: [hub('sha256', 'x-hub-signature-256')],
  },
  gitlab: {
    page: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
    schemes: [{ signature: 'x-gitlab-token', algorithm: 'token' }],
  },
  go1: {
    page: 'https://www.go1.com/developers/partners/concepts/webhook-signature-authentification',
    schemes: [timed('go1-signature', 't=', 'v1=')],
  },
  graphcms: {
    page: 'https://hygraph.com/blog/introducing-signed-webhooks',
    schemes: [
      {
        signature: 'gcms-signature',
        prefix: 'sign=',
        separator: ',',
        encoding: 'base64',
        timestamp: { entry: 't=' },
        values: { environment: { entry: 'env=' }, event: hygraphEvent },
        signed: '{event}',
      },
    ],
  },
  heroku: {
    page: 'https://devcenter.heroku.com/articles/app-webhooks#using-the-shared-secret',
    schemes: [{ signature: 'heroku-webhook-hmac-sha256', encoding: 'base64' }],
  },
  hostedhooks: {
    page: 'https://docs.hostedhooks.com/security/security-features/webhook-signatures',
    remark: 'The page spells the header name as Rack does.',
    schemes: [timed('hostedhooks-signature', 't=', 's=')],
  },
  hubspot: {
    page: 'https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests',
    schemes: [
      {
        signature: 'x-hubspot-signature-v3',
        encoding: 'base64',
        timestamp: 'x-hubspot-request-timestamp',
        values: { decodedUrl: hubspotUrl },
        signed: '{method}{decodedUrl}{body}{timestamp}',
      },
      {
        signature: 'x-hubspot-signature',
        algorithm: 'sha256',
        values: { text: hubspotText },
        signed: '{secret}{text}{body}',
      },
    ],
  },
  instagram: { page: 'https://developers.facebook.com/docs/instagram-platform/webhooks', schemes: meta },
  intercom: {
    page: 'https://developers.intercom.com/docs/webhooks/setting-up-webhooks#signed-notifications',
    schemes: [hub('sha1')],
  },
}
