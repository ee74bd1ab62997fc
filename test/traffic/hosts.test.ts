import '../support/steps.ts' // First: it counts what is loaded after it.

import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { measureGrowth } from '../support/steps.ts'
import { createVisited, policyOf } from './visits.ts'

const hostOf = (labels: number) => `${'a.'.repeat(labels)}com`

describe('A host of a visitor has at most 253 characters, with at most 63 between dots (docs/limits.md):', () => {
  test.each([`https://${hostOf(125)}/`, `https://${'a'.repeat(63)}.example.com/`])('%s is looked up', async (url) => {
    const { status, headers } = await createNgrok().traffic.fetch(url)
    expect([status, headers.get('ngrok-error-code')]).toEqual([404, 'ERR_NGROK_3200'])
  })

  test.each([
    `https://b${hostOf(125)}/`,
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${'àéöüñç'.repeat(10)}.example.com/`,
  ])('%s is not', async (url) => {
    const gateway = createNgrok()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://*.example.com' }] })
    const wrong = /^The host is ".*Allowed: at most 253 characters, with at most 63 between dots\.$/
    await expect(gateway.traffic.fetch(url)).rejects.toThrow(wrong)
    await expect(gateway.traffic.fetch(new Request(url))).rejects.toThrow(wrong)
  })

  test('twice as many labels take at most twice the steps, also if a policy forwards to them', async () => {
    const gateway = createNgrok()
    const located = await measureGrowth((labels) => gateway.transport.locate(hostOf(labels), ['https']), 1000)
    expect(located).toBeLessThan(2.3)
    const { visit } = createVisited(policyOf('forward-internal', { url: "https://${req.headers['x-to'][0]}.internal" }))
    const forwarded = await measureGrowth((labels) => visit('/', { headers: { 'x-to': hostOf(labels) } }), 1000)
    expect(forwarded).toBeLessThan(2.3)
  })
})
