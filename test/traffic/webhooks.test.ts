import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SCHEMES } from '../../src/traffic/webhooks/providers.ts'
import { createVisited, policyOf } from './visits.ts'

// The requests are made by node:crypto as the documentation of each provider says.
const NOW = Date.parse('2026-01-01T00:00:00Z')
const BODY = '{"event":"a","text":"ü"}'
const SECRET = 'a shared secret of the provider'

type Sign = (secret: string, body: string, at: number) => Record<string, string>

const hmac = (hash: string, key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac(hash, key).update(text).digest(encoding)

const plain =
  (header: string, encoding: 'hex' | 'base64', prefix = '', hash = 'sha256'): Sign =>
  (secret, body) => ({
    [header]: prefix + hmac(hash, secret, body, encoding),
  })
const seconds = (at: number) => String(Math.floor(at / 1000))
const stamped =
  (header: string, format: (time: string, signature: string) => string): Sign =>
  (secret, body, at) => ({
    [header]: format(seconds(at), hmac('sha256', secret, `${seconds(at)}.${body}`)),
  })
const versioned =
  (header: string, timestamp: string, version: string): Sign =>
  (secret, body, at) => ({
    [timestamp]: seconds(at),
    [header]: `${version}=${hmac('sha256', secret, `${version}:${seconds(at)}:${body}`)}`,
  })
const meta = plain('X-Hub-Signature-256', 'hex', 'sha256=')
const svix =
  (name: string): Sign =>
  (secret, body, at) => ({
    [`${name}-id`]: 'msg_1',
    [`${name}-timestamp`]: seconds(at),
    [`${name}-signature`]: `v1,bm9uZQ== v1,${hmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'), `msg_1.${seconds(at)}.${body}`, 'base64')}`,
  })
const KEY = Buffer.from(SECRET).toString('base64')

const PROVIDERS: Readonly<Record<string, { readonly sign: Sign; readonly secret?: string; readonly isTimed?: true }>> =
  {
    aftership: { sign: plain('aftership-hmac-sha256', 'base64') },
    alchemy: { sign: plain('X-Alchemy-Signature', 'hex') },
    autodesk: { sign: plain('x-adsk-signature', 'hex', 'sha1hash=', 'sha1') },
    bitbucket: { sign: plain('X-Hub-Signature', 'hex', 'sha256=') },
    bolt: { sign: plain('X-Bolt-Hmac-Sha256', 'base64') },
    box: {
      isTimed: true,
      sign: (secret, body, at) => {
        const time = new Date(at).toISOString()
        return {
          'BOX-DELIVERY-TIMESTAMP': time,
          'BOX-SIGNATURE-PRIMARY': hmac('sha256', secret, body + time, 'base64'),
        }
      },
    },
    brex: { sign: svix('webhook'), secret: KEY, isTimed: true },
    buildkite: { sign: stamped('X-Buildkite-Signature', (t, s) => `timestamp=${t},signature=${s}`), isTimed: true },
    calendly: { sign: stamped('Calendly-Webhook-Signature', (t, s) => `t=${t},v1=${s}`), isTimed: true },
    castle: { sign: plain('X-Castle-Signature', 'base64') },
    chargify: { sign: plain('X-Chargify-Webhook-Signature-Hmac-Sha-256', 'hex') },
    circleci: { sign: plain('circleci-signature', 'hex', 'v1=') },
    clearbit: { sign: plain('X-Request-Signature', 'hex', 'sha1=', 'sha1') },
    clerk: { sign: svix('svix'), secret: `whsec_${KEY}`, isTimed: true },
    coinbase: { sign: plain('X-CC-Webhook-Signature', 'hex') },
    docusign: { sign: plain('X-DocuSign-Signature-1', 'base64') },
    dropbox: { sign: plain('X-Dropbox-Signature', 'hex') },
    facebook_graph_api: { sign: meta },
    facebook_messenger: { sign: meta },
    frameio: { sign: versioned('X-Frameio-Signature', 'X-Frameio-Request-Timestamp', 'v0'), isTimed: true },
    github: { sign: meta },
    gitlab: { sign: (secret) => ({ 'X-Gitlab-Token': secret }) },
    heroku: { sign: plain('Heroku-Webhook-Hmac-SHA256', 'base64') },
    hubspot: {
      isTimed: true,
      sign: (secret, body, at) => ({
        'X-HubSpot-Request-Timestamp': String(at),
        'X-HubSpot-Signature-v3': hmac('sha256', secret, `POSThttps://app.example.com/hook${body}${at}`, 'base64'),
      }),
    },
    instagram: { sign: meta },
    intercom: { sign: plain('X-Hub-Signature', 'hex', 'sha1=', 'sha1') },
    jira: { sign: plain('X-Hub-Signature', 'hex', 'sha256=') },
    launch_darkly: { sign: plain('X-LD-Signature', 'hex') },
    linear: { sign: plain('Linear-Signature', 'hex') },
    mailchimp: {
      sign: (secret, body) => ({
        'X-Mandrill-Signature': hmac('sha1', secret, `https://app.example.com/hook${body.replace('=', '')}`, 'base64'),
      }),
    },
    mailgun: { sign: () => ({}), isTimed: true },
    microsoft_teams: {
      secret: KEY,
      sign: (secret, body) => ({
        authorization: `HMAC ${hmac('sha256', Buffer.from(secret, 'base64'), body, 'base64')}`,
      }),
    },
    modern_treasury: { sign: plain('X-Signature', 'hex') },
    mongodb: { sign: plain('X-MMS-Signature', 'base64', '', 'sha1') },
    mux: { sign: stamped('Mux-Signature', (t, s) => `t=${t},v1=${s}`), isTimed: true },
    orb: {
      isTimed: true,
      sign: (secret, body, at) => {
        const time = new Date(at).toISOString()
        return { 'X-Orb-Timestamp': time, 'X-Orb-Signature': `v1=${hmac('sha256', secret, `v1:${time}:${body}`)}` }
      },
    },
    pagerduty: { sign: (secret, body) => ({ 'X-PagerDuty-Signature': `v1=00,v1=${hmac('sha256', secret, body)}` }) },
    pinwheel: { sign: versioned('x-pinwheel-signature', 'x-timestamp', 'v2'), isTimed: true },
    pusher: { sign: plain('X-Pusher-Signature', 'hex') },
    sentry: { sign: plain('Sentry-Hook-Signature', 'hex') },
    shopify: { sign: plain('X-Shopify-Hmac-Sha256', 'base64') },
    slack: { sign: versioned('X-Slack-Signature', 'X-Slack-Request-Timestamp', 'v0'), isTimed: true },
    sonatype: { sign: plain('X-Nexus-Webhook-Signature', 'hex', '', 'sha1') },
    square: {
      sign: (secret, body) => ({
        'x-square-hmacsha256-signature': hmac('sha256', secret, `https://app.example.com/hook${body}`, 'base64'),
      }),
    },
    stripe: { sign: stamped('Stripe-Signature', (t, s) => `t=${t},v1=00ff,v1=${s},v0=aa`), isTimed: true },
    svix: { sign: svix('svix'), secret: `whsec_${KEY}`, isTimed: true },
    terraform: { sign: plain('X-TFE-Notification-Signature', 'hex', '', 'sha512') },
    tiktok: { sign: stamped('TikTok-Signature', (t, s) => `t=${t},s=${s}`), isTimed: true },
    twilio: {
      sign: (secret, body) => ({
        'X-Twilio-Signature': hmac('sha1', secret, `https://app.example.com/hook${body.replace('=', '')}`, 'base64'),
      }),
    },
    twitter: { sign: plain('x-twitter-webhooks-signature', 'base64', 'sha256=') },
    typeform: { sign: plain('Typeform-Signature', 'base64', 'sha256=') },
    webex: { sign: plain('X-Spark-Signature', 'hex', '', 'sha1') },
    whatsapp: { sign: meta },
    worldline: { sign: plain('X-GCS-Signature', 'base64') },
    xero: { sign: plain('x-xero-signature', 'base64') },
    zendesk: {
      isTimed: true,
      sign: (secret, body, at) => {
        const time = new Date(at).toISOString()
        return {
          'X-Zendesk-Webhook-Signature-Timestamp': time,
          'X-Zendesk-Webhook-Signature': hmac('sha256', secret, time + body, 'base64'),
        }
      },
    },
    zoom: { sign: versioned('x-zm-signature', 'x-zm-request-timestamp', 'v0'), isTimed: true },
  }

/** Mailgun signs a part of the body. */
function mailgunBody(secret: string, at: number): string {
  const signature = { timestamp: seconds(at), token: 'abc', signature: hmac('sha256', secret, `${seconds(at)}abc`) }
  return JSON.stringify({ signature })
}

const bodyOf = (provider: string, secret: string, at: number) => {
  if (provider === 'mailgun') return mailgunBody(secret, at)
  return provider === 'twilio' || provider === 'mailchimp' ? 'name=value' : BODY
}

const send = async (
  provider: string,
  { secret = SECRET, at = NOW, isTampered = false, config = PROVIDERS[provider]?.secret ?? SECRET } = {},
) => {
  const { visit, gateway } = createVisited(policyOf('verify-webhook', { provider, secret: config }))
  const body = bodyOf(provider, secret, at)
  const headers = PROVIDERS[provider]?.sign(secret, body, at) ?? {}
  const sent = isTampered ? body.replace(provider === 'mailgun' ? '"abc"' : 'e', '"abd"') : body
  const response = await visit('/hook', { method: 'POST', body: sent, headers })
  return { response, gateway }
}

// rules: traffic#webhooks
describe.each(Object.entries(PROVIDERS))('a webhook of %s', (provider, { secret = SECRET, isTimed }) => {
  test('passes with its signature', async () => {
    expect((await send(provider, { secret })).response.status).toBe(200)
  })

  test('is refused with another secret', async () => {
    const { response, gateway } = await send(provider, { secret: Buffer.from('another secret').toString('base64') })
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([403, 'ERR_NGROK_3204'])
    expect(JSON.stringify(gateway.traffic.all())).not.toContain(secret)
  })

  if (provider !== 'gitlab')
    test('is refused if a byte of what was signed changed', async () => {
      expect((await send(provider, { secret, isTampered: true })).response.status).toBe(403)
    })

  if (isTimed)
    test('is refused if it is older than 5 minutes', async () => {
      expect((await send(provider, { secret, at: NOW - 299_000 })).response.status).toBe(200)
      expect((await send(provider, { secret, at: NOW - 301_000 })).response.status).toBe(403)
    })
})

test('every scheme has a request made by another library', () => {
  expect(
    Object.keys(PROVIDERS)
      .filter((name) => name !== 'mailgun')
      .sort(),
  ).toEqual(Object.keys(SCHEMES).sort())
})

test('a webhook without a signature is refused', async () => {
  const { visit } = createVisited(policyOf('verify-webhook', { provider: 'github', secret: SECRET }))
  expect((await visit('/hook', { method: 'POST', body: BODY })).status).toBe(403)
})

test('a provider whose scheme no document tells is not simulated', async () => {
  const { visit } = createVisited(policyOf('verify-webhook', { provider: 'airship', secret: SECRET }))
  await expect(visit('/hook', { method: 'POST', body: BODY })).rejects.toMatchObject({ key: 'traffic_not_simulated' })
})

// verify-webhook, endpoint verification.
describe('challenges', () => {
  const challenge = (provider: string) => createVisited(policyOf('verify-webhook', { provider, secret: SECRET }))

  test('of Twitter get the hash of their token', async () => {
    const response = await challenge('twitter').visit('/hook?crc_token=abc')
    expect(await response.json()).toEqual({ response_token: `sha256=${hmac('sha256', SECRET, 'abc', 'base64')}` })
  })

  test('of Worldline get their header back', async () => {
    const response = await challenge('worldline').visit('/hook', {
      headers: { 'X-GCS-Webhooks-Endpoint-Verification': 'abc' },
    })
    expect(await response.text()).toBe('abc')
  })

  test('of Zoom get the token encrypted', async () => {
    const body = JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken: 'abc' } })
    const response = await challenge('zoom').visit('/hook', { method: 'POST', body })
    expect(await response.json()).toEqual({ plainToken: 'abc', encryptedToken: hmac('sha256', SECRET, 'abc') })
  })
})
