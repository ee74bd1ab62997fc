// Signs requests as providers of webhooks do: by a library of the provider or of its standard where there is one, otherwise by
// node:crypto along the recipe of the page that the provider's row names. Nothing here imports src/.
import { createSign, generateKeyPairSync } from 'node:crypto'
import { hygraph, StandardWebhook, Stripe, signForGitHub } from '../../../tools/second-opinions.ts'
import { mac } from './mac.ts'

interface Sent {
  readonly method: string
  readonly url: string
  readonly body: string
  /** Unix time in ms. */
  readonly now: number
  readonly secret: string
}

type Signed = Readonly<Record<string, string>>

interface Signer {
  readonly sign: (sent: Sent) => Signed | Promise<Signed>
  /** The secret and another one, where any two texts won't do. */
  readonly secrets?: readonly [string, string]
  /** The body to sign, if not JSON. */
  readonly body?: string | ((sent: Omit<Sent, 'body'>) => string)
  /** True if the signature does not cover the body. */
  readonly ignoresBody?: true
  /** True if the signature covers the time of signing. */
  readonly isTimed?: true
}

const seconds = (now: number) => String(Math.floor(now / 1000))

/** Signs the body alone. */
const ofBody = (
  header: string,
  algorithm: 'sha1' | 'sha256' | 'sha512' = 'sha256',
  encoding: 'hex' | 'base64' = 'hex',
  prefix = '',
): Signer => ({ sign: ({ secret, body }) => ({ [header]: prefix + mac(algorithm, secret, body, encoding) }) })

/** Signs `time.body` and sends both as `t=…,v1=…`. */
const timed = (header: string, time = 't', name = 'v1'): Signer => ({
  isTimed: true,
  sign: ({ secret, body, now }) => ({
    [header]: `${time}=${seconds(now)},${name}=${mac('sha256', secret, `${seconds(now)}.${body}`)}`,
  }),
})

const whsec = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'] as const

/** Signs by the library of Standard Webhooks, which Svix made. */
const standard = (names: string, secrets: readonly [string, string] = whsec): Signer => ({
  secrets,
  isTimed: true,
  sign: ({ secret, body, now }) => ({
    [`${names}-id`]: 'msg_1',
    [`${names}-timestamp`]: seconds(now),
    [`${names}-signature`]: new StandardWebhook(secret).sign('msg_1', new Date(now), body),
  }),
})

/** Signs `v0:time:body`, with the time in its own header. */
const versioned = (header: string, time: string, version = 'v0', format = seconds): Signer => ({
  isTimed: true,
  sign: ({ secret, body, now }) => ({
    [time]: format(now),
    [header]: `${version}=${mac('sha256', secret, `${version}:${format(now)}:${body}`)}`,
  }),
})

const github: Signer = {
  sign: async ({ secret, body }) => ({ 'X-Hub-Signature-256': await signForGitHub(secret, body) }),
}

const stripe = new Stripe('sk_test_1')

const form = 'To=%2B18005551212&From=%2B14158675309&Digits=1234'
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }
const sortedForm = 'Digits1234From+14158675309To+18005551212'

const ecKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const [ecKey, otherEcKey] = [ecKeys(), ecKeys()]
const spki = ({ publicKey }: ReturnType<typeof ecKeys>) =>
  publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

const iso = (now: number) => new Date(now).toISOString()

export const signers: Readonly<Record<string, Signer>> = {
  aftership: ofBody('aftership-hmac-sha256', 'sha256', 'base64'),
  airship: {
    isTimed: true,
    sign: ({ secret, body, now }) => ({
      'X-UA-TIMESTAMP': seconds(now),
      'X-UA-SIGNATURE': mac('sha256', secret, `${seconds(now)}:${body}`),
    }),
  },
  alchemy: ofBody('X-Alchemy-Signature'),
  autodesk: ofBody('x-adsk-signature', 'sha1', 'hex', 'sha1hash='),
  bitbucket: ofBody('X-Hub-Signature', 'sha256', 'hex', 'sha256='),
  bolt: ofBody('X-Bolt-Hmac-Sha256', 'sha256', 'base64'),
  box: {
    isTimed: true,
    sign: ({ secret, body, now }) => ({
      'BOX-DELIVERY-TIMESTAMP': iso(now),
      'BOX-SIGNATURE-PRIMARY': mac('sha256', 'the other key of the pair', body + iso(now), 'base64'),
      'BOX-SIGNATURE-SECONDARY': mac('sha256', secret, body + iso(now), 'base64'),
    }),
  },
  brex: standard('Webhook', ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'C2FVsBQIhrscChlQIMV+b5sSYspob7oD']),
  buildkite: timed('X-Buildkite-Signature', 'timestamp', 'signature'),
  calendly: timed('Calendly-Webhook-Signature'),
  castle: ofBody('X-Castle-Signature', 'sha256', 'base64'),
  chargify: { ...ofBody('X-Chargify-Webhook-Signature-Hmac-Sha-256'), body: 'event=test&id=1' },
  circleci: ofBody('circleci-signature', 'sha256', 'hex', 'v1='),
  clearbit: {
    secrets: ['sk_0123456789', 'sk_9876543210'],
    sign: ({ secret, body }) => ({ 'X-Request-Signature': `sha1=${mac('sha1', secret.replace('sk_', ''), body)}` }),
  },
  clerk: standard('svix'),
  coinbase: ofBody('X-CC-Webhook-Signature'),
  contentful: {
    isTimed: true,
    sign({ secret, method, url, body, now }) {
      const { pathname, search } = new URL(url)
      const headers = { 'x-contentful-topic': 'Entry.publish', 'x-contentful-timestamp': String(now) }
      const names = ['x-contentful-signed-headers', ...Object.keys(headers)].join(',')
      const all = { 'x-contentful-signed-headers': names, ...headers }
      const lines = Object.entries(all).map(([name, value]) => `${name}:${value}`)
      // The library escapes the query, and then the whole URI.
      const path = encodeURI(`${pathname}?${encodeURIComponent(search.slice(1))}`)
      const text = [method, path, lines.join(';'), body].join('\n')
      return { ...all, 'x-contentful-signature': mac('sha256', secret, text) }
    },
  },
  docusign: {
    sign: ({ secret, body }) => ({
      'X-DocuSign-Signature-1': mac('sha256', 'a secret from before the rotation', body, 'base64'),
      'X-DocuSign-Signature-2': mac('sha256', secret, body, 'base64'),
    }),
  },
  dropbox: ofBody('X-Dropbox-Signature'),
  facebook_graph_api: github,
  facebook_messenger: github,
  frameio: versioned('X-Frameio-Signature', 'X-Frameio-Request-Timestamp'),
  github,
  gitlab: { ignoresBody: true, sign: ({ secret }) => ({ 'X-Gitlab-Token': secret }) },
  go1: timed('Go1-Signature'),
  graphcms: {
    isTimed: true,
    sign({ secret, body, now }) {
      // The library signs at its own time, so its verification says whether this signature is right.
      const payload = JSON.stringify({ Body: body, EnvironmentName: 'master', TimeStamp: now })
      const signature = `sign=${mac('sha256', secret, payload, 'base64')}, env=master, t=${now}`
      if (!hygraph.verifyWebhookSignature({ rawPayload: body, signature, secret, body: undefined }))
        throw new Error('The library of Hygraph rejects the signature.')
      return { 'gcms-signature': signature }
    },
  },
  heroku: ofBody('Heroku-Webhook-Hmac-SHA256', 'sha256', 'base64'),
  hostedhooks: timed('HostedHooks-Signature', 't', 's'),
  hubspot: {
    isTimed: true,
    sign: ({ secret, method, url, body, now }) => ({
      'X-HubSpot-Request-Timestamp': String(now),
      'X-HubSpot-Signature-v3': mac('sha256', secret, method + url + body + now, 'base64'),
    }),
  },
  instagram: github,
  intercom: ofBody('X-Hub-Signature', 'sha1', 'hex', 'sha1='),
  jira: ofBody('X-Hub-Signature', 'sha256', 'hex', 'sha256='),
  launch_darkly: ofBody('X-LD-Signature'),
  linear: {
    ...ofBody('Linear-Signature'),
    isTimed: true,
    body: ({ now }) => JSON.stringify({ action: 'create', webhookTimestamp: now }),
  },
  mailchimp: {
    body: 'mandrill_events=%5B%5D',
    sign: ({ secret, url }) => ({
      ...FORM_TYPE,
      'X-Mandrill-Signature': mac('sha1', secret, `${url}mandrill_events[]`, 'base64'),
    }),
  },
  mailgun: {
    ignoresBody: true,
    isTimed: true,
    sign: () => ({}),
    body({ secret, now }) {
      const [timestamp, token] = [seconds(now), 'a-random-text-of-50-characters']
      return JSON.stringify({ signature: { timestamp, token, signature: mac('sha256', secret, timestamp + token) } })
    },
  },
  microsoft_teams: {
    secrets: ['bWljcm9zb2Z0', 'dGVhbXMtdGVhbXM='],
    sign: ({ secret, body }) => ({
      Authorization: `HMAC ${mac('sha256', Buffer.from(secret, 'base64'), body, 'base64')}`,
    }),
  },
  modern_treasury: ofBody('X-Signature'),
  mongodb: ofBody('X-MMS-Signature', 'sha1', 'base64'),
  mux: timed('Mux-Signature'),
  orb: versioned('X-Orb-Signature', 'X-Orb-Timestamp', 'v1', (now) => iso(now).replace('Z', '')),
  orbit: { ignoresBody: true, sign: ({ secret }) => ({ 'X-Orbit-Signature': secret }) },
  pagerduty: {
    sign: ({ secret, body }) => ({
      'X-PagerDuty-Signature': `v1=${mac('sha256', 'a rotated secret', body)},v1=${mac('sha256', secret, body)}`,
    }),
  },
  pinwheel: versioned('x-pinwheel-signature', 'x-timestamp', 'v2'),
  plivo: {
    body: form,
    sign: ({ secret, url }) => ({
      ...FORM_TYPE,
      'X-Plivo-Signature-V3-Nonce': '12345',
      'X-Plivo-Signature-V3': mac('sha256', secret, `${url}.${sortedForm}.12345`, 'base64'),
    }),
  },
  pusher: {
    sign: ({ secret, body }) => ({ 'X-Pusher-Key': 'a key', 'X-Pusher-Signature': mac('sha256', secret, body) }),
  },
  sendgrid: {
    isTimed: true,
    secrets: [spki(ecKey), spki(otherEcKey)],
    sign: ({ body, now }) => ({
      'X-Twilio-Email-Event-Webhook-Timestamp': seconds(now),
      'X-Twilio-Email-Event-Webhook-Signature': createSign('sha256')
        .update(seconds(now) + body)
        .sign(ecKey.privateKey, 'base64'),
    }),
  },
  sentry: ofBody('Sentry-Hook-Signature'),
  shopify: ofBody('X-Shopify-Hmac-Sha256', 'sha256', 'base64'),
  signal_sciences: ofBody('X-SigSci-Signature'),
  slack: versioned('X-Slack-Signature', 'X-Slack-Request-Timestamp'),
  sonatype: ofBody('X-Nexus-Webhook-Signature', 'sha1'),
  square: {
    sign: ({ secret, url, body }) => ({
      'x-square-hmacsha256-signature': mac('sha256', secret, url + body, 'base64'),
    }),
  },
  stripe: {
    isTimed: true,
    sign: ({ secret, body, now }) => ({
      'Stripe-Signature': stripe.webhooks.generateTestHeaderString({
        payload: body,
        secret,
        timestamp: Math.floor(now / 1000),
      }),
    }),
  },
  svix: standard('svix'),
  terraform: ofBody('X-TFE-Notification-Signature', 'sha512'),
  tiktok: timed('TikTok-Signature', 't', 's'),
  trendmicro_conformity: ofBody('X-Conformity-Signature'),
  twilio: {
    body: form,
    sign: ({ secret, url }) => ({
      ...FORM_TYPE,
      'X-Twilio-Signature': mac('sha1', secret, url + sortedForm, 'base64'),
    }),
  },
  twitter: ofBody('x-twitter-webhooks-signature', 'sha256', 'base64', 'sha256='),
  typeform: ofBody('Typeform-Signature', 'sha256', 'base64', 'sha256='),
  vmware: {
    ignoresBody: true,
    secrets: ['events::correct horse', 'events::battery staple'],
    sign: ({ secret }) => ({
      Authorization: `Basic ${Buffer.from(secret.replace('::', ':')).toString('base64')}`,
    }),
  },
  webex: ofBody('X-Spark-Signature', 'sha1'),
  whatsapp: github,
  worldline: ofBody('X-GCS-Signature', 'sha256', 'base64'),
  xero: ofBody('x-xero-signature', 'sha256', 'base64'),
  zendesk: {
    isTimed: true,
    sign: ({ secret, body, now }) => ({
      'X-Zendesk-Webhook-Signature-Timestamp': iso(now),
      'X-Zendesk-Webhook-Signature': mac('sha256', secret, iso(now) + body, 'base64'),
    }),
  },
  zoom: versioned('x-zm-signature', 'x-zm-request-timestamp'),
}
