import { describe, expect, test } from 'vitest'
import { createGateway, type Outcome } from '../../../src/index.ts'
import { catchError, client } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import {
  addDurations,
  DOMAIN,
  dueAfter,
  openManual,
  openWithCertificate,
  openWithDomain,
} from '../../support/provisioning.ts'

describe('A scripted outcome with details (rules: provisioning-jobs#scripted-details)', () => {
  test('has its own message and retry time', () => {
    const { gateway, id, job } = openWithDomain()
    gateway.provisioning.script([{ outcome: 'DNS_ERROR', message: 'No such host.', retriesAfter: '5m' }])
    gateway.clock.advanceToNext()
    expect(job()).toEqual({
      error_code: 'DNS_ERROR',
      msg: 'No such host.',
      started_at: SHOWN_START,
      retries_at: dueAfter('5m', '30s'),
    })
    const [domain] = gateway.reservedDomains.list().reserved_domains
    expect(domain?.certificate_management_status?.provisioning_job).toEqual(job())
    expect(gateway.provisioning.timeline(id).at(-1)).toMatchObject({
      outcome: 'DNS_ERROR',
      message: 'DNS_ERROR: No such host.',
    })
    gateway.clock.advance('5m')
    expect(job()).toBeNull()
  })

  test.each<[Outcome, string, string]>([
    [{ outcome: 'INTERNAL_ERROR' }, 'The certificate authority could not be reached. This is temporary.', '60s'],
    [{ outcome: 'DNS_ERROR', message: '' }, '', '1h'],
    [
      { outcome: 'INTERNAL_ERROR', retriesAfter: 1500 },
      'The certificate authority could not be reached. This is temporary.',
      '2s',
    ],
  ])('has the defaults for the rest: %j', (outcome, msg, wait) => {
    const { gateway, job } = openWithDomain()
    gateway.provisioning.script([outcome], { domain: DOMAIN })
    gateway.clock.advanceToNext()
    expect(job()).toMatchObject({ msg, retries_at: dueAfter('30s', wait as '1h') })
  })

  test.each<[string | number, string]>([
    ['-5m', addDurations(dueAfter('30s'), '-5m')],
    ['0s', dueAfter('30s')],
    [-1000, dueAfter('29s')],
    ['-999999999999d', '1970-01-01T00:00:00Z'],
  ])('can have a retries_at in the past: %s; the next attempt comes after the usual wait', (retriesAfter, expected) => {
    const store = memoryStore()
    const { gateway, id, job } = openWithDomain({ store })
    gateway.provisioning.script([{ outcome: 'DNS_ERROR', retriesAfter: retriesAfter as '5m' }])
    gateway.clock.advanceToNext()
    expect(job()?.retries_at).toBe(expected)
    expect(gateway.nextDueAt()).toBe(Date.parse(dueAfter('30s', '1h')))
    const other = openManual()
    other.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    const reopened = openManual({ store: memoryStore(store.commits) })
    for (const each of [gateway, other, reopened]) {
      each.clock.advance('3599s')
      expect(each.provisioning.timeline(id).map(({ transition }) => transition)).toEqual(['started', 'failed'])
      each.clock.advance('1s')
      expect(each.reservedDomains.get(id).certificate_management_status?.provisioning_job).toBeNull()
    }
  })

  test('works for renewals, failNext, failAlways and the control API', async () => {
    const { gateway, job } = openWithCertificate()
    const failure = { outcome: 'INTERNAL_ERROR', message: 'The authority is down.', retriesAfter: '1h' } as const
    gateway.provisioning.failAlways(failure, { domain: DOMAIN })
    gateway.provisioning.failNext({ outcome: 'DNS_ERROR', message: 'First.' })
    const json = { outcomes: [{ outcome: 'DNS_ERROR', message: 'Zeroth.' }], domain: DOMAIN }
    const { status } = await client(gateway)('POST', 'http://localhost/_fauxgate/provisioning/script', { json })
    expect(status).toBe(204)
    gateway.provisioning.renewNow(DOMAIN)
    gateway.clock.advance('30s')
    expect(job()?.msg).toBe('Zeroth.')
    gateway.clock.advance('1h')
    expect(job()?.msg).toBe('The authority is down.')
    expect(gateway.provisioning.pendingOutcomes()).toEqual([{ domain: null, outcome: 'DNS_ERROR', message: 'First.' }])
  })

  test('is listed while it is pending, and is in snapshots', () => {
    const gateway = openManual()
    gateway.provisioning.script([{ outcome: 'DNS_ERROR', message: 'm', retriesAfter: '-1h' }, 'success'])
    const other = openManual()
    other.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    for (const { provisioning } of [gateway, other]) {
      expect(provisioning.pendingOutcomes()).toEqual([
        { domain: null, outcome: 'DNS_ERROR', message: 'm', retriesAfter: '-1h' },
        { domain: null, outcome: 'success' },
      ])
    }
  })

  test.each<[string, unknown, string]>([
    ['a success with details', { outcome: 'success', message: 'm' }, 'whose outcome is INTERNAL_ERROR or DNS_ERROR'],
    ['an unknown outcome', { outcome: 'OTHER' }, 'whose outcome is INTERNAL_ERROR or DNS_ERROR'],
    ['an unknown detail', { outcome: 'DNS_ERROR', msg: 'm' }, 'an object without msg'],
    ['no outcome', { message: 'm' }, 'whose outcome is INTERNAL_ERROR or DNS_ERROR'],
    ['a message that is no string', { outcome: 'DNS_ERROR', message: 7 }, 'whose message is a string'],
    ['a message of 1001 characters', { outcome: 'DNS_ERROR', message: 'x'.repeat(1001) }, 'at most 1000 characters'],
    ['an invalid time', { outcome: 'DNS_ERROR', retriesAfter: 'soon' }, 'or one of these preceded by a minus sign'],
    ['two minus signs', { outcome: 'DNS_ERROR', retriesAfter: '--5m' }, 'or one of these preceded by a minus sign'],
    ['a fraction', { outcome: 'DNS_ERROR', retriesAfter: -0.5 }, 'or one of these preceded by a minus sign'],
    ['a list', ['DNS_ERROR'], 'success, INTERNAL_ERROR, DNS_ERROR, or a numbered error'],
  ])('is rejected with %s, and nothing is pending', (_, wrongOutcome, allowed) => {
    const gateway = createGateway()
    const outcomes = ['success', wrongOutcome] as Outcome[]
    const error = catchError(() => gateway.provisioning.script(outcomes))
    expect(error).toMatchObject({ key: 'field_invalid', message: expect.stringContaining(allowed) })
    expect(error?.message).toMatch(/^outcomes\.1/)
    expect(gateway.provisioning.pendingOutcomes()).toEqual([])
  })
})

describe('With the quirk lateStatus (rules: provisioning-jobs#late-status)', () => {
  test('the response to a PATCH that sets a policy has no status, and every later read has the job', async () => {
    const policy = { authority: 'letsencrypt', private_key_type: 'rsa' } as const
    const gateway = openManual({ quirks: { lateStatus: true } })
    const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
    const domain = gateway.reservedDomains.update(id, { certificate_management_policy: policy })
    expect([domain.certificate_management_policy, domain.certificate_management_status]).toEqual([policy, null])
    expect(gateway.reservedDomains.get(id).certificate_management_status?.provisioning_job?.started_at).toBe(
      SHOWN_START,
    )
    const response = await client(gateway)('PATCH', `/reserved_domains/${id}`, {
      json: { certificate_management_policy: policy, description: 'd' },
    })
    expect(response.body.certificate_management_status).toEqual(
      gateway.reservedDomains.get(id).certificate_management_status,
    )
    const json = { certificate_management_policy: { ...policy, private_key_type: 'ecdsa' } }
    expect((await client(gateway)('PATCH', `/reserved_domains/${id}`, { json })).body).toMatchObject({
      certificate_management_status: null,
    })
  })

  test('a creation shows its job, as do all responses without the quirk', () => {
    for (const lateStatus of [true, false]) {
      const { status, gateway } = openWithDomain({ quirks: { lateStatus } })
      expect(status()?.provisioning_job).not.toBeNull()
      const { id } = gateway.reservedDomains.create({ domain: 'b.example.com' })
      const policy = { authority: 'letsencrypt' }
      const patched = gateway.reservedDomains.update(id, { certificate_management_policy: policy })
      expect(patched.certificate_management_status === null).toBe(lateStatus)
    }
  })
})
