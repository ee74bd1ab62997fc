import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createVisited, policyOf } from './visits.ts'

// The cases are those of the pages of the actions, below ngrok.com/docs/traffic-policy/actions/.
describe('actions on requests', () => {
  test('add-headers adds a value to a header that is there, and replaces the host (add-headers, special cases)', async () => {
    const { visit, received } = createVisited(
      policyOf('add-headers', { headers: { 'X-Tag': 'two ${req.method}', host: 'other.example.com' } }),
    )
    await visit('/', { headers: { 'x-tag': 'one' } })
    expect(received[0]?.headers.get('x-tag')).toBe('one, two GET')
    expect(received[0]?.headers.get('host')).toBe('other.example.com')
  })

  test('remove-headers removes headers in any case, and ignores those that are not there', async () => {
    const { visit, received, gateway } = createVisited(policyOf('remove-headers', { headers: ['X-Secret', 'x-none'] }))
    await visit('/', { headers: { 'x-secret': 'a' } })
    expect(received[0]?.headers.has('x-secret')).toBe(false)
    expect(gateway.traffic.last()?.trace.flatMap((each) => ('actions' in each ? each.actions : []))).toEqual([
      { type: 'remove-headers', did: 'removed x-secret', outcome: 'ran', parts: ['x-secret'] },
    ])
  })

  test('url-rewrite replaces all matches in the whole URL', async () => {
    const { visit, received } = createVisited(policyOf('url-rewrite', { from: '/v([0-9]+)/', to: '/api/$1/' }))
    await visit('/v2/x?y=1')
    expect(received[0]?.url).toBe('http://localhost/api/2/x?y=1')
  })

  test('in a replacement, only dollar signs mean something', async () => {
    const { visit } = createVisited(policyOf('redirect', { from: '.*/(q)$', to: 'https://x.example.com/$1\\b$2' }))
    expect((await visit('/q')).headers.get('location')).toBe('https://x.example.com/q\\b')
  })

  test('redirect answers with the replaced URL, and lets a URL pass that it does not change', async () => {
    const { visit } = createVisited(
      policyOf('redirect', { from: '/old', to: '/new', status_code: 308, headers: { 'x-why': 'moved' } }),
    )
    const moved = await visit('/old')
    expect([moved.status, moved.headers.get('location'), moved.headers.get('x-why')]).toEqual([
      308,
      'https://app.example.com/new',
      'moved',
    ])
    expect((await visit('/other')).status).toBe(200)
  })

  test('custom-response guesses the content type from its body unless it has one', async () => {
    const typeOf = async (body: string, headers = {}) =>
      (await createVisited(policyOf('custom-response', { body, headers })).visit()).headers.get('content-type')
    expect(await typeOf('{"a":1}')).toBe('application/json')
    expect(await typeOf('<html></html>')).toBe('text/html; charset=utf-8')
    expect(await typeOf('plain')).toBe('text/plain; charset=utf-8')
    expect(await typeOf('{"a":1}', { 'Content-Type': 'text/x' })).toBe('text/x')
  })

  test('a body with a status that has none is error 3604', async () => {
    const response = await createVisited(policyOf('custom-response', { status_code: 204, body: 'x' })).visit()
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([500, 'ERR_NGROK_3604'])
  })

  test('custom-response in the response phase replaces the response of the upstream', async () => {
    const { visit, received } = createVisited(
      policyOf('custom-response', { status_code: 418, body: 'tea' }, 'on_http_response', ['res.status_code == 200']),
    )
    const response = await visit()
    expect([response.status, await response.text(), received.length]).toEqual([418, 'tea', 1])
  })

  test('a response to HEAD has no body', async () => {
    const response = await createVisited(policyOf('custom-response', { body: 'text' })).visit('/', { method: 'HEAD' })
    expect([response.status, response.body]).toEqual([200, null])
  })

  test('deny responds with its status and no body, and closes the connection before HTTP', async () => {
    const response = await createVisited(policyOf('deny', { status_code: 451 })).visit()
    expect([response.status, await response.text(), response.headers.get('ngrok-error-code')]).toEqual([451, '', null])
    await expect(createVisited(policyOf('deny', {}, 'on_tcp_connect')).visit()).rejects.toThrow(TypeError)
  })

  test('close-connection makes fetch reject, and the journal says so', async () => {
    const { visit, gateway } = createVisited(policyOf('close-connection'))
    await expect(visit()).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
    expect(gateway.traffic.last()).toMatchObject({ status: null, rule: 'on_http_request.0' })
  })

  test.each([
    ['203.0.113.9', { allow: ['203.0.113.0/24'] }, 200],
    ['203.0.113.9', { allow: ['203.0.113.0/24'], deny: ['203.0.113.9/32'] }, 403],
    ['198.51.100.1', { allow: ['203.0.113.0/24'] }, 403],
    ['198.51.100.1', { deny: ['203.0.113.0/24'] }, 403],
    ['2001:db8::1', { allow: ['2001:db8::/32'] }, 200],
    ['198.51.100.1', { allow: ['203.0.113.0/24'], enforce: false }, 200],
  ])('restrict-ips: %s with %j gets %i (restrict-ips, allow and deny conditions)', async (ip, config, status) => {
    const response = await createVisited(policyOf('restrict-ips', config)).visit('/', {
      from: { ip },
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(response.status).toBe(status)
    if (status === 403) expect(response.headers.get('ngrok-error-code')).toBe('ERR_NGROK_3205')
  })

  test('restrict-ips joins the rules of IP policies', async () => {
    const { gateway } = createVisited()
    const { id } = gateway.ipPolicies.create({})
    gateway.ipPolicyRules.create({ ip_policy_id: id, cidr: '198.51.100.0/24', action: 'allow' })
    gateway.ipPolicyRules.create({ ip_policy_id: id, cidr: '198.51.100.9/32', action: 'deny' })
    const url = 'https://office.example.com'
    const traffic_policy = policyOf('restrict-ips', { ip_policies: [id] })
    gateway.declare.tunnelSession({ endpoints: [{ url, traffic_policy }] })
    gateway.traffic.upstream(url, () => new Response())
    const statusOf = async (ip: string) => (await gateway.traffic.fetch(url, { from: { ip } })).status
    expect([await statusOf('198.51.100.7'), await statusOf('198.51.100.9'), await statusOf('203.0.113.1')]).toEqual([
      200, 403, 403,
    ])
  })

  test.each([
    ['alice:password1', 200],
    ['alice:password2', 401],
    ['bob:x:y:long-pass', 200],
  ])('basic-auth: %s gets %i', async (credentials, status) => {
    const { visit } = createVisited(
      policyOf('basic-auth', { realm: 'shop', credentials: ['alice:password1', 'bob:x:y:long-pass'] }),
    )
    const response = await visit('/', {
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    })
    expect(response.status).toBe(status)
    if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Basic realm="shop"')
  })

  test('basic-auth with enforce: false lets a wrong password pass, and says so to later rules', async () => {
    const policy = JSON.stringify({
      on_http_request: [
        { actions: [{ type: 'basic-auth', config: { credentials: ['alice:password1'], enforce: false } }] },
        {
          actions: [
            {
              type: 'custom-response',
              config: { body: 'authorized: ${actions.ngrok.basic_auth.credentials.authorized}' },
            },
          ],
        },
      ],
    })
    expect(await (await createVisited(policy).visit()).text()).toBe('authorized: false')
  })

  test('set-vars sets variables with their types, for the same phase only (set-vars, CEL interpolation)', async () => {
    const policy = JSON.stringify({
      on_http_request: [
        {
          actions: [
            {
              type: 'set-vars',
              config: {
                vars: [{ n: '${size(req.headers)}' }, { twice: '${vars.n + vars.n}' }, { text: 'n is ${vars.n}' }],
              },
            },
          ],
        },
        {
          expressions: ['vars.twice == vars.n * 2'],
          actions: [{ type: 'add-headers', config: { headers: { 'x-text': '${vars.text}' } } }],
        },
      ],
    })
    const { visit, received } = createVisited(policy)
    await visit()
    expect(received[0]?.headers.get('x-text')).toBe('n is 1')
  })

  test('set-vars keeps the types of expressions in lists and maps (set-vars, CEL interpolation)', async () => {
    const vars = [
      { n: '${2 + 3}' },
      { list: [1, 'a', '${vars.n}'] },
      { map: { n: ['${vars.n}'], text: 'n ${vars.n}' } },
    ]
    const body = '${vars.list[2] + vars.map.n[0] == 10} ${vars.map.text}'
    const actions = [
      { type: 'set-vars', config: { vars } },
      { type: 'custom-response', config: { body } },
    ]
    const { visit } = createVisited(JSON.stringify({ on_http_request: [{ actions }] }))
    expect(await (await visit()).text()).toBe('true n 5')
  })

  test('an expression that fails in an action is error 3900, and the trace has its source', async () => {
    const assign = (value: string) => policyOf('set-vars', { vars: [{ a: value }] })
    const read = (expression: string) => policyOf('custom-response', { body: `\${${expression}}` })
    const cases = [
      [assign("${req.headers['x-id'][0]}"), "req.headers['x-id'][0]: No such key: x-id"],
      [read("getReqHeader('x-id')[0]"), "getReqHeader('x-id')[0]: No such key: index out of bounds, index 0 >= size 0"],
      [read("secrets.get('v', 's')"), "secrets.get('v', 's'): there is no vault v"],
    ] as const
    for (const [policy, why] of cases) {
      const { visit, gateway } = createVisited(policy)
      const response = await visit()
      expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([500, 'ERR_NGROK_3900'])
      const actions = gateway.traffic.last()?.trace.flatMap((each) => ('actions' in each ? each.actions : []))
      expect(actions).toMatchObject([{ did: `failed: ${why}`, isEnd: true }])
    }
  })

  test('an expression that gives a pattern that is not valid is error 3901', async () => {
    const { visit } = createVisited(policyOf('url-rewrite', { from: "${req.headers['x-from'][0]}", to: '/' }))
    const response = await visit('/', { headers: { 'x-from': '(?=look-ahead)' } })
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([500, 'ERR_NGROK_3901'])
  })

  test('find-replace works on whole bodies, one replacement after the other, and updates the length', async () => {
    const { visit, received } = createVisited(
      policyOf('request-body-find-replace', {
        replacements: [
          { from: 'key=([a-z]+)', to: 'key=<$1>' },
          { from: '<', to: '[' },
        ],
      }),
    )
    await visit('/', { method: 'POST', body: 'key=abc&key=d' })
    expect(await received[0]?.text()).toBe('key=[abc>&key=[d>')
    expect(received[0]?.headers.get('content-length')).toBe('17')
  })

  test('sse-find-replace changes the data of each message as it passes', async () => {
    const { gateway, visit } = createVisited(
      policyOf('sse-find-replace', { replacements: [{ from: '[0-9]+', to: '#' }] }, 'on_event_stream_message'),
    )
    gateway.traffic.upstream('https://app.example.com', () => {
      const body = new ReadableStream({
        start(controller) {
          for (const part of ['data: a1', '2\n\nevent: e1\ndata: 7', '\n\n'])
            controller.enqueue(new TextEncoder().encode(part))
          controller.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    expect(await (await visit()).text()).toBe('data: a#\n\nevent: e1\ndata: #\n\n')
  })
})

// RFC 9110, section 12.5.3; compress-response, algorithm choice.
describe('compress-response', () => {
  const decoders = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }

  test.each([
    ['gzip', 'gzip'],
    ['gzip;q=0.2, br;q=0.8', 'br'],
    ['deflate', 'deflate'],
    ['*', 'gzip'],
    ['gzip;q=1.0, br; q=0.5, *;q=0', 'gzip'],
  ] as const)('with Accept-Encoding %s chooses %s, which zlib reads', async (accepted, encoding) => {
    const { visit } = createVisited(policyOf('compress-response', {}, 'on_http_response'))
    const response = await visit('/', { headers: { 'accept-encoding': accepted } })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(response.headers.has('content-length')).toBe(false)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(decoders[encoding](bytes).toString()).toBe('upstream got ')
  })

  test.each(['zstd', 'identity', 'gzip;q=0'])('with Accept-Encoding %s leaves the response alone', async (accepted) => {
    const { visit } = createVisited(policyOf('compress-response', {}, 'on_http_response'))
    const response = await visit('/', { headers: { 'accept-encoding': accepted } })
    expect(response.headers.has('content-encoding')).toBe(false)
    expect(await response.text()).toBe('upstream got ')
  })
})

describe('http-request', () => {
  const rules = (config: object) =>
    JSON.stringify({
      on_http_request: [
        { actions: [{ type: 'http-request', config: { url: 'https://auth.internal/check', ...config } }] },
        {
          actions: [
            {
              type: 'custom-response',
              config: {
                body: '${actions.ngrok.http_request.res.status_code} ${size(actions.ngrok.http_request.attempts)} ${actions.ngrok.http_request.error.code}',
              },
            },
          ],
        },
      ],
    })
  const withAuth = (config: object, answers: readonly (() => Response)[]) => {
    const { gateway, visit } = createVisited(rules(config))
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://auth.internal' }] })
    const requests: Request[] = []
    gateway.traffic.upstream('https://auth.internal', (request) => {
      requests.push(request)
      return answers[Math.min(requests.length, answers.length) - 1]?.() ?? new Response()
    })
    return { visit, requests, gateway }
  }

  test('its response is in variables, and its own headers are sent', async () => {
    const { visit, requests } = withAuth({ query_params: [{ key: 'user', value: '${req.method}' }] }, [
      () => new Response('ok', { status: 202 }),
    ])
    expect(await (await visit()).text()).toBe('202 1 ')
    expect(requests[0]?.url).toBe('http://localhost/check?user=GET')
    expect(requests[0]?.headers.get('ngrok-req-type')).toBe('http-request')
  })

  test('it is sent again while retry_condition is true, at most 3 times (http-request, retry logic)', async () => {
    const fails = () => new Response('', { status: 500 })
    const once = withAuth({ retry_condition: 'last_attempt.res.status_code == 500' }, [fails, () => new Response('')])
    expect(await (await once.visit()).text()).toBe('200 2 ')
    const always = withAuth({ retry_condition: 'last_attempt.res.status_code == 500' }, [fails])
    expect(await (await always.visit()).text()).toBe('500 4 ')
  })

  test('redirects are followed up to max_redirects', async () => {
    const moved = () => new Response('', { status: 302, headers: { location: '/there' } })
    const followed = withAuth({ max_redirects: 1 }, [moved, () => new Response('')])
    expect(await (await followed.visit()).text()).toBe('200 1 ')
    const tooMany = withAuth({ max_redirects: 1, on_error: 'halt' }, [moved])
    expect((await tooMany.visit()).status).toBe(502)
  })

  test('a response of more than 256 KB is error 3601, and on_error: continue runs the next action', async () => {
    const large = () => new Response('x'.repeat(256 * 1024 + 1))
    expect(await (await withAuth({}, [large]).visit()).text()).toContain('ERR_NGROK_3601')
    const halted = await withAuth({ on_error: 'halt' }, [large]).visit()
    expect(halted.headers.get('ngrok-error-code')).toBe('ERR_NGROK_3601')
  })

  test('it takes at most its timeout, on the clock of the gateway: error 3602', async () => {
    const { gateway, visit } = createVisited(rules({ timeout: '2s', on_error: 'halt' }))
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://auth.internal' }] })
    let start = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    gateway.traffic.upstream('https://auth.internal', () => {
      start()
      return new Promise(() => {})
    })
    const waiting = visit()
    await started
    gateway.clock.advance('2s')
    expect((await waiting).headers.get('ngrok-error-code')).toBe('ERR_NGROK_3602')
  })

  test('only internal endpoints can be asked', async () => {
    expect(await (await createVisited(rules({})).visit()).text()).toContain('ERR_NGROK_3200')
  })
})

describe('identities', () => {
  const policy = JSON.stringify({
    on_http_request: [
      { actions: [{ type: 'oauth', config: { provider: 'google' } }] },
      { expressions: ["!actions.ngrok.oauth.identity.email.endsWith('@example.com')"], actions: [{ type: 'deny' }] },
    ],
  })

  test.each([
    [{ provider: 'google', email: 'a@example.com' }, 200],
    [{ email: 'a@other.com' }, 403],
    [{ provider: 'github', email: 'a@example.com' }, 302],
  ])('oauth with the identity %j gets %i', async (identity, status) => {
    expect((await createVisited(policy).visit('/', { from: { identity } })).status).toBe(status)
  })

  test('a visitor without an identity is sent to sign in', async () => {
    const { visit, gateway } = createVisited(policy)
    const response = await visit()
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      'https://idp.ngrok.com/oauth2?provider=google&redirect_url=https%3A%2F%2Fapp.example.com%2F',
    ])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('sent the visitor to sign in')
  })

  // rules: traffic#signing-in
  test.each<[string, object, string]>([
    ['oauth', { provider: 'google' }, '?provider=google&'],
    ['openid-connect', { issuer_url: 'https://sso.example.com' }, '?'],
  ])('%s sends a visitor to sign in with the authz_url_params of the policy', async (type, config, start) => {
    const { visit } = createVisited(policyOf(type, { ...config, authz_url_params: { prompt: 'select account' } }))
    expect((await visit()).headers.get('location')).toBe(
      `https://idp.ngrok.com/oauth2${start}redirect_url=https%3A%2F%2Fapp.example.com%2F&prompt=select+account`,
    )
  })

  // rules: traffic#signing-in
  test('a policy that reads a field of the identity that the visitor does not give throws', async () => {
    const reading = { from: { identity: { name: 'Ada' } } }
    await expect(createVisited(policy).visit('/', reading)).rejects.toThrow('actions.ngrok.oauth.identity.email')
  })

  test.each([
    ['', '/'],
    ['?redirect_path=/bye', '/bye'],
    ['?redirect_path=/%C3%A4%09b?c=%2520', '/%C3%A4%09b?c=%2520'],
    ['?redirect_path=//other.example.com', '/'],
    ['?redirect_path=/%5Cother.example.com', '/'],
    ['?redirect_path=https://other.example.com', '/'],
  ])('every visitor of /ngrok/logout%s continues at %s, without the cookie of the session', async (query, path) => {
    for (const from of [{}, { identity: { email: 'a@other.com' } }]) {
      const { status, headers } = await createVisited(policy).visit(`/ngrok/logout${query}`, { from })
      expect([status, headers.get('location')]).toEqual([302, `https://app.example.com${path}`])
      expect(headers.get('set-cookie')).toMatch(/^session=; .*Max-Age=0/)
    }
  })
})
