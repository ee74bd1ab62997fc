// Requests that the libraries of the providers sign or take: @contentful/node-apps-toolkit 3.16, twilio 6.3, box-node-sdk 10.12,
// square 46.0, pusher 5.3, @shopify/shopify-api 13.1 and svix 1.99.
import { expect, test } from 'vitest'
import { verifyWebhook } from '../../../src/traffic/webhooks/index.ts'
import { mac } from './mac.ts'

const AT = '2026-01-01T00:00:00Z'

async function verify(
  provider: string,
  secret: string,
  headers: Record<string, string>,
  { url = 'https://a.test/', body = '{"n":1}' } = {},
) {
  const readBody = async () => new TextEncoder().encode(body)
  const request = { method: 'POST', url, headers: new Headers(headers), readBody }
  return verifyWebhook(request, { provider, secret, now: Date.parse(AT) })
}

test.each([
  ['/in', '1a76e089996c6d2b9ef1817f61494f67bac10d87491bc140460cc10b33439527'],
  ['/in?a=1&b=2', 'c6a1d4d1f761ad72958ea8f826311f6e755c08dcf190d9b5f20d78beeb242e6c'],
  ['/a%20b/c?x=%2Fy%20z', '097ff99b3ce0b49746c10fa856e531cfbbb7905f227958c3dce3035859c59377'],
  ['', '94b31578f0a7805decd8633f017001a4cc4937c750c5c4c211c9fbd5cc28f7a3'],
])('Contentful signs the path %j with its escapes escaped', async (path, signature) => {
  const headers = {
    'x-contentful-signature': signature,
    'x-contentful-signed-headers': 'x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic',
    'x-contentful-timestamp': '1767225600000',
    'x-contentful-topic': 'Entry.publish',
  }
  const secret = '0123456789abcdef'.repeat(4)
  expect(await verify('contentful', secret, headers, { url: `https://a.test${path}` })).toEqual({ verified: true })
  expect(await verify('contentful', secret, headers, { url: `https://a.test${path}/x` })).toMatchObject({
    verified: false,
  })
})

test.each([
  ['https://a.test/b?c=1', 'XYA7KMLUhKVJGxKF7Vx6qT8eRTs=', true],
  ['https://a.test:443/b', 'w3xXbXkNtcEFf+A8sEujl8icPEI=', true],
  ['https://a.test:8443/b', 'w3xXbXkNtcEFf+A8sEujl8icPEI=', true],
  ['https://a.test:8443/b', 'AklBnH+NiX2jBCoAGV2/xXKnzcg=', true],
  ['http://a.test/b', 'LQvmC24VX4jKqsp+K5W/Yvg0YlA=', true],
  ['https://a.test/b', 'AklBnH+NiX2jBCoAGV2/xXKnzcg=', false],
  ['https://b.test:8443/b', 'w3xXbXkNtcEFf+A8sEujl8icPEI=', false],
])('Twilio signs a URL with its port or without it: %s with %s', async (url, signature, verified) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  expect(await verify('twilio', '12345', headers, { url, body: 'Digits=1234' })).toMatchObject({ verified })
})

test.each([
  ['BDfUzwptIxAZxkhLo63oVEbfaxii0mDBmDSVb0ZiKw0=', '2026-01-01T00:00:00Z', true],
  ['5e7d642QllE+HK9xZcLJEbEgw4WxgvJzewR+nfKA43M=', '2026-01-01T00:00:00Z', true],
  ['5e7d642QllE+HK9xZcLJEbEgw4WxgvJzewR+nfKA43M=', '2026-01-01T00:00:01Z', false],
])('Box signs a body verbatim or as PHP writes it: %s at %s', async (signature, time, verified) => {
  const headers = { 'box-delivery-timestamp': time, 'box-signature-primary': signature }
  const body = '{"name":"Grüße/a\\/b 😀"}'
  expect(await verify('box', 'SamplePrimaryKey', headers, { body })).toMatchObject({ verified })
})

test.each([
  ['https://a.test/', 'CHQgd2Y25cDsWKoJPzztpro3Agj2heOG9hycDukhmts='],
  ['https://a.test/', 'nLFkph7CGLQVfaxmNusO0mD+ts44g8/TPMw/ORPJ3S8='],
  ['https://a.test/?b=1', 'K46cPSj74UmtCL2u2Exk/YqLwQsnVJ66uipmdGLij4M='],
])(
  'Square signs the URL as it was set, with a slash after the host or without it: %s with %s',
  async (url, signature) => {
    const headers = { 'x-square-hmacsha256-signature': signature }
    expect(await verify('square', 'key', headers, { url })).toEqual({ verified: true })
    expect(await verify('square', 'key', headers, { url: url.replace('.test/', '.test/c/') })).toMatchObject({
      verified: false,
    })
  },
)

test('Pusher names the key of the token, which its library compares', async () => {
  const headers = { 'x-pusher-signature': mac('sha256', 's', '{"n":1}') }
  expect(await verify('pusher', 's', { ...headers, 'x-pusher-key': 'k' })).toEqual({ verified: true })
  const reason = 'The request has no key. Expected: the header x-pusher-key.'
  expect(await verify('pusher', 's', headers)).toEqual({ verified: false, reason })
})

test.each(['shopify-hmac-sha256', 'X-Shopify-Hmac-Sha256'])('Shopify signs in the header %s', async (name) => {
  const headers = { [name]: mac('sha256', 's', '{"n":1}', 'base64') }
  expect(await verify('shopify', 's', headers)).toEqual({ verified: true })
  expect(await verify('shopify', 't', headers)).toMatchObject({ verified: false })
})

test.each([
  ['1767225600', true],
  ['1767225600000', false],
  ['2026-01-01T00:00:00Z', false],
])('The libraries of Standard Webhooks read seconds alone: %s', async (time, verified) => {
  const secret = Buffer.from('a key of Svix')
  const signature = `v1,${mac('sha256', secret, `msg_1.${time}.{"n":1}`, 'base64')}`
  const headers = { 'svix-id': 'msg_1', 'svix-timestamp': time, 'svix-signature': signature }
  expect(await verify('svix', secret.toString('base64'), headers)).toMatchObject({ verified })
})
