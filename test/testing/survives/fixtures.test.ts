import { expect } from 'vitest'
import { survives } from '../../../src/testing/testing.ts'
import { test } from '../../../src/testing/vitest.ts'
import { headers } from './programs/client.ts'

test('survives runs within a test with its own gateway, and sends no requests to this gateway', async ({ gateway }) => {
  const { summary } = await survives(
    async ({ fetch, url }) => {
      await fetch(`${url}/reserved_addrs`, { headers }).catch(() => undefined)
      gateway.clock.advance('1h')
    },
    { kinds: ['lost'] },
  )
  expect(summary).toMatch(/; 0 fail$/)
  expect(gateway.requests.count()).toBe(0)
})
