import { describe, expect, it } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../../src/index.ts'
import { outcome } from '../../support/client.ts'
import { openGateway } from './support.ts'

describe.each([
  ['with the option keys', { keys: ['key'] }],
  ['without the option keys', {}],
])('A gateway %s', (_, options) => {
  const unknownKeyOutcome = 'keys' in options ? '403 ERR_NGROK_203' : '200'

  function open() {
    const setup = openGateway(options)
    const sendWithKey = (key: string) =>
      setup.sendRefused('GET', '/api_keys', { headers: { authorization: `Bearer ${key}` } })
    const create = async (path: string, json = {}) => (await setup.send('POST', path, { json })).body
    return { ...setup, sendWithKey, create }
  }

  it('takes the token of an API key, until the key or its owner is deleted (203)', async () => {
    const { send, sendWithKey, create } = open()
    const { id, token } = await create('/api_keys')
    expect(await sendWithKey(token)).toBe('200')
    await send('PATCH', `/api_keys/${id}`, { json: { metadata: 'm' } })
    expect(await sendWithKey(token)).toBe('200')
    await send('DELETE', `/api_keys/${id}`)
    expect(await sendWithKey(token)).toBe('403 ERR_NGROK_203')
    const bot = await create('/bot_users', { name: 'ci' })
    const botKey = await create('/api_keys', { owner_id: bot.id })
    await send('PATCH', `/bot_users/${bot.id}`, { json: { active: false } })
    expect(await sendWithKey(botKey.token)).toBe('200')
    await send('DELETE', `/bot_users/${bot.id}`)
    expect(await sendWithKey(botKey.token)).toBe('403 ERR_NGROK_203')
    expect(await sendWithKey('key')).toBe('200')
  })

  it('rejects the token of a credential (206), and 203 once it is deleted', async () => {
    const { send, sendWithKey, create } = open()
    const { id, token } = await create('/credentials')
    expect(await sendWithKey(token)).toBe('400 ERR_NGROK_206')
    const response = await send('GET', '/api_keys', { headers: { authorization: `Bearer ${token}` } })
    expect(response.text).not.toContain(token.slice(-21))
    await send('DELETE', `/credentials/${id}`)
    expect(await sendWithKey(token)).toBe('403 ERR_NGROK_203')
  })

  it('rejects the id of an API key (208), a token that differs in one character (203), and a key of another form (202)', async () => {
    const { sendWithKey, create } = open()
    const { id, token } = await create('/api_keys')
    expect(await sendWithKey(id)).toBe('403 ERR_NGROK_208')
    expect(await sendWithKey('ak_1')).toBe('403 ERR_NGROK_208')
    const last = token.endsWith('a') ? 'b' : 'a'
    expect(await sendWithKey(token.slice(0, -1) + last)).toBe('403 ERR_NGROK_203')
    expect(await sendWithKey(token.slice(0, -1))).toBe('keys' in options ? '403 ERR_NGROK_202' : '200')
  })

  it("treats a token of the real service, or of another gateway, like any text that it doesn't know", async () => {
    const { sendWithKey } = open()
    expect(await sendWithKey('2LGjfKmvAbCdEfGhIjKlMnOpQrS_5aBcDeFgHiJkLmNoPqRsT')).toBe(unknownKeyOutcome)
    expect(await sendWithKey('zzzzzzzAbCdEfGhIjKlMnOpQrSt_5aBcDeFgHiJkLmNoPqRsT')).toBe(unknownKeyOutcome)
  })

  it('knows no token after a restore without secrets, and every token after a restore with secrets', async () => {
    const { gateway, sendWithKey, create } = open()
    const { token } = await create('/api_keys')
    const credential = await create('/credentials')
    const snapshot = gateway.snapshot()
    gateway.restore(JSON.parse(JSON.stringify(snapshot)))
    expect(await sendWithKey(token)).toBe('403 ERR_NGROK_203')
    expect(await sendWithKey(credential.token)).toBe('403 ERR_NGROK_203')
    gateway.restore(snapshot)
    expect(await sendWithKey(token)).toBe('200')
    expect(await sendWithKey(credential.token)).toBe('400 ERR_NGROK_206')
  })

  it('gives the same result from the head of a request, before its body is read', async () => {
    const { gateway, create } = open()
    const { token } = await create('/api_keys')
    const { token: authtoken } = await create('/credentials')
    const findBodyLimit = (key: string) => {
      const headers: Record<string, string> = { authorization: `Bearer ${key}`, 'ngrok-version': '2' }
      const header = (name: string) => headers[name] ?? null
      return gateway.transport.bodyLimit({ method: 'POST', url: '/api_keys', header, rawHeaders: [], body: '' })
    }
    expect([findBodyLimit(token) > 0, findBodyLimit(authtoken)]).toEqual([true, 0])
  })
})

it('A key of the option `keys` is valid in any form', async () => {
  const { send } = openGateway({ keys: ['ak_1'] })
  expect(outcome(await send('GET', '/api_keys', { headers: { authorization: 'Bearer ak_1' } }))).toBe('200')
})

it.each(['right-key', 'k', `ak_${'a'.repeat(27)}`])(
  'The response to a wrong key (202) says nothing that the configured key %s is not',
  async (key) => {
    const { send } = openGateway({ keys: [key] })
    const { body } = await send('GET', '/api_keys', { headers: { authorization: 'Bearer wrong' } })
    expect(body.error_code).toBe('ERR_NGROK_202')
    expect(body.msg).toBe(
      "The API key is not one of this gateway's keys. Send a key from the option `keys` (--key), or a token from POST /api_keys.",
    )
    expect(outcome(await send('GET', '/api_keys', { headers: { authorization: `Bearer ${key}` } }))).toBe('200')
  },
)

it('With the families, the document says that every operation can reject a key with these errors', () => {
  const refusals = (families: object) => JSON.stringify(openApi(ngrok, { families: families as typeof ngrokFamilies }))
  for (const code of ['ERR_NGROK_206', 'ERR_NGROK_208']) {
    expect(refusals(ngrokFamilies)).toContain(code)
    expect(refusals({})).not.toContain(code)
  }
})
