// Requests with signatures that pages and test suites of the providers give.
import { expect, it } from 'vitest'
import { verifyWebhook } from '../../../src/traffic/webhooks/index.ts'
import { mac, sha256 } from './mac.ts'

interface Vector {
  readonly provider: string
  readonly secret: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly method?: string
  readonly url?: string
  /** An ISO 8601 time. */
  readonly at?: string
}

function verify({ provider, secret, headers, body = '', method = 'POST', url = 'https://example.com/', at }: Vector) {
  const readBody = async () => new TextEncoder().encode(body)
  const request = { method, url, headers: new Headers(headers), readBody }
  return verifyWebhook(request, { provider, secret, now: Date.parse(at ?? '2026-01-01T00:00:00Z') })
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

const sendgridEvent = {
  email: 'hello@world.com',
  event: 'dropped',
  reason: 'Bounced Address',
  sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
  sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
  'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
  timestamp: 1600112492,
}

const vectors: readonly (Vector & { readonly from: string })[] = [
  {
    from: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation',
    provider: 'github',
    secret: "It's a Secret to Everybody",
    headers: { 'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    body: 'Hello, World!',
  },
  {
    from: 'https://docs.slack.dev/authentication/verifying-requests-from-slack/',
    provider: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    at: '2018-07-12T18:36:58Z',
    headers: {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  },
  {
    from: 'https://docs.svix.com/receiving/verifying-payloads/how-manual',
    provider: 'svix',
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    at: '2024-11-15T21:12:01Z',
    headers: {
      'svix-id': 'msg_loFOjxBNrRLzqYUf',
      'svix-timestamp': '1731705121',
      'svix-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    },
    body: '{"event_type":"ping","data":{"success":true}}',
  },
  {
    from: 'https://github.com/twilio/twilio-python/blob/main/tests/unit/test_request_validator.py',
    provider: 'twilio',
    secret: '12345',
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    headers: { ...form, 'X-Twilio-Signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
    body: 'CallSid=CA1234567890ABCDE&Digits=1234&From=%2B14158675309&To=%2B18005551212&Caller=%2B14158675309',
  },
  {
    from: 'https://github.com/box/box-node-sdk (tests of webhooks)',
    provider: 'box',
    secret: 'SamplePrimaryKey',
    at: '2020-01-01T07:00:00Z',
    headers: {
      'box-delivery-timestamp': '2020-01-01T00:00:00-07:00',
      'box-signature-primary': '6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI=',
      'box-signature-secondary': 'v+1CD1Jdo3muIcbpv5lxxgPglOqMfsNHPV899xWYydo=',
    },
    body: '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}',
  },
  {
    from: 'https://github.com/sendgrid/sendgrid-nodejs/blob/main/packages/eventwebhook/src/eventwebhook.spec.js',
    provider: 'sendgrid',
    secret:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    at: '2020-09-14T19:41:42Z',
    headers: {
      'X-Twilio-Email-Event-Webhook-Timestamp': '1600112502',
      'X-Twilio-Email-Event-Webhook-Signature':
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    },
    body: `${JSON.stringify([sendgridEvent])}\r\n`,
  },
  {
    from: 'https://github.com/orbcorp/orb-kotlin (WebhookServiceTest)',
    provider: 'orb',
    secret: 'c-UGKYdnhHh436B_sMouYAPUvXyWpzOdunZBV5dFSD8',
    at: '2024-03-27T15:42:29Z',
    headers: {
      'X-Orb-Timestamp': '2024-03-27T15:42:29.551',
      'X-Orb-Signature': 'v1=Zm9v v1=9d25de966891ab0bc18754faf8d83d0980b44ae330fcc130b41a6cf3daf1f391',
    },
    body: '{"id": "o4mmewpfNNTnjfZc", "created_at": "2024-03-27T15:42:29+00:00", "type": "resource_event.test", "properties": {"message": "A test webhook from Orb. Happy testing!"}}',
  },
]

it.each(vectors)('verifies the request of $provider that $from has', async (vector) => {
  expect(await verify(vector)).toEqual({ verified: true })
  expect(await verify({ ...vector, body: `${vector.body}&x=1` })).toMatchObject({ verified: false })
})

const secret = 'a secret'
const body = '{"n":1}'

const olderSchemes: readonly (Vector & { readonly what: string })[] = [
  {
    what: "Meta's SHA-1",
    provider: 'whatsapp',
    secret,
    body,
    headers: { 'X-Hub-Signature': `sha1=${mac('sha1', secret, body)}` },
  },
  {
    what: "HubSpot's first version",
    provider: 'hubspot',
    secret,
    body,
    headers: { 'X-HubSpot-Signature-Version': 'v1', 'X-HubSpot-Signature': sha256(secret + body) },
  },
  {
    what: "HubSpot's second version",
    provider: 'hubspot',
    secret,
    body,
    headers: {
      'X-HubSpot-Signature-Version': 'v2',
      'X-HubSpot-Signature': sha256(`${secret}POSThttps://example.com/${body}`),
    },
  },
  {
    what: "Square's SHA-1",
    provider: 'square',
    secret,
    body,
    headers: { 'x-square-signature': mac('sha1', secret, `https://example.com/${body}`, 'base64') },
  },
  {
    what: "Plivo's second version",
    provider: 'plivo',
    secret,
    url: 'https://foo.com/answer/?a=1',
    headers: {
      'X-Plivo-Signature-V2-Nonce': '05429567804466091622',
      'X-Plivo-Signature-V2': mac('sha256', secret, 'https://foo.com/answer/05429567804466091622', 'base64'),
    },
  },
  {
    what: "Buildkite's token",
    provider: 'buildkite',
    secret,
    headers: { 'X-Buildkite-Token': secret },
  },
  { what: "Zoom's verification token", provider: 'zoom', secret, headers: { authorization: secret } },
  {
    what: "Bolt's pending secret",
    provider: 'bolt',
    secret,
    body,
    headers: { 'X-Bolt-Hmac-Sha256-Pending': mac('sha256', secret, body, 'base64') },
  },
]

it.each(olderSchemes)('verifies $what', async (vector) => {
  expect(await verify(vector)).toEqual({ verified: true })
  expect(await verify({ ...vector, secret: 'another' })).toMatchObject({ verified: false })
})

it('decodes the characters of a URL that HubSpot signs decoded', async () => {
  const [method, at] = ['GET', '2026-01-01T00:00:00Z']
  const now = Date.parse(at)
  const headers = {
    'X-HubSpot-Request-Timestamp': `${now}`,
    'X-HubSpot-Signature-v3': mac('sha256', secret, `GEThttps://example.com/?a=b:c%20d${now}`, 'base64'),
  }
  const vector = { provider: 'hubspot', secret, method, at, headers, url: 'https://example.com/?a=b%3Ac%20d' }
  expect(await verify(vector)).toEqual({ verified: true })
})

it('verifies JSON of Twilio by the hash in the query, which its signature covers', async () => {
  const url = `https://example.com/?bodySHA256=${sha256(body)}`
  const headers = { 'content-type': 'application/json', 'X-Twilio-Signature': mac('sha1', secret, url, 'base64') }
  const vector = { provider: 'twilio', secret, url, headers, body }
  expect(await verify(vector)).toEqual({ verified: true })
  expect(await verify({ ...vector, body: '{"n":2}' })).toEqual({
    verified: false,
    reason: "The query parameter bodySHA256 is not the body's hash.",
  })
})

it.each([
  ['POST', 'https://example.com/a', 'b=2&a=1&a=0', 'https://example.com/a?a0a1b2'],
  ['POST', 'https://example.com/a?y=1&x=2', 'b=2', 'https://example.com/a?x=2&y=1.b2'],
  ['GET', 'https://example.com/a?y=1&x=2', '', 'https://example.com/a?x=2&y=1'],
  ['GET', 'https://example.com/a', '', 'https://example.com/a'],
])("sorts what Plivo's third version signs: %s %s with %s", async (method, url, sent, signed) => {
  const signature = mac('sha256', secret, `${signed}.1`, 'base64')
  const headers = { ...form, 'X-Plivo-Signature-V3-Nonce': '1', 'X-Plivo-Signature-V3': `c2lnbmF0dXJl,${signature}` }
  expect(await verify({ provider: 'plivo', secret, method, url, body: sent, headers })).toEqual({ verified: true })
})

it.each([
  [
    'svix',
    'not base64!',
    { 'svix-id': '1', 'svix-timestamp': '1767225600', 'svix-signature': 'v1,AA==' },
    /not base64/,
  ],
  [
    'sendgrid',
    'AAAA',
    { 'X-Twilio-Email-Event-Webhook-Timestamp': '1767225600', 'X-Twilio-Email-Event-Webhook-Signature': 'AA==' },
    /not a P-256 public key/,
  ],
  ['svix', 'whsec_AAAA', { 'svix-timestamp': '1767225600', 'svix-signature': 'v1,AA==' }, /no id.*header svix-id/],
  ['slack', 'x', { 'X-Slack-Signature': 'v0=00' }, /no timestamp.*x-slack-request-timestamp/],
  ['slack', 'x', { 'X-Slack-Signature': 'v0=00', 'X-Slack-Request-Timestamp': 'noon' }, /neither a Unix time/],
  ['stripe', 'x', { 'Stripe-Signature': 'v1=00' }, /no timestamp.*entry "t=…"/],
  ['github', 'x', { 'X-Hub-Signature-256': '00' }, /nothing after "sha256="/],
  ['github', 'x', { 'X-Hub-Signature-256': 'sha256=no hex' }, /does not match/],
  ['unknown', 'x', {}, /provider/],
] as const)('says what is wrong with a request to %s: %#', async (provider, wrong, headers, reason) => {
  const verdict = await verify({ provider, secret: wrong, headers: { ...headers } })
  expect(verdict).toMatchObject({ verified: false, reason: expect.stringMatching(reason) })
})
