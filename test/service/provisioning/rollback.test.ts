import { describe, expect, test } from 'vitest'
import { type Dialect, standard } from '../../../src/index.ts'
import { collectCommits } from '../../support/gateway.ts'
import { DOMAIN, ECDSA, openManual, openWithDomain, RSA } from '../../support/provisioning.ts'

const POLICY = { certificate_management_policy: ECDSA }

/** Creates a dialect that throws for every response with a domain while `state.isBroken` is true. */
function createBreakableDialect() {
  const state = { isBroken: false }
  const dialect: Dialect = {
    ...standard,
    get domainRegion(): Dialect['domainRegion'] {
      if (state.isBroken) throw new Error('The dialect is broken.')
      return 'as set'
    },
  }
  return { state, dialect }
}

describe('A call that fails in its last step changes nothing (rules: transactions#all-or-nothing)', () => {
  test.each<[string, (gateway: ReturnType<typeof openManual>, id: string) => unknown]>([
    ['a creation', ({ reservedDomains }) => reservedDomains.create({ domain: 'b.example.com', ...POLICY })],
    ['a new key type', ({ reservedDomains }, id) => reservedDomains.update(id, { certificate_management_policy: RSA })],
    ['an attempt', ({ provisioning }, id) => provisioning.attempt(id)],
  ])('%s: no record, no pending outcome, nothing due, no number of an id', (_what, call) => {
    const { state, dialect } = createBreakableDialect()
    const run = (isBroken: boolean) => {
      const gateway = openManual({ dialect, provisioningDelay: 0 })
      gateway.provisioning.script(['DNS_ERROR', 'success'])
      gateway.provisioning.failAlways('INTERNAL_ERROR')
      const { id } = gateway.reservedDomains.create({ domain: DOMAIN, ...POLICY })
      const before = gateway.snapshot()
      const commits = collectCommits(gateway)
      if (isBroken) {
        state.isBroken = true
        expect(() => call(gateway, id)).toThrow('The dialect is broken.')
        state.isBroken = false
        expect(gateway.snapshot()).toEqual(before)
        expect(commits).toEqual([])
      }
      call(gateway, id)
      gateway.clock.advance('70d')
      return gateway.snapshot()
    }
    expect(run(true)).toEqual(run(false))
  })
})

describe('A call that changes nothing makes no commit', () => {
  const emptyCalls: [string, (gateway: ReturnType<typeof openManual>, id: string) => unknown][] = [
    ['detaching a certificate', ({ reservedDomains }, id) => reservedDomains.detachCertificate(id)],
    ['detaching a policy', ({ reservedDomains }, id) => reservedDomains.detachCertificateManagementPolicy(id)],
    ['scripting no outcome', ({ provisioning }) => provisioning.script([])],
    ['clearing outcomes', ({ provisioning }) => provisioning.clear()],
    ['clearing outcomes of a domain', ({ provisioning }) => provisioning.clear({ domain: DOMAIN })],
    ['removing a record', ({ dns }) => dns.remove(DOMAIN)],
    ['clearing the zone', ({ dns }) => dns.clear()],
    ['advancing the clock', ({ clock }) => clock.advance('1d')],
  ]
  test.each(emptyCalls)('%s where there is none, or nothing due', (_what, call) => {
    const gateway = openManual()
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    const commits = collectCommits(gateway)
    call(gateway, id)
    expect(commits).toEqual([])
  })

  test('and a call that changes something makes one commit with all its changes', () => {
    const { gateway, id } = openWithDomain()
    gateway.provisioning.script(['success'])
    const commits = collectCommits(gateway)
    gateway.clock.advanceToNext()
    gateway.reservedDomains.detachCertificateManagementPolicy(id)
    expect(commits.map(({ operation, changes }) => [operation, changes.map(({ collection }) => collection)])).toEqual([
      ['reserved_domains.due', ['ordered_outcomes', 'tls_certificates', 'reserved_domains']],
      ['reserved_domains.detach_certificate_management_policy', ['tls_certificates', 'reserved_domains']],
    ])
  })
})
