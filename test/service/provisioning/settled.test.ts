import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { timersOn } from '../../../src/testing/clock.ts'
import { CLOCK_START } from '../../support/clock.ts'
import {
  addDurations,
  advanceUnnoticed,
  DOMAIN,
  dueAfter,
  ECDSA,
  openManual,
  openWithCertificate,
  openWithDomain,
  timeAfter,
} from '../../support/provisioning.ts'

const NOW = CLOCK_START
const CREATE = { domain: DOMAIN, certificate_management_policy: ECDSA }

describe('settled() on a manual clock', () => {
  test('advances it to the next attempt and returns the domain with its certificate', async () => {
    const { gateway, id, domain } = openWithDomain()
    const result = await gateway.provisioning.settled(id)
    expect(gateway.clock.now).toBe(Date.parse(dueAfter('30s')))
    expect(result.certificate).not.toBeNull()
    expect(result).toEqual(domain())
  })

  test('also returns after a failure, and the next call continues to the retry', async () => {
    const { gateway, id } = openWithDomain()
    gateway.provisioning.script(['DNS_ERROR', 'INTERNAL_ERROR'])
    const codes: unknown[] = []
    const times: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const { certificate_management_status } = await gateway.provisioning.settled(id)
      codes.push(certificate_management_status?.provisioning_job?.error_code)
      times.push(addDurations(gateway.clock.now))
    }
    expect(codes).toEqual(['DNS_ERROR', 'INTERNAL_ERROR', undefined])
    expect(times).toEqual([dueAfter('30s'), dueAfter('30s', '1h'), dueAfter('90s', '1h')])
  })

  test('waits for a running renewal, but not for a future one', async () => {
    const { gateway, id, certificate_id } = openWithCertificate()
    expect((await gateway.provisioning.settled(id)).certificate?.id).toBe(certificate_id)
    expect(gateway.clock.now).toBe(NOW)
    gateway.clock.advance('60d')
    const domain = await gateway.provisioning.settled(id)
    expect(domain.certificate?.id).not.toBe(certificate_id)
    expect(domain.certificate_management_status?.renews_at).toBe(addDurations(timeAfter('60d', '30s'), '60d'))
  })

  test('runs the timers of the code under test that fall due meanwhile', async () => {
    const { gateway, id } = openWithDomain()
    let fired = 0
    timersOn(gateway.clock).setTimeout(() => fired++, 10_000)
    await gateway.provisioning.settled(id)
    expect(fired).toBe(1)
  })

  test('does not advance the clock if the attempt was already due', async () => {
    const { gateway, id } = openWithDomain()
    advanceUnnoticed(gateway.clock, '31s')
    expect((await gateway.provisioning.settled(id)).certificate).not.toBeNull()
    expect(gateway.clock.now).toBe(NOW + 31_000)
  })
})

describe('settled() without a job', () => {
  test('returns an unmanaged domain at once, on any clock', async () => {
    for (const clock of [undefined, { now: NOW }]) {
      const gateway = createGateway({ seed: 'settled', ...(clock && { clock }) })
      const domain = gateway.reservedDomains.create({ domain: DOMAIN })
      expect(await gateway.provisioning.settled(domain.id)).toEqual(domain)
    }
  })

  test('returns at once if the attempt was part of the creation', async () => {
    const gateway = openManual({ provisioningDelay: 0 })
    const domain = gateway.reservedDomains.create(CREATE)
    expect(await gateway.provisioning.settled(domain.id)).toEqual(domain)
    expect(gateway.clock.now).toBe(NOW)
  })
})

describe('settled() on a clock that it can neither advance nor wait for', () => {
  test('rejects, says to which time to advance the clock, and changes nothing', async () => {
    const clock = { now: NOW }
    const gateway = createGateway({ clock, seed: 'settled' })
    const { id } = gateway.reservedDomains.create(CREATE)
    const before = gateway.snapshot()
    const message = `The next attempt is due at ${dueAfter('30s')}, but it is not possible to wait on this clock.`
    await expect(gateway.provisioning.settled(id)).rejects.toThrow(message)
    expect(gateway.snapshot()).toEqual(before)
    clock.now += 31_000
    expect((await gateway.provisioning.settled(id)).certificate).not.toBeNull()
  })

  test('waits with the clock’s own waitUntil', async () => {
    const clock = {
      now: NOW,
      async waitUntil(at: number) {
        await undefined
        clock.now = at
      },
    }
    const gateway = createGateway({ clock, seed: 'settled' })
    const { id } = gateway.reservedDomains.create(CREATE)
    expect((await gateway.provisioning.settled(id)).certificate).not.toBeNull()
    expect(clock.now).toBe(Date.parse(dueAfter('30s')))
  })
})

describe('settled() of an unknown domain', () => {
  test.each([
    ['rd_000000000000000000000000000', { key: 'not_found', status: 404 }],
    ['nonsense', { status: expect.any(Number) }],
    [undefined, { status: expect.any(Number) }],
  ])('rejects %j with a GatewayError', async (id, expected) => {
    const gateway = openManual()
    const rejection = expect(gateway.provisioning.settled(id as string)).rejects
    await rejection.toMatchObject({ name: 'GatewayError', ...expected })
  })
})
