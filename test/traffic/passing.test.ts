import { describe, expect, test, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { GatewayError, manualClock } from '../../src/index.ts'
import { formatTrace } from '../../src/traffic/trace-text.ts'
import { CLOCK_START } from '../support/clock.ts'
import { createVisited, policyOf, URL_OF_APP } from './visits.ts'

const limit = (more = {}) =>
  policyOf('rate-limit', {
    name: 'all',
    algorithm: 'sliding_window',
    capacity: 2,
    rate: '60s',
    bucket_key: ['conn.client_ip'],
    ...more,
  })

// rules: traffic#endpoints
describe('the endpoint of a request', () => {
  const answer = (text: string) => () => new Response(text)

  test('is that of the exact host, else that of the most specific wildcard', async () => {
    const { gateway, visit } = createVisited()
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://*.example.com' }, { url: 'https://*.b.example.com' }] })
    gateway.traffic.upstream('https://*.example.com', answer('wide'))
    gateway.traffic.upstream('https://*.b.example.com', answer('narrow'))
    const textAt = async (url: string) => (await gateway.traffic.fetch(url)).text()
    expect(await (await visit()).text()).toBe('upstream got ')
    expect([await textAt('https://x.example.com'), await textAt('https://a.b.example.com')]).toEqual(['wide', 'narrow'])
  })

  test.each(['https://nobody.example.com/', 'http://app.example.com/', 'https://app.internal/'])(
    'is none for %s: 404 with 3200',
    async (url) => {
      const { gateway } = createVisited()
      gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.internal' }] })
      const response = await gateway.traffic.fetch(url)
      expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([404, 'ERR_NGROK_3200'])
      expect(await response.text()).toContain('ERR_NGROK_3200\n')
    },
  )

  test('is drawn from those of a pool, evenly by the seed', async () => {
    const gateway = createNgrok({ clock: manualClock(CLOCK_START), seed: 'pool' })
    const endpoint = (forwards_to: string) => ({ url: URL_OF_APP, forwards_to, pooling_enabled: true })
    for (const port of [1, 2, 3]) gateway.declare.tunnelSession({ endpoints: [endpoint(`http://localhost:${port}`)] })
    const counts = new Map<string, number>()
    gateway.traffic.upstream(URL_OF_APP, ({ url }) => {
      counts.set(url, (counts.get(url) ?? 0) + 1)
      return new Response()
    })
    for (let request = 0; request < 300; request++) await gateway.traffic.fetch(URL_OF_APP)
    // Chi-squared with 2 degrees of freedom: 13.8 has a probability of 0.001.
    const deviation = [...counts.values()].reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0)
    expect([counts.size, deviation < 13.8]).toEqual([3, true])
  })

  test('with a policy that answers nothing is an error', async () => {
    const gateway = createNgrok({ provisioningDelay: 0 })
    gateway.reservedDomains.create({ domain: 'api.example.com' })
    const answers = policyOf('deny', {}, 'on_http_request', ["req.url.path == '/a'"])
    const rules = {
      on_http_request: [
        ...JSON.parse(answers).on_http_request,
        { actions: [{ type: 'redirect', config: { from: '/b', to: '/c' } }] },
      ],
    }
    gateway.endpoints.create({
      url: 'https://api.example.com',
      type: 'cloud',
      bindings: ['public'],
      traffic_policy: JSON.stringify(rules),
    })
    const response = await gateway.traffic.fetch('https://api.example.com/')
    expect(response.headers.get('ngrok-error-code')).toBe('ERR_NGROK_3200')
  })

  test('answers challenges of ACME itself', async () => {
    const gateway = createNgrok({ provisioningDelay: 0 })
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    gateway.declare.tunnelSession({ endpoints: [{ url: URL_OF_APP }] })
    expect((await gateway.traffic.fetch(`${URL_OF_APP}/.well-known/acme-challenge/x`)).status).toBe(404)
  })
})

// rules: traffic#headers
test('the upstream gets the request as the service sends it on', async () => {
  const { visit, received } = createVisited()
  await visit('/a/b?c=d', {
    method: 'PUT',
    body: 'text',
    headers: {
      'x-forwarded-for': '192.0.2.1',
      connection: 'close, x-hop',
      'x-hop': '1',
      te: 'trailers',
      'x-own': 'yes',
    },
    from: { ip: '203.0.113.9' },
  })
  const [request] = received
  expect([request?.method, request?.url, await request?.text()]).toEqual(['PUT', 'http://localhost/a/b?c=d', 'text'])
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    host: 'app.example.com',
    'x-forwarded-for': '192.0.2.1, 203.0.113.9',
    'x-forwarded-host': 'app.example.com',
    'x-forwarded-proto': 'https',
    'x-own': 'yes',
  })
  for (const name of ['connection', 'x-hop', 'te']) expect(request?.headers.has(name)).toBe(false)
})

test("the upstream cannot send the header of the gateway's errors", async () => {
  const { gateway, visit } = createVisited()
  gateway.traffic.upstream(
    URL_OF_APP,
    () => new Response('', { headers: { 'ngrok-error-code': 'ERR_NGROK_1', 'keep-alive': '5' } }),
  )
  const { headers } = await visit()
  expect([headers.has('ngrok-error-code'), headers.has('keep-alive')]).toEqual([false, false])
})

test('forward-internal runs the policy of the internal endpoint, and its response passes the rules for responses', async () => {
  const outer = JSON.stringify({
    on_http_request: [{ actions: [{ type: 'forward-internal', config: { url: 'https://api.internal' } }] }],
    on_http_response: [
      { actions: [{ type: 'add-headers', config: { headers: { 'x-outer': '${res.status_code}' } } }] },
    ],
  })
  const { gateway, visit } = createVisited(outer)
  gateway.declare.tunnelSession({
    endpoints: [
      { url: 'https://api.internal', traffic_policy: policyOf('add-headers', { headers: { 'x-inner': 'in' } }) },
    ],
  })
  let host: string | null = null
  gateway.traffic.upstream('https://api.internal', ({ headers }) => {
    host = headers.get('host')
    return new Response(headers.get('x-inner'), { status: 201 })
  })
  const response = await visit()
  expect([await response.text(), response.headers.get('x-outer'), host]).toEqual(['in', '201', 'app.example.com'])
})

describe('A trace names the rule that decided, on whichever side of forward-internal it is', () => {
  const INNER = 'https://api.internal'
  const forward = { name: 'to the api', actions: [{ type: 'forward-internal', config: { url: INNER } }] }

  /** Opens a gateway that forwards from an endpoint to another one, each with further rules. */
  function openForwarded(outer: object = {}, inner: object = {}) {
    const { gateway, visit } = createVisited(JSON.stringify({ on_http_request: [forward], ...outer }))
    gateway.declare.tunnelSession({ endpoints: [{ url: INNER, traffic_policy: JSON.stringify(inner) }] })
    gateway.traffic.upstream(INNER, () => new Response('hello'))
    const last = () => gateway.traffic.last() ?? { rule: undefined, trace: [], status: null }
    return { gateway, visit, last }
  }

  const answer = (status_code: number) => ({ type: 'custom-response', config: { status_code, body: 'x' } })

  test('the rule of the inner policy that rejects', async () => {
    const deny = { name: 'inner deny', actions: [{ type: 'deny', config: { status_code: 451 } }] }
    const { gateway, visit, last } = openForwarded({}, { on_http_request: [deny] })
    expect((await visit()).status).toBe(451)
    expect(last().rule).toBe('inner deny')
    expect(formatTrace(last())).toMatch(
      / {2}forward-internal forwarded to https:\/\/api\.internal\n.*deny denied with 451$/s,
    )
    expect(gateway.report()).toContain(' 451 by the rule inner deny')
  })

  test('a rule of the outer policy that replaces the response', async () => {
    const { visit, last } = openForwarded({ on_http_response: [{ name: 'outer page', actions: [answer(202)] }] })
    expect((await visit()).status).toBe(202)
    expect(last().rule).toBe('outer page')
  })

  test('no rule if the upstream responds, or fails', async () => {
    const { gateway, visit, last } = openForwarded()
    expect((await visit()).status).toBe(200)
    expect(last().rule).toBeNull()
    gateway.traffic.upstream(INNER, () => {
      throw new Error('broken')
    })
    expect((await visit()).status).toBe(502)
    expect(last().rule).toBeNull()
    expect(formatTrace(last())).toMatch(/\nupstream: .*; the visitor got 502$/)
  })

  test('the outer rule if there is nothing to forward to', async () => {
    const actions = [{ type: 'forward-internal', config: { url: 'https://nobody.internal' } }]
    const { visit, last } = openForwarded({ on_http_request: [{ name: 'to nobody', actions }] })
    expect((await visit()).status).toBe(404)
    expect(last().rule).toBe('to nobody')
    expect(formatTrace(last())).toMatch(
      /found no internal endpoint at https:\/\/nobody\.internal; the visitor got 404$/,
    )
  })
})

test('a request that is forwarded in a circle ends with 3501', async () => {
  const { gateway, visit } = createVisited(policyOf('forward-internal', { url: 'https://a.internal' }))
  gateway.declare.tunnelSession({
    endpoints: [
      { url: 'https://a.internal', traffic_policy: policyOf('forward-internal', { url: 'https://a.internal' }) },
    ],
  })
  expect((await visit()).headers.get('ngrok-error-code')).toBe('ERR_NGROK_3501')
})

describe('rate limits', () => {
  test('count in a sliding window on the clock of the gateway, for each combination of keys', async () => {
    const { gateway, visit } = createVisited(limit())
    const statuses = async (ip: string) => {
      const response = await visit('/', { from: { ip } })
      return [response.status, response.headers.get('retry-after')]
    }
    expect([await statuses('203.0.113.1'), await statuses('203.0.113.1')]).toEqual([
      [200, null],
      [200, null],
    ])
    gateway.clock.advance('30s')
    expect([await statuses('203.0.113.1'), await statuses('203.0.113.2')]).toEqual([
      [429, '30'],
      [200, null],
    ])
    gateway.clock.advance('30s')
    expect(await statuses('203.0.113.1')).toEqual([200, null])
  })

  test('are records: restore, reset and a snapshot hold for them', async () => {
    const { gateway, visit } = createVisited(limit())
    const before = gateway.snapshot()
    for (const status of [200, 200, 429]) expect((await visit()).status).toBe(status)
    const full = gateway.snapshot()
    gateway.restore(before)
    expect((await visit()).status).toBe(200)
    gateway.restore(full)
    expect((await visit()).status).toBe(429)
  })

  test('keep no value of a key', async () => {
    const { gateway, visit } = createVisited(limit({ bucket_key: ["getReqHeader('authorization')"] }))
    await visit('/', { headers: { authorization: 'Bearer planted-secret-1' } })
    expect(JSON.stringify(gateway.snapshot())).not.toContain('planted-secret-1')
  })
})

describe('circuit breakers', () => {
  const breaker = policyOf('circuit-breaker', {
    error_threshold: 0.5,
    volume_threshold: 4,
    window_duration: '10s',
    tripped_duration: '20s',
  })

  test('open after too many errors, let one request try after a while, and close when it works', async () => {
    const { gateway, visit } = createVisited(breaker)
    const fault = gateway.faults.add({ traffic: URL_OF_APP, status: 502 })
    const statuses = async (count: number) => {
      const all: number[] = []
      for (let request = 0; request < count; request++) all.push((await visit()).status)
      return all
    }
    expect(await statuses(5)).toEqual([502, 502, 502, 502, 503])
    expect(gateway.traffic.last()?.error).toBe('ERR_NGROK_3202')
    gateway.clock.advance('20s')
    expect(await statuses(2)).toEqual([502, 503])
    gateway.faults.remove(fault.id)
    expect(await statuses(1)).toEqual([503])
    gateway.clock.advance('20s')
    expect(await statuses(6)).toEqual([200, 200, 200, 200, 200, 200])
  })

  test('let one request at a time try', async () => {
    const { gateway, visit } = createVisited(breaker)
    const fault = gateway.faults.add({ traffic: URL_OF_APP, status: 500 })
    for (let request = 0; request < 4; request++) await visit()
    gateway.faults.remove(fault.id)
    gateway.clock.advance('20s')
    let finish = (_: Response) => {}
    gateway.traffic.upstream(URL_OF_APP, () => new Promise<Response>((resolve) => (finish = resolve)))
    const trying = visit()
    await vi.waitFor(() => expect(gateway.snapshot().records.traffic_breakers).toMatchObject([{ is_trying: true }]))
    expect((await visit()).status).toBe(503)
    finish(new Response())
    expect((await trying).status).toBe(200)
  })

  test('forget errors that have left the window', async () => {
    const { gateway, visit } = createVisited(breaker)
    gateway.faults.add({ traffic: URL_OF_APP, status: 500, times: 6 })
    for (let request = 0; request < 6; request++) {
      expect((await visit()).status).toBe(500)
      gateway.clock.advance('5s')
    }
    expect((await visit()).status).toBe(200)
  })
})

describe('upstreams that fail', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('planted')
      },
    ],
    ['rejects', () => Promise.reject(new Error('planted'))],
    ['returns no Response', () => ({}) as Response],
    [
      'returns a body that was read',
      () => {
        const read = new Response('x')
        void read.text()
        return read
      },
    ],
  ])('a function that %s is a 502 in words, and the trace says whose fault it was', async (_, handler) => {
    const { gateway, visit } = createVisited()
    gateway.traffic.upstream(URL_OF_APP, handler)
    const response = await visit()
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([502, 'ERR_NGROK_3004'])
    expect(await response.text()).not.toContain('planted')
    expect(gateway.traffic.last()?.trace.at(-1)).toMatchObject({ step: 'upstream', isEnd: true })
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(`the function for the upstream ${URL_OF_APP}`)
  })

  test('a function that hangs is a 504 with 3005 after a minute of the gateway', async () => {
    const { gateway, visit } = createVisited()
    let start = () => {}
    const started = new Promise<void>((resolve) => (start = resolve))
    gateway.traffic.upstream(URL_OF_APP, () => {
      start()
      return new Promise<Response>(() => {})
    })
    const waiting = visit()
    await started
    gateway.clock.advance('5m')
    const response = await waiting
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([504, 'ERR_NGROK_3005'])
  })

  test('a response that comes too late is ended', async () => {
    const { gateway, visit } = createVisited()
    let respond = (_: Response) => {}
    const started = new Promise<void>((resolveStarted) => {
      gateway.traffic.upstream(URL_OF_APP, () => {
        resolveStarted()
        return new Promise<Response>((resolve) => {
          respond = resolve
        })
      })
    })
    const waiting = visit()
    await started
    gateway.clock.advance('10m')
    expect((await waiting).status).toBe(504)
    const ended = new Promise<void>((resolve) => {
      respond(new Response(new ReadableStream({ cancel: () => resolve() })))
    })
    await expect(ended).resolves.toBe(undefined)
  })

  test('an agent without an upstream is 8012, and a near URL is suggested', async () => {
    const gateway = createNgrok()
    gateway.declare.tunnelSession({ endpoints: [{ url: URL_OF_APP }] })
    gateway.traffic.upstream('https://ap.example.com', () => new Response())
    const response = await gateway.traffic.fetch(URL_OF_APP)
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([502, 'ERR_NGROK_8012'])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('Did you mean')
  })

  test('a fault drops, delays and cuts what the gateway sends on, and no request of the API', async () => {
    const { gateway, visit } = createVisited()
    gateway.faults.add({ traffic: URL_OF_APP, drop: true, times: 1 })
    expect(
      (
        await gateway.fetch(`${gateway.url}/reserved_domains`, {
          headers: { authorization: 'Bearer key-12345678', 'ngrok-version': '2' },
        })
      ).status,
    ).toBe(200)
    expect((await visit()).headers.get('ngrok-error-code')).toBe('ERR_NGROK_8012')
    gateway.faults.add({ traffic: URL_OF_APP, latency: '5s', times: 1 })
    const waiting = visit()
    await new Promise((resolve) => setImmediate(resolve))
    gateway.clock.advance('5s')
    expect((await waiting).status).toBe(200)
    gateway.faults.add({ traffic: URL_OF_APP, truncate: 4, times: 1 })
    expect((await (await visit()).text()).length).toBe(4)
    gateway.faults.add({ traffic: URL_OF_APP, truncate: 4, ending: 'break', times: 1 })
    await expect((await visit()).text()).rejects.toThrow('terminated')
    expect(gateway.faults.all().every(({ hits }) => hits === 1)).toBe(true)
  })

  test('times limits the requests of an upstream, and remove ends it', async () => {
    const { gateway, visit } = createVisited()
    const upstream = gateway.traffic.upstream(URL_OF_APP, () => new Response('once'), { times: 1 })
    expect([(await visit()).status, (await visit()).status]).toEqual([200, 502])
    upstream.remove()
    expect((await visit()).status).toBe(502)
  })
})

describe('what only the real network knows', () => {
  test('is named when a policy needs it, and nothing changes', async () => {
    const { gateway, visit } = createVisited(policyOf('deny', {}, 'on_http_request', ["conn.geo.city == 'Berlin'"]))
    const before = JSON.stringify(gateway.snapshot())
    const thrown: unknown = await visit().catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(GatewayError)
    expect(thrown).toMatchObject({ key: 'traffic_fact_missing' })
    expect(String(thrown)).toContain('conn.geo.city')
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    expect((await visit('/', { from: { facts: { 'conn.geo.city': 'Berlin' } } })).status).toBe(403)
  })

  test('does not matter if the rest of an expression decides', async () => {
    const { visit } = createVisited(
      policyOf('deny', {}, 'on_http_request', ["req.method == 'GET' || conn.geo.city == 'Berlin'"]),
    )
    expect((await visit()).status).toBe(403)
  })

  test('has names of variables, and others are rejected with the nearest', async () => {
    const { visit } = createVisited()
    await expect(visit('/', { from: { facts: { 'conn.geo.cty': 'x' } } })).rejects.toThrow(
      'Did you mean conn.geo.city?',
    )
  })

  test.each([
    ['ai-gateway', {}, { status: 'success' }],
    ['owasp-crs-request', { on_error: 'halt' }, { decision: 'allow' }],
  ])('the action %s is not carried out unless the caller says what it did', async (type, config, stated) => {
    const { gateway, visit } = createVisited(policyOf(type, config))
    const before = JSON.stringify(gateway.snapshot())
    await expect(visit()).rejects.toMatchObject({ key: 'traffic_not_simulated' })
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    expect((await visit('/', { from: { actions: { [type]: stated } } })).status).toBe(200)
  })

  // A misspelt denial let the request pass, and the test with it.
  test.each<[Record<string, Record<string, unknown>>, string]>([
    [
      { 'owasp-crs-request': { decision: 'dny' } },
      'from.actions.owasp-crs-request.decision is "dny". Allowed: allow or deny.',
    ],
    [
      { 'owasp-crs-request': { decison: 'deny' } },
      'from.actions.owasp-crs-request is "decison", which is not a policy variable. Did you mean decision?',
    ],
    [{ 'owasp-crs-requests': { decision: 'deny' } }, 'Did you mean owasp-crs-request?'],
    [
      { 'owasp-crs-request': { error: 'a text' } },
      'from.actions.owasp-crs-request.error is "a text". Allowed: an object.',
    ],
    [{ 'rate-limit': { limited: 'true' } }, 'from.actions.rate-limit.limited is "true". Allowed: true or false.'],
    [
      { 'owasp-crs-request': { anomaly_score: '9' } },
      'from.actions.owasp-crs-request.anomaly_score is "9". Allowed: an integer.',
    ],
    [{ oauth: { identity: { email: 7 } } }, 'from.actions.oauth.identity.email is 7. Allowed: a string.'],
  ])('the stated results %j are rejected, also if the policy lacks the action', async (actions, message) => {
    const { visit } = createVisited()
    await expect(visit('/', { from: { actions } })).rejects.toThrow(message)
  })
})

describe('what a caller passes', () => {
  test.each([
    [{ ip: 'nowhere' }, 'from.ip is "nowhere"'],
    [{ country: 'Germany' }, 'from.country is "Germany"'],
    [{ contry: 'DE' } as object, 'from.contry'],
  ])('the visitor %j is rejected', async (from, message) => {
    await expect(createVisited().visit('/', { from })).rejects.toThrow(message)
  })

  test('a filter with an unknown name and an upstream of no request are rejected', () => {
    const { gateway } = createVisited()
    expect(() => gateway.traffic.all({ stauts: 403 } as object)).toThrow('stauts')
    expect(() => gateway.traffic.upstream(URL_OF_APP, () => new Response(), { times: 0 })).toThrow('times is 0')
    expect(() => gateway.traffic.upstream('nowhere', () => new Response())).toThrow('the ID of a backend')
  })

  test('a fault of traffic has no field of requests of the API, and is a 503 by default', async () => {
    const { gateway, visit } = createVisited()
    expect(() => gateway.faults.add({ traffic: URL_OF_APP, operation: 'reserved_domains.create' })).toThrow(
      'only without traffic',
    )
    gateway.faults.add({ traffic: URL_OF_APP, times: 1 })
    expect([(await visit()).status, (await visit()).status]).toEqual([503, 200])
  })

  test('the report of the gateway has the last visitor requests', async () => {
    const { gateway, visit } = createVisited(policyOf('deny'))
    await visit('/a')
    expect(gateway.report()).toContain(`GET ${URL_OF_APP}/a 403 by the rule on_http_request.0`)
  })
})

// RFC 3986, section 2.1: an upstream decodes each escape for itself, and so must a rule that protects a path.
test.each([
  ['/%61dmin/', '/admin/'],
  ['/%61dmin/%ff', '/admin/\ufffd'],
  ['/%61dmin/%zz', '/admin/%zz'],
  ['/adm%69n/%', '/admin/%'],
  ['/adm%69n/%C0%AF', '/admin/\ufffd\ufffd'],
  ['/%C3%A4%E2%82%AC%20', '/\u00e4\u20ac '],
])('A rule reads the path %s as %j', async (path, expected) => {
  const { visit } = createVisited(
    policyOf('deny', {}, 'on_http_request', [`req.url.path == ${JSON.stringify(expected)}`]),
  )
  expect((await visit(path)).status).toBe(403)
})

describe('the traffic journal', () => {
  test('has no secret of a query, and no signature of a token', async () => {
    const { gateway, visit } = createVisited(
      JSON.stringify({
        on_http_request: [
          {
            expressions: ["req.url.query != '' && size(getReqHeader('x')) == 0"],
            actions: [{ type: 'log', config: { metadata: { a: 'b' } } }],
          },
        ],
      }),
    )
    await visit('/?api_key=planted-query-1&page=2', {
      headers: { authorization: 'Bearer aaaaaaaaaa.bbbbbbbbbb.planted-signature' },
    })
    const entry = gateway.traffic.last()
    expect(JSON.stringify(entry)).not.toContain('planted')
    expect(entry?.url).toBe(`${URL_OF_APP}/?api_key=[redacted]&page=2`)
  })

  test('has no secret of a request, of a vault or of a policy', async () => {
    const secrets = ['planted-token-1', 'planted-cookie-2', 'planted-password-3', 'planted-vault-4']
    const { gateway, visit } = createVisited(
      JSON.stringify({
        on_http_request: [
          {
            expressions: ["getReqHeader('authorization').exists(v, v.contains('x')) || secrets.get('v', 's') != ''"],
            actions: [{ type: 'log', config: { metadata: { all: '${req.headers}' } } }],
          },
          {
            actions: [
              { type: 'set-vars', config: { vars: [{ s: "${secrets.get('v', 's')}" }] } },
              { type: 'add-headers', config: { headers: { 'x-vault': '${vars.s}' } } },
            ],
          },
        ],
        on_http_response: [{ expressions: ["res.headers['x-echo'][0] == 'no'"], actions: [{ type: 'deny' }] }].slice(1),
      }),
    )
    const { id } = gateway.vaults.create({ name: 'v' })
    gateway.vaultSecrets.create({ name: 's', value: 'planted-vault-4', vault_id: id })
    gateway.traffic.upstream(
      URL_OF_APP,
      ({ headers }) =>
        new Response('', { headers: { 'x-echo': headers.get('x-vault') ?? '', 'set-cookie': 'a=planted-cookie-2' } }),
    )
    const basic = Buffer.from('user:planted-password-3').toString('base64')
    await visit('/?token=planted-token-1', {
      headers: { authorization: 'Bearer planted-token-1', cookie: 'a=planted-cookie-2' },
    })
    await visit('/', { headers: { authorization: `Basic ${basic}` } })
    const journal = JSON.stringify(gateway.traffic.all())
    for (const secret of [...secrets, basic]) expect(journal).not.toContain(secret)
    expect(journal).toContain('[redacted]')
  })

  test('is bounded, counts all, and finds by fields and predicates', async () => {
    const { gateway, visit } = createVisited(policyOf('deny', {}, 'on_http_request', ["req.url.path == '/no'"]))
    for (let request = 0; request < 1001; request++) await visit()
    await visit('/no')
    expect([gateway.traffic.count(), gateway.traffic.all().length]).toEqual([1002, 1000])
    expect(gateway.traffic.count({ status: 403 })).toBe(1)
    expect(gateway.traffic.last({ rule: 'on_http_request.0' })?.url).toBe(`${URL_OF_APP}/no`)
    expect(gateway.traffic.all(({ upstream }) => upstream === null)).toHaveLength(1)
    gateway.traffic.clear()
    expect([gateway.traffic.count(), gateway.traffic.last()]).toEqual([0, undefined])
  })

  test('hands out frozen entries', async () => {
    const { gateway, visit } = createVisited()
    await visit()
    expect(Object.isFrozen(gateway.traffic.last()?.trace)).toBe(true)
  })
})

test('an aborted signal ends the request', async () => {
  const { visit } = createVisited()
  await expect(visit('/', { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
})

test('a single label below localhost means the oldest public endpoint whose host begins with it (rules: traffic#ports)', async () => {
  const gateway = createNgrok()
  const locate = (host: string, schemes = ['http', 'https']) => gateway.transport.locate(host, schemes)
  gateway.declare.tunnelSession({
    endpoints: [
      { url: 'https://app.internal', binding: 'internal' },
      { url: 'https://app.example.com' },
      { url: 'http://app.example.org' },
      { url: 'https://apps.example.com' },
    ],
  })
  expect(await locate('app.localhost')).toBe('https://app.example.com')
  expect(await locate('APP')).toBe('https://app.example.com')
  expect(await locate('app', ['http'])).toBe('http://app.example.org')
  expect(await locate('ap')).toBe('http://ap')
  expect(await locate('app.example.org.localhost')).toBe('http://app.example.org')
})
