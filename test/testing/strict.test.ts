import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { assertStrict, type Strict } from '../../src/testing/testing.ts'
import { thrownBy } from '../support/client.ts'

it('assertStrict names everything that a test has left at once', async () => {
  const gateway = createGateway()
  expect(() => assertStrict(gateway)).not.toThrow()
  gateway.faults.add({ operation: 'reserved_addrs.list', times: 1 })
  gateway.provisioning.script(['DNS_ERROR'])
  await gateway.fetch(`${gateway.url}/nowhere`)
  const { name, message, stack } = thrownBy(() => assertStrict(gateway))
  expect(name).toBe('GatewayAssertionError')
  expect(message).toMatch(
    /^1 fault still waits for requests\.\n(.*\n)+No attempt used .*\n(.*\n)+1 request is for no operation/,
  )
  expect(stack).not.toContain('src/testing/fixture.ts')
})

it('assertStrict hands on what is no finding', () => {
  const gateway: Strict = createGateway()
  const broken = new TypeError('It is broken.')
  const assertNoPendingFaults = () => {
    throw broken
  }
  const faults = Object.assign(Object.create(gateway.faults), { assertNoPendingFaults })
  expect(thrownBy(() => assertStrict({ ...gateway, faults }))).toBe(broken)
})
