import { describe, expect, test } from 'vitest'
import { refusalKey } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { DOMAIN, dueAfter, ECDSA, openWithCertificate, openWithDomain } from '../../support/provisioning.ts'

const TIME_COLUMN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}/

describe('The timeline of a domain', () => {
  test('has entries of exactly four fields, and names the certificate in use', () => {
    const { gateway, id, certificate } = openWithDomain()
    gateway.clock.advanceToNext()
    const [started, issued] = gateway.provisioning.timeline(id)
    expect(Object.keys(started ?? {})).toEqual(['at', 'transition', 'outcome', 'message'])
    expect(issued?.message).toContain(certificate())
  })

  test('repeats the problem that the simulated zone had', () => {
    const { gateway, id, domain } = openWithDomain({ dns: 'simulated' })
    gateway.clock.advanceToNext()
    expect(gateway.provisioning.timeline(id).at(-1)?.message).toContain(domain().cname_target)
  })

  test('keeps the last 100 entries', () => {
    const { gateway, id } = openWithDomain()
    gateway.provisioning.failAlways('DNS_ERROR')
    const advanceToAttempt = (attempts: number) => {
      gateway.clock.advanceTo(dueAfter('30s', `${attempts - 1}h`))
      return gateway.provisioning.timeline(id)
    }
    // One entry for the start, one for the first attempt, two for each later attempt.
    const before = advanceToAttempt(50)
    expect(before).toHaveLength(100)
    expect(before[0]?.transition).toBe('started')
    const after = advanceToAttempt(51)
    expect(after).toHaveLength(100)
    expect(after.slice(0, 98)).toEqual(before.slice(2))
    expect(after.at(-1)).toMatchObject({ at: dueAfter('30s', '50h'), transition: 'failed' })
  })

  test('keeps fewer entries in a gateway with many domains', () => {
    const { gateway, id } = openWithDomain()
    for (let n = 1; n < 2000; n++) gateway.reservedDomains.create({ domain: `d${n}.example.com` })
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('3d')
    expect(gateway.provisioning.timeline(id)).toHaveLength(40_000 / 2000)
    expect(gateway.provisioning.timeline(id).at(-1)).toMatchObject({ transition: 'failed' })
  })

  test('is deleted with its domain, and a new domain of the same name has a new timeline', () => {
    const { gateway, id } = openWithCertificate()
    gateway.reservedDomains.delete(id)
    expect(refusalKey(() => gateway.provisioning.timeline(id))).toBe('not_found')
    const newId = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA }).id
    expect(gateway.provisioning.timeline(newId)).toMatchObject([{ at: SHOWN_START, transition: 'started' }])
  })
})

describe('A printed timeline', () => {
  test('has one line for each entry, with its time, transition and message in columns', () => {
    const { gateway, id } = openWithDomain()
    gateway.provisioning.script(['INTERNAL_ERROR', 'success', 'INTERNAL_ERROR'])
    gateway.clock.advance('60d')
    gateway.clock.advance('2m')
    const timeline = gateway.provisioning.timeline(id)
    const lines = gateway.provisioning.printTimeline(id).split('\n')
    expect(lines).toHaveLength(timeline.length)
    const column = Math.max(...timeline.map(({ transition }) => transition.length))
    for (const [i, { at, transition, message }] of timeline.entries()) {
      const line = lines[i] as string
      expect(line).toMatch(TIME_COLUMN)
      expect(line.slice(0, 20)).toBe(at)
      expect(line.slice(22, 22 + column).trimEnd()).toBe(transition)
      expect(line.slice(22 + column).trim()).toBe(message)
      expect(line.indexOf(message)).toBe(22 + column + 2)
    }
  })
})
