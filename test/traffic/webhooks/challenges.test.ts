// Requests that the gateway answers itself: the verification of endpoints by Twitter, Worldline, Xero and Zoom
// (rules: webhook-verification#challenges).
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../../src/traffic/webhooks/index.ts'
import { mac } from './mac.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const secret = 'a secret'

function send(
  provider: string,
  sent: { method?: string; url?: string; headers?: Record<string, string>; body?: string },
) {
  const { method = 'POST', url = 'https://example.com/in', headers = {}, body = '' } = sent
  const request = { method, url, headers: new Headers(headers), readBody: async () => new TextEncoder().encode(body) }
  return verifyWebhook(request, { provider, secret, now: NOW })
}

const json = (body: object) => ({
  challenge: { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
})

// https://docs.x.com/x-api/webhooks/quickstart
describe("Twitter's challenge-response check", () => {
  const url = 'https://example.com/in?crc_token=challenge_string&nonce=random'

  it('gets the HMAC of its token as base64', async () => {
    const response_token = `sha256=${mac('sha256', secret, 'challenge_string', 'base64')}`
    expect(await send('twitter', { method: 'GET', url })).toEqual(json({ response_token }))
  })

  it('is none if another provider sends it, if it is a POST, or if it has no token', async () => {
    expect(await send('github', { method: 'GET', url })).toMatchObject({ verified: false })
    expect(await send('twitter', { url })).toMatchObject({ verified: false })
    expect(await send('twitter', { method: 'GET' })).toMatchObject({ verified: false })
  })
})

// https://docs.direct.worldline-solutions.com/en/integration/api-developer-guide/webhooks
it("gives Worldline's verification text back as plain text", async () => {
  const headers = { 'X-GCS-Webhooks-Endpoint-Verification': 'a text of theirs' }
  const challenge = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'a text of theirs' }
  expect(await send('worldline', { method: 'GET', headers })).toEqual({ challenge })
  expect(await send('worldline', { headers })).toMatchObject({ verified: false })
})

// https://developer.xero.com/documentation/guides/webhooks/configuring-your-server/#intent-to-receive
describe("Xero's intent to receive", () => {
  const sign = (body: string, by = secret) => ({
    body,
    headers: { 'x-xero-signature': mac('sha256', by, body, 'base64') },
  })
  const empty = '{"events":[],"lastEventSequence":0,"firstEventSequence":0,"entropy":"S0m3r4nd0mt3xt"}'

  it('gets 200 if its signature is right, and 401 if not', async () => {
    expect(await send('xero', sign(empty))).toEqual({ challenge: { status: 200, headers: {}, body: '' } })
    expect(await send('xero', sign(empty, 'another'))).toEqual({ challenge: { status: 401, headers: {}, body: '' } })
  })

  it('is none if it has events', async () => {
    const body = '{"events":[{"eventType":"UPDATE"}]}'
    expect(await send('xero', sign(body))).toEqual({ verified: true })
    expect(await send('xero', sign(body, 'another'))).toMatchObject({ verified: false })
  })
})

// https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint
describe("Zoom's validation of a URL", () => {
  const body =
    '{"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1654503849680,"event":"endpoint.url_validation"}'
  const time = String(NOW / 1000)
  const sign = (by: string) => ({
    'x-zm-request-timestamp': time,
    'x-zm-signature': `v0=${mac('sha256', by, `v0:${time}:${body}`)}`,
  })

  it('gets its token with the HMAC as hex', async () => {
    const plainToken = 'qgg8vlvZRS6UYooatFL8Aw'
    const answer = await send('zoom', { body, headers: sign(secret) })
    expect(answer).toEqual(json({ plainToken, encryptedToken: mac('sha256', secret, plainToken) }))
  })

  it('gets no HMAC without a right signature: a stranger could have any text signed', async () => {
    expect(await send('zoom', { body })).toMatchObject({ verified: false })
    expect(await send('zoom', { body, headers: sign('another') })).toMatchObject({ verified: false })
  })
})
