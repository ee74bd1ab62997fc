import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, manualClock } from '../../../src/index.ts'
import { certificatePair } from '../../../src/testing/testing.ts'
import { client, expectError } from '../../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import { dueAfter, openManual, openWithCertificate, openWithDomain, timeAfter } from '../../support/provisioning.ts'

const POLICY = { authority: 'letsencrypt' }

/** Returns the lines of a report below one of its titles, without their indentation. */
function readSection(gateway: Gateway, title: string): string[] {
  const lines = gateway.report().split('\n')
  const start = lines.findIndex((line) => line.startsWith(`  ${title}`))
  if (start === -1) return []
  const below = lines.slice(start + 1)
  const end = below.findIndex((line) => !line.startsWith('    '))
  return below.slice(0, end === -1 ? below.length : end).map((line) => line.slice(4))
}

describe('The report', () => {
  test('of an unused gateway says that there were no requests', () => {
    expect(openManual().report()).toBe(
      [`The gateway at ${SHOWN_START}:`, '  requests:', '    none over HTTP'].join('\n'),
    )
  })

  test('has each request with its body, its status, and the reason of a failure', async () => {
    const gateway = openManual()
    const send = client(gateway)
    await send('POST', '/reserved_domains', { json: { domain: 'app.example.com' } })
    gateway.clock.advance('1s')
    await send('POST', '/reserved_domains', { json: { domain: 'app.example.com' } })
    await send('GET', '/reserved_domains?limit=5')
    const [{ id } = { id: '' }] = gateway.reservedDomains.list().reserved_domains
    expect(readSection(gateway, 'requests')).toEqual([
      `${SHOWN_START}  POST /reserved_domains {"domain":"app.example.com"} → 201`,
      `${timeAfter('1s')}  POST /reserved_domains {"domain":"app.example.com"} → 409 ERR_GATEWAY_413`,
      `  The domain "app.example.com" is already reserved, as ${id}. Each name can be reserved only once.`,
      `${timeAfter('1s')}  GET /reserved_domains?limit=5 → 200`,
    ])
    expect(readSection(gateway, 'leftover resources')).toEqual([`reserved_domains ${id}`])
  })

  test('has the last events of the account, each with its resource or session and its delivery', async () => {
    const destinations = { datadog: 'http://127.0.0.1:1' }
    const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START), destinations })
    expect(readSection(gateway, 'sent events')).toEqual([])
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    const types = ['agent_session_start.v0', 'vault_created.v0', 'tcp_connection_closed.v0']
    gateway.eventSubscriptions.create({ sources: types.map((type) => ({ type })), destination_ids: [id] })
    const url = 'https://app.ngrok.app'
    const session = gateway.declare.tunnelSession({ endpoints: [{ url }] })
    await gateway.sentEvents.idle()
    const vault = gateway.vaults.create({ name: 'app' })
    await gateway.traffic.fetch(url)
    const lines = readSection(gateway, 'sent events')
    expect(lines).toEqual([
      expect.stringMatching(
        `^${SHOWN_START} agent_session_start.v0 of ${session.id} for ${id}: waiting, .fetch. blocks`,
      ),
      `${SHOWN_START} vault_created.v0 of ${vault.id} for ${id}: waiting`,
      `${SHOWN_START} tcp_connection_closed.v0 for ${id}: waiting`,
    ])
    for (let number = 0; number < 9; number++) gateway.vaults.create({ name: `app${number}` })
    expect(readSection(gateway, 'sent events').slice(0, 2)).toEqual(['… 2 earlier omitted', lines[2]])
  })

  test('says that no request fetched the next page of a list', async () => {
    const gateway = openManual()
    const send = client(gateway)
    for (let n = 0; n < 3; n++) gateway.reservedAddrs.create()
    const first = await send('GET', '/reserved_addrs?limit=2')
    expect(readSection(gateway, 'requests')).toEqual([
      `${SHOWN_START}  GET /reserved_addrs?limit=2 → 200`,
      '  There is another page, but no later request fetched it: see its next_page_uri.',
    ])
    await send('GET', first.body.next_page_uri.slice(gateway.url.length))
    expect(readSection(gateway, 'requests')).toHaveLength(2)
    expect(gateway.report()).not.toContain('another page')
  })

  test('says nothing of a next page to a client that asked with limit=1 whether there is anything', async () => {
    const gateway = openManual()
    for (let n = 0; n < 3; n++) gateway.reservedAddrs.create()
    await client(gateway)('GET', '/reserved_addrs?limit=1')
    expect(gateway.report()).not.toContain('another page')
  })

  test('keeps what explains earlier requests when it leaves these out', async () => {
    const gateway = openManual()
    const send = client(gateway)
    for (let n = 0; n < 3; n++) gateway.reservedAddrs.create()
    await send('GET', '/reserved_addrs?limit=2')
    for (let n = 0; n < 30; n++) await send('GET', `/reserved_domains?limit=${10 + n}`)
    expect(readSection(gateway, 'requests').slice(0, 4)).toEqual([
      '… 11 earlier omitted',
      `${SHOWN_START}  GET /reserved_addrs?limit=2 → 200`,
      '  There is another page, but no later request fetched it: see its next_page_uri.',
      `${SHOWN_START}  GET /reserved_domains?limit=20 → 200`,
    ])
  })

  test('keeps the notes of earlier requests, however many requests for unknown ids come later', async () => {
    const gateway = openManual()
    const send = client(gateway)
    for (let n = 0; n < 3; n++) gateway.reservedAddrs.create()
    await send('GET', '/reserved_addrs?limit=2')
    for (const name of ['one', 'two', 'one', 'two'])
      await send('POST', '/reserved_addrs', { json: { description: name } })
    for (let n = 0; n < 60; n++) await send('GET', `/reserved_addrs/ra_${n}`)
    const lines = readSection(gateway, 'requests')
    expect(lines[0]).toBe('… 45 earlier omitted')
    expect(lines).toContain('  There is another page, but no later request fetched it: see its next_page_uri.')
    expect(lines.filter((line) => line.includes('An identical request already created'))).toHaveLength(2)
    expect(lines.filter((line) => line.includes('/ra_')).length).toBe(20 + 2)
  })

  test('keeps notes of each kind for each operation, however many there are, and merges those that it leaves out', async () => {
    const gateway = createNgrok({ seed: 'notes', clock: manualClock(CLOCK_START) })
    const get = (path: string) => client(gateway)('GET', path, { headers: { 'ngrok-version': '2' } })
    for (const name of ['one', 'two', 'three']) {
      gateway.reservedAddrs.create()
      gateway.ipPolicies.create()
      gateway.vaults.create({ name })
      gateway.apiKeys.create()
    }
    const filter = (text: string) => `?filter=${encodeURIComponent(`obj.description == "${text}"`)}`
    for (const path of ['/reserved_addrs', '/ip_policies', '/vaults', '/api_keys']) {
      await get(`${path}?limit=2`)
      await get(path + filter('none'))
    }
    for (let n = 0; n < 30; n++) await get(`/vaults${filter(`none ${n}`)}`)
    const lines = readSection(gateway, 'requests')
    const page = '  There is another page, but no later request fetched it: see its next_page_uri.'
    const noteOf = (line: string) => lines[lines.indexOf(line) + 1]
    expect(noteOf('notes on earlier requests of ip_policies.list, reserved_addrs.list, such as:')).toBe(page)
    expect(noteOf(`${SHOWN_START}  GET /vaults?limit=2 → 200`)).toBe(page)
    expect(noteOf(`${SHOWN_START}  GET /api_keys?limit=2 → 200`)).toBe(page)
    const filterNote = '  The filter obj.description == "none" matches 0 of 3 reserved_addrs.'
    expect(noteOf('notes on earlier requests of reserved_addrs.list, such as:')).toBe(filterNote)
  })

  test('says that a client did not wait as long as Retry-After asked for', async () => {
    const gateway = openManual()
    const send = client(gateway)
    gateway.faults.add({ times: 1, status: 503, retryAfter: '30s' })
    await send('GET', '/reserved_addrs')
    gateway.clock.advance('2s')
    await send('GET', '/reserved_addrs')
    const hint = "  It came 2 s after a response with Retry-After: 30, on the gateway's clock."
    expect(readSection(gateway, 'requests')).toContain(hint)
    gateway.requests.clear()
    // Seconds that were taken for milliseconds.
    gateway.faults.add({ times: 1, status: 503, retryAfter: '30s' })
    await send('GET', '/reserved_addrs')
    gateway.clock.advance('30ms')
    await send('GET', '/reserved_addrs')
    expect(readSection(gateway, 'requests')).toContain(hint.replace('2 s', '0.03 s'))
    gateway.requests.clear()
    const earlier = gateway.snapshot()
    gateway.clock.advance('1m')
    gateway.faults.add({ times: 1, status: 503, retryAfter: '30s' })
    await send('GET', '/reserved_addrs')
    gateway.restore(earlier)
    await send('GET', '/reserved_addrs')
    expect(gateway.report()).not.toContain('It came')
    gateway.requests.clear()
    gateway.faults.add({ times: 1, status: 503, retryAfter: '30s' })
    await send('GET', '/reserved_addrs')
    gateway.clock.advance('30s')
    await send('GET', '/reserved_addrs')
    expect(gateway.report()).not.toContain('It came')
  })

  test('says that an identical request had created something before, even if its response was lost', async () => {
    const gateway = openManual()
    const send = client(gateway)
    gateway.faults.add({ times: 1, status: 503, phase: 'after' })
    for (let n = 0; n < 2; n++) await send('POST', '/reserved_addrs', { json: { description: 'app' } })
    await send('POST', '/reserved_addrs', { json: { description: 'other' } })
    const [, , first] = gateway.reservedAddrs.list().reserved_addrs
    const notes = readSection(gateway, 'requests').filter((line) => line.includes('identical request'))
    expect(notes).toEqual([`  An identical request already created ${first?.id}.`])
  })

  test('says what the service has stored otherwise than it was sent', async () => {
    const gateway = openManual()
    await client(gateway)('POST', '/reserved_domains', { json: { domain: 'App.Example.com' } })
    expect(readSection(gateway, 'requests')[1]).toBe(
      '  domain is "app.example.com" in the response, but "App.Example.com" was sent.',
    )
  })

  test('says what an update has emptied without naming it', async () => {
    const gateway = openManual()
    const send = client(gateway)
    const { id } = gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } })
    await send('PATCH', `/backends/weighted/${id}`, { json: { description: 'new' } })
    expect(readSection(gateway, 'requests')[1]).toBe('  It also cleared backends, which the request did not mention.')
    await send('PATCH', `/backends/weighted/${id}`, { json: { backends: {}, description: 'other' } })
    expect(readSection(gateway, 'requests')).toHaveLength(3)
  })

  test('names what an update has emptied as the API does', async () => {
    const { gateway, id } = openWithDomain()
    const { id: certificate_id } = gateway.tlsCertificates.create(certificatePair({ names: ['app.example.com'] }))
    await client(gateway)('PATCH', `/reserved_domains/${id}`, { json: { certificate_id } })
    expect(readSection(gateway, 'requests')[1]).toBe(
      '  It also cleared certificate_management_policy, which the request did not mention.',
    )
  })

  test('says that the responses to a client that polls show a failed attempt', async () => {
    const gateway = openManual()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: POLICY })
    gateway.provisioning.script(['DNS_ERROR'])
    const send = client(gateway)
    for (let n = 0; n < 4; n++) {
      await send('GET', `/reserved_domains/${id}`)
      gateway.clock.advance('20s')
    }
    const lines = readSection(gateway, 'requests').map((line) => line.slice(0, 110))
    expect(lines).toContain('  Its provisioning_job has the error_code DNS_ERROR: the attempt has failed.')
    expect(lines[0]).toMatch(/2 times until/)
  })

  test('shows the body that code may have misread, if the message of a test is about that', async () => {
    const gateway = openManual()
    const send = client(gateway)
    await send('POST', '/reserved_addrs', { json: { color: 'red' } })
    const about = "Cannot read properties of undefined (reading 'code')"
    const [body] = gateway.report({ about }).match(/POST \/reserved_addrs → 400 has the body .*/) ?? []
    expect(body).toMatch(/\{"error_code":"ERR_GATEWAY_214","status_code":400,"msg":".*","details":\{/)
    expect(gateway.report({ about: 'expected 1 to be 2' })).not.toContain('misread')
    const { id } = gateway.reservedAddrs.create()
    await send('DELETE', `/reserved_addrs/${id}`)
    const unexpected = gateway.report({ about: 'SyntaxError: Unexpected end of JSON input' })
    expect(unexpected).toContain(`DELETE /reserved_addrs/${id} → 204 has no body`)
  })

  test('names the domain that a request deleted', async () => {
    const gateway = openManual()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    await client(gateway)('DELETE', `/reserved_domains/${id}`)
    expect(gateway.report()).toContain(`DELETE /reserved_domains/${id} (app.example.com) → 204`)
  })

  test('shows the body of an error that a fault caused, but of no response before the newest one', async () => {
    const gateway = openManual()
    const send = client(gateway)
    const { id } = gateway.reservedAddrs.create()
    gateway.faults.add({ operation: 'reserved_addrs.create', times: 1, status: 500 })
    await send('POST', '/reserved_addrs', { json: {} })
    const about = "Cannot read properties of undefined (reading 'code')"
    expect(gateway.report({ about })).toMatch(
      /POST \/reserved_addrs → 500 has the body \{"error_code":"ERR_GATEWAY_90500",/,
    )
    await send('DELETE', `/reserved_addrs/${id}`)
    expect(gateway.report({ about })).not.toContain('misread')
  })

  test('does not say when the first request came, if the journal has dropped it', async () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), journalSize: 3 })
    const send = client(gateway)
    const json = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }
    await send('POST', '/reserved_domains', { json })
    gateway.clock.advance('5s')
    for (let count = 0; count < 4; count++) await send('GET', '/reserved_domains')
    expect(gateway.report()).toContain('that the journal has dropped')
    expect(gateway.report()).not.toContain('since the first request')
  })

  test('names the next event, if the clock has not moved since the first request', async () => {
    const gateway = openManual()
    const send = client(gateway)
    const json = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }
    await send('POST', '/reserved_domains', { json })
    await send('GET', '/reserved_domains')
    expect(readSection(gateway, 'next')).toEqual([
      'The clock has not moved since the first request.',
      `At ${dueAfter('30s')}: the attempt for app.example.com. \`gateway.clock.advanceToNext()\` goes there.`,
    ])
    gateway.clock.advance(400)
    expect(readSection(gateway, 'next')[0]).toBe('The clock has moved only 400 ms since the first request.')
    const earlier = gateway.snapshot()
    gateway.clock.advance(600)
    expect(readSection(gateway, 'next')).toEqual([])
    gateway.clock.advance('10s')
    gateway.requests.clear()
    await send('GET', '/reserved_domains')
    gateway.restore(earlier)
    expect(readSection(gateway, 'next')).toEqual([])
    const other = createGateway({ clock: { now: CLOCK_START } })
    await client(other)('POST', '/reserved_domains', { json })
    expect(readSection(other, 'next')).toEqual([])
  })

  test('names the fault that applied to a request', async () => {
    const gateway = openManual()
    gateway.faults.add({ operation: 'reserved_addrs.list', status: 502, body: '<h1>Bad gateway</h1>' })
    await client(gateway)('GET', '/reserved_addrs')
    expect(readSection(gateway, 'requests')).toEqual([
      `${SHOWN_START}  GET /reserved_addrs → 502`,
      '  by the fault {"operation":"reserved_addrs.list","status":502,"body":"<h1>Bad gateway</h1>"}',
    ])
  })

  test('says that a change was made whose response the client did not see', async () => {
    const gateway = openManual()
    gateway.faults.add({ operation: 'reserved_addrs.create', phase: 'after', drop: true })
    gateway.faults.add({ operation: 'reserved_addrs.list', truncate: 10 })
    await client(gateway)('POST', '/reserved_addrs', { json: {} }).catch(() => {})
    await client(gateway)('GET', '/reserved_addrs').catch(() => {})
    expect(readSection(gateway, 'requests').filter((line) => line.includes('by the fault'))).toEqual([
      expect.stringMatching(
        /"drop":true}: the change was made, but the connection broke, so the client saw no response$/,
      ),
      expect.stringMatching(/"truncate":10}: the client saw only the beginning of the response$/),
    ])
  })

  test('has the timeline of each managed domain, and of no other', () => {
    const { gateway, id } = openWithCertificate()
    gateway.reservedDomains.create({ domain: 'unmanaged.example.com' })
    const lines = readSection(gateway, `provisioning of app.example.com (${id})`)
    expect(lines).toEqual(gateway.provisioning.printTimeline(id).split('\n'))
    expect(gateway.report()).not.toContain('unmanaged')
  })

  test('warns of DNS records if attempts do not check them', () => {
    const gateway = openManual()
    gateway.dns.fail('app.example.com', 'SERVFAIL')
    expect(readSection(gateway, 'dns')).toEqual([
      'No attempt checks the zone, which contains 1 record: the dns option is off.',
    ])
    const simulated = openManual({ dns: 'simulated' })
    simulated.dns.fail('app.example.com', 'SERVFAIL')
    expect(readSection(simulated, 'dns')).toEqual([])
  })

  test('has pending faults and outcomes, with the reasons', async () => {
    const { gateway } = openWithDomain()
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 2 })
    gateway.provisioning.failNext('DNS_ERROR')
    await client(gateway)('GET', '/reserved_domains')
    await client(gateway)('GET', '/reserved_domains')
    expect(readSection(gateway, 'pending')).toEqual([
      '1 fault is still waiting for requests.',
      expect.stringMatching(/^fault_\w+ {"operation":"reserved_addrs.list","times":2}: applied to 0 of 2 requests\.$/),
      '  GET /reserved_domains: its operation is reserved_domains.list, not reserved_addrs.list. (2 times)',
      'No attempt used these outcomes: DNS_ERROR for any domain.',
      `  any domain: the next attempt, for app.example.com, is due at ${dueAfter('30s')}, and it is ${SHOWN_START}.`,
    ])
  })

  test('has only the length of a request body that is not JSON, since it may have secrets', async () => {
    const gateway = openManual()
    await client(gateway)('POST', '/reserved_addrs', {
      raw: '{"region"',
      headers: { 'content-type': 'application/json' },
    })
    expect(readSection(gateway, 'requests')[0]).toContain(
      ' POST /reserved_addrs [9 characters of text that is not JSON] → 400 ',
    )
  })

  test('says of a domain whose scripted outcome is pending why it had no attempt', () => {
    const gateway = openManual()
    gateway.reservedDomains.create({ domain: 'plain.example.com' })
    gateway.provisioning.failNext('DNS_ERROR', { domain: 'plain.example.com' })
    gateway.provisioning.failNext('DNS_ERROR', { domain: 'none.example.com' })
    gateway.provisioning.failNext('DNS_ERROR')
    expect(readSection(gateway, 'pending').slice(1)).toEqual([
      '  none.example.com: no domain with that name is reserved; the newest are plain.example.com.',
      '  plain.example.com: it has no certificate management policy, so there are no attempts.',
      '  any domain: no domain has a pending attempt or renewal.',
    ])
  })

  test('has one line for equal requests, such as those of an application that polls', async () => {
    const { gateway, id } = openWithDomain()
    const send = client(gateway)
    await send('PATCH', `/reserved_domains/${id}`, { json: { description: 'first' } })
    for (let turn = 0; turn < 40; turn++) {
      await send('GET', `/reserved_domains/${id}`)
      gateway.clock.advance('1s')
    }
    await send('GET', '/reserved_domains')
    expect(readSection(gateway, 'requests')).toEqual([
      `${SHOWN_START}  PATCH /reserved_domains/${id} {"description":"first"} → 200`,
      `${SHOWN_START}  40 times until ${timeAfter('39s')}: GET /reserved_domains/${id} → 200`,
      expect.stringMatching(
        /^ {2}the last response: \{"id":"rd_\w+","description":"first","domain":"app\.example\.com",/,
      ),
      `${timeAfter('40s')}  GET /reserved_domains → 200`,
    ])
  })

  test('has the last response of code that polls in vain, without secrets and addresses', async () => {
    const gateway = openManual()
    const { id } = gateway.reservedDomains.create({
      domain: 'app.example.com',
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    for (let turn = 0; turn < 3; turn++) await client(gateway)('GET', `/reserved_domains/${id}`)
    const [, last] = readSection(gateway, 'requests')
    expect(last).toContain('"certificate":null')
    expect(last).not.toContain('"uri"')
    for (let turn = 0; turn < 3; turn++) await client(gateway)('GET', '/reserved_domains/rd_none')
    expect(readSection(gateway, 'requests').filter((line) => line.includes('last response'))).toHaveLength(1)
  })

  test('says of no client that it needs a connection, if a function of the library rejected its arguments', () => {
    const gateway = openManual()
    gateway.install({ others: 'refuse' }).uninstall()
    const about = '"at" is not an option. Supported: names, notBefore.'
    expect(gateway.report({ about })).not.toContain('nothing arrived')
  })

  test('keeps the quotes of a body that is a string in JSON, such as an object that was stringified twice', async () => {
    const gateway = openManual()
    const send = client(gateway)
    await send('POST', '/reserved_addrs', { json: JSON.stringify({ description: 'x' }) })
    await send('POST', '/reserved_addrs', { raw: 'description=x' })
    const lines = readSection(gateway, 'requests')
    expect(lines[0]).toContain(String.raw`POST /reserved_addrs "{\"description\":\"x\"}" → 400`)
    expect(lines[2]).toContain('POST /reserved_addrs [13 characters of text that is not JSON] → 415')
  })

  test('says how to connect other clients, if a gateway was installed and nothing arrived', async () => {
    const gateway = openManual()
    gateway.install({ others: 'refuse' }).uninstall()
    expect(readSection(gateway, 'requests')).toEqual([
      'none over HTTP',
      expect.stringContaining('Clients of node:http, such as axios and got, do not use it:'),
      expect.stringMatching(/fauxgate\/msw, or with serve from fauxgate\/node/),
    ])
    await client(gateway)('GET', '/reserved_domains')
    expect(gateway.report()).not.toContain('node:http')
  })

  test('names no other client, if a request to another host shows that the global fetch is in use', async () => {
    const gateway = openManual()
    const installed = gateway.install({ others: 'refuse' })
    await expect(fetch('https://elsewhere.test/')).rejects.toThrow()
    installed.uninstall()
    expect(gateway.report()).not.toContain('node:http')
  })

  test('keeps the newest of everything, in a bounded number of lines of bounded length', async () => {
    const gateway = openManual()
    for (let i = 0; i < 25; i++) await client(gateway)('GET', `/reserved_addrs/ra_${i}?${'x'.repeat(500)}=1`)
    for (let i = 0; i < 12; i++) {
      const domain = `d${i}.example.com`
      gateway.reservedDomains.create({ domain, certificate_management_policy: { authority: 'letsencrypt' } })
      gateway.provisioning.failNext('DNS_ERROR', { domain: `n${i}.example.com`, times: 5 })
      gateway.faults.add({ operation: 'reserved_addrs.list', message: 'm'.repeat(500) })
    }
    gateway.provisioning.failAlways('DNS_ERROR')
    gateway.clock.advance('1d')
    const lines = gateway.report().split('\n')
    expect(lines.length).toBeLessThan(120)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(420)
    expect(readSection(gateway, 'requests')[0]).toBe('… 5 earlier omitted')
    expect(readSection(gateway, 'requests').at(-2)).toContain('/ra_24')
    expect(readSection(gateway, 'provisioning:')).toEqual(['… 7 earlier omitted'])
    expect(lines.filter((line) => line.startsWith('  provisioning of')).map((line) => line.split(' ')[4])).toEqual(
      [7, 8, 9, 10, 11].map((i) => `d${i}.example.com`),
    )
    expect(readSection(gateway, 'provisioning of d11')).toHaveLength(7)
    expect(readSection(gateway, 'pending')).toHaveLength(13)
    expect(readSection(gateway, 'leftover resources')).toEqual(['12 created without an API request'])
    for (let i = 0; i < 12; i++) await client(gateway)('POST', '/reserved_addrs', { json: {} })
    const leftovers = readSection(gateway, 'leftover resources')
    expect(leftovers[0]).toBe('… 2 earlier omitted')
    expect(leftovers.slice(-2)).toEqual([
      expect.stringContaining('reserved_addrs ra_'),
      'and 12 created without an API request',
    ])
  })

  test('about a text begins with the domains that it names, and leaves out the pending lines that it has', async () => {
    const gateway = openManual()
    const policy = { certificate_management_policy: { authority: 'letsencrypt' } } as const
    const created = [0, 1, 2, 3, 4, 5, 6].map((i) =>
      gateway.reservedDomains.create({ domain: `d${i}.example.com`, ...policy }),
    )
    gateway.provisioning.failNext('DNS_ERROR', { domain: 'd2.example.com' })
    gateway.faults.add({ operation: 'reserved_addrs.list', times: 1 })
    const textOf = (assertion: () => void) => {
      try {
        assertion()
      } catch (error) {
        return (error as Error).message
      }
      throw new Error('It did not throw.')
    }
    const unused = textOf(() => gateway.provisioning.assertNoPendingOutcomes())
    const about = `Expected ${created[1]?.id} and d0.example.com.\n${unused}`
    const text = gateway.report({ about })
    expect(
      text
        .split('\n')
        .filter((line) => /^ {2}\S/.test(line))
        .map((line) => line.split(' (')[0]),
    ).toEqual([
      ...['d0', 'd1', 'd2'].map((name) => `  provisioning of ${name}.example.com`),
      '  requests:',
      ...['d3', 'd4', 'd5', 'd6'].map((name) => `  provisioning of ${name}.example.com`),
      '  pending:',
      '  leftover resources:',
    ])
    expect(text).not.toContain('No attempt used')
    expect(text).toContain('1 fault is still waiting for requests.')
    const response = await gateway.fetch(`http://localhost/_fauxgate/report?about=${encodeURIComponent(about)}`)
    expect(await response.text()).toBe(text)
  })

  test.each([
    [{ about: 5 }, 'about is 5. Allowed: a string.'],
    [{ abuot: 'd0' }, '"abuot" is not an option. Supported: about.'],
  ])('rejects the options %j', (options, message) => {
    expect(() => openManual().report(options as never)).toThrow(message)
  })

  test.each([
    [2, '… 3 earlier requests that the journal has dropped: to keep more, raise journalSize or journalBytes'],
    [0, '… 5 earlier requests that the journal has dropped: to keep more, raise journalSize or journalBytes'],
  ])('says how many requests the journal dropped, with a journal of %i', async (journalSize, line) => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START), journalSize })
    for (let i = 0; i < 5; i++) await client(gateway)('GET', '/reserved_addrs')
    expect(readSection(gateway, 'requests')[0]).toBe(line)
  })

  test('has no secrets, neither keys of the gateway nor secrets in requests', async () => {
    const keys = ['own-api-key-1', 'own-api-key-2']
    const gateway = createGateway({ keys, control: { key: 'own-control-key' } })
    gateway.faults.add({ operation: 'reserved_addrs.list', message: 'own-api-key-2 and own-control-key' })
    const headers = { authorization: `Bearer ${keys[0]}` }
    const json = { private_key_pem: 'hidden-private-key', description: 'own-api-key-1' }
    await client(gateway)('POST', '/tls_certificates', { headers, json })
    for (const text of [gateway.report(), String(expectError(() => gateway.faults.assertNoPendingFaults()))]) {
      expect(text).toContain('[redacted]')
      expect(text).not.toMatch(/own-api-key|own-control-key|hidden-private-key/)
    }
  })

  test('changes nothing, and does not stop at a predicate that throws', async () => {
    const gateway = openManual()
    gateway.faults.add({
      when() {
        if (gateway.requests.count() > 0) throw new Error('broken')
        return false
      },
    })
    await client(gateway)('GET', '/reserved_addrs')
    const before = gateway.snapshot()
    expect(gateway.report()).toContain('its predicate threw "Error: broken"')
    expect(gateway.snapshot()).toEqual(before)
  })

  test('is a text in the control API', async () => {
    const gateway = openManual()
    const answer = await gateway.fetch(`${gateway.url}/_fauxgate/report`, { headers: { host: 'localhost' } })
    expect(await answer.text()).toBe(gateway.report())
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })
})
