// rules: webhook-verification#signatures
import { expect, test } from 'vitest'
import { createVisited, policyOf } from './visits.ts'
import { mac } from './webhooks/mac.ts'

const SECRET = 'the secret of the webhook'
const body = '{"n":1}'
const SIGNED = { 'x-hub-signature-256': `sha256=${mac('sha256', SECRET, body)}` }
const BOLT = { 'x-bolt-hmac-sha256': mac('sha256', SECRET, body, 'base64') }

async function capture(provider: string, headers: Record<string, string>, config: object = {}) {
  const visited = createVisited(policyOf('verify-webhook', { provider, secret: SECRET, ...config }))
  visited.gateway.vaults.create({ name: 'hooks' })
  visited.gateway.vaultSecrets.create({ vault_name: 'hooks', name: 'a', value: SECRET })
  await visited.visit('/in', { method: 'POST', headers, body })
  const listed = async () => (await visited.gateway.agent.fetch('http://localhost:4040/api/requests/http')).json()
  return { ...visited, entry: visited.gateway.traffic.last(), listed }
}

test.each([
  ['github', SIGNED, {}],
  ['bolt', BOLT, {}],
  ['github', SIGNED, { secret: "${secrets.get('hooks', 'a')}" }],
])(
  'a captured webhook of %s can be verified again, once its secret is known here',
  async (provider, headers, config) => {
    const { entry, visit, listed } = await capture(provider, headers, config)
    expect(entry?.headers).toMatchObject(headers)
    const again = await visit('/in', { method: 'POST', headers: entry?.headers ?? {}, body: entry?.body ?? '' })
    expect(again.status).toBe(200)
    expect((await listed()).requests[0]?.request.headers).toMatchObject({
      [provider === 'github' ? 'X-Hub-Signature-256' : 'X-Bolt-Hmac-Sha256']: Object.values(headers),
    })
  },
)

test('conditions show the header too', async () => {
  const expressions = ["getReqHeader('x-hub-signature-256')[0] != ''"]
  const { gateway, visit } = createVisited(
    JSON.stringify({
      on_http_request: [
        { actions: [{ type: 'verify-webhook', config: { provider: 'github', secret: SECRET } }] },
        {
          expressions: [...expressions, 'req.headers.size() > 0'],
          actions: [{ type: 'log', config: { metadata: { a: 1 } } }],
        },
      ],
    }),
  )
  await visit('/', { method: 'POST', headers: SIGNED, body })
  expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(SIGNED['x-hub-signature-256'])
})

test.each([
  ['a signature by another secret', 'github', { 'x-hub-signature-256': `sha256=${mac('sha256', 'other', body)}` }],
  ['a header that repeats the secret', 'gitlab', { 'x-gitlab-token': SECRET }],
  ['a signature that is the secret', 'orbit', { 'x-orbit-signature': SECRET }],
  ['another secret of the same request', 'github', { ...SIGNED, 'x-api-key': 'another secret' }],
])('a journal hides %s', async (_, provider, headers) => {
  const { entry, listed } = await capture(provider, headers)
  const [value = ''] = Object.values(headers).slice(-1)
  const [name = ''] = Object.keys(headers).slice(-1)
  expect(entry?.headers[name]).toBe('[redacted]')
  expect(JSON.stringify([entry, await listed()])).not.toContain(value)
})

test('a journal hides a signature that nobody verified', async () => {
  const { gateway, visit } = createVisited()
  await visit('/', { method: 'POST', headers: SIGNED, body })
  expect(gateway.traffic.last()?.headers['x-hub-signature-256']).toBe('[redacted]')
})
