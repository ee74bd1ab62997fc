import { describe, expect, test } from 'vitest'
import { createGateway, GatewayError, manualClock } from '../../src/index.ts'
import { client, expectError } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'

/** Returns the function and the file of the first line of a stack, as runners show it: without Node's own. */
function firstFrame(error: unknown): string {
  const lines = String((error as Error).stack)
    .split('\n')
    .filter((line) => !line.includes('(node:internal/'))
  const frame = /^\s+at (?:async )?(.*)$/m.exec(lines.join('\n'))?.[1] ?? ''
  return frame
    .replace(/:\d+:\d+/g, '')
    .replace(/\(?(?:file:\/\/)?\/.*\//, '')
    .replace(/\)$/, '')
}

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

describe('The stack of an error begins at the line of the caller', () => {
  const gateway = createGateway({ clock: manualClock(CLOCK_START) })

  test.each<[string, () => unknown]>([
    ['an operation without ids', () => gateway.reservedDomains.create({ domain: '' })],
    ['an operation with an id', () => gateway.reservedDomains.get('rd_nope')],
    ['an operation with two ids', () => gateway.compression.get(ROUTE)],
    ['faults.add', () => gateway.faults.add({ status: 5 })],
    ['provisioning.failNext', () => gateway.provisioning.failNext('DNS_ERROR', { domain: '?' })],
    ['restore', () => gateway.restore({} as never)],
  ])('of %s', (_name, call) => {
    const error = expectError(call)
    expect(error).toBeInstanceOf(GatewayError)
    expect(firstFrame(error)).toMatch(/stacks\.test\.ts$/)
    expect(error.stack).toContain(`GatewayError: ${error.message}`)
  })

  test('of a promise that is rejected', async () => {
    async function calling() {
      await gateway.provisioning.settled('rd_nope')
    }
    expect(firstFrame(await calling().catch((error) => error))).toBe('calling stacks.test.ts')
  })

  test('of an assertion', async () => {
    const otherGateway = createGateway({ clock: manualClock(CLOCK_START) })
    otherGateway.faults.add({ operation: 'reserved_addrs.create' })
    otherGateway.provisioning.failNext('DNS_ERROR')
    await client(otherGateway)('GET', '/nope')
    for (const assert of [
      () => otherGateway.faults.assertNoPendingFaults(),
      () => otherGateway.provisioning.assertNoPendingOutcomes(),
      () => otherGateway.requests.assertAllKnown(),
    ]) {
      const error = expectError(assert)
      expect([error.name, firstFrame(error)]).toEqual(['GatewayAssertionError', 'stacks.test.ts'])
    }
  })

  test('of a call that a subscriber makes inside another call', () => {
    const otherGateway = createGateway()
    const errors: unknown[] = []
    otherGateway.subscribe(() => {
      errors.push(expectError(() => otherGateway.provisioning.timeline('rd_nope')))
      errors.push(expectError(() => otherGateway.reservedAddrs.get('ra_nope')))
    })
    otherGateway.reservedAddrs.create()
    otherGateway.declare.backend('bkdhr_1')
    expect(errors.map(firstFrame)).toEqual(Array(4).fill('stacks.test.ts'))
  })
})

describe('An error in the initial state', () => {
  test('names the entry, and its stack begins where the gateway is created', () => {
    const domains = ['a.example.com', 'b.example.com', 'a.example.com'].map((domain) => ({ domain }))
    const error = expectError(function calling() {
      createGateway({ initial: { reservedDomains: domains } })
    })
    expect(error.key).toBe('domain_taken')
    expect(error.message).toMatch(/^initial\.reservedDomains\[2\]: The domain "a\.example\.com" is already reserved/)
    expect(error.stack).toContain(`GatewayError: ${error.message}`)
    expect(firstFrame(error)).toBe('calling stacks.test.ts')
  })

  test('names the entry of a route module', () => {
    const initial = { reservedDomains: undefined, compression: [{ ...ROUTE }, { ...ROUTE, enabled: 5 as never }] }
    expect(() => createGateway({ initial })).toThrow(/^initial\.compression\[1\]: enabled is 5/)
  })
})
