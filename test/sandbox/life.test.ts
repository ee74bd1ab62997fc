import { describe, expect, it } from 'vitest'
import {
  ACCOUNT_KEY,
  MANAGED_DOMAIN,
  MANUAL_CLOCK,
  SandboxClient,
  useSandboxes,
  waitUntil,
} from './support/sandboxes.ts'

const sandboxes = useSandboxes()

describe('A sandbox', () => {
  it('is a gateway at its own URL, which all URIs begin with', async () => {
    const sandbox = await sandboxes.create('own-url', { dialect: 'ngrok', ...MANUAL_CLOCK })
    const { url } = sandbox.created
    expect(url).toBe(`${sandboxes.url}/s/own-url`)
    const headers = { ...sandbox.headers, 'ngrok-version': '2' }
    for (const _ of [1, 2]) await sandboxes.send('POST', `${url}/reserved_addrs`, { headers, body: {} })
    const page = await sandboxes.send('GET', `${url}/reserved_addrs?limit=1`, { headers })
    expect(page.body.uri).toBe(`${url}/reserved_addrs`)
    expect(page.body.next_page_uri.startsWith(`${url}/reserved_addrs?`)).toBe(true)
    const next = await sandboxes.send('GET', page.body.next_page_uri, { headers })
    expect(next.body.reserved_addrs).toHaveLength(1)
    expect(next.body.reserved_addrs[0].id).not.toBe(page.body.reserved_addrs[0].id)
  })

  it('has its upstreams and its undo after the process was killed (rules: sandboxes#journal)', async () => {
    const sandbox = await sandboxes.create('asleep', { dialect: 'ngrok', ...MANUAL_CLOCK })
    const url = 'https://app.ngrok-free.app'
    await sandbox.control('POST', '/declare', { tunnel_session: { endpoints: [{ url }] } })
    await sandbox.control('PUT', '/traffic/upstreams', { url, status: 201, body: 'hello' })
    const visit = async (client = sandbox) => (await client.control('POST', '/traffic', { url })).body.status
    expect(await visit()).toBe(201)
    await sandbox.control('POST', '/clock', { advance: '1h', remember: true })
    await sandboxes.kill()
    await sandboxes.start()
    expect(await visit()).toBe(201)
    const { body: fork } = await sandboxes.callAccount('POST', '/s/asleep/fork', { name: 'asleep-fork' })
    const copy = new SandboxClient(sandboxes, fork)
    expect([await visit(copy), (await copy.control('POST', '/undo')).status]).toEqual([201, 404])
    expect((await sandbox.control('POST', '/undo')).status).toBe(204)
    expect((await sandbox.control('GET', '/clock')).body.now).toBe(MANUAL_CLOCK.start)
  })

  it('has its upstreams and its undo after it slept, and says since when its journals know (rules: sandboxes#journal)', async () => {
    const sandbox = await sandboxes.create('sleeper', { dialect: 'ngrok', ...MANUAL_CLOCK })
    const url = 'https://app.ngrok-free.app'
    await sandbox.control('POST', '/declare', { tunnel_session: { endpoints: [{ url }] } })
    await sandbox.control('PUT', '/traffic/upstreams', { url, status: 201, body: 'hello' })
    const visit = async () => (await sandbox.control('POST', '/traffic', { url })).body.status
    expect(await visit()).toBe(201)
    await sandbox.control('POST', '/clock', { advance: '1h', remember: true })
    const before = await sandbox.control('GET', '/overview')
    expect([before.body.traffic, before.body.since]).toEqual([1, undefined])
    // workerd lets an object sleep when it was idle for 10 s. Another sandbox ends later than that.
    await sandboxes.create('later', { ttl: '14s' })
    await waitUntil(
      () => sandboxes.listNames(),
      (names) => !names.includes('later'),
    )
    const { body } = await sandbox.control('GET', '/overview')
    expect([body.traffic, body.since]).toEqual([0, '2026-01-01T01:00:00Z'])
    expect((await sandbox.control('GET', '/report')).text).toContain('since 2026-01-01T01:00:00Z')
    expect(await visit()).toBe(201)
    expect((await sandbox.control('POST', '/undo')).status).toBe(204)
    expect((await sandbox.control('GET', '/clock')).body.now).toBe(MANUAL_CLOCK.start)
  })

  it('answers with and without a slash at the end of its URL', async () => {
    const sandbox = await sandboxes.create('slash')
    expect((await sandbox.send('GET', '//reserved_addrs')).status).toBe(200)
    expect((await sandbox.send('GET', '/')).body.error_code).toBe('ERR_GATEWAY_90400')
  })

  it('is found by its API key if a client drops the path of its base URL', async () => {
    const sandbox = await sandboxes.create('by-key', MANUAL_CLOCK)
    const other = await sandboxes.create('by-other-key', MANUAL_CLOCK)
    const { body: address } = await sandboxes.send('POST', '/reserved_addrs', { headers: sandbox.headers, body: {} })
    expect(address.uri).toBe(`${sandbox.created.url}/reserved_addrs/${address.id}`)
    const { body: list } = await sandboxes.send('GET', '/reserved_addrs?limit=1', { headers: sandbox.headers })
    expect(list.reserved_addrs).toMatchObject([{ id: address.id }])
    const otherRequest = { headers: other.headers }
    expect((await sandboxes.send('GET', `/reserved_addrs/${address.id}`, otherRequest)).status).toBe(404)
    expect((await sandboxes.send('GET', `/s/by-key/reserved_addrs/${address.id}`, otherRequest)).status).toBe(401)
    const forgedHeaders = { authorization: other.headers.authorization.replace('by-other-key', 'by-key') }
    const refusal = await sandboxes.send('GET', '/reserved_addrs', { headers: { ...other.headers, ...forgedHeaders } })
    expect(refusal.status).toBe(401)
    const unknownHeaders = { authorization: 'Bearer fgapi_nobody_0', 'service-version': '2' }
    expect((await sandboxes.send('GET', '/reserved_addrs', { headers: unknownHeaders })).body.error_code).toBe(
      'ERR_GATEWAY_90606',
    )
  })

  it('keeps its clock and its delayed responses when its keys are renewed', async () => {
    const sandbox = await sandboxes.create('delayed', MANUAL_CLOCK)
    await sandbox.control('POST', '/faults', { operation: 'reserved_addrs.create', latency: '30s', times: 1 })
    const response = sandbox.send('POST', '/reserved_addrs', { description: 'late' })
    await waitUntil(
      () => sandbox.control('GET', '/requests'),
      ({ body }) => body.length === 1,
    )
    const renewal = await sandboxes.callAccount('POST', '/s/delayed/keys', {})
    const again = sandbox.withKeys(renewal.body)
    expect((await sandbox.control('POST', '/clock', { advance: '1m' })).status).toBe(401)
    await again.control('POST', '/clock', { advance: '1m' })
    expect((await response).body.description).toBe('late')
    expect((await again.control('GET', '/requests')).body).toHaveLength(1)
  })

  it('ends delayed responses with "not found" when it is removed', async () => {
    const sandbox = await sandboxes.create('removed-meanwhile', MANUAL_CLOCK)
    await sandbox.control('POST', '/faults', { operation: 'reserved_addrs.list', latency: '30s' })
    const response = sandbox.send('GET', '/reserved_addrs')
    await waitUntil(
      () => sandbox.control('GET', '/requests'),
      ({ body }) => body.length === 1,
    )
    await sandboxes.callAccount('DELETE', '/s/removed-meanwhile')
    expect((await response).body.error_code).toBe('ERR_GATEWAY_90611')
  })

  it('breaks the connection if a fault says so, before or after the change', async () => {
    const sandbox = await sandboxes.create('broken', MANUAL_CLOCK)
    for (const phase of ['before', 'after']) {
      await sandbox.control('POST', '/faults', { operation: 'reserved_addrs.create', drop: true, times: 1, phase })
      await expect(sandbox.send('POST', '/reserved_addrs', { description: phase })).rejects.toThrow()
    }
    const { body } = await sandbox.send('GET', '/reserved_addrs')
    expect(body.reserved_addrs.map(({ description }: { description: string }) => description)).toEqual(['after'])
  })

  it('shows the time of its last use, which calls of the account do not change', async () => {
    const sandbox = await sandboxes.create('used', MANUAL_CLOCK)
    expect((await sandboxes.callAccount('GET', '/s/used')).body.last_used_at).toBeNull()
    await sandbox.send('GET', '/reserved_addrs')
    const { last_used_at, created_at } = (await sandboxes.callAccount('GET', '/s/used')).body
    expect(Date.parse(last_used_at)).toBeGreaterThanOrEqual(Date.parse(created_at))
  })

  it('begins with the resources of its options', async () => {
    const initial = { reservedAddrs: [{ description: 'from the beginning' }] }
    const options = { ...MANUAL_CLOCK, seed: 'the same', initial }
    const one = await sandboxes.create('initial-one', options)
    const two = await sandboxes.create('initial-two', options)
    const [first, second] = await Promise.all([one, two].map((each) => each.send('GET', '/reserved_addrs')))
    expect(first?.body.reserved_addrs[0].description).toBe('from the beginning')
    expect(first?.body.reserved_addrs[0].id).toBe(second?.body.reserved_addrs[0].id)
  })

  it.each([
    [{ nope: 1 }, 'ERR_GATEWAY_214', 'nope is not a field'],
    [{ clock: 'lunar' }, 'ERR_GATEWAY_215', 'clock is "lunar". Allowed: system or manual.'],
    [{ ttl: '10ms' }, 'ERR_GATEWAY_215', 'ttl is "10ms". Allowed: a number of ms'],
    [{ provisioningDelay: 'soon' }, 'ERR_GATEWAY_90613', 'provisioningDelay is "soon". Allowed'],
    [{ start: '2026-01-01T00:00:00Z' }, 'ERR_GATEWAY_90613', 'start needs "clock": "manual".'],
    [{ initial: { reservedAddrs: [{ region: 'mars' }] } }, 'ERR_GATEWAY_', 'initial.reservedAddrs[0]'],
    [{ snapshot: { version: 7 } }, 'ERR_GATEWAY_215', 'version is 7'],
  ])('is not created with %j, and leaves nothing behind', async (options, code, message) => {
    const { status, body } = await sandboxes.callAccount('PUT', '/s/refused', options)
    expect(status).toBe(400)
    expect(body.error_code).toContain(code)
    expect(body.msg).toContain(message)
    expect((await sandboxes.callAccount('GET', '/s/refused')).status).toBe(404)
    expect((await sandboxes.callAccount('GET', '/s?after=refuse&limit=1')).text).not.toContain('"refused"')
  })

  it('does not exist after it is removed, and its name is free again', async () => {
    const sandbox = await sandboxes.create('removed')
    await sandbox.send('POST', '/reserved_addrs', {})
    expect((await sandboxes.callAccount('DELETE', '/s/removed')).status).toBe(204)
    expect((await sandbox.send('GET', '/reserved_addrs')).body.error_code).toBe('ERR_GATEWAY_90606')
    expect((await sandboxes.callAccount('DELETE', '/s/removed')).status).toBe(404)
    const again = await sandboxes.create('removed')
    expect((await again.send('GET', '/reserved_addrs')).body.reserved_addrs).toEqual([])
    expect((await sandbox.send('GET', '/reserved_addrs')).status).toBe(401)
  })
})

describe('The account', () => {
  it('rejects every request without its key', async () => {
    const response = await sandboxes.send('GET', '/s')
    expect([response.status, response.body.error_code]).toEqual([401, 'ERR_GATEWAY_90601'])
    for (const key of ['wrong', `${ACCOUNT_KEY}x`, ACCOUNT_KEY.slice(1)]) {
      const { status, text, body } = await sandboxes.send('GET', '/s', { headers: { 'fauxgate-account-key': key } })
      expect([status, body.error_code]).toEqual([401, 'ERR_GATEWAY_90602'])
      expect(text).not.toContain(ACCOUNT_KEY)
    }
  })

  it('lists its sandboxes by name, page by page', async () => {
    const names = ['page-a', 'page-b', 'page-c']
    for (const name of names) await sandboxes.create(name)
    const first = await sandboxes.callAccount('GET', '/s?after=page&limit=2')
    expect(first.body.sandboxes.map(({ name }: { name: string }) => name)).toEqual(['page-a', 'page-b'])
    expect(first.body.next_after).toBe('page-b')
    const second = await sandboxes.callAccount('GET', '/s?after=page-b&limit=1')
    expect(second.body.sandboxes[0]).toMatchObject({ name: 'page-c', url: `${sandboxes.url}/s/page-c` })
  })

  it('rejects invalid parameters and methods, unknown paths and unknown sandboxes', async () => {
    expect((await sandboxes.callAccount('GET', '/s?limit=0')).body.msg).toContain(
      'limit is "0". Allowed: a whole number',
    )
    expect((await sandboxes.callAccount('PATCH', '/s/any')).headers.get('allow')).toBe('PUT, GET, HEAD, DELETE')
    expect((await sandboxes.callAccount('GET', '/else')).status).toBe(404)
    expect((await sandboxes.callAccount('GET', '/s/absent')).body.error_code).toBe('ERR_GATEWAY_90611')
    expect((await sandboxes.callAccount('POST', '/s/absent/fork', { name: 'x' })).body.error_code).toBe(
      'ERR_GATEWAY_90611',
    )
  })
})

describe('A fork', () => {
  it('continues like the original, in the middle of a failing job', async () => {
    const one = await sandboxes.create('forked', MANUAL_CLOCK)
    const outcomes = ['INTERNAL_ERROR', 'INTERNAL_ERROR', 'DNS_ERROR', 'success']
    await one.control('POST', '/provisioning/script', { outcomes })
    const { body: domain } = await one.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    await one.control('POST', '/clock', { advance: '45s' })
    const { body } = await sandboxes.callAccount('POST', '/s/forked/fork', { name: 'fork' })
    const two = new SandboxClient(sandboxes, body)
    expect(two.created.api_key).not.toBe(one.created.api_key)
    const results = []
    for (const each of [one, two]) {
      await each.control('POST', '/clock', { advance: '2h' })
      const timeline = await each.control('GET', `/provisioning/timeline?id=${domain.id}`)
      const { body: address } = await each.send('POST', '/reserved_addrs', {})
      const { body: issuedDomain } = await each.send('GET', `/reserved_domains/${domain.id}`)
      const { body: certificate } = await each.send('GET', `/tls_certificates/${issuedDomain.certificate.id}`)
      results.push({ timeline: timeline.body, made: address.id, certificate: certificate.certificate_pem })
    }
    expect(results[0]?.timeline.map(({ outcome }: { outcome: string }) => outcome)).toContain('DNS_ERROR')
    expect(results[1]).toEqual(results[0])
  })

  it('is then independent of the original', async () => {
    const one = await sandboxes.create('apart', MANUAL_CLOCK)
    const { body } = await sandboxes.callAccount('POST', '/s/apart/fork', { name: 'apart-fork' })
    await one.send('POST', '/reserved_addrs', {})
    const two = new SandboxClient(sandboxes, body)
    expect((await two.send('GET', '/reserved_addrs')).body.reserved_addrs).toEqual([])
  })

  it('cannot have a name that is taken or invalid', async () => {
    await sandboxes.create('taken', MANUAL_CLOCK)
    expect((await sandboxes.callAccount('POST', '/s/taken/fork', { name: 'taken' })).status).toBe(409)
    expect((await sandboxes.callAccount('POST', '/s/taken/fork', { name: 'Taken' })).body.error_code).toBe(
      'ERR_GATEWAY_90610',
    )
    expect((await sandboxes.callAccount('POST', '/s/taken/fork', {})).body.msg).toContain('name')
  })
})
