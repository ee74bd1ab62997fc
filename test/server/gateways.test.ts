import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { controlCallsWith } from '../../src/control/controls.ts'
import { roundUpToSecond, timestamp } from '../../src/core/schema/time.ts'
import { createNgrok, type NgrokOptions } from '../../src/gateway/ngrok.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import { withWaitingNotice } from '../../src/server/log/waiting-notice.ts'
import { serve } from '../../src/server/node.ts'
import { receiveEvents } from '../control/sent-events/support.ts'
import { CLOCK_START } from '../support/clock.ts'
import { startServer } from '../support/command.ts'
import { newFile } from '../support/folder.ts'
import { waitUntil } from '../support/wire.ts'

const HEADERS = { authorization: 'Bearer k', 'ngrok-version': '2' }
const DOMAIN = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }

async function open(options: NgrokOptions = {}) {
  const clock = manualClock(CLOCK_START)
  const server = await serve(createNgrok({ clock, seed: 'shared', ...options }))
  onTestFinished(() => server.close())
  return { url: server.url, clock }
}

async function call(url: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...HEADERS, ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

/** Creates a further gateway, and returns its URL and its name. */
async function add(url: string, options: object = {}): Promise<{ readonly url: string; readonly name: string }> {
  const { status, body } = await call(url, 'POST', '/_fauxgate/gateways', options)
  expect([status, body]).toEqual([200, { name: expect.any(String), url: `${url}/g/${body.name}` }])
  return body
}

const remove = (url: string, name: string) => call(url, 'DELETE', `/_fauxgate/gateways?name=${name}`)

// rules: control-api#more-gateways
test('a further gateway has its own resources, and its URIs name it', async () => {
  const { url } = await open()
  const [one, other] = [await add(url), await add(url)]
  const { body } = await call(one.url, 'POST', '/reserved_domains', DOMAIN)
  expect(body.uri).toBe(`${one.url}/reserved_domains/${body.id}`)
  expect((await call(body.uri, 'GET', '')).status).toBe(200)
  for (const at of [url, other.url]) expect((await call(at, 'GET', `/reserved_domains/${body.id}`)).status).toBe(404)
})

const READS = controlCallsWith({}).filter(({ method }) => method === 'GET')

/** Reads what each control of a gateway shows. Those that need an argument show nothing. */
async function readControls(url: string) {
  const all = await Promise.all(
    READS.map(async ({ path }) => [path, await call(url, 'GET', `/_fauxgate${path}`)] as const),
  )
  const shown = all.filter(([, { status }]) => status === 200)
  expect(shown.length).toBeGreaterThan(15)
  const agent = await call(url, 'GET', '/api/tunnels')
  return JSON.stringify([...shown, agent]).replaceAll(url, '')
}

const AT_DOMAIN = { id: DOMAIN.domain }

/** Calls of each control that changes something. A function receives the response to the call before. */
const USES: readonly (readonly [
  call: string,
  sent?: object | ((last: Readonly<Record<string, { readonly id: string }>>) => string),
])[] = [
  ['POST /clock', { advance: '1s', remember: true }],
  ['POST /undo'],
  ['PUT /undo'],
  ['POST /faults', { status: 503, operation: 'reserved_addrs.list' }],
  ['DELETE /faults'],
  ['POST /snapshots', { name: 'before' }],
  ['POST /snapshots/restore', { name: 'before' }],
  ['DELETE /snapshots', () => '?name=before'],
  ['PUT /dns', { name: 'app.example.com', type: 'A', value: '192.0.2.1' }],
  ['DELETE /dns', () => '?name=app.example.com'],
  ['POST /provisioning/script', { outcomes: ['DNS_ERROR'] }],
  ['DELETE /provisioning/script'],
  ['POST /provisioning/attempt', AT_DOMAIN],
  ['POST /provisioning/renew', AT_DOMAIN],
  ['POST /provisioning/expire', AT_DOMAIN],
  ['POST /declare', { dev_domain: {} }],
  ['DELETE /declare', ({ dev_domain }) => `?id=${dev_domain?.id}`],
  ['POST /declare', { tunnel_session: { endpoints: [{ url: 'https://other.example.com' }] } }],
  ['PUT /traffic/upstreams', { url: 'https://other.example.com', status: 200, body: 'hello' }],
  ['POST /traffic', { url: 'https://other.example.com/' }],
  ['DELETE /traffic/upstreams', () => '?url=https://other.example.com'],
  ['DELETE /traffic'],
  ['POST /agent/tunnels', { addr: 80, name: 'web' }],
  ['PUT /agent', { down: true }],
  ['PUT /agent', { down: false }],
  ['POST /agent/restart'],
  ['POST /policy/check', { policy: 'on_http_request: []' }],
  ['DELETE /requests'],
  ['POST /reset'],
]

/** The controls that create gateways, take a whole state, only read what is sent, or call other controls. */
const WITHOUT_USE = /^(?:POST|DELETE|PUT) \/(?:gateways|explorations.*|certificates|state|troubles\/fix)$/

test('each control that changes a gateway has its row', () => {
  const changing = controlCallsWith({}).filter(({ method }) => method !== 'GET')
  const names = changing.map(({ method, path }) => `${method} ${path}`).filter((name) => !WITHOUT_USE.test(name))
  expect([...new Set(USES.map(([name]) => name))].sort()).toEqual(names.sort())
})

test('nothing that a control does to one gateway is seen in another', async () => {
  const { url } = await open()
  const [one, other] = [await add(url), await add(url)]
  await call(one.url, 'POST', '/reserved_domains', DOMAIN)
  const before = await readControls(other.url)
  expect(await readControls(one.url)).not.toBe(before)
  let last = {}
  for (const [name, sent] of USES) {
    const [method = '', path] = name.split(' ')
    const made = typeof sent === 'function' ? sent(last) : sent
    const [query, body] = typeof made === 'string' ? [made] : ['', made]
    const response = await call(one.url, method, `/_fauxgate${path}${query}`, body)
    expect([name, response.body, Math.floor(response.status / 100)]).toEqual([name, response.body, 2])
    last = response.body
    await call(other.url, 'DELETE', '/_fauxgate/requests')
    expect([name, await readControls(other.url)]).toEqual([name, before])
  }
  expect((await call(other.url, 'POST', '/_fauxgate/undo')).status).toBe(404)
})

test('a further gateway begins with the options of its server, except those of the request', async () => {
  const { url, clock } = await open({ account: { plan: 'free' } })
  clock.advance('1h')
  const same = await add(url)
  const readClock = async (at: string) => (await call(at, 'GET', '/_fauxgate/clock')).body
  expect(await readClock(same.url)).toMatchObject({ now: timestamp(CLOCK_START), manual: true })
  const create = async (at: string) => (await call(at, 'POST', '/reserved_addrs', {})).body
  const [first, second] = [await create(same.url), await create((await add(url)).url)]
  expect(second.id).toBe(first.id)
  const options = { start: '2027-01-01T00:00:00Z', seed: 'own', plan: 'paygo' }
  const own = await add(url, options)
  expect(await readClock(own.url)).toMatchObject({ now: options.start, manual: true })
  expect((await create(own.url)).id).not.toBe(first.id)
  const { body } = await call(own.url, 'GET', '/_fauxgate/controls')
  expect(body.options).toMatchObject({ account: { plan: 'paygo' } })
})

test('no request can make a server post events to an address: only the start of the server sets them', async () => {
  const { url } = await open({ destinations: { datadog: 'http://127.0.0.1:9/' } })
  const destinations = { datadog: 'http://192.0.2.1/' }
  const { status, body } = await call(url, 'POST', '/_fauxgate/gateways', { destinations })
  expect([status, body.msg]).toEqual([400, expect.stringContaining('destinations is not')])
})

test('a further gateway posts its events to the addresses of its server', async () => {
  const receiver = await receiveEvents()
  const { url } = await open({ destinations: { datadog: receiver.url } })
  const own = await add(url)
  const destination = { format: 'json', target: { datadog: { api_key: 'a key' } } }
  const { body } = await call(own.url, 'POST', '/event_destinations', destination)
  const sources = [{ type: 'vault_created.v0' }]
  await call(own.url, 'POST', '/event_subscriptions', { sources, destination_ids: [body.id] })
  const vault = (await call(own.url, 'POST', '/vaults', { name: 'app' })).body
  const readEvents = async () => (await call(own.url, 'GET', '/_fauxgate/sent-events')).body
  await waitUntil(async () => (await readEvents())[0]?.delivery === 'delivered')
  expect(receiver.received.map(({ events }) => events)).toMatchObject([[{ object: vault }]])
})

test('a further gateway can have a system clock, and then no start', async () => {
  const { url } = await open()
  const { url: own } = await add(url, { clock: 'system' })
  expect((await call(own, 'GET', '/_fauxgate/clock')).body.manual).toBe(false)
  const { status, body } = await call(url, 'POST', '/_fauxgate/gateways', {
    clock: 'system',
    start: '2027-01-01T00:00:00Z',
  })
  expect([status, body.msg]).toEqual([400, expect.stringContaining('start is "2027-01-01T00:00:00Z". Allowed: ')])
})

test('a gateway of the standard dialect has further ones of ngrok', async () => {
  const server = await serve(createGateway())
  onTestFinished(() => server.close())
  const { url } = await add(server.url, { dialect: 'ngrok' })
  expect((await call(url, 'GET', '/ip_policies')).status).toBe(200)
  expect((await call(url, 'GET', '/api/tunnels')).status).toBe(200)
})

test.each([
  [{ sed: 'x' }, /sed/],
  [{ plan: 'gold' }, /The gateway cannot be created: account\.plan is "gold"\. Allowed: /],
  [{ initial: { reservedDomains: [{ domain: 'no domain' }] } }, /The gateway cannot be created: .*reservedDomains/],
  [{ store: {} }, /store/],
])('a request with the options %j gets a 400 that says why, and creates nothing', async (options, message) => {
  const { url } = await open()
  const { status, body } = await call(url, 'POST', '/_fauxgate/gateways', options)
  expect([status, body.msg]).toEqual([400, expect.stringMatching(message)])
})

test('a removed gateway ends the requests that wait there, and is not found any more', async () => {
  const { url } = await open()
  const { url: own, name } = await add(url)
  await call(own, 'POST', '/_fauxgate/faults', { latency: '30s' })
  const slow = call(own, 'GET', '/reserved_domains')
  await vi.waitUntil(async () => (await call(own, 'GET', '/_fauxgate/clock')).body.waiting)
  const events = await fetch(`${own}/_fauxgate/events`)
  expect((await remove(url, name)).status).toBe(204)
  for (const { status, body } of [await slow, await call(own, 'GET', '/reserved_domains'), await remove(url, name)])
    expect([status, body.error_code, body.msg]).toEqual([404, 'ERR_NGROK_90463', expect.stringContaining(name)])
  expect(await events.text()).toContain('event: gateway')
})

test('a gateway is forgotten after an hour without a request', async () => {
  const { url } = await open()
  const [used, unused] = [await add(url), await add(url)]
  const real = Date.now()
  const spy = vi.spyOn(Date, 'now').mockReturnValue(real + 1_800_000)
  onTestFinished(() => spy.mockRestore())
  expect((await call(used.url, 'GET', '/reserved_domains')).status).toBe(200)
  spy.mockReturnValue(real + 3_660_000)
  expect((await call(unused.url, 'GET', '/reserved_domains')).status).toBe(404)
  expect((await call(used.url, 'GET', '/reserved_domains')).status).toBe(200)
})

test('the control key of the server is that of its further gateways', async () => {
  const { url } = await open({ control: { key: 'secret-key' } })
  expect((await call(url, 'POST', '/_fauxgate/gateways', {})).status).toBe(401)
  const key = { 'fauxgate-control-key': 'secret-key' }
  const { body } = await call(url, 'POST', '/_fauxgate/gateways', {}, key)
  expect((await call(body.url, 'POST', '/_fauxgate/reset')).status).toBe(401)
  expect((await call(body.url, 'POST', '/_fauxgate/reset', undefined, key)).status).toBe(204)
  expect((await call(url, 'DELETE', `/_fauxgate/gateways?name=${body.name}`)).status).toBe(401)
})

test('a page of another site can neither create a gateway nor call one', async () => {
  const { url } = await open()
  const foreign = { origin: 'https://evil.example' }
  expect((await call(url, 'POST', '/_fauxgate/gateways', {}, foreign)).status).toBe(403)
  const { url: own } = await add(url)
  for (const path of ['/reserved_domains', '/_fauxgate/clock', '/api/tunnels'])
    expect([path, (await call(own, 'GET', path, undefined, foreign)).status]).toEqual([path, 403])
})

test("programs use the agent's API of each gateway below its URL, at the same time", async () => {
  const { url } = await open()
  const all = [await add(url), await add(url), { url }]
  const start = { name: 'web', addr: 80, proto: 'http' }
  const started = await Promise.all(all.map((each) => call(each.url, 'POST', '/api/tunnels', start)))
  expect(started.map(({ status }) => status)).toEqual([201, 201, 201])
  for (const each of all) expect((await call(each.url, 'GET', '/api/tunnels')).body.tunnels).toHaveLength(1)
})

const WORKER = `
import assert from 'node:assert'
import { test } from 'node:test'
const send = async (url, path, body) => {
  const headers = { authorization: 'Bearer k', 'ngrok-version': '2', 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, ...(await response.json()) }
}
for (const name of ['first', 'second']) {
  test(name, async () => {
    const { url } = await send(process.env.FAUXGATE_URL, '/_fauxgate/gateways', { start: '2026-01-01T00:00:00Z' })
    assert.equal((await send(url, '/_fauxgate/clock', { advance: '1s' })).now, '2026-01-01T00:00:01Z')
    assert.equal((await send(url, '/reserved_domains', { domain: 'app.example.com' })).status, 201)
  })
}`

test('the workers of a test runner share one server, where each test creates its own gateway', async () => {
  const { url } = await open()
  const files = ['a', 'b', 'c'].map((name) => newFile(`${name}.test.mjs`, WORKER))
  const env = { ...process.env, FAUXGATE_URL: url }
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', ...files], { env })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  expect([code, output]).toEqual([0, expect.stringContaining('# pass 6')])
  expect((await call(url, 'GET', '/_fauxgate/requests')).body).toEqual([])
})

test('a further gateway creates and removes others, and has an inspector', async () => {
  const { url } = await open()
  const own = await add(url)
  const { body } = await call(own.url, 'POST', '/_fauxgate/gateways', { seed: 'third' })
  expect(body.url).toBe(`${url}/g/${body.name}`)
  expect((await remove(own.url, body.name)).status).toBe(204)
  const redirected = await fetch(`${own.url}/_fauxgate`, { redirect: 'manual' })
  expect(redirected.headers.get('location')).toBe(`/g/${own.name}/_fauxgate/`)
})

test('a gateway that no server has creates no others', async () => {
  const gateway = createNgrok({ baseUrl: 'http://localhost' })
  const response = await gateway.fetch(`${gateway.url}/_fauxgate/gateways`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { msg } = await response.json()
  expect([response.status, msg]).toEqual([400, expect.stringContaining('fauxgate serve')])
})

test('the report suggests the call of the language that asks, and none to others', async () => {
  const { url } = await open()
  const own = await add(url)
  await call(own.url, 'POST', '/reserved_domains', DOMAIN)
  const texts = ['', '?for=python', '?for=go', '?for=shell', '?for=javascript'].map(
    async (query) => (await call(own.url, 'GET', `/_fauxgate/report${query}`)).body.match(/attempt for .*/)?.[0],
  )
  expect(await Promise.all(texts)).toEqual([
    'attempt for app.example.com. Advance the clock to go there.',
    'attempt for app.example.com. `fauxgate.advance_to_next()` goes there.',
    'attempt for app.example.com. `gateway.AdvanceToNext()` goes there.',
    'attempt for app.example.com. `fauxgate clock next` goes there.',
    'attempt for app.example.com. `gateway.clock.advanceToNext()` goes there.',
  ])
  expect((await call(own.url, 'GET', '/_fauxgate/report?for=cobol')).status).toBe(400)
})

test('a gateway lists the faults and the outcomes that nothing has used', async () => {
  const { url } = await open()
  expect((await call(url, 'GET', '/_fauxgate/unused')).body).toEqual([])
  await call(url, 'POST', '/_fauxgate/faults', { operation: 'reserved_addrs.list', status: 503 })
  await call(url, 'POST', '/_fauxgate/provisioning/script', { outcomes: ['DNS_ERROR'] })
  expect((await call(url, 'GET', '/_fauxgate/unused')).body).toEqual([
    expect.stringContaining('1 fault is still waiting for requests.'),
    expect.stringContaining('No attempt used these outcomes: DNS_ERROR'),
  ])
})

test('the clock has its time in ms, too', async () => {
  const { url } = await open()
  await call(url, 'POST', '/_fauxgate/clock', { advance: 1500 })
  expect((await call(url, 'GET', '/_fauxgate/clock')).body.ms).toBe(CLOCK_START + 1500)
})

test('a server names a request that waits 10 real seconds for a clock that nothing advances', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const warnings: string[] = []
  const clock = manualClock(CLOCK_START)
  const gateway = withWaitingNotice(createNgrok({ clock, baseUrl: 'http://localhost' }), (text) => warnings.push(text))
  gateway.faults.add({ latency: '30s' })
  const delivered = () => {
    const url = `${gateway.url}/reserved_domains`
    const header = (name: string) => new Headers(HEADERS).get(name)
    const request = { method: 'GET', url, header, rawHeaders: [], body: '', peer: '127.0.0.1' }
    return gateway.transport.delivered(gateway.transport.exchange(request))
  }
  const until = timestamp(roundUpToSecond(CLOCK_START + 30_000))
  const first = delivered()
  await vi.advanceTimersByTimeAsync(9_000)
  expect(warnings).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(warnings).toEqual([
    `GET /reserved_domains is waiting for the clock: a fault delays its response until ${until}, and nothing has advanced the clock for 10 s.`,
  ])
  clock.advance('31s')
  await first
  const second = delivered()
  clock.advance('1s')
  await vi.advanceTimersByTimeAsync(20_000)
  clock.advance('31s')
  await second
  expect(warnings).toHaveLength(1)
})

test('fauxgate serve --quiet prints on its error output which request of which gateway waits', async () => {
  const { url: home, output } = await startServer({}, '--quiet', '--dialect', 'ngrok', '--clock', 'manual')
  const { url, name } = await add(home)
  await call(url, 'POST', '/_fauxgate/faults', { latency: '30s' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const request = call(url, 'GET', '/reserved_domains')
  await waitUntil(async () => (await call(url, 'GET', '/_fauxgate/clock')).body.waiting)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(output.stderr).toContain(
    `GET /g/${name}/reserved_domains is waiting for the clock: a fault delays its response`,
  )
  await remove(home, name)
  expect((await request).status).toBe(404)
})
