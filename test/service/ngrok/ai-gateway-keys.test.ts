import { describe, expect, test } from 'vitest'
import { timeAfter } from '../../support/provisioning.ts'
import { openGateway } from './support.ts'

const SECRET = 'sk-a-secret-key-of-a-provider'

// rules: ngrok-families#ai-gateway-keys
describe('An AI gateway API key', () => {
  test('shows its token once, and the keys of providers never', async () => {
    const { gateway, send } = openGateway()
    const json = { description: 'the chat', provider_keys: [{ provider_id: 'openai', value: SECRET }] }
    const { body: made } = await send('POST', '/ai_gateway_api_keys', { json })
    expect(made.token).toMatch(/^\w{27}_\w{21}$/)
    expect(made.provider_keys).toMatchObject([{ provider_id: 'openai', display_name: 'sk-a-s***der' }])
    expect(gateway.aiGatewayApiKeys.get(made.id)).toEqual({ ...made, token: null })
    const { body: added } = await send('POST', '/ai_gateway_provider_keys', {
      json: { ai_gateway_api_key_id: made.id, provider_id: 'anthropic', value: SECRET },
    })
    expect(gateway.aiGatewayApiKeys.get(made.id).provider_keys).toHaveLength(2)
    const other = gateway.aiGatewayApiKeys.create()
    const listed = (id: string) =>
      gateway.aiGatewayProviderKeys.list({ ai_gateway_api_key_id: id }).ai_gateway_provider_keys.map(({ id }) => id)
    expect([listed(made.id)[0], listed(other.id)]).toEqual([added.id, []])
    const shown = JSON.stringify([gateway.requests.all(), gateway.snapshot({ privateKeys: true })])
    expect(shown).not.toContain(SECRET)
    gateway.aiGatewayApiKeys.delete(made.id)
    expect(gateway.aiGatewayProviderKeys.list().ai_gateway_provider_keys).toEqual([])
  })

  test('may belong to an endpoint that exists', async () => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.endpoints.create({ url: 'https://a.internal', traffic_policy: '{}' })
    const key = gateway.aiGatewayApiKeys.create({ endpoint_id: id })
    expect(key.endpoint?.id).toBe(id)
    gateway.clock.advance('1h')
    expect(gateway.aiGatewayApiKeys.update(key.id, { description: 'new' }).updated_at).toBe(timeAfter('1h'))
    const json = { endpoint_id: 'ep_1' }
    expect(await sendRefused('POST', '/ai_gateway_api_keys', { json })).toBe('404 ERR_NGROK_27002')
    expect(await sendRefused('PATCH', `/ai_gateway_api_keys/${key.id}`, { json })).toBe('404 ERR_NGROK_27002')
  })

  test.each([
    { provider_id: 'openai', value: SECRET },
    { ai_gateway_api_key_id: '', provider_id: 'openai', value: SECRET },
    { ai_gateway_api_key_id: 'KEY', value: SECRET },
    { ai_gateway_api_key_id: 'KEY', provider_id: 'openai' },
  ])('is needed by a provider key, which is rejected otherwise: %o', async (body) => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.aiGatewayApiKeys.create()
    const json = { ...body, ...(body.ai_gateway_api_key_id === 'KEY' && { ai_gateway_api_key_id: id }) }
    expect(await sendRefused('POST', '/ai_gateway_provider_keys', { json })).toBe('400 ERR_NGROK_215')
  })

  test.each(['aigk_1', 'aigpk_1', 'no ID'])(
    'is 27509 if a provider key names one that does not exist: %s',
    async (id) => {
      const { gateway, sendRefused } = openGateway()
      const json = { ai_gateway_api_key_id: id, provider_id: 'openai', value: SECRET }
      expect(await sendRefused('POST', '/ai_gateway_provider_keys', { json })).toBe('400 ERR_NGROK_27509')
      expect(gateway.aiGatewayProviderKeys.list().ai_gateway_provider_keys).toEqual([])
    },
  )
})
