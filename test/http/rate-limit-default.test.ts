import { expect, test } from 'vitest'
import { manualClock } from '../../src/index.ts'
import { client, outcome } from '../support/client.ts'
import { open } from '../support/gateway.ts'

test('`rateLimit: true` means the documented 120 requests in any 60 s (rules: rate-limit#optional)', async () => {
  const clock = manualClock('2026-01-01T00:00:00Z')
  const get = () => client(gateway)('GET', '/reserved_addrs')
  const gateway = open({ clock, rateLimit: true })
  await get()
  clock.advance('59s')
  for (let sent = 1; sent < 120; sent++) expect((await get()).status).toBe(200)
  const refused = await get()
  expect([outcome(refused), refused.headers.get('retry-after')]).toEqual(['429 ERR_GATEWAY_226', '1'])
  clock.advance('1s')
  expect((await get()).status).toBe(200)
  expect(outcome(await get())).toBe('429 ERR_GATEWAY_226')
})
