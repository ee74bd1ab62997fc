import { describe, expect, test } from 'vitest'
import {
  type CertificateErrorKey,
  listCertificateErrors,
} from '../../../src/service/provisioning/certificate-errors.ts'
import { catchError, client } from '../../support/client.ts'
import { DOMAIN, openWithDomain, openWithZone } from '../../support/provisioning.ts'

// The numbers with a page, of the service's error reference of 2026-08-07: the checks of certificates, and those of DNS.
const CHECKS = Array.from({ length: 39 }, (_, index) => 26_000 + index).filter((number) => number !== 26_003)
const PAGES = [425, 426, 427, 442, 443, 444, 445, 515, 516, 517, ...CHECKS]
const OBTAIN = [26_013, 26_023, 26_024, 26_025, 26_030, 26_031, 26_032, 26_035, 26_036, 26_037, 26_038]
const INTERNAL = [...OBTAIN, 26_006, 26_007, 26_008, 26_009, 26_010, 26_011, 26_033, 26_034]

describe('A numbered error of a certificate job (rules: provisioning-jobs#numbered-errors)', () => {
  test.each(PAGES)('%i can be scripted by its code, and the message of the job has it', (number) => {
    const { gateway, id, job } = openWithDomain()
    gateway.provisioning.script([`ERR_GATEWAY_${number}`])
    gateway.provisioning.attempt(id)
    expect(job()?.error_code).toBe(INTERNAL.includes(number) ? 'INTERNAL_ERROR' : 'DNS_ERROR')
    expect(job()?.msg).toMatch(new RegExp(`^[A-Z].*\\. \\(ERR_GATEWAY_${number}\\)$`))
    gateway.provisioning.attempt(id)
    expect(job()).toBeNull()
  })

  test('has a key, which scripts the same error', () => {
    expect(listCertificateErrors()).toHaveLength(PAGES.length)
    for (const key of listCertificateErrors()) {
      const { gateway, id, job } = openWithDomain()
      gateway.provisioning.failNext(key)
      expect(gateway.provisioning.pendingOutcomes()).toMatchObject([{ error: key }])
      gateway.provisioning.attempt(id)
      const [code = ''] = /ERR_GATEWAY_\d+/.exec(job()?.msg ?? '') ?? []
      const again = openWithDomain()
      again.gateway.provisioning.script([code as CertificateErrorKey]) // The code of an error is one of its names.
      again.gateway.provisioning.attempt(again.id)
      expect(again.job()).toEqual(job())
    }
  })

  test('takes an error_code, a message and a retry time, and also fails always', () => {
    const { gateway, id, job } = openWithDomain()
    gateway.provisioning.failAlways({
      outcome: 'INTERNAL_ERROR',
      error: 'ERR_NGROK_26014',
      message: 'Ask again.',
      retriesAfter: '5m',
    })
    gateway.provisioning.attempt(id)
    expect(job()).toMatchObject({ error_code: 'INTERNAL_ERROR', msg: 'Ask again. (ERR_GATEWAY_26014)' })
    gateway.provisioning.attempt(id)
    expect(job()?.error_code).toBe('INTERNAL_ERROR')
  })

  test('is listed by the outcomes that no attempt has used', () => {
    const { gateway } = openWithDomain()
    gateway.provisioning.script(['ERR_NGROK_26033', 'success'], { domain: 'other.example.com' })
    expect(() => gateway.provisioning.assertNoPendingOutcomes()).toThrow(
      'account_suspended for other.example.com, success for other.example.com',
    )
  })

  test.each(['ERR_NGROK_26003', 'ERR_NGROK_26039', 'ERR_NGROK_413', 'caa_check', 'ERR_NGROK_'])(
    'is none: %s is rejected, and nothing changes',
    async (wrong) => {
      const { gateway } = openWithDomain()
      const before = gateway.snapshot()
      const script = () => gateway.provisioning.script([wrong as CertificateErrorKey]) // It is not.
      expect(catchError(script)).toMatchObject({
        key: 'field_invalid',
        message: expect.stringContaining('ERR_NGROK_26014'),
      })
      const detailed = { outcomes: [{ outcome: 'DNS_ERROR', error: wrong }] }
      const url = 'http://localhost/_fauxgate/provisioning/script'
      expect((await client(gateway)('POST', url, { json: detailed })).status).toBe(400)
      expect(gateway.snapshot()).toEqual(before)
    },
  )
})

type Zone = ReturnType<typeof openWithZone>

const CHALLENGE = '_acme-challenge.example.com'
const WILDCARD = '*.example.com'

/** Gives a domain the CNAME records that it needs. */
function withTargets({ dns, target, challenge, domain }: Zone): void {
  dns.cname(domain().domain, target)
  if (challenge) dns.cname(CHALLENGE, challenge)
}

// rules: simulated-dns#numbers
test.each<[numbers: readonly number[], domain: string, edit: (zone: Zone) => void]>([
  [[26_015, 425], DOMAIN, () => undefined],
  [[26_015, 426], DOMAIN, ({ dns }) => dns.a(DOMAIN, '192.0.2.1')],
  [[26_015, 426], DOMAIN, ({ dns }) => dns.proxy(DOMAIN, 'Fastly')],
  [[26_016, 427], DOMAIN, ({ dns }) => dns.cname(DOMAIN, 'www.example.net')],
  [[26_012, 445], DOMAIN, ({ dns }) => dns.fail(DOMAIN, 'SERVFAIL')],
  [[26_015, 515], DOMAIN, ({ dns }) => dns.proxy(DOMAIN, 'Cloudflare')],
  [[26_015, 516], WILDCARD, ({ dns }) => dns.proxy(WILDCARD, 'cloudflare')],
  // Without a record that is set, the wildcard's own record would answer.
  [[26_019, 442], WILDCARD, ({ dns, challenge }) => dns.cname(CHALLENGE, challenge, { after: '1d' })],
  [[26_019, 443], WILDCARD, ({ dns }) => dns.a(CHALLENGE, '192.0.2.1')],
  [[26_020, 444], WILDCARD, ({ dns }) => dns.cname(CHALLENGE, 'www.example.net')],
  [[26_019, 517], WILDCARD, ({ dns }) => dns.proxy(CHALLENGE, 'Cloudflare')],
  [[26_012, 445], WILDCARD, ({ dns }) => dns.fail(CHALLENGE, 'TIMEOUT')],
  [[26_014, 26_000], DOMAIN, ({ dns }) => dns.caa('example.com', ['pki.goog'])],
  [[26_014, 26_001], DOMAIN, ({ dns }) => dns.caa('example.com', ['letsencrypt.org; accounturi=https://ca.example/1'])],
  [[26_014, 26_004], DOMAIN, ({ dns }) => dns.caa('example.com', ['letsencrypt.org; validationmethods=dns-01'])],
  [[26_027, 445], DOMAIN, ({ dns }) => dns.fail('example.com', 'SERVFAIL')],
])('The simulated zone causes %j at %s', (numbers, domain, edit) => {
  const zone = openWithZone(domain)
  const isMissing = numbers.includes(425)
  if (!isMissing) withTargets(zone)
  edit(zone)
  expect(zone.attempt()).toMatch(new RegExp(`\\(${numbers.map((number) => `ERR_GATEWAY_${number}`).join(', ')}\\)$`))
  expect(zone.job()?.error_code).toBe('DNS_ERROR')
})

test.each([
  [{ outcome: 'DNS_ERROR', error: 'nope' }, 'an object whose error is an error of certificate jobs by its code'],
  [{ outcome: 'nope' }, 'an object whose outcome is INTERNAL_ERROR or DNS_ERROR'],
  [{ outcome: 'DNS_ERROR', retriesAfter: 'soon' }, 'an object whose retriesAfter is '],
  [{ outcome: 'DNS_ERROR', code: 26_014 }, 'an object without code'],
])('names the wrong field of an outcome: %j', (outcome, allowed) => {
  const { gateway } = openWithDomain()
  // @ts-expect-error: no outcome is like this
  expect(() => gateway.provisioning.script([outcome])).toThrow(`outcomes.0 is an object. Allowed: ${allowed}`)
})
