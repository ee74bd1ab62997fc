import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/index.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { check, limitCases } from '../../support/property.ts'
import { ECDSA, openManual, RSA } from '../../support/provisioning.ts'

const NOW = CLOCK_START
const DAY = 86_400_000
const SPAN = 200 * DAY
const NAMES = ['a.example.com', 'b.example.com', '*.example.com']

const outcome = fc.constantFrom('success' as const, 'INTERNAL_ERROR' as const, 'DNS_ERROR' as const)
/** The scripted outcomes and the zone before the time moves. */
const world = fc.record({
  any: fc.array(outcome, { maxLength: 12 }),
  own: fc.array(fc.array(outcome, { maxLength: 5 }), { minLength: NAMES.length, maxLength: NAMES.length }),
  always: fc.option(fc.constantFrom('INTERNAL_ERROR' as const, 'DNS_ERROR' as const), { nil: undefined }),
  /** True for each domain that has its DNS records. */
  hasRecords: fc.array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length }),
  options: fc.constantFrom<Omit<GatewayOptions, 'clock'>>(
    {},
    { dns: 'simulated' },
    { provisioningDelay: 0 },
    { certificates: { validity: '7d', renewalLead: '2d' }, internalErrorBackoff: { first: '7s', most: '3h' } },
  ),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

/** Steps of all sizes, from 0 ms to months. */
const step = fc.oneof(fc.constant(0), fc.nat(1000), fc.nat(3_600_000), fc.nat(DAY), fc.nat(60 * DAY))
const steps = fc.array(step, { minLength: 1, maxLength: 40 })

/** Sets up a world in a gateway. Returns the ids of its domains. */
function setUp(gateway: Gateway, { any, own, always, hasRecords }: World): string[] {
  const { provisioning, dns, reservedDomains } = gateway
  provisioning.script(any)
  if (always) provisioning.failAlways(always)
  return NAMES.map((domain, i) => {
    provisioning.script(own[i] ?? [], { domain })
    const policy = i % 2 === 0 ? RSA : ECDSA
    const reservedDomain = reservedDomains.create({ domain, certificate_management_policy: policy })
    if (hasRecords[i]) {
      dns.cname(domain, reservedDomain.cname_target)
      if (domain.startsWith('*.')) dns.cname('_acme-challenge.example.com', reservedDomain.acme_challenge_cname_target)
    }
    return reservedDomain.id
  })
}

/** Returns the records and the id sequence of a gateway, without its time. */
function readState(gateway: Gateway) {
  const { sequence, records } = gateway.snapshot()
  return { sequence, records }
}

/** Returns everything that a client can read from a gateway. */
function readEverything(gateway: Gateway, ids: readonly string[]) {
  return {
    timelines: ids.map((id) => gateway.provisioning.timeline(id)),
    domains: gateway.reservedDomains.list(),
    pending: gateway.provisioning.pendingOutcomes(),
    state: readState(gateway),
  }
}

describe('One jump of 200 days gives the states that any sequence of small steps gives (rules: time#settling)', () => {
  test('on a manual clock, with reads of all kinds in between', () => {
    check(
      fc.property(world, steps, (it, sizes) => {
        const [jumpGateway, stepGateway] = [openManual(it.options), openManual(it.options)]
        const ids = setUp(jumpGateway, it)
        expect(setUp(stepGateway, it)).toEqual(ids)
        jumpGateway.clock.advance(SPAN)
        for (const [i, size] of sizes.entries()) {
          stepGateway.clock.advance(Math.min(size, NOW + SPAN - stepGateway.clock.now))
          if (i % 3 === 0) readEverything(stepGateway, ids)
        }
        stepGateway.clock.advanceTo(NOW + SPAN)
        expect(readEverything(stepGateway, ids)).toEqual(readEverything(jumpGateway, ids))
      }),
      { numRuns: limitCases(25) },
    )
  })

  test('from one due event to the next, the smallest possible steps', () => {
    check(
      fc.property(world, (it) => {
        const [jumpGateway, stepGateway] = [openManual(it.options), openManual(it.options)]
        const ids = setUp(jumpGateway, it)
        setUp(stepGateway, it)
        const until = NOW + 100 * DAY
        for (let before = NOW; before < until && stepGateway.clock.advanceToNext(); before = stepGateway.clock.now) {
          expect(stepGateway.clock.now).toBeGreaterThan(before)
        }
        jumpGateway.clock.advanceTo(stepGateway.clock.now)
        expect(readState(jumpGateway)).toEqual(readState(stepGateway))
        expect(ids).toHaveLength(NAMES.length)
      }),
      { numRuns: limitCases(25) },
    )
  })

  test('on a clock that is only a number, which never calls the gateway', () => {
    check(
      fc.property(world, steps, (it, sizes) => {
        const clock = { now: NOW }
        const [jumpGateway, stepGateway] = [
          openManual(it.options),
          createGateway({ ...it.options, clock, seed: 'test' }),
        ]
        const ids = setUp(jumpGateway, it)
        setUp(stepGateway, it)
        for (const size of sizes) {
          clock.now = Math.min(clock.now + size, NOW + SPAN)
          stepGateway.reservedAddrs.list()
        }
        jumpGateway.clock.advanceTo(clock.now)
        expect(readEverything(stepGateway, ids)).toEqual(readEverything(jumpGateway, ids))
      }),
      { numRuns: limitCases(40) },
    )
  })
})

describe('A clock that is moved back', () => {
  test('repeats nothing: reads at earlier times change no state, and the final state equals that of a direct move', () => {
    check(
      fc.property(world, fc.array(fc.tuple(step, fc.nat(SPAN)), { minLength: 1, maxLength: 20 }), (it, moves) => {
        const clock = { now: NOW }
        const [direct, detour] = [openManual(it.options), createGateway({ ...it.options, clock, seed: 'test' })]
        const ids = setUp(direct, it)
        setUp(detour, it)
        let latest = NOW
        for (const [ahead, back] of moves) {
          latest = Math.min(latest + ahead, NOW + SPAN)
          clock.now = latest
          const latestState = readEverything(detour, ids)
          clock.now = Math.max(0, latest - back)
          expect(readEverything(detour, ids)).toEqual(latestState)
        }
        clock.now = latest
        direct.clock.advanceTo(latest)
        expect(readEverything(detour, ids)).toEqual(readEverything(direct, ids))
      }),
      { numRuns: limitCases(40) },
    )
  })

  test('still gives ids that sort in the order of creation, so that lists and cursors stay valid (rules: ids#order)', () => {
    check(
      fc.property(fc.array(fc.integer({ min: -30 * DAY, max: 30 * DAY }), { minLength: 2, maxLength: 30 }), (moves) => {
        const clock = { now: NOW }
        const gateway = createGateway({ clock, seed: 'test' })
        const ids = moves.map((move, i) => {
          clock.now += move
          const certificate_management_policy = i % 2 === 0 ? ECDSA : RSA
          return gateway.reservedDomains.create({ domain: `d${i}.example.com`, certificate_management_policy }).id
        })
        expect([...ids].sort()).toEqual(ids)
        const listedIds = gateway.reservedDomains.list().reserved_domains.map(({ id }) => id)
        expect(listedIds).toEqual([...ids].reverse())
        const before_id = ids.at(-1) as string
        gateway.reservedDomains.delete(before_id)
        const page = gateway.reservedDomains.list({ before_id, limit: 1 }).reserved_domains
        expect(page.map(({ id }) => id)).toEqual(ids.slice(-2, -1))
      }),
      { numRuns: limitCases(60) },
    )
  })
})
