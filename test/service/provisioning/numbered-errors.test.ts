import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
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

  // The words are fauxgate's own. Each message says what the page of its number says.
  test.each<[number, RegExp]>([
    [425, /no CNAME record/],
    [426, /A record instead of a CNAME/],
    [427, /CNAME record points to another target/],
    [442, /challenge .*no CNAME record/],
    [443, /challenge .*A record instead of a CNAME/],
    [444, /challenge's CNAME record points to another target/],
    [445, /lookup .*failed/],
    [515, /Cloudflare proxies the domain/],
    [516, /Cloudflare proxies the wildcard/],
    [517, /Cloudflare proxies the ACME challenge/],
    [26_000, /CAA records do not allow/],
    [26_001, /CAA .*accounturi/],
    [26_002, /CAA .*unknown critical/],
    [26_004, /CAA .*validation method/],
    [26_005, /CAA .*cannot be parsed/],
    [26_006, /Provisioning failed unexpectedly/],
    [26_007, /signing request could not be loaded/],
    [26_008, /preflight check failed unexpectedly/],
    [26_009, /authority failed unexpectedly/],
    [26_010, /could not be converted/],
    [26_011, /could not be put into use/],
    [26_012, /preflight check did not pass/],
    [26_014, /CAA check .*not allowed/],
    [26_015, /validation found no CNAME/],
    [26_016, /validation found a CNAME record with another target/],
    [26_017, /validation found no NS/],
    [26_018, /validation found NS records for another zone/],
    [26_019, /DNS-01 .*no challenge CNAME record/],
    [26_020, /DNS-01 .*another target/],
    [26_021, /HTTP-01 .*did not reach/],
    [26_022, /HTTP-01 .*another token/],
    [26_026, /CAA check .*cannot be parsed/],
    [26_027, /lookup for the CAA check failed/],
    [26_028, /CAA check .*unknown critical/],
    [26_029, /CAA check .*top-level domain/],
    [26_033, /account is suspended/],
    [26_034, /check for a suspended account failed unexpectedly/],
    ...OBTAIN.map((number): [number, RegExp] => [number, /^The authority issued no certificate/]),
  ])(
    '%i has a message that matches %o and ends with its code, over HTTP in the dialect ngrok',
    async (number, words) => {
      const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z') })
      const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
      const code = `ERR_NGROK_${number}` as CertificateErrorKey // The code of an error is one of its names.
      gateway.provisioning.script([code])
      gateway.clock.advance('30s')
      const { body } = await client(gateway)('GET', `/reserved_domains/${id}`)
      const { msg } = body.certificate_management_status.provisioning_job
      expect(msg).toMatch(words)
      expect(msg.endsWith(`. (${code})`)).toBe(true)
      expect([...msg.matchAll(/ERR_/g)]).toHaveLength(1)
    },
  )

  test('has a message of its own, unless it is one of the eleven whose pages have one sentence', () => {
    const messages = PAGES.map((number) => {
      const { gateway, id, job } = openWithDomain()
      gateway.provisioning.script([`ERR_GATEWAY_${number}` as CertificateErrorKey]) // The code is one of its names.
      gateway.provisioning.attempt(id)
      return job()?.msg.replace(/ \(.*/, '')
    })
    expect(new Set(messages).size).toBe(PAGES.length - OBTAIN.length + 1)
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
