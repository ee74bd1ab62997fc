import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check, limitCases } from '../support/property.ts'
import { ECDSA, openManual, RSA } from '../support/provisioning.ts'

/** The numbers of at least four domains, in any order. */
const shuffled = fc
  .integer({ min: 4, max: 12 })
  .chain((size) => fc.shuffledSubarray([...Array(size).keys()], { minLength: size }))

/** Makes a gateway with a number of unmanaged domains. */
function withDomains(size: number) {
  const gateway = openManual()
  const ids = Array.from({ length: size }, (_, i) => gateway.reservedDomains.create({ domain: `d${i}.test` }).id)
  const manage = (number: number, policy: typeof ECDSA | typeof RSA = ECDSA) =>
    gateway.reservedDomains.update(ids[number] as string, { certificate_management_policy: policy })
  const attempt = (number: number) => gateway.provisioning.attempt(ids[number] as string)
  /** The domains whose events run when the clock advances next, in the order of their commits. */
  const handledBy = (move: () => void): (number | undefined)[] => {
    const handled: (number | undefined)[] = []
    const end = gateway.subscribe(({ operation, changes }) => {
      if (operation !== 'provisioning') return
      for (const { collection, key } of changes) {
        if (collection === 'reserved_domains') handled.push(ids.indexOf(key))
      }
    })
    move()
    end()
    return handled
  }
  return { gateway, ids, manage, attempt, handledBy }
}

describe('Events of the same time run in the order in which they were scheduled (rules: time#order-of-events)', () => {
  test('first attempts, in the order of the policies', () => {
    check(
      fc.property(shuffled, (order) => {
        const { gateway, manage, handledBy } = withDomains(order.length)
        for (const number of order) manage(number)
        expect(handledBy(() => gateway.clock.advance('30s'))).toEqual(order)
      }),
    )
  })

  test('retries, in the order of the attempts that failed', () => {
    check(
      fc.property(shuffled, fc.constantFrom('INTERNAL_ERROR', 'DNS_ERROR'), (order, error) => {
        const { gateway, manage, attempt, handledBy } = withDomains(order.length)
        for (const number of order.keys()) manage(number)
        gateway.provisioning.failNext(error, { times: order.length })
        for (const number of order) attempt(number)
        expect(handledBy(() => gateway.clock.advance('1h')).slice(0, order.length)).toEqual(order)
      }),
    )
  })

  test('renewals, in the order in which certificates were issued, and then their attempts in the same order', () => {
    check(
      fc.property(shuffled, (order) => {
        const { gateway, manage, attempt, handledBy } = withDomains(order.length)
        for (const number of order.keys()) manage(number)
        for (const number of order) attempt(number)
        expect(handledBy(() => gateway.clock.advance('60d'))).toEqual(order)
        expect(handledBy(() => gateway.clock.advance('30s'))).toEqual(order)
      }),
    )
  })

  test('also if only the rounding to a whole second makes their times equal', () => {
    check(
      fc.property(shuffled, fc.array(fc.nat(80), { minLength: 12, maxLength: 12 }), (order, pauses) => {
        const { gateway, manage, handledBy } = withDomains(order.length)
        gateway.clock.advance(1)
        for (const [i, number] of order.entries()) {
          manage(number)
          gateway.clock.advance(pauses[i] as number)
        }
        expect(handledBy(() => gateway.clock.advance('30s'))).toEqual([])
        expect(handledBy(() => gateway.clock.advance('1s'))).toEqual(order)
      }),
    )
  })

  test('also after hundreds of cancelled jobs, which leave nothing behind', () => {
    check(
      fc.property(shuffled, fc.integer({ min: 20, max: 120 }), (order, changes) => {
        const { gateway, manage, handledBy } = withDomains(order.length)
        for (let i = 0; i < changes; i++) for (const number of order.keys()) manage(number, i % 2 === 0 ? ECDSA : RSA)
        for (const number of order) manage(number, changes % 2 === 0 ? ECDSA : RSA)
        expect(handledBy(() => gateway.clock.advance('30s'))).toEqual(order)
        expect(gateway.tlsCertificates.list().tls_certificates).toHaveLength(order.length)
        expect(handledBy(() => gateway.clock.advance('1h'))).toEqual([])
      }),
      { numRuns: limitCases(20) },
    )
  })
})
