import { expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'

test('No two requests have the same id, also after a restore (rules: answers#operation-id)', async () => {
  const gateway = createGateway({ seed: 'ids of requests' })
  const headers = { authorization: 'Bearer k', 'service-version': '2' }
  const ids: (string | null)[] = []
  const send = async () => {
    for (let i = 0; i < 5; i++) {
      const { headers: answered } = await gateway.fetch(`${gateway.url}/reserved_addrs`, { headers })
      ids.push(answered.get('service-operation-id'))
    }
  }
  await send()
  const before = gateway.snapshot()
  await send()
  gateway.restore(before)
  await send()
  gateway.restore(JSON.parse(JSON.stringify(before)))
  await send()
  expect(new Set(ids).size).toBe(20)
})
