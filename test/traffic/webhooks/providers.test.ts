import { describe, expect, it } from 'vitest'
import { WEBHOOK_PROVIDERS } from '../../../src/service/resources/webhook-verification.ts'
import { providers, type SentRequest, verifyWebhook } from '../../../src/traffic/webhooks/index.ts'
import { signers } from './signers.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const URL_SENT = 'https://hooks.example.com/in?a=1&b=2'
const MINUTE = 60_000

/** Returns a request that a provider has signed, and its secrets. */
async function send(provider: string) {
  const signer = signers[provider]
  if (!signer) throw new Error(`No signer for ${provider}.`)
  const [secret, otherSecret] = signer.secrets ?? ['the secret of the webhook', 'another secret']
  const sent = { method: 'POST', url: URL_SENT, secret, now: NOW }
  const body =
    typeof signer.body === 'function' ? signer.body(sent) : (signer.body ?? '{"event":"paid","amount":"1€","n":1}')
  const headers = new Headers(await signer.sign({ ...sent, body }))
  const readBody = async () => new TextEncoder().encode(body)
  const request: SentRequest = { method: 'POST', url: URL_SENT, headers, readBody }
  return { signer, request, secret, otherSecret, body }
}

/** Returns the request with the last letter or digit of its body changed. */
async function changeBody(request: SentRequest): Promise<SentRequest> {
  const text = new TextDecoder().decode(await request.readBody())
  const changed = text.replace(/(\w)(\W*)$/, (_, last, rest) => (last === '1' ? '2' : '1') + rest)
  return { ...request, readBody: async () => new TextEncoder().encode(changed) }
}

// (rules: webhook-verification#signatures)
it('has a row for each provider of the API, and for no other', () => {
  expect([...providers.keys()].sort()).toEqual([...WEBHOOK_PROVIDERS].sort())
})

it('names the page that documents each scheme', () => {
  for (const { page } of providers.values()) expect(URL.canParse(page)).toBe(true)
})

describe.each(Object.keys(signers))('webhooks of %s', (provider) => {
  const verify = (request: SentRequest, secret: string, now = NOW) => verifyWebhook(request, { provider, secret, now })

  it('are verified if the provider signed them', async () => {
    const { request, secret } = await send(provider)
    expect(await verify(request, secret)).toEqual({ verified: true })
  })

  it('are rejected if a byte of the body differs, unless the provider does not sign it', async () => {
    const { request, secret, signer } = await send(provider)
    const changed = await verify(await changeBody(request), secret)
    if (signer.ignoresBody && provider !== 'mailgun') expect(changed).toEqual({ verified: true })
    else expect(changed).toMatchObject({ verified: false })
  })

  it('are rejected with another secret, for a reason that repeats neither secret nor signature nor body', async () => {
    const { request, otherSecret, secret, body } = await send(provider)
    const verdict = await verify(request, otherSecret)
    expect(verdict).toMatchObject({ verified: false, reason: expect.stringMatching(/does not match/) })
    const text = JSON.stringify(verdict)
    for (const hidden of [secret, otherSecret, body, ...request.headers.values()]) expect(text).not.toContain(hidden)
  })

  it('are rejected without a signature, for a reason that says where it should be', async () => {
    const { request, secret } = await send(provider)
    const bare = { ...request, headers: new Headers(), readBody: async () => new Uint8Array() }
    expect(await verify(bare, secret)).toEqual({
      verified: false,
      reason: expect.stringMatching(/^The request has no signature\. Expected: the (header|body field) [\w.-]+/),
    })
  })

  it('are rejected if they were signed more than 5 minutes ago, or will be, if the signature covers the time', async () => {
    const { request, secret, signer } = await send(provider)
    for (const side of [1, -1]) {
      expect(await verify(request, secret, NOW + side * 5 * MINUTE)).toEqual({ verified: true })
      const late = await verify(request, secret, NOW + side * (5 * MINUTE + 1000))
      if (signer.isTimed)
        expect(late).toMatchObject({
          reason: expect.stringMatching(/^The timestamp is 301 s (behind|ahead of) the gateway's clock/),
        })
      else expect(late).toEqual({ verified: true })
    }
  })
})

it('takes the name of a provider in letters of either case', async () => {
  const { request, secret } = await send('github')
  expect(await verifyWebhook(request, { provider: 'GitHub', secret, now: NOW })).toEqual({ verified: true })
})
