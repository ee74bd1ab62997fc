import { describe, expect, test } from 'vitest'
import { refusalOf } from '../support/client.ts'
import { upload } from '../support/pem.ts'
import {
  DOMAIN,
  ECDSA,
  issued,
  later,
  managed,
  NEW_YEAR,
  type openManual,
  RSA,
  timeAfter,
} from '../support/provisioning.ts'

const SHOWN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}/

/** The times, transitions and outcomes of a timeline. */
function steps(timeline: readonly { at: string; transition: string; outcome: string | null }[]) {
  return timeline.map(({ at, transition, outcome }) => [at, transition, outcome])
}

describe('The timeline of a domain', () => {
  test('tells the whole life of a certificate, each thing at its own time, oldest first', () => {
    const { gateway, id } = managed()
    gateway.provisioning.script(['DNS_ERROR', 'success', 'INTERNAL_ERROR', 'success'])
    gateway.clock.advance('61d')
    const issuedAt = timeAfter('1h', '30s')
    const renewsAt = later(issuedAt, '60d')
    expect(steps(gateway.provisioning.timeline(id))).toEqual([
      [NEW_YEAR, 'started', null],
      [timeAfter('30s'), 'failed', 'DNS_ERROR'],
      [issuedAt, 'retried', null],
      [issuedAt, 'issued', 'success'],
      [renewsAt, 'renewal started', null],
      [later(renewsAt, '30s'), 'renewal failed', 'INTERNAL_ERROR'],
      [later(renewsAt, '90s'), 'retried', null],
      [later(renewsAt, '90s'), 'renewed', 'success'],
    ])
  })

  test('has an entry of exactly four fields, with a message that says what matters', () => {
    const { gateway, id, job, certificate } = managed()
    gateway.provisioning.failNext('DNS_ERROR')
    gateway.clock.advance('30s')
    const msg = job()?.msg as string
    gateway.clock.advance('1h')
    const [started, failed, retried, done] = gateway.provisioning.timeline(id)
    expect(Object.keys(started ?? {})).toEqual(['at', 'transition', 'outcome', 'message'])
    expect(started?.message).toContain('ecdsa')
    expect(failed?.message).toContain('DNS_ERROR')
    expect(failed?.message).toContain(msg)
    expect(retried?.message).toMatch(/attempt/)
    expect(done?.message).toContain(certificate())
    expect(done?.message).toContain(timeAfter('1h', '30s', '60d'))
  })

  test('repeats what the simulated zone had to say', () => {
    const { gateway, id, domain } = managed({ dns: 'simulated' })
    gateway.clock.advance('30s')
    expect(gateway.provisioning.timeline(id).at(-1)?.message).toContain(domain().cname_target)
  })

  test.each<[string, (gateway: ReturnType<typeof openManual>, id: string) => unknown, string[]]>([
    [
      'another key type, which cancels one job and starts another',
      ({ reservedDomains }, id) => reservedDomains.update(id, { certificate_management_policy: RSA }),
      ['started', 'cancelled', 'started'],
    ],
    [
      'a policy that is detached',
      ({ reservedDomains }, id) => reservedDomains.detachCertificateManagementPolicy(id),
      ['started', 'cancelled'],
    ],
    [
      'an uploaded certificate that takes over',
      ({ reservedDomains, tlsCertificates }, id) =>
        reservedDomains.update(id, { certificate_id: tlsCertificates.create(upload()).id }),
      ['started', 'cancelled'],
    ],
  ])('notes %s', (_what, change, expected) => {
    const { gateway, id } = managed()
    gateway.clock.advance('10s')
    change(gateway, id)
    const timeline = gateway.provisioning.timeline(id)
    expect(timeline.map(({ transition }) => transition)).toEqual(expected)
    expect(timeline.at(-1)?.at).toBe(timeAfter('10s'))
  })

  test('keeps the last 100 entries', () => {
    const { gateway, id } = managed()
    gateway.provisioning.failAlways('DNS_ERROR')
    const reach = (attempts: number) => {
      gateway.clock.advanceTo(timeAfter('30s', `${attempts - 1}h`))
      return gateway.provisioning.timeline(id)
    }
    // One entry for the start, one for the first attempt, two for each one after it.
    const whole = reach(50)
    expect(whole).toHaveLength(100)
    expect(whole[0]?.transition).toBe('started')
    const cut = reach(51)
    expect(cut).toHaveLength(100)
    expect(cut.slice(0, 98)).toEqual(whole.slice(2))
    expect(cut.at(-1)).toMatchObject({ at: timeAfter('30s', '50h'), transition: 'failed' })
  })

  test('goes with its domain, and a new one of the name starts afresh', () => {
    const { gateway, id } = issued()
    gateway.reservedDomains.delete(id)
    expect(refusalOf(() => gateway.provisioning.timeline(id))).toBe('not_found')
    const again = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA }).id
    expect(steps(gateway.provisioning.timeline(again))).toEqual([[NEW_YEAR, 'started', null]])
  })
})

describe('A printed timeline', () => {
  test('has one line for each entry, with its time, transition and message in columns', () => {
    const { gateway, id } = managed()
    gateway.provisioning.script(['INTERNAL_ERROR', 'success', 'INTERNAL_ERROR'])
    gateway.clock.advance('60d')
    gateway.clock.advance('2m')
    const timeline = gateway.provisioning.timeline(id)
    const lines = gateway.provisioning.printTimeline(id).split('\n')
    expect(lines).toHaveLength(timeline.length)
    const column = Math.max(...timeline.map(({ transition }) => transition.length))
    for (const [i, { at, transition, message }] of timeline.entries()) {
      const line = lines[i] as string
      expect(line).toMatch(SHOWN)
      expect(line.slice(0, 20)).toBe(at)
      expect(line.slice(22, 22 + column).trimEnd()).toBe(transition)
      expect(line.slice(22 + column).trim()).toBe(message)
      expect(line.indexOf(message)).toBe(22 + column + 2)
    }
  })
})
