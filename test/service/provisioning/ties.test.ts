import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check, limitCases } from '../../support/property.ts'
import { dueAfter, ECDSA, openManual, RSA } from '../../support/provisioning.ts'

/** The numbers of at least four domains, in any order. */
const domainOrder = fc
  .integer({ min: 4, max: 12 })
  .chain((size) => fc.shuffledSubarray([...Array(size).keys()], { minLength: size }))

/** Opens a gateway with a number of unmanaged domains. */
function openWithDomains(size: number) {
  const gateway = openManual()
  const ids = Array.from({ length: size }, (_, i) => gateway.reservedDomains.create({ domain: `d${i}.test` }).id)
  const manage = (number: number, policy: typeof ECDSA | typeof RSA = ECDSA) =>
    gateway.reservedDomains.update(ids[number] as string, { certificate_management_policy: policy })
  const attempt = (number: number) => gateway.provisioning.attempt(ids[number] as string)
  /** Returns the domains whose events run during a move of the clock, in the order of their commits. */
  const listHandled = (move: () => void): (number | undefined)[] => {
    const numbers: (number | undefined)[] = []
    const unsubscribe = gateway.subscribe(({ operation, changes }) => {
      if (operation !== 'reserved_domains.due') return
      for (const { collection, key } of changes) {
        if (collection === 'reserved_domains') numbers.push(ids.indexOf(key))
      }
    })
    move()
    unsubscribe()
    return numbers
  }
  return { gateway, ids, manage, attempt, listHandled }
}

describe('Events of the same time run in the order in which they were scheduled (rules: time#order-of-events)', () => {
  test('first attempts, in the order of the policies', () => {
    check(
      fc.property(domainOrder, (order) => {
        const { gateway, manage, listHandled } = openWithDomains(order.length)
        for (const number of order) manage(number)
        expect(listHandled(() => gateway.clock.advanceToNext())).toEqual(order)
      }),
    )
  })

  test('retries, in the order of the attempts that failed', () => {
    check(
      fc.property(domainOrder, fc.constantFrom('INTERNAL_ERROR', 'DNS_ERROR'), (order, error) => {
        const { gateway, manage, attempt, listHandled } = openWithDomains(order.length)
        for (const number of order.keys()) manage(number)
        gateway.provisioning.failNext(error, { times: order.length })
        for (const number of order) attempt(number)
        expect(listHandled(() => gateway.clock.advanceToNext())).toEqual(order)
      }),
    )
  })

  test('renewals, in the order in which certificates were issued, and then their attempts in the same order', () => {
    check(
      fc.property(domainOrder, (order) => {
        const { gateway, manage, attempt, listHandled } = openWithDomains(order.length)
        for (const number of order.keys()) manage(number)
        for (const number of order) attempt(number)
        expect(listHandled(() => gateway.clock.advance('60d'))).toEqual(order)
        expect(listHandled(() => gateway.clock.advance('30s'))).toEqual(order)
      }),
    )
  })

  test('also if only the rounding to a whole second makes their times equal', () => {
    check(
      fc.property(domainOrder, fc.array(fc.nat(80), { minLength: 12, maxLength: 12 }), (order, pauses) => {
        const { gateway, manage, listHandled } = openWithDomains(order.length)
        gateway.clock.advanceTo(Date.parse(dueAfter('0s')) + 1)
        for (const [i, number] of order.entries()) {
          manage(number)
          gateway.clock.advance(pauses[i] as number)
        }
        expect(listHandled(() => gateway.clock.advance('30s'))).toEqual([])
        expect(listHandled(() => gateway.clock.advance('1s'))).toEqual(order)
      }),
    )
  })

  test('also after hundreds of cancelled jobs, which leave nothing behind', () => {
    check(
      fc.property(domainOrder, fc.integer({ min: 20, max: 120 }), (order, changes) => {
        const { gateway, manage, listHandled } = openWithDomains(order.length)
        for (let i = 0; i < changes; i++) for (const number of order.keys()) manage(number, i % 2 === 0 ? ECDSA : RSA)
        for (const number of order) manage(number, changes % 2 === 0 ? ECDSA : RSA)
        expect(listHandled(() => gateway.clock.advanceToNext())).toEqual(order)
        expect(gateway.tlsCertificates.list().tls_certificates).toHaveLength(order.length)
        expect(listHandled(() => gateway.clock.advance('1h'))).toEqual([])
      }),
      { numRuns: limitCases(20) },
    )
  })
})
