import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import type { Trouble, UsedControls } from '../../../src/generated/controls.ts'
import { type Gateway, manualClock } from '../../../src/index.ts'
import { certificatePair, expiredPair } from '../../../src/testing/testing.ts'
import { client, controlClient } from '../../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import {
  DOMAIN,
  dueAfter,
  ECDSA,
  openManual,
  openWithCertificate,
  openWithDomain,
  openWithZone,
  timeAfter,
} from '../../support/provisioning.ts'

async function listTroubles(gateway: Gateway): Promise<Trouble[]> {
  return (await controlClient(gateway)('GET', '/troubles')).body as Trouble[]
}

/** Sends the calls that end a trouble. */
async function fix(gateway: Gateway, { fix: calls = [] }: Partial<Trouble> = {}) {
  const statuses = []
  for (const { method, path, body } of calls)
    statuses.push((await controlClient(gateway)(method, path, body)).status < 300)
  expect(statuses.length).toBeGreaterThan(0)
  expect(statuses).not.toContain(false)
}

/** Ends a trouble by the call for all its places. Returns the status. */
async function end(gateway: Gateway, { id = 'none' }: Partial<Trouble> = {}) {
  return (await controlClient(gateway)('POST', '/troubles/fix', { id })).status
}

describe('The troubles of a gateway (rules: control-api#calls)', () => {
  test('are none for a new gateway, for one with a certificate and for one without simulated DNS', async () => {
    expect(await listTroubles(openManual())).toEqual([])
    expect(await listTroubles(openWithCertificate().gateway)).toEqual([])
  })

  test('count all domains of one cause, name eight of them and have the calls that fix all', async () => {
    const gateway = openManual({ dns: 'simulated' })
    for (let number = 0; number < 40; number++) {
      gateway.reservedDomains.create({ domain: `d${number}.example.com`, certificate_management_policy: ECDSA })
    }
    gateway.clock.advanceToNext()
    const [trouble, ...others] = await listTroubles(gateway)
    expect(others).toEqual([])
    expect(trouble).toMatchObject({
      kind: 'broken',
      count: 40,
      cause: 'No CNAME record leads to its target. Found no record for the domain.',
      due: dueAfter('30s', '1h'),
    })
    expect(trouble?.about).toHaveLength(8)
    expect(trouble?.about[0]).toMatchObject({ collection: 'reserved_domains', name: 'd39.example.com' })
    await fix(gateway, trouble)
    expect(await listTroubles(gateway)).toMatchObject([
      { kind: 'fixed', count: 40, cause: 'The DNS records are correct now.' },
    ])
    gateway.clock.advance('1h')
    expect(await listTroubles(gateway)).toEqual([])
  })

  test('count the requests to other hosts, also for more of them than are listed, and the overview counts them too', async () => {
    const gateway = openManual()
    using _ = gateway.install({ others: 'refuse' })
    for (let number = 0; number < 25; number++) await fetch(`https://api${number}.example.net`).catch(() => undefined)
    const troubles = await listTroubles(gateway)
    expect(troubles).toHaveLength(9)
    expect(troubles.at(0)?.about).toMatchObject([{ name: 'GET https://api0.example.net' }])
    expect(troubles.at(-1)?.cause).toBe('And 17 more requests to other hosts.')
    expect(troubles.reduce((sum, { count }) => sum + count, 0)).toBe(25)
    expect((await controlClient(gateway)('GET', '/overview')).body).toMatchObject({ rejected: 25 })
    gateway.requests.clear()
    expect((await controlClient(gateway)('GET', '/overview')).body).toMatchObject({ rejected: 0 })
  })

  test('are after each change those of a gateway that has never listed them', async () => {
    const gateway = openManual({ dns: 'simulated' })
    const { clock, dns, provisioning, reservedDomains } = gateway
    const names = ['a', 'b', 'c', 'd'].map((name) => `${name}.example.com`)
    const find = (name: string) => reservedDomains.list().reserved_domains.find(({ domain }) => domain === name)
    const pair = certificatePair({ names: ['up.example.com'], notBefore: SHOWN_START, notAfter: timeAfter('40d') })
    const changes: readonly (() => unknown)[] = [
      () => names.map((domain) => reservedDomains.create({ domain, certificate_management_policy: ECDSA })),
      () => clock.advance('30s'),
      () => dns.cname('a.example.com', find('a.example.com')?.cname_target ?? ''),
      () => dns.a('b.example.com', '203.0.113.9'),
      () => dns.cname('c.example.com', find('c.example.com')?.cname_target ?? '', { after: '2h' }),
      () => clock.advance('30m'),
      () => dns.caa('example.com', ['digicert.com']),
      () => provisioning.failAlways('INTERNAL_ERROR', { domain: 'd.example.com' }),
      () => provisioning.attempt('d.example.com'),
      () => dns.remove('example.com'),
      () => clock.advance('2h'),
      () => provisioning.clear(),
      () => clock.set(timeAfter('1h')),
      () =>
        reservedDomains.create({ domain: 'up.example.com', certificate_id: gateway.tlsCertificates.create(pair).id }),
      () => clock.advance('10d'),
      () => clock.advance('31d'),
      () => clock.set(timeAfter('20d')),
      () => reservedDomains.delete(find('up.example.com')?.id ?? ''),
      () => names.map((name) => reservedDomains.delete(find(name)?.id ?? '')),
      () => gateway.tlsCertificates.create(expiredPair({ names: ['old.example.com'] })),
    ]
    const counts = new Set<number>()
    for (const change of changes) {
      change()
      const other = openManual({ dns: 'simulated' })
      other.restore(gateway.snapshot({ privateKeys: true }))
      const troubles = await listTroubles(gateway)
      expect(troubles, String(change)).toEqual(await listTroubles(other))
      counts.add(troubles.length)
    }
    expect([...counts].sort()).toEqual([0, 1, 2, 3, 4])
  })

  test('say that a domain is fixed, and when its next attempt runs', async () => {
    const { gateway, dns, domain } = openWithZone()
    gateway.clock.advanceToNext()
    expect(await listTroubles(gateway)).toMatchObject([{ kind: 'broken' }])
    dns.cname(DOMAIN, domain().cname_target)
    expect(await listTroubles(gateway)).toMatchObject([{ kind: 'fixed', due: dueAfter('30s', '1h') }])
  })

  test('name a standing outcome as the cause once, for the domains that it makes fail, with the call that removes it', async () => {
    const gateway = openManual()
    gateway.provisioning.failAlways('INTERNAL_ERROR')
    const cause = 'Every attempt ends in INTERNAL_ERROR, because it was set for all attempts.'
    expect(await listTroubles(gateway)).toMatchObject([{ kind: 'unused', count: 1, cause }])
    for (const domain of ['a.example.com', 'b.example.com'])
      gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
    gateway.clock.advanceToNext()
    const [trouble, ...others] = await listTroubles(gateway)
    expect(others).toEqual([])
    expect(trouble).toMatchObject({ kind: 'injected', count: 2, cause, fix: [{ method: 'DELETE' }] })
    await fix(gateway, trouble)
    expect(gateway.provisioning.pendingOutcomes()).toEqual([])
    const [after] = await listTroubles(gateway)
    expect(after).toMatchObject({
      kind: 'injected',
      count: 2,
      cause: 'The last attempt ended in INTERNAL_ERROR, because a test scripted it.',
    })
    await fix(gateway, after)
    expect(await listTroubles(gateway)).toEqual([])
  })

  test('have an expired upload once: with the domain that uses it, or alone behind 150 newer certificates', async () => {
    const gateway = openManual()
    const upload = (name: string) => gateway.tlsCertificates.create(expiredPair({ names: [name], issuers: 2 })).id
    gateway.reservedDomains.create({ domain: 'used.example.com', certificate_id: upload('used.example.com') })
    const unused = upload('unused.example.com')
    const valid = certificatePair({ names: ['a.example.com'] })
    for (let number = 0; number < 150; number++) gateway.tlsCertificates.create(valid)
    expect(await listTroubles(gateway)).toMatchObject([
      {
        kind: 'broken',
        cause: expect.stringMatching(/^The certificate expired at/),
        about: [{ name: 'used.example.com' }],
      },
      {
        kind: 'unused',
        cause: expect.stringMatching(/^The uploaded certificate expired at .* No domain uses it. Delete it.$/),
        about: [{ collection: 'tls_certificates', key: unused, name: 'unused.example.com' }],
      },
    ])
  })

  test('have waiting faults and outcomes, faults that still apply, and the requests that a used-up one rejected', async () => {
    const gateway = openManual()
    gateway.faults.add({ operation: 'reserved_addrs.list', status: 503 })
    gateway.faults.add({ operation: 'reserved_addrs.get', status: 503, times: 1 })
    gateway.provisioning.script(['DNS_ERROR', 'success'], { domain: DOMAIN })
    await client(gateway)('GET', '/reserved_addrs')
    await client(gateway)('GET', '/reserved_addrs/ra_1')
    const found = await listTroubles(gateway)
    expect(found).toMatchObject([
      {
        kind: 'unused',
        count: 2,
        cause: `2 outcomes are waiting for attempts. No domain is named ${DOMAIN}.`,
        about: [{ name: `DNS_ERROR for ${DOMAIN}` }, {}],
      },
      {
        kind: 'injected',
        cause: 'A fault set the response, with status 503, and is used up: reserved_addrs.get times 1, status 503.',
        about: [{ name: 'GET /reserved_addrs/ra_1' }],
      },
      { kind: 'injected', about: [{ name: 'reserved_addrs.list status 503' }] },
    ])
    for (const each of found) await fix(gateway, each)
    expect(await listTroubles(gateway)).toEqual([])
  })

  test('count what they leave out: of 12 faults, eight are listed', async () => {
    const gateway = openManual()
    for (let number = 0; number < 12; number++) gateway.faults.add({ status: 503, times: 1 })
    const found = await listTroubles(gateway)
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(12)
    const last = found.at(-1)
    expect(last).toMatchObject({ count: 4, cause: 'And 4 more faults.', about: [{ collection: 'faults' }, {}, {}, {}] })
    gateway.faults.add({ status: 503, times: 1 })
    // Its id has no number that changes.
    expect(await end(gateway, last)).toBe(204)
    expect((await controlClient(gateway)('GET', '/faults')).body).toHaveLength(8)
  })

  test('name one more domain in the singular, with its place, and end it by one call', async () => {
    const gateway = openManual({ dns: 'simulated' })
    for (let number = 0; number < 9; number++) {
      const domain = `d${number}.example.com`
      gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
      gateway.dns.cname(domain, `wrong${number}.example.net`)
    }
    const last = (await listTroubles(gateway)).at(-1)
    expect(last).toMatchObject({ count: 1, cause: 'And 1 more domain.', about: [{ collection: 'reserved_domains' }] })
    expect(last?.about[0]?.key).toMatch(/^rd_/)
    expect(await end(gateway, last)).toBe(204)
    expect(await listTroubles(gateway)).toHaveLength(8)
  })

  test('end by one call at all places of a cause, with each of its controls in the list of used ones', async () => {
    const gateway = openManual({ dns: 'simulated' })
    for (let number = 0; number < 250; number++)
      gateway.reservedDomains.create({ domain: `d${number}.example.com`, certificate_management_policy: ECDSA })
    gateway.clock.advance('31s')
    const [broken] = await listTroubles(gateway)
    expect(broken?.fix).toHaveLength(100)
    expect(await end(gateway, broken)).toBe(204)
    const [fixed] = await listTroubles(gateway)
    expect(fixed).toMatchObject({ kind: 'fixed', count: 250 })
    expect(await end(gateway, fixed)).toBe(204)
    expect(await listTroubles(gateway)).toEqual([])
    const { controls } = (await controlClient(gateway)('GET', '/controls')).body as UsedControls
    expect(controls.filter(({ path }) => path === '/_fauxgate/dns')).toHaveLength(250)
    expect(controls.some(({ path }) => path.endsWith('/fix'))).toBe(false)
  })

  test('end alone if another one has the same cause: each fault has its id', async () => {
    const gateway = openManual()
    for (const operation of ['reserved_addrs.list', 'reserved_domains.list'] as const)
      gateway.faults.add({ operation, times: 1, status: 503 })
    const [unused, other] = await listTroubles(gateway)
    expect(other?.cause).toBe(unused?.cause)
    expect(await end(gateway, unused)).toBe(204)
    expect(await listTroubles(gateway)).toEqual([other])
    expect(await end(gateway, unused)).toBe(404)
  })

  test('end by an id that stays while their counts grow', async () => {
    const gateway = openManual({ dns: 'simulated' })
    gateway.provisioning.script(['DNS_ERROR'], { domain: DOMAIN })
    const reserve = (domain: string) =>
      gateway.provisioning.attempt(gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA }).id)
    reserve('a.example.com')
    reserve('b.example.com')
    const early = await listTroubles(gateway)
    expect(early.map(({ kind, count }) => [kind, count])).toEqual([
      ['broken', 2],
      ['unused', 1],
    ])
    gateway.provisioning.script(['INTERNAL_ERROR'], { domain: DOMAIN })
    reserve('c.example.com')
    for (const each of early) expect(await end(gateway, each)).toBe(204)
    expect((await listTroubles(gateway)).map(({ kind, count }) => [kind, count])).toEqual([['fixed', 3]])
  })

  test('say what a partly used fault has done, and why it missed a later request', async () => {
    const gateway = openManual()
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 3, status: 503 })
    await client(gateway)('GET', '/reserved_addrs')
    const causes = async () => (await listTroubles(gateway)).map(({ kind, cause }) => [kind, cause])
    const used = 'A fault has applied to 1 of 3 requests, and is waiting for 2 more.'
    expect(await causes()).toEqual([['unused', used]])
    await client(gateway)('GET', '/reserved_domains')
    const missed =
      'The last one, GET /reserved_domains: its operation is reserved_domains.list, not reserved_addrs.list.'
    expect(await causes()).toEqual([['unused', `${used} ${missed}`]])
  })

  test('name up to three causes of the requests that one operation rejected, and leave out those that are fixed', async () => {
    const gateway = openManual()
    const create = (json: object) => client(gateway)('POST', '/reserved_domains', { json })
    for (const json of [{ metadata: 5 }, { description: 5 }, { description: 6 }])
      await create({ domain: 'ok.example.com', ...json })
    const refused = (await listTroubles(gateway)).map(({ kind, count, cause }) => ({ kind, count, cause }))
    const cause = expect.stringMatching(/^description is 6\. .* Before that: metadata is 5\.$/)
    expect(refused).toEqual([{ kind: 'rejected', count: 3, cause }])
    const taken = await create({ domain: 'ok.example.com' })
    expect((await create({ domain: 'ok.example.com' })).status).toBe(409)
    await client(gateway)('DELETE', `/reserved_domains/${taken.body.id}`)
    const after = await listTroubles(gateway)
    expect(after.map(({ kind, count, cause }) => ({ kind, count, cause }))).toEqual([
      ...refused,
      {
        kind: 'fixed',
        count: 1,
        cause: `The domain "ok.example.com" is already reserved, as ${taken.body.id}. Each name can be reserved only once. ${taken.body.id} has been deleted since.`,
      },
    ])
  })

  test('count the errors of requests that the journal has dropped, until it is cleared', async () => {
    const gateway = openManual({ journalSize: 2 })
    const send = client(gateway)
    for (let number = 0; number < 3; number++) await send('POST', '/reserved_domains', { json: { domain: 'no_pe' } })
    for (let number = 0; number < 4; number++) await send('GET', '/reserved_domains')
    expect(await listTroubles(gateway)).toEqual([
      {
        kind: 'rejected',
        count: 3,
        cause:
          'The journal has dropped 5 requests, 3 of them with an error that is not listed here. To keep more, set journalSize and journalBytes.',
        about: [],
      },
    ])
    await send('GET', '/reserved_domains')
    gateway.requests.clear()
    expect(await listTroubles(gateway)).toEqual([])
  })

  test('count the clients that wait until the same time, with one call for all of them', async () => {
    const gateway = openManual()
    gateway.faults.add({ operation: 'reserved_addrs.list', latency: '10s' })
    const sent = Array.from({ length: 12 }, () => client(gateway)('GET', '/reserved_addrs'))
    const [trouble, ...others] = (await listTroubles(gateway)).filter(({ kind }) => kind === 'waiting')
    expect(others).toEqual([])
    const cause = `12 clients are waiting until ${dueAfter('10s')}, because of a fault.`
    expect(trouble).toMatchObject({ count: 12, cause, fix: [{ path: '/clock' }] })
    expect(await end(gateway, trouble)).toBe(204)
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
  })

  test('name each content type that was rejected', async () => {
    const gateway = openManual()
    for (const type of ['application/x-www-form-urlencoded', 'text/plain'])
      await client(gateway)('POST', '/reserved_addrs', { raw: 'a=b', headers: { 'content-type': type } })
    const [{ cause = '' } = {}] = await listTroubles(gateway)
    expect(cause).toMatch(/"text\/plain".* Before that: .*"application\/x-www-form-urlencoded"/)
  })

  test('let the authority of a domain issue too, without the removal of another one', async () => {
    const { gateway, dns, domain } = openWithZone()
    dns.cname(DOMAIN, domain().cname_target)
    dns.caa('example.com', ['digicert.com'])
    gateway.clock.advanceToNext()
    const [trouble] = await listTroubles(gateway)
    await fix(gateway, trouble)
    expect(dns.records().find(({ type }) => type === 'CAA')?.value).toBe('digicert.com, letsencrypt.org')
    expect((await listTroubles(gateway)).map(({ kind }) => kind)).toEqual(['fixed'])
  })

  test('take no word of an error for the id of a deleted resource', async () => {
    const gateway = createNgrok({ clock: manualClock(CLOCK_START) })
    const send = client(gateway)
    await send('POST', '/nosuch', { json: {} })
    await send('POST', '/event_subscriptions', { json: { sources: [{ type: 'reserved_domain_created.v9' }] } })
    const kinds = (await listTroubles(gateway)).map(({ kind, cause }) => [kind, cause.includes('deleted since')])
    expect(kinds).toEqual([
      ['rejected', false],
      ['rejected', false],
    ])
  })

  test('say that a fault made a 429, not the limit of its message; for a real limit, how far to advance a still clock', async () => {
    const gateway = openManual({ rateLimit: { requests: 2, window: '60s' } })
    gateway.faults.add({ operation: 'reserved_addrs.list', error: 'too_many_requests', times: 1 })
    for (let number = 0; number < 4; number++) await client(gateway)('GET', '/reserved_addrs')
    const found = await listTroubles(gateway)
    expect(found).toMatchObject([
      {
        kind: 'rejected',
        cause: expect.stringMatching(/^More than 2 requests .* The clock does not move: advance it by 60 s\.$/),
      },
      {
        kind: 'injected',
        cause:
          'A fault set the response, with status 429, and is used up: reserved_addrs.list times 1, error too_many_requests.',
      },
    ])
    expect(await end(gateway, found[0])).toBe(204)
    const later = await listTroubles(gateway)
    expect(later.map(({ kind }) => kind)).toEqual(['injected', 'fixed'])
    expect(later.at(-1)?.cause).toMatch(/ The 60 seconds have passed\.$/)
  })

  test('say that the clock stands still after it once moved, if a client repeats a request', async () => {
    const { gateway } = openWithDomain()
    const poll = () => client(gateway)('GET', '/reserved_domains')
    await poll()
    gateway.clock.advance('1s')
    await poll()
    await poll()
    expect(await listTroubles(gateway)).toEqual([])
    await poll()
    const [trouble] = await listTroubles(gateway)
    expect(trouble).toMatchObject({
      kind: 'waiting',
      cause: expect.stringMatching(/^The clock does not move, and clients repeat GET \/reserved_domains: it is /),
    })
    expect(await end(gateway, trouble)).toBe(204)
    expect((await listTroubles(gateway)).map(({ kind }) => kind)).not.toContain('waiting')
  })

  test('name endpoints that no visitor can use: the policy denies all of them, or a client deleted the domain', async () => {
    const gateway = createNgrok({ clock: manualClock(SHOWN_START) })
    const { id } = gateway.reservedDomains.create({ domain: 'gone.example.com' })
    const deny = 'on_http_request:\n  - actions: [{ type: deny }]\n'
    const noRange = 'on_http_request:\n  - actions: [{ type: restrict-ips, config: { deny: [203.0.113.0/24] } }]\n'
    const always = "on_http_request:\n  - expressions: ['true']\n    actions: [{ type: deny }]\n"
    const some = `on_http_request:\n  - expressions: ["req.method == 'GET'"]\n    actions: [{ type: deny }]\n`
    for (const [host, traffic_policy] of Object.entries({ deny, no: noRange, always, some }))
      gateway.declare.tunnelSession({ endpoints: [{ url: `https://${host}.example.org`, traffic_policy }] })
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://gone.example.com' }] })
    const listed = async () =>
      (await listTroubles(gateway)).flatMap(({ cause, about }) => about.map(({ name }) => [name, cause]))
    const denied = (why: string) =>
      `The endpoint's policy denies every visitor. In the policy, on_http_request[0].actions[0].type ${why}`
    const all = 'is deny, and its rule applies to all requests. Add an expression to the rule, or remove the action.'
    const risks = [
      ['https://always.example.org', denied(all)],
      ['https://deny.example.org', denied(all)],
      [
        'https://no.example.org',
        denied(
          'is restrict-ips without an allowed range, which denies everyone. To allow everything that is not denied, write allow: [0.0.0.0/0, "::/0"].',
        ),
      ],
    ]
    const others = (await listed()).filter(([name]) => name !== 'gone.example.com')
    expect(others).toEqual(risks)
    const before = gateway.snapshot()
    gateway.reservedDomains.delete(id)
    const deleted = "The endpoint's domain was deleted. Reserve gone.example.com again, and restart the agent."
    expect(await listed()).toEqual([['https://gone.example.com', deleted], ...risks])
    gateway.restore(before)
    expect((await listed()).filter(([name]) => name !== 'gone.example.com')).toEqual(risks)
  })

  test('name parts of policies that no request reaches, and IP policies without rules, before the first visitor', async () => {
    const gateway = createNgrok({ clock: manualClock(SHOWN_START) })
    const { id } = gateway.ipPolicies.create({ description: 'empty' })
    const end = { actions: [{ type: 'custom-response', config: { status_code: 200 } }] }
    const never = { expressions: ["req.method == 'get'"], actions: [{ type: 'deny' }] }
    const restrict = { actions: [{ type: 'restrict-ips', config: { enforce: true, ip_policies: [id] } }] }
    const declare = (host: string, on_http_request: readonly object[]) =>
      gateway.declare.tunnelSession({
        endpoints: [{ url: `https://${host}.example.org`, traffic_policy: JSON.stringify({ on_http_request }) }],
      })
    for (const host of ['a', 'b']) declare(host, [end, restrict])
    declare('c', [never])
    const found = await listTroubles(gateway)
    expect(found.map(({ kind, count, cause }) => [kind, count, cause])).toEqual([
      [
        'risk',
        1,
        'In the policy, on_http_request[0].expressions[0] tests whether req.method is "get", which is never true. Methods are uppercase. Use \'GET\'.',
      ],
      [
        'risk',
        2,
        'In the policy, on_http_request[1] is never reached: custom-response in on_http_request[0] already ends all traffic. Move this rule before on_http_request[0].',
      ],
      [
        'risk',
        2,
        `The endpoint's policy uses ${id}, an IP policy without rules. Allow addresses with POST /ip_policy_rules.`,
      ],
    ])
    gateway.ipPolicyRules.create({ ip_policy_id: id, action: 'allow', cidr: '203.0.113.0/24' })
    expect(await listTroubles(gateway)).toHaveLength(2)
  })

  test('say that the clock has not moved since the oldest request, until it moves', async () => {
    const { gateway } = openWithDomain()
    await client(gateway)('GET', '/reserved_domains')
    expect(await listTroubles(gateway)).toMatchObject([
      {
        kind: 'waiting',
        cause: expect.stringMatching(/^The clock has not moved since the oldest request/),
        due: dueAfter('30s'),
      },
    ])
    gateway.clock.advance(400)
    expect((await listTroubles(gateway))[0]?.cause).toMatch(/^The clock has moved only 400 ms since the oldest request/)
    gateway.clock.advance(600)
    expect(await listTroubles(gateway)).toEqual([])
  })
})
