import { expect, it } from 'vitest'
import { createNgrok, type NgrokOptions, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { createGateway, manualClock, ngrok } from '../../src/index.ts'
import type { Trace } from '../../src/traffic/trace.ts'
import { CLOCK_START } from '../support/clock.ts'
import { lockers } from '../support/lockers.ts'

const URL_OF_APP = 'https://app.example.com'

function openApp(traffic_policy: string | null = null, options: Pick<NgrokOptions, 'journalBytes'> = {}) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'traffic', ...options })
  gateway.declare.tunnelSession({ endpoints: [{ url: URL_OF_APP, ...(traffic_policy && { traffic_policy }) }] })
  return gateway
}

const upstreamStep = (trace: Trace = []) => trace.find((each) => 'step' in each && each.step === 'upstream')

it('numbers requests from 1, and begins again once it was emptied', async () => {
  const { traffic } = openApp()
  for (let count = 0; count < 3; count++) await traffic.fetch(URL_OF_APP)
  expect(traffic.all().map(({ number }) => number)).toEqual([1, 2, 3])
  traffic.clear()
  await traffic.fetch(URL_OF_APP)
  expect(traffic.last()?.number).toBe(1)
})

it('has the headers on both sides of what rules changed', async () => {
  const { traffic } = openApp(`
on_http_request: [{ actions: [{ type: add-headers, config: { headers: { x-added: 'yes' } } }] }]
on_http_response: [{ actions: [{ type: remove-headers, config: { headers: [x-internal] } }] }]`)
  traffic.upstream(
    URL_OF_APP,
    () => new Response('hello', { status: 201, headers: { 'x-internal': 'a', 'x-open': 'b' } }),
  )
  await traffic.fetch(`${URL_OF_APP}/path?a=1`, { headers: { 'x-sent': 'c' } })
  const entry = traffic.last()
  expect(entry?.headers).not.toHaveProperty('x-added')
  expect(upstreamStep(entry?.trace)).toMatchObject({
    request: {
      url: 'http://localhost/path?a=1',
      headers: { 'x-sent': 'c', 'x-added': 'yes', 'x-forwarded-for': '203.0.113.1' },
    },
    response: { status: 201, headers: { 'x-internal': 'a', 'x-open': 'b' } },
  })
  expect(entry?.responseHeaders).toMatchObject({ 'x-open': 'b' })
  expect(entry?.responseHeaders).not.toHaveProperty('x-internal')
})

it('shows no secret of the request or the response on either side of the upstream', async () => {
  const { traffic } = openApp()
  const secret = 'a-very-secret-value'
  traffic.upstream(
    URL_OF_APP,
    () => new Response(secret, { headers: { 'set-cookie': `session=${secret}`, echo: secret } }),
  )
  await traffic.fetch(`${URL_OF_APP}/?token=${secret}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'another-secret-value', note: `it is ${secret}`, open: 1 }),
    from: { identity: { email: 'a@example.com', access_token: 'a-third-secret-value' } },
  })
  const entry = traffic.last()
  const text = JSON.stringify(entry)
  for (const each of [secret, 'another-secret-value', 'a-third-secret-value']) expect(text).not.toContain(each)
  expect(entry?.body).toBe('{"password":"[redacted]","note":"it is [redacted]","open":1}')
  expect(entry?.from.identity).toMatchObject({ email: 'a@example.com' })
})

it('hides a body field whose name an own family marks as secret', async () => {
  const gateway = createGateway({
    clock: manualClock(CLOCK_START),
    dialect: ngrok,
    families: { ...ngrokFamilies, lockers },
  })
  const body = JSON.stringify({ pin: 'planted-1', open: 1 })
  await gateway.traffic.fetch(URL_OF_APP, { method: 'POST', body })
  expect(gateway.traffic.last()?.body).toBe('{"pin":"[redacted]","open":1}')
})

it('keeps bodies of up to 16 KB that are JSON or a form, whether they are texts or streams', async () => {
  const { traffic } = openApp()
  const post = async (body: BodyInit | null, length?: number) => {
    const headers: HeadersInit = length === undefined ? {} : { 'content-length': String(length) }
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
    const sent = traffic.last()?.number ?? 0
    traffic.upstream(URL_OF_APP, async (request) => new Response(await request.text()))
    const response = await traffic.fetch(URL_OF_APP, init)
    expect(await response.text()).toBe(typeof body === 'string' ? body : length === undefined ? '' : '{"a":1}')
    expect(traffic.last()?.number).toBe(sent + 1)
    return traffic.last()
  }
  expect((await post(null))?.body).toBeNull()
  expect((await post('{"a":1}'))?.body).toBe('{"a":1}')
  expect((await post('a=1&api_key=0123456789'))?.body).toBe('a=1&api_key=[redacted]')
  expect((await post(new Blob(['{"a":1}']).stream(), 7))?.body).toBe('{"a":1}')
  expect(await post('a plain text')).not.toHaveProperty('body')
  const [longest, longer] = [16_382, 16_383].map((length) => JSON.stringify('x'.repeat(length)))
  expect((await post(longest ?? ''))?.body).toBe(longest)
  expect(await post(longer ?? '')).not.toHaveProperty('body')
})

it('says what a policy needs that the visitor does not have', async () => {
  const { traffic } = openApp(
    'on_http_request: [{ expressions: ["conn.geo.country_code == \'DE\'"], actions: [{ type: deny }] }]',
  )
  await expect(traffic.fetch(URL_OF_APP)).rejects.toThrow('conn.geo.country_code')
  expect(traffic.last()?.trace.at(-1)).toEqual({
    step: 'policy',
    did: 'needs the fact conn.geo.country_code, which the visitor lacks. See from.facts',
    isEnd: true,
  })
})

it('returns over HTTP those after a number, and all if the journal was cleared since', async () => {
  const gateway = openApp()
  const list = async (query: string) => {
    const response = await gateway.fetch(`http://localhost/_fauxgate/traffic${query}`)
    const entries: { number: number }[] = await response.json()
    return entries.map(({ number }) => number)
  }
  const send = async () => {
    const body = JSON.stringify({ url: URL_OF_APP })
    const response = await gateway.fetch('http://localhost/_fauxgate/traffic', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return (await response.json()).number
  }
  expect([await send(), await send(), await send()]).toEqual([1, 2, 3])
  expect([await list(''), await list('?after=1'), await list('?after=3')]).toEqual([[1, 2, 3], [2, 3], []])
  gateway.traffic.clear()
  expect(await send()).toBe(1)
  expect(await list('?after=3')).toEqual([1])
  const refused = await gateway.fetch('http://localhost/_fauxgate/traffic?after=x')
  expect([refused.status, (await refused.json()).msg]).toEqual([400, expect.stringContaining('after is "x"')])
})

it('has at most 16 MiB by default, or the bytes of `journalBytes`, and drops the oldest requests', async () => {
  const { traffic } = openApp()
  for (let count = 0; count < 20; count++)
    await traffic.fetch(URL_OF_APP, { headers: { 'x-count': `${count}`, 'x-long': 'x'.repeat(900_000) } })
  const entries = traffic.all()
  expect(entries.length).toBeLessThan(10)
  expect(entries.at(-1)).toMatchObject({ number: 20, headers: { 'x-count': '19' } })
  expect(traffic.count()).toBe(20)

  const small = openApp(null, { journalBytes: 50_000 })
  for (let count = 0; count < 50; count++) await small.traffic.fetch(URL_OF_APP, { method: 'POST', body: 'x=1' })
  expect(small.traffic.all().length).toBeGreaterThan(3)
  expect(small.traffic.all().length).toBeLessThan(50)
  expect(small.traffic.last()).toMatchObject({ number: 50, body: 'x=1' })
  const none = openApp(null, { journalBytes: 0 })
  await none.traffic.fetch(URL_OF_APP)
  expect([none.traffic.all(), none.traffic.count()]).toEqual([[], 1])
})

it.each([
  ['a body', null, { method: 'POST', body: `x=${'x'.repeat(16_000)}` }],
  [
    'values in a trace',
    `on_http_request: [{ expressions: ["getReqHeader('x-a')[0] != ''"], actions: [{ type: deny }] }]`,
    { headers: { 'x-a': 'a'.repeat(9000) } },
  ],
  [
    'all headers as a value in a trace',
    `on_http_request: [{ expressions: ["size(req.headers) > 0"], actions: [{ type: deny }] }]`,
    { headers: { 'x-a': 'a'.repeat(9000) } },
  ],
  ['a description of the visitor', null, { from: { identity: { email: `${'a'.repeat(9000)}@example.com` } } }],
  ['texts that are longer when they are escaped', null, { headers: { 'x-a': '"'.repeat(9000) } }],
] as const)('counts %s, and the list over HTTP has no more bytes than the journal', async (_what, policy, init) => {
  const gateway = openApp(policy, { journalBytes: 100_000 })
  for (let count = 0; count < 20; count++) await gateway.traffic.fetch(URL_OF_APP, init)
  expect(gateway.traffic.all().length).toBeLessThan(7)
  const listed = await (await gateway.fetch('http://localhost/_fauxgate/traffic')).text()
  expect(listed.length).toBeLessThanOrEqual(100_000)
  expect(JSON.parse(listed).at(-1)).toMatchObject({ number: 20 })
})

it('is listed over HTTP without the oldest requests for which the text has no room, to the byte', async () => {
  const from = { identity: { name: '\u0001'.repeat(9000) } }
  const listWith = async (journalBytes: number) => {
    const gateway = openApp(null, { journalBytes })
    for (let count = 0; count < 2; count++) await gateway.traffic.fetch(URL_OF_APP, { from })
    return (await gateway.fetch('http://localhost/_fauxgate/traffic')).text()
  }
  const whole = await listWith(1_000_000)
  expect(await listWith(whole.length)).toBe(whole)
  expect(JSON.parse(await listWith(whole.length - 1))).toMatchObject([{ number: 2 }])
})
