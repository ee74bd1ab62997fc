import { expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import type { UsedControls } from '../../src/generated/controls.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { client, controlClient } from '../support/client.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { lockers } from '../support/lockers.ts'
import { memoryStore } from '../support/memory-store.ts'
import { upload } from '../support/pem.ts'
import { DOMAIN, openManual, timeAfter } from '../support/provisioning.ts'

/** The controls that a gateway lists (rules: control-api#calls). */
async function listUsed(send: ReturnType<typeof controlClient>): Promise<UsedControls> {
  return (await send('GET', '/controls')).body as UsedControls
}

test('The controls are listed in order, each with the time and the request before it, and without those that only read', async () => {
  const gateway = openManual()
  const send = controlClient(gateway)
  await send('POST', '/clock', { advance: '30s' })
  await client(gateway)('GET', '/reserved_addrs')
  await send('GET', '/clock')
  await send('POST', '/certificates', { certificate_pem: 'none' })
  const { body: fault } = await send('POST', '/faults', { status: 503 })
  await send('DELETE', '/provisioning/script?domain=app.example.com')
  await send('POST', '/clock', { advance: 'soon' })
  const after = gateway.requests.last()?.operationId
  expect(await listUsed(send)).toEqual({
    later: false,
    requests: 0,
    dropped: 0,
    others: 0,
    agent: 0,
    options: {},
    own: [],
    controls: [
      { method: 'POST', path: '/_fauxgate/clock', body: { advance: '30s' }, at: SHOWN_START, after: '' },
      {
        method: 'POST',
        path: '/_fauxgate/faults',
        body: { status: 503 },
        response: fault,
        at: timeAfter('30s'),
        after,
      },
      {
        method: 'DELETE',
        path: '/_fauxgate/provisioning/script?domain=app.example.com',
        at: timeAfter('30s'),
        after,
      },
    ],
  })
})

test('A control whose body may have secrets is listed without it, and keys of the gateway are hidden everywhere', async () => {
  const gateway = openManual({ keys: ['a-key-of-the-gateway'] })
  const send = controlClient(gateway)
  gateway.tlsCertificates.create({ ...upload(), description: 'a-key-of-the-gateway' })
  await send('PUT', '/state', gateway.snapshot({ privateKeys: true }))
  await send('POST', '/faults', { status: 503, message: 'with a-key-of-the-gateway' })
  await send('POST', '/faults', { body: 'x'.repeat(5000) })
  const { controls } = await listUsed(send)
  expect(controls).toMatchObject([
    { path: '/_fauxgate/state', body: { records: { tls_certificates: [{ description: '[redacted]' }] } } },
    { body: { status: 503, message: 'with [redacted]' } },
    { path: '/_fauxgate/faults', hidden: 'length' },
  ])
  expect(JSON.stringify(controls)).not.toContain('PRIVATE KEY')
})

test('A control of the same process is listed like the same control over HTTP', async () => {
  const [direct, served] = [openManual({ dns: 'simulated' }), openManual({ dns: 'simulated' })]
  const send = controlClient(served)
  direct.dns.cname(DOMAIN, 'target.example.net', { after: '5m' })
  await send('PUT', '/dns', { name: DOMAIN, type: 'CNAME', value: 'target.example.net', after: '5m' })
  const { id } = direct.faults.add({ operation: 'reserved_addrs.list', status: 503, times: 1 })
  await send('POST', '/faults', { operation: 'reserved_addrs.list', status: 503, times: 1 })
  for (const gateway of [direct, served]) await client(gateway)('GET', '/reserved_addrs')
  direct.faults.remove(id)
  await send('DELETE', `/faults?id=${id}`)
  direct.provisioning.failNext('DNS_ERROR', { domain: DOMAIN, times: 2 })
  await send('POST', '/provisioning/script', { domain: DOMAIN, times: 2, outcomes: ['DNS_ERROR'], first: true })
  direct.provisioning.clear({ domain: DOMAIN })
  await send('DELETE', `/provisioning/script?domain=${DOMAIN}`)
  direct.clock.advance('1h')
  await send('POST', '/clock', { advance: '1h' })
  direct.dns.remove(DOMAIN)
  await send('DELETE', `/dns?name=${DOMAIN}`)
  direct.dns.clear()
  await send('DELETE', '/dns')
  direct.agent.set({ urlAfter: 500 })
  await send('PUT', '/agent', { url_after: 500 })
  await direct.agent.restart({ newUrls: true })
  await send('POST', '/agent/restart', { new_urls: true })
  direct.traffic.clear()
  await send('DELETE', '/traffic')
  direct.restore(direct.snapshot())
  await send('PUT', '/state', served.snapshot())
  // Each call over HTTP has an operation id, too.
  const list = async (gateway: typeof direct) => {
    const { controls } = await listUsed(controlClient(gateway))
    return controls.map(({ after, ...each }) => ({ ...each, isAfterRequest: after !== '' }))
  }
  const controls = await list(served)
  expect(controls).toHaveLength(12)
  // A clock that a test moves itself is seen by the times of the steps.
  expect(await list(direct)).toEqual(controls.filter(({ path }) => path !== '/_fauxgate/clock'))
})

test('What changes nothing in the same process is not listed, and a function is hidden', async () => {
  const gateway = openManual()
  gateway.dns.remove('unknown.example.com')
  gateway.dns.records()
  expect(() => gateway.faults.add({ status: 99 })).toThrow()
  await expect(gateway.agent.start({ addr: 80 })).rejects.toThrow()
  const { id, ...response } = gateway.faults.add({ status: 503, when: () => true })
  gateway.traffic.upstream('https://app.example.com', () => new Response())
  expect((await listUsed(controlClient(gateway))).controls).toMatchObject([
    { path: '/_fauxgate/faults', hidden: 'function', response: { id } },
    { path: '/_fauxgate/traffic/upstreams', hidden: 'secrets' },
  ])
  expect(response.status).toBe(503)
})

test('A reset and an emptied journal begin the list again: the second one later than the state', async () => {
  const gateway = openManual()
  const send = controlClient(gateway)
  gateway.reservedDomains.create({ domain: DOMAIN })
  await send('POST', '/clock', { advance: '30s' })
  await send('DELETE', '/requests')
  expect(await listUsed(send)).toMatchObject({ later: true, controls: [] })
  await send('POST', '/clock', { advance: '30s' })
  await send('POST', '/reset')
  expect(await listUsed(send)).toMatchObject({ later: false, controls: [] })
})

test('A gateway with the state of a store lists its controls as later ones; one with initial resources lists these, also after a reset', async () => {
  const store = memoryStore()
  const gateway = createGateway({ store })
  expect(await listUsed(controlClient(gateway))).toMatchObject({ later: false })
  gateway.reservedDomains.create({ domain: DOMAIN })
  gateway.dispose()
  expect(await listUsed(controlClient(createGateway({ store })))).toMatchObject({ later: true })
  const initial = { reservedDomains: [{ domain: DOMAIN }] }
  const send = controlClient(createGateway({ initial }))
  expect(await listUsed(send)).toMatchObject({ later: false, options: { initial, seed: expect.any(String) } })
  await send('DELETE', '/requests')
  expect(await listUsed(send)).toMatchObject({ later: true, options: {} })
  await send('POST', '/reset')
  expect(await listUsed(send)).toMatchObject({ later: false, options: { initial } })
  const tokens = { reservedDomains: [{ domain: DOMAIN, metadata: 'a-key-of-the-gateway' }] }
  const withKey = controlClient(createGateway({ initial: tokens, keys: ['a-key-of-the-gateway'] }))
  expect(JSON.stringify(await listUsed(withKey))).not.toContain('a-key-of-the-gateway')
})

test('The last snapshot that was loaded is listed as a whole if it is short, and others are hidden', async () => {
  const gateway = openManual()
  const send = controlClient(gateway)
  await send('PUT', '/state', gateway.snapshot())
  gateway.reservedDomains.create({ domain: DOMAIN })
  await send('PUT', '/state', gateway.snapshot())
  const of = async () => (await listUsed(send)).controls.map(({ body, hidden }) => body ?? hidden)
  expect(await of()).toMatchObject(['length', { records: { reserved_domains: [{ domain: DOMAIN }] } }])
  for (let number = 0; number < 101; number++) gateway.reservedAddrs.create({})
  await send('PUT', '/state', gateway.snapshot())
  expect(await of()).toEqual(['length', 'length', 'length'])
})

test('The list has as many controls as the journal has requests, and counts what both have dropped', async () => {
  const gateway = openManual({ journalSize: 2 })
  const send = controlClient(gateway)
  for (const advance of ['1s', '2s', '3s']) await send('POST', '/clock', { advance })
  for (let number = 0; number < 4; number++) await client(gateway)('GET', '/reserved_addrs')
  expect(await listUsed(send)).toMatchObject({
    requests: 2,
    dropped: 1,
    controls: [{ body: { advance: '2s' } }, { body: { advance: '3s' } }],
  })
})

test('The writes of the inspector are listed with their responses, without secrets, and its reads are not', async () => {
  const server = await serve(openManual())
  onTestFinished(() => server.close())
  const headers = { 'fauxgate-inspector': '1', 'content-type': 'application/json' }
  const call = (method: string, path: string, body?: object) =>
    fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const created = await (await call('POST', '/reserved_addrs', { description: 'made on the page' })).json()
  await call('GET', '/reserved_addrs')
  await call('POST', '/reserved_domains', { domain: '-' })
  const { controls } = (await (await call('GET', '/_fauxgate/controls')).json()) as UsedControls
  expect(controls).toEqual([
    {
      method: 'POST',
      path: '/reserved_addrs',
      body: { description: 'made on the page' },
      response: created,
      at: SHOWN_START,
      after: '',
    },
  ])
})

test('A declaration is listed with its response, without its secrets', async () => {
  const gateway = createNgrok({ seed: 'test', clock: manualClock(CLOCK_START) })
  const send = controlClient(gateway)
  const tunnel_session = { endpoints: [{ url: 'https://shop.example.com', token: 'a-token-of-the-shop' }] }
  const { status } = await send('POST', '/declare', { tunnel_session })
  expect(status).toBe(400)
  const { body } = await send('POST', '/declare', { tunnel_session: { endpoints: [] } })
  await send('DELETE', `/declare?id=${Object(body).tunnel_session.id}`)
  expect((await listUsed(send)).controls).toMatchObject([
    { path: '/_fauxgate/declare', body: { tunnel_session: { endpoints: [] } }, response: body },
    { method: 'DELETE', path: `/_fauxgate/declare?id=${Object(body).tunnel_session.id}` },
  ])
})

test('Changes by calls in the process of the gateway and by the API of the agent are counted, and reads are not', async () => {
  const gateway = createNgrok({ seed: 'test', clock: manualClock(CLOCK_START) })
  gateway.reservedDomains.create({ domain: DOMAIN })
  gateway.reservedDomains.list()
  await gateway.agent.fetch('http://127.0.0.1:4040/api/tunnels')
  const body = JSON.stringify({ name: 'web', addr: '3000' })
  await gateway.agent.fetch('http://127.0.0.1:4040/api/tunnels', { method: 'POST', body })
  expect(await listUsed(controlClient(gateway))).toMatchObject({ others: 1, agent: 1, controls: [] })
})

test('The options that are not the defaults are listed, without secrets and those of the start, and so are your own operations', async () => {
  const initial = { reservedDomains: [{ domain: DOMAIN }] }
  const options = { dns: 'simulated', provisioningDelay: '30s', rateLimit: { requests: 3 } } as const
  const gateway = createGateway({ ...options, initial, keys: ['a-key-of-the-gateway'], families: { lockers } })
  expect(await listUsed(controlClient(gateway))).toMatchObject({
    options: { dns: 'simulated', rateLimit: { requests: 3 } },
    own: expect.arrayContaining(['lockers.create']),
  })
  expect((await listUsed(controlClient(createNgrok()))).own).toEqual([])
})
