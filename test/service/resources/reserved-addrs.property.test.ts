import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusalKey } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'
import { check } from '../../support/property.ts'

const REGIONS = ['au', 'eu', 'us'] as const

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ create: fc.constantFrom(...REGIONS) }) },
    fc.record({ remove: fc.nat({ max: 20 }) }),
  ),
  { maxLength: 40 },
)

describe('Any reserved addresses (rules: reserved-addresses#address)', () => {
  test('are unique, are in their region, and are rejected only if all of a region are reserved', () => {
    check(
      fc.property(steps, fc.integer({ min: 1, max: 6 }), fc.string(), (list, addressesPerRegion, seed) => {
        const gateway = open({ addressesPerRegion, seed })
        let addresses: { id: string; addr: string; region: string }[] = []
        for (const step of list) {
          if ('remove' in step) {
            const deleted = addresses[step.remove]
            if (deleted) gateway.reservedAddrs.delete(deleted.id)
            addresses = addresses.filter((each) => each !== deleted)
            continue
          }
          const create = () => addresses.push(gateway.reservedAddrs.create({ region: step.create }))
          const isFull = addresses.filter(({ region }) => region === step.create).length === addressesPerRegion
          expect(refusalKey(create)).toBe(isFull ? 'address_pool_exhausted' : 'ok')
        }
        expect(new Set(addresses.map(({ addr }) => addr)).size).toBe(addresses.length)
        const listed = gateway.reservedAddrs.list().reserved_addrs
        expect(listed.map(({ addr }) => addr).reverse()).toEqual(addresses.map(({ addr }) => addr))
        for (const { addr, region } of listed) {
          const host = region === 'us' ? 'tcp.gateway.test' : `tcp.${region}.gateway.test`
          expect(addr).toMatch(new RegExp(`^0\\.${host}:1000\\d$`))
        }
      }),
      { numRuns: 200 },
    )
  })

  test('have ports from 10000 to 29999, then continue at the next host', () => {
    const ports = new Set<string>()
    check(
      fc.property(fc.string(), (seed) => {
        const { addr } = open({ seed, addressesPerRegion: 60_000 }).reservedAddrs.create()
        const [, host, port] = /^([0-2])\.tcp\.gateway\.test:([12]\d{4})$/.exec(addr) ?? []
        expect([host, port]).not.toContain(undefined)
        ports.add(host as string)
      }),
      { numRuns: 200 },
    )
    expect([...ports].sort()).toEqual(['0', '1', '2'])
  })
})
