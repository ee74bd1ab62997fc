import { describe, expect, test } from 'vitest'
import { catchError, client } from '../../support/client.ts'
import { DOMAIN, openWithZone } from '../../support/provisioning.ts'

const CONTROL = 'http://localhost/_fauxgate/dns'

/** Opens a gateway with a domain whose CNAME records are right. */
function openWithTargets(domain: string) {
  const zone = openWithZone(domain)
  zone.dns.cname(domain, zone.target)
  if (zone.challenge) zone.dns.cname('_acme-challenge.example.com', zone.challenge)
  return zone
}

describe('The parameters of a CAA record (rules: simulated-dns#caa)', () => {
  test.each<[domain: string, issue: string[] | undefined, issuewild: string[] | undefined, isIssued: boolean]>([
    [DOMAIN, ['letsencrypt.org; validationmethods=http-01'], undefined, true],
    [DOMAIN, ['letsencrypt.org; validationmethods=dns-01,http-01'], undefined, true],
    [DOMAIN, ['letsencrypt.org; validationmethods=dns-01'], undefined, false],
    ['*.example.com', ['letsencrypt.org; validationmethods=dns-01'], undefined, true],
    ['*.example.com', ['letsencrypt.org; validationmethods=http-01'], undefined, false],
    [DOMAIN, ['letsencrypt.org; accounturi=https://ca.example/acct/1'], undefined, false],
    [DOMAIN, ['letsencrypt.org; accounturi=https://ca.example/acct/1', 'letsencrypt.org'], undefined, true],
    ['*.example.com', ['letsencrypt.org'], [], false],
    ['*.example.com', ['letsencrypt.org'], ['pki.goog'], false],
    ['*.example.com', [], ['letsencrypt.org'], true],
    [DOMAIN, ['letsencrypt.org'], [], true],
    [DOMAIN, [], ['letsencrypt.org'], false],
    [DOMAIN, undefined, ['pki.goog'], true],
    ['*.example.com', undefined, ['pki.goog'], false],
    ['*.example.com', undefined, ['letsencrypt.org'], true],
  ])('%s with issue %j and issuewild %j is issued: %j', (domain, issue, issuewild, isIssued) => {
    const { dns, attempt } = openWithTargets(domain)
    dns.caa('example.com', issue, issuewild && { issuewild })
    expect(attempt() === 'issued').toBe(isIssued)
  })

  test('say in the message what to change', () => {
    const account = openWithTargets(DOMAIN)
    account.dns.caa('example.com', ['letsencrypt.org; AccountURI = https://ca.example/1'])
    expect(account.attempt()).toContain(
      'allows only letsencrypt.org; accounturi=https://ca.example/1. Remove accounturi, which cannot be checked.',
    )
    const method = openWithTargets('*.example.com')
    method.dns.caa('example.com', [], { issuewild: ['LetsEncrypt.org; validationmethods=http-01,tls-alpn-01'] })
    expect(method.attempt()).toContain(
      'allows only letsencrypt.org; validationmethods=http-01,tls-alpn-01 for wildcards. Add dns-01 to validationmethods.',
    )
  })

  test('say which property to change, and with that the certificate is issued', () => {
    const { dns, attempt } = openWithTargets('*.example.com')
    dns.caa('example.com', ['letsencrypt.org'], { issuewild: [] })
    expect(attempt()).toContain(
      'one for example.com that allows no authority for wildcards. Add letsencrypt.org to issuewild, or remove the record.',
    )
    dns.caa('example.com', ['letsencrypt.org'], { issuewild: ['letsencrypt.org'] })
    expect(attempt()).toBe('issued')
  })

  test('are those of issuewild alone if issue is absent, over HTTP too', async () => {
    const { gateway, dns, attempt } = openWithTargets(DOMAIN)
    const alone = { name: 'example.com', type: 'CAA', issuewild: 'pki.goog' }
    expect(dns.caa('example.com', undefined, { issuewild: ['pki.goog'] })).toEqual(alone)
    dns.remove('example.com')
    expect((await client(gateway)('PUT', CONTROL, { json: alone })).body).toEqual(alone)
    gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    expect([attempt(), gateway.dns.records().at(-1)]).toEqual(['issued', alone])
    for (const options of [undefined, {}])
      expect(catchError(() => dns.caa('example.com', undefined, options))).toMatchObject({ key: 'field_invalid' })
  })

  test.each(['letsencrypt.org; accounturi', 'letsencrypt.org; a b=c', '; accounturi=x', 'a b'])(
    'are rejected if they cannot be parsed: %s, and nothing changes',
    async (text) => {
      const { gateway, dns } = openWithZone()
      const before = gateway.snapshot()
      expect(catchError(() => dns.caa('example.com', [text]))).toMatchObject({ key: 'field_invalid' })
      expect(catchError(() => dns.caa('example.com', [], { issuewild: [text] }))).toMatchObject({
        key: 'field_invalid',
      })
      const other = { name: 'example.com', type: 'A', value: '192.0.2.1', issuewild: 'letsencrypt.org' }
      expect((await client(gateway)('PUT', CONTROL, { json: other })).body.msg).toContain('only CAA records have one')
      expect(gateway.snapshot()).toEqual(before)
    },
  )
})

describe('A name has a CAA record beside an address (rules: simulated-dns#names)', () => {
  test('and both are listed, looked up and removed', () => {
    const { dns, attempt } = openWithTargets(DOMAIN)
    dns.caa('example.com', ['pki.goog'], { issuewild: ['letsencrypt.org'] })
    dns.a('example.com', '192.0.2.1')
    expect(dns.records().slice(-2)).toEqual([
      { name: 'example.com', type: 'A', value: '192.0.2.1' },
      { name: 'example.com', type: 'CAA', value: 'pki.goog', issuewild: 'letsencrypt.org' },
    ])
    expect(attempt()).toContain('Found one for example.com that allows only pki.goog.')
    dns.remove('example.com')
    expect(dns.records().map(({ name }) => name)).toEqual([DOMAIN])
  })

  test('but not beside a CNAME record or a failure, which exclude all others (RFC 1034, 3.6.2)', () => {
    const { dns } = openWithZone()
    const types = () => dns.records().map(({ type }) => type)
    dns.proxy('example.com', 'Fastly')
    dns.caa('example.com', [])
    expect(types()).toEqual(['PROXY', 'CAA'])
    dns.cname('example.com', 'www.example.net')
    expect(types()).toEqual(['CNAME'])
    dns.caa('example.com', [])
    expect(types()).toEqual(['CAA'])
    dns.fail('example.com', 'SERVFAIL')
    expect(types()).toEqual(['SERVFAIL'])
  })

  test('and a name with only a CAA record has no address from a wildcard (RFC 4592, 3.3.1)', () => {
    const { dns, target, attempt } = openWithZone()
    dns.cname('*.example.com', target)
    dns.caa(DOMAIN, ['letsencrypt.org'])
    expect(attempt()).toContain('Found a CAA record that allows only letsencrypt.org.')
  })

  test('and so has one of a snapshot of 0.1.0, which has CAA records in the place of addresses', () => {
    const { dns, gateway, attempt } = openWithTargets(DOMAIN)
    const { records, ...rest } = JSON.parse(JSON.stringify(gateway.snapshot()))
    delete records.dns_caa_records
    const caa = { name: 'example.com', type: 'CAA', value: 'pki.goog' }
    gateway.restore({ ...rest, records: { ...records, dns_records: [...records.dns_records, caa] } })
    expect(attempt()).toContain('Found one for example.com that allows only pki.goog.')
    dns.a('example.com', '192.0.2.1')
    expect(dns.records().slice(-2)).toEqual([{ name: 'example.com', type: 'A', value: '192.0.2.1' }, caa])
    dns.caa('example.com', ['letsencrypt.org'])
    expect([dns.records().length, attempt()]).toEqual([3, 'issued'])
  })

  test('and both survive a snapshot', () => {
    const { dns, gateway } = openWithZone()
    dns.a('example.com', '192.0.2.1')
    dns.caa('example.com', [])
    const records = dns.records()
    gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    expect(gateway.dns.records()).toEqual(records)
  })
})
