import { expect, test } from 'vitest'
import { openGateway } from './support.ts'

// rules: ngrok-families#self
test('GET /self shows the account, the user and the oldest API key', async () => {
  const { gateway, send } = openGateway()
  const { status, body } = await send('GET', '/self')
  expect([status, Object.keys(body)]).toEqual([200, ['account', 'api_key', 'user']])
  expect(body.account).toMatchObject({ suspended: false, min_api_version: 2 })
  const { id } = gateway.apiKeys.create({ description: 'the first' })
  gateway.apiKeys.create()
  expect(gateway.self.get().api_key).toMatchObject({ id, description: 'the first', token: null })
})
