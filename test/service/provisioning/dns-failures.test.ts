import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { catchError, client } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { DOMAIN, dueAfter, openManual, openWithCertificate, openWithZone } from '../../support/provisioning.ts'

const CONTROL = 'http://localhost/_fauxgate/dns'

describe('A record that propagates (rules: simulated-dns#propagation)', () => {
  test('makes attempts fail until resolvers see it, and the message says how long to wait', () => {
    const { dns, target, clock, job } = openWithZone()
    expect(dns.cname(DOMAIN, target, { after: '2m' })).toEqual({
      name: DOMAIN,
      type: 'CNAME',
      value: target,
      visibleFrom: dueAfter('2m'),
    })
    clock.advanceToNext()
    expect(job()).toMatchObject({
      error_code: 'DNS_ERROR',
      msg:
        `Expected a CNAME record for ${DOMAIN} with the value ${target}. Found no record for ${DOMAIN} yet: the record ` +
        `was set, but won't propagate until ${dueAfter('2m')}. Wait another 90 seconds. (ERR_GATEWAY_26015, ERR_GATEWAY_425)`,
      retries_at: dueAfter('30s', '1h'),
    })
    clock.advanceToNext()
    expect(job()).toBeNull()
  })

  test('is visible from that second on, regardless of when somebody reads', () => {
    const early = openWithZone()
    early.dns.cname(DOMAIN, early.target, { after: '30s' })
    early.clock.advance('10d')
    expect(early.gateway.provisioning.timeline(early.id).map(({ transition }) => transition)).toEqual([
      'started',
      'issued',
    ])
    const late = openWithZone()
    late.dns.cname(DOMAIN, late.target, { after: Date.parse(dueAfter('30s')) - CLOCK_START + 1 })
    late.clock.advance('10d')
    expect(late.gateway.provisioning.timeline(late.id)[1]).toMatchObject({ transition: 'failed', at: dueAfter('30s') })
  })

  test('keeps its time of propagation in a snapshot and in a store', () => {
    const { gateway, dns, target } = openWithZone()
    dns.cname(DOMAIN, target, { after: '2m' })
    const other = openManual({ dns: 'simulated' })
    other.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    expect(other.dns.records()).toEqual(dns.records())
  })

  test('forbids nothing before resolvers see it, if it is a CAA record', () => {
    const { dns, target, attempt } = openWithZone()
    dns.cname(DOMAIN, target)
    dns.caa('example.com', [], { after: '1h' })
    expect(attempt()).toBe('issued')
  })

  test('without a delay is visible at once', () => {
    const { dns, target } = openWithZone()
    expect(dns.cname(DOMAIN, target, { after: 0 })).toEqual({ name: DOMAIN, type: 'CNAME', value: target })
  })
})

describe('A record for a CDN or for failing name servers', () => {
  test.each([
    [
      'the proxy of a CDN',
      { type: 'PROXY', value: 'Cloudflare' },
      `Found addresses of Cloudflare, a CDN that proxies ${DOMAIN} and hides its CNAME record. Turn off its proxy for this name. (ERR_GATEWAY_26015, ERR_GATEWAY_515)`,
    ],
    [
      'name servers that answer SERVFAIL',
      { type: 'SERVFAIL' },
      `Found a SERVFAIL response from the name servers for ${DOMAIN}. Fix their zone, for example its DNSSEC records. (ERR_GATEWAY_26012, ERR_GATEWAY_445)`,
    ],
    [
      'name servers that do not answer',
      { type: 'TIMEOUT' },
      `Found no response in time from the name servers for ${DOMAIN}. Check that they are running and reachable. (ERR_GATEWAY_26012, ERR_GATEWAY_445)`,
    ],
  ])(
    '%s: the attempt fails with its own message (rules: simulated-dns#proxies-and-failing-name-servers)',
    async (_, fields, finding) => {
      const { gateway, clock, job, target, attempt } = openWithZone()
      const { status } = await client(gateway)('PUT', CONTROL, { json: { name: DOMAIN, ...fields } })
      expect(status).toBe(200)
      expect(attempt()).toBe(`Expected a CNAME record for ${DOMAIN} with the value ${target}. ${finding}`)
      gateway.dns.cname(DOMAIN, target)
      clock.advanceToNext()
      expect(job()).toBeNull()
    },
  )

  test('makes attempts fail also at the end of a chain, at a challenge, and as a wildcard record', () => {
    const chainZone = openWithZone()
    chainZone.dns.cname(DOMAIN, 'cdn.example.net')
    chainZone.dns.proxy('cdn.example.net', 'Fastly')
    expect(chainZone.attempt()).toContain(
      'Found a CNAME record to cdn.example.net, which has addresses of Fastly, a CDN that proxies cdn.example.net',
    )
    const challengeZone = openWithZone('*.example.com')
    challengeZone.dns.cname('*.example.com', challengeZone.target)
    challengeZone.dns.fail('_acme-challenge.example.com', 'TIMEOUT')
    expect(challengeZone.attempt()).toContain(
      'no response in time from the name servers for _acme-challenge.example.com',
    )
    const wildcardZone = openWithZone()
    wildcardZone.dns.fail('*.example.com', 'SERVFAIL')
    expect(wildcardZone.attempt()).toContain(`a SERVFAIL response from the name servers for ${DOMAIN}`)
  })
})

describe('A CAA record (rules: simulated-dns#caa)', () => {
  test('in the place of a CNAME record is named in the message', () => {
    const { dns, attempt } = openWithZone()
    dns.caa(DOMAIN, ['letsencrypt.org'])
    expect(attempt()).toContain('Found a CAA record that allows only letsencrypt.org.')
    dns.cname(DOMAIN, 'www.example.net')
    dns.caa('www.example.net', [])
    expect(attempt()).toContain('a CNAME record to www.example.net, which has a CAA record that allows no authority.')
  })

  test.each<[string, string, string[], string]>([
    ['at the name below a wildcard', '*.example.com', ['digicert.com'], 'example.com that allows only digicert.com.'],
    ['above the name', DOMAIN, ['digicert.com', 'Pki.Goog.'], 'example.com that allows only digicert.com, pki.goog.'],
    ['that allows nobody', DOMAIN, [], 'example.com that allows no authority.'],
    [
      'of a name that only begins alike',
      DOMAIN,
      ['letsencrypts.org'],
      'example.com that allows only letsencrypts.org.',
    ],
  ])('%s forbids the authority, and the message says what to do', (_, domain, authorities, finding) => {
    const { dns, target, challenge, clock, job, gateway, attempt } = openWithZone(domain)
    dns.cname(domain, target)
    if (challenge) dns.cname('_acme-challenge.example.com', challenge)
    dns.caa('example.com', authorities)
    expect(attempt()).toBe(
      `Expected no CAA record for ${domain} or a parent domain that forbids letsencrypt to issue. Found one for ` +
        `${finding} Add letsencrypt.org to issue, or remove the record. (ERR_GATEWAY_26014, ERR_GATEWAY_26000)`,
    )
    const records = gateway.provisioning.timeline(domain)
    expect(records.at(-1)?.outcome).toBe('DNS_ERROR')
    dns.remove('example.com')
    clock.advanceToNext()
    expect(job()).toBeNull()
  })

  test.each<[string, string, string[]]>([
    ['that names the authority', 'example.com', ['digicert.com', 'letsencrypt.org']],
    ['that names it as policies do', 'example.com', ['LetsEncrypt']],
    ['of another name', 'other.example.com', []],
    ['of a name below', `www.${DOMAIN}`, []],
  ])('%s forbids nothing', (_, name, authorities) => {
    const { dns, target, attempt } = openWithZone()
    dns.cname(DOMAIN, target)
    dns.caa(name, authorities)
    expect(attempt()).toBe('issued')
  })

  test('counts if it is the nearest one, and failing name servers above also make the attempt fail (RFC 8659, 3)', () => {
    const near = openWithZone('a.b.example.com')
    near.dns.cname('a.b.example.com', near.target)
    near.dns.caa('b.example.com', ['letsencrypt.org'])
    near.dns.caa('example.com', [])
    expect(near.attempt()).toBe('issued')
    const failing = openWithZone()
    failing.dns.cname(DOMAIN, failing.target)
    failing.dns.fail('example.com', 'SERVFAIL')
    expect(failing.attempt()).toContain('Found a SERVFAIL response from the name servers for example.com.')
  })

  test('makes a renewal fail, and the certificate in use stays', () => {
    const { gateway, id, job, certificate, certificate_id, domain } = openWithCertificate()
    const zone = openManual({ dns: 'simulated' })
    zone.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    zone.dns.cname(DOMAIN, domain().cname_target)
    zone.dns.caa('com', ['digicert.com'])
    zone.clock.advance('61d')
    const after = zone.reservedDomains.get(id)
    expect(after.certificate_management_status?.provisioning_job?.msg).toContain('Found one for com')
    expect(after.certificate?.id).toBe(certificate_id)
    expect([job(), certificate()]).toEqual([null, certificate_id])
  })
})

describe('The zone', () => {
  test.each([
    ['SERVFAIL', '192.0.2.1', 'no value'],
    ['TIMEOUT', 'x', 'no value'],
    ['PROXY', ' ', 'the name of a CDN'],
    ['PROXY', 'x'.repeat(101), 'the name of a CDN'],
    ['CAA', 'not a name', 'names of authorities'],
    ['CAA', '192.0.2.1', 'names of authorities'],
    ['MX', 'x', 'CNAME, A, CAA, PROXY, SERVFAIL, TIMEOUT'],
  ])('rejects %s with %j, and says what is allowed', async (type, value, allowed) => {
    const gateway = openManual()
    const { status, body } = await client(gateway)('PUT', CONTROL, { json: { name: DOMAIN, type, value } })
    expect([status, body.error_code]).toEqual([400, 'ERR_GATEWAY_215'])
    expect(body.msg).toContain(allowed)
    expect(gateway.dns.records()).toEqual([])
  })

  test.each([
    ['cname', [DOMAIN, 'x.example.net', { after: 'soon' }], 'after is "soon"'],
    ['cname', [DOMAIN, 'x.example.net', { later: '1s' }], 'later'],
    ['fail', [DOMAIN, 'CNAME'], 'how is "CNAME". Allowed: SERVFAIL or TIMEOUT'],
    ['caa', [DOMAIN, 'digicert.com'], 'authorities is "digicert.com"'],
    ['proxy', [DOMAIN], 'the name of a CDN'],
  ])('rejects %s(%j)', (name, args, message) => {
    const gateway = createGateway()
    const call = Reflect.get(gateway.dns, name) as (...args: unknown[]) => unknown
    expect(catchError(() => call(...args))?.message).toContain(message)
    expect(gateway.dns.records()).toEqual([])
  })

  test('lists and removes CDNs and failing name servers like other records', async () => {
    const gateway = openManual()
    gateway.dns.proxy('a.example.com', 'Cloudflare')
    gateway.dns.fail('b.example.com', 'TIMEOUT')
    expect(gateway.dns.records()).toEqual([
      { name: 'a.example.com', type: 'PROXY', value: 'Cloudflare' },
      { name: 'b.example.com', type: 'TIMEOUT', value: '' },
    ])
    const remove = (query: string) => client(gateway)('DELETE', `${CONTROL}?${query}`)
    expect((await remove('type=PROXY&value=cloudflare')).status).toBe(204)
    expect((await remove('type=TIMEOUT')).status).toBe(204)
    expect(gateway.dns.records()).toEqual([])
  })

  test('says in timelines which CAA record forbids the certificate', async () => {
    const { gateway, dns, target } = openWithZone()
    dns.cname(DOMAIN, target)
    dns.caa('example.com', ['digicert.com'])
    const { body } = await client(gateway)('GET', 'http://localhost/_fauxgate/timelines')
    expect(body.timelines[0].records).toEqual([
      { name: DOMAIN, type: 'CNAME', value: target, problem: null, found: null },
      {
        name: 'example.com',
        type: 'CAA',
        value: 'letsencrypt',
        problem: expect.stringContaining('digicert.com'),
        found: expect.stringMatching(/^one for example.com that allows only digicert.com/),
      },
    ])
  })
})
