import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Gateway, standard } from '../../../src/index.ts'
import { client, expectError, outcome } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import {
  advanceUnnoticed,
  DOMAIN,
  dueAfter,
  openManual,
  openWithCertificate,
  openWithDomain,
  openWithZone,
} from '../../support/provisioning.ts'

const WILDCARD = '*.example.com'
const CHALLENGE = '_acme-challenge.example.com'
const CONTROL = 'http://localhost/_fauxgate/dns'
/** A name of 253 characters, the longest that RFC 1035 allows. */
const LONGEST = `a${'.a'.repeat(126)}`

/** Adds a chain of CNAME records from a name to its target. */
function addChain(dns: Gateway['dns'], name: string, target: string, records: number): void {
  const names = [name, ...Array.from({ length: records - 1 }, (_, i) => `hop${i + 1}.example.net`), target]
  for (let i = 0; i < records; i++) dns.cname(names[i] as string, names[i + 1] as string)
}

describe('With a simulated zone a custom name needs a CNAME to its cname_target (rules: simulated-dns#required-records)', () => {
  test('and gets its certificate with this record', () => {
    const { dns, target, attempt } = openWithZone()
    dns.cname(DOMAIN, target)
    expect(attempt()).toBe('issued')
  })

  test('and the case of the target base of the dialect does not matter', () => {
    const dialect = { ...standard, cnameTargetBase: 'CNAME.Gateway.test' }
    const { gateway, id, domain, certificate } = openWithDomain({ dns: 'simulated', dialect })
    gateway.dns.cname(DOMAIN, domain().cname_target)
    gateway.provisioning.attempt(id)
    expect(certificate()).not.toBeNull()
  })
})

test.each([
  [8, 'issued'],
  [9, 'more than 8'],
])('A chain of %i CNAME records ends the attempt with: %s (rules: simulated-dns#chains)', (records, finding) => {
  const { dns, target, attempt } = openWithZone()
  addChain(dns, DOMAIN, target, records)
  expect(attempt()).toContain(finding)
})

test('A chain of 8 CNAME records to a name without a record is not called longer (rules: simulated-dns#chains)', () => {
  const { dns, attempt } = openWithZone()
  addChain(dns, DOMAIN, 'end.example.net', 8)
  expect(attempt()).toMatch(
    /Found a CNAME record to .* -> end\.example\.net, which has no record\. \(ERR_GATEWAY_26016, ERR_GATEWAY_427\)$/,
  )
})

describe('A wildcard needs two records (rules: simulated-dns#required-records)', () => {
  test('its own record and the record of the ACME challenge', () => {
    const { dns, target, challenge, attempt } = openWithZone(WILDCARD)
    dns.cname(WILDCARD, target)
    dns.cname(CHALLENGE, challenge)
    expect(attempt()).toBe('issued')
  })

  test('and the message names the one that is missing', () => {
    const { dns, target, challenge, attempt } = openWithZone(WILDCARD)
    expect(attempt()).toContain(`for ${WILDCARD} with the value ${target}`)
    dns.cname(WILDCARD, target)
    expect(attempt()).toContain(`for ${CHALLENGE} with the value ${challenge}`)
    dns.cname(CHALLENGE, challenge)
    dns.remove(WILDCARD)
    expect(attempt()).toContain(`for ${WILDCARD} with the value ${target}`)
  })
})

describe('A change of the zone applies at once (rules: simulated-dns#edits)', () => {
  test('so that a correction lets the next retry succeed, an hour after the failure', () => {
    const { gateway, dns, target, job, certificate } = openWithZone()
    gateway.clock.advanceToNext()
    expect(job()).toMatchObject({ error_code: 'DNS_ERROR', retries_at: dueAfter('1h', '30s') })
    dns.cname(DOMAIN, target)
    gateway.clock.advance('59m')
    expect(certificate()).toBeNull()
    gateway.clock.advance('1m')
    expect(gateway.tlsCertificates.get(certificate() as string).issued_at).toBe(dueAfter('1h', '30s'))
  })

  test('and removing a record later does not undo the certificate that it allowed', () => {
    const { gateway, dns, target, certificate } = openWithZone()
    dns.cname(DOMAIN, target)
    advanceUnnoticed(gateway.clock, '31s')
    dns.remove(DOMAIN)
    expect(certificate()).not.toBeNull()
  })

  test('and a renewal reads the zone again, and keeps the certificate while the zone is wrong', () => {
    const { gateway, dns, target, job, certificate } = openWithZone()
    dns.cname(DOMAIN, target)
    gateway.clock.advance('30s')
    const first = certificate()
    dns.clear()
    gateway.clock.advance('60d')
    gateway.clock.advance('30s')
    expect(job()).toMatchObject({ error_code: 'DNS_ERROR', msg: expect.stringContaining(target) })
    expect(certificate()).toBe(first)
  })
})

describe('The source of the outcome of an attempt (rules: provisioning-jobs#outcomes)', () => {
  test('is a scripted outcome rather than the zone, for success and for failure', () => {
    const { gateway, dns, target, id, job } = openWithZone()
    gateway.provisioning.script(['INTERNAL_ERROR', 'success'])
    dns.cname(DOMAIN, target)
    gateway.provisioning.attempt(id)
    expect(job()?.error_code).toBe('INTERNAL_ERROR')
    dns.clear()
    gateway.provisioning.attempt(id)
    expect(job()).toBeNull()
  })

  test('is never the zone while dns is off, which is the default', () => {
    for (const options of [{}, { dns: 'off' } as const]) {
      const { gateway, id, certificate } = openWithDomain(options)
      gateway.dns.a(DOMAIN, '192.0.2.7')
      gateway.provisioning.attempt(id)
      expect(certificate()).not.toBeNull()
    }
  })
})

describe('The zone', () => {
  test('says once that records have no effect, if the option dns is off', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const { dns } = openManual()
    dns.cname('a.example.com', 'b.example.com')
    dns.fail('b.example.com', 'SERVFAIL')
    const text =
      'The record for a.example.com has no effect: no attempt checks the zone, because the dns option is off.'
    expect(warn.mock.calls).toEqual([[expect.stringContaining(text)]])
    openWithZone().dns.cname('a.example.com', 'b.example.com')
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('lists its records by name, in lower case and without trailing dots, with one record for a name', () => {
    const { dns } = openManual()
    expect(dns.cname('B.example.com.', 'Target.example.net.')).toEqual({
      name: 'b.example.com',
      type: 'CNAME',
      value: 'target.example.net',
    })
    dns.a('a.example.com', '192.0.2.1')
    dns.a('b.example.com', '192.0.2.2')
    dns.cname('_acme-challenge.a.example.com', 't.example.net')
    expect(dns.records()).toEqual([
      { name: '_acme-challenge.a.example.com', type: 'CNAME', value: 't.example.net' },
      { name: 'a.example.com', type: 'A', value: '192.0.2.1' },
      { name: 'b.example.com', type: 'A', value: '192.0.2.2' },
    ])
  })

  test('removes the record of a name, in upper or lower case, or all records', () => {
    const { dns } = openManual()
    for (const name of ['a.example.com', 'b.example.com', 'c.example.com']) dns.a(name, '192.0.2.1')
    dns.remove('A.example.com.')
    dns.remove('unknown.example.com')
    expect(dns.records().map(({ name }) => name)).toEqual(['b.example.com', 'c.example.com'])
    dns.clear()
    expect(dns.records()).toEqual([])
  })

  test.each([
    ['a name of 253', LONGEST],
    ['a name of 253 and a final dot', `${LONGEST}.`],
    ['a label of 63', `${'a'.repeat(63)}.com`],
    ['underscores', '_a._b_.example.com'],
    ['one label', 'localhost'],
    ['a wildcard of a whole suffix', '*.com'],
    ['a label that begins with digits', '192.0.2.1a'],
    ['digits before the end', '1.2.3.example'],
  ])('takes %s, as name and as target', (_what, name) => {
    const { dns } = openManual()
    const normalName = name.replace(/\.$/, '')
    expect(dns.cname(name, name)).toEqual({ name: normalName, type: 'CNAME', value: normalName })
    expect(dns.records()).toEqual([{ name: normalName, type: 'CNAME', value: normalName }])
    dns.remove(name)
    expect(dns.records()).toEqual([])
  })

  test('removes, over HTTP, records with the name, the type and the value of the request', async () => {
    const gateway = openManual()
    const api = client(gateway)
    const { dns } = gateway
    const all = [
      { name: 'a.test', type: 'A', value: '192.0.2.1' },
      { name: 'b.test', type: 'A', value: '192.0.2.2' },
      { name: 'c.test', type: 'CNAME', value: 't.test' },
      { name: 'd.test', type: 'CNAME', value: 'u.test' },
    ]
    const queries: [string, string[]][] = [
      ['name=A.test.', ['b.test', 'c.test', 'd.test']],
      ['type=A', ['c.test', 'd.test']],
      ['value=T.Test.', ['a.test', 'b.test', 'd.test']],
      ['type=CNAME&value=192.0.2.1', ['a.test', 'b.test', 'c.test', 'd.test']],
      ['name=c.test&type=A', ['a.test', 'b.test', 'c.test', 'd.test']],
      ['name=c.test&type=CNAME&value=t.test', ['a.test', 'b.test', 'd.test']],
      ['name=a.test&value=192.0.2.2', ['a.test', 'b.test', 'c.test', 'd.test']],
      ['name=a.test&value=192.0.2.1', ['b.test', 'c.test', 'd.test']],
      ['name=unknown.test', ['a.test', 'b.test', 'c.test', 'd.test']],
      ['', []],
    ]
    for (const [query, names] of queries) {
      for (const json of all) expect((await api('PUT', CONTROL, { json })).body).toEqual(json)
      const isUnknown = query.startsWith('name=') && names.length === all.length
      expect(outcome(await api('DELETE', `${CONTROL}?${query}`))).toMatch(isUnknown ? /^404 / : /^204$/)
      expect(dns.records().map(({ name }) => name)).toEqual(names)
      expect((await api('GET', CONTROL)).body).toEqual(dns.records())
    }
    for (const query of ['type=MX', 'name=a_.test..', 'ttl=5']) {
      expect(outcome(await api('DELETE', `${CONTROL}?${query}`))).toMatch(/^400 /)
    }
  })

  test('stays when a domain is deleted', () => {
    const { gateway, id } = openWithCertificate()
    gateway.dns.a(DOMAIN, '192.0.2.1')
    gateway.reservedDomains.delete(id)
    expect(gateway.dns.records()).toHaveLength(1)
  })

  const badNames = ['', 'a b', 'a..b', 'a.b..', '\u212a.b', '-a.b', 'a-.b', 'a.*.b', 'a*.b', 'https://a.b/']
  const tooLong = [`${'a'.repeat(64)}.com`, `a${LONGEST}`, `${'a.'.repeat(127)}com`]
  const addresses = ['5', '192.0.2.1', '192.0.2.1.', '192.0.2.300', '192.0.2', '2001:DB8::1', '[::1]']
  const badAddresses = ['192.0.2', '192.0.02.1', '2001:db8::1', '192.0.2.1.5', '192.0.2.256', 'b.example.com']
  const NOT_A_NAME = /Allowed: a DNS name such as .*, not an IP address\.$/
  const wrongCalls: [string, (dns: Gateway['dns']) => unknown, string, RegExp][] = [
    ...[...badNames, ...tooLong, ...addresses].flatMap((name): typeof wrongCalls => [
      [`the name ${name}`, (dns) => dns.a(name, '192.0.2.1'), 'name', NOT_A_NAME],
      [`the target ${name}`, (dns) => dns.cname('a.example.com', name), 'value', NOT_A_NAME],
      [`to remove ${name}`, (dns) => dns.remove(name), 'name', NOT_A_NAME],
    ]),
    ...badAddresses.map((address): (typeof wrongCalls)[number] => [
      `the address ${address}`,
      (dns) => dns.a('a.example.com', address),
      'value',
      /Allowed: an IPv4 address/,
    ]),
    [
      'to remove an undefined name',
      (dns) => dns.remove(undefined as never),
      'name',
      /^name is missing\. It is required\.$/,
    ],
    ['to remove null', (dns) => dns.remove(null as never), 'name', /^name is missing\. It is required\.$/],
    ['to remove a number', (dns) => dns.remove(7 as never), 'name', /^name is 7\. Allowed: a string\.$/],
    ['a name that is no text', (dns) => dns.a(7 as never, '192.0.2.1'), 'name', /Allowed: a string/],
    ['a target that is null', (dns) => dns.cname('a.example.com', null), 'value', /value is (missing|null)/],
  ]
  test.each(wrongCalls)(
    'rejects %s, names the field and what is allowed, and stays unchanged',
    (_what, edit, field, allowed) => {
      const { dns } = openManual()
      dns.a('a.example.com', '192.0.2.9')
      const before = dns.records()
      const error = expectError(() => edit(dns))
      expect(error).toMatchObject({ name: 'GatewayError', status: 400 })
      expect(Object.keys(withoutFacts(error.details))).toEqual([`field:${field}`])
      expect(error.message).toMatch(allowed)
      expect(dns.records()).toEqual(before)
    },
  )
})
