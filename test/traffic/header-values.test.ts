import { describe, expect, test } from 'vitest'
import { checkPolicy } from '../../src/service/policy/index.ts'
import { createVisited, policyOf, URL_OF_APP } from './visits.ts'

/** Returns the status, the code of the error and a header of the response to a visitor. */
async function visitBy(policy: string, path = '/', name = 'x-a') {
  const response = await createVisited(policy).visit(path)
  return [response.status, response.headers.get('ngrok-error-code'), response.headers.get(name)]
}

const LINE_FEED = '/a%0D%0Ax-evil:%201'
const refused = [500, 'ERR_NGROK_3900', null]

describe('A header that cannot be sent is error 3900 (rules: traffic#header-values)', () => {
  const headers = { 'x-a': '${req.url.path}' }

  test.each([
    ['add-headers', { headers }, 'on_http_request'],
    ['add-headers', { headers }, 'on_http_response'],
    ['custom-response', { headers }, 'on_http_request'],
    ['custom-response', { headers, status_code: 201 }, 'on_http_response'],
    ['custom-response', { content_type: 'text/${req.url.path}', body: 'x' }, 'on_http_request'],
    ['redirect', { headers, to: 'https://x.example.com' }, 'on_http_request'],
  ])('%s with %o in %s', async (type, config, phase) => {
    expect(await visitBy(policyOf(type, config, phase), LINE_FEED)).toEqual(refused)
  })

  test.each(['日本', 'a b', ''])('such as the host %j, which names none', async (host) => {
    expect(await visitBy(policyOf('add-headers', { headers: { host } }))).toEqual(refused)
  })

  test('in the request of http-request', async () => {
    const { gateway, visit } = createVisited(policyOf('http-request', { url: 'https://x.internal', headers }))
    const rules = { on_http_request: [{ actions: [{ type: 'custom-response', config: {} }] }] }
    gateway.endpoints.create({ url: 'https://x.internal', type: 'cloud', traffic_policy: JSON.stringify(rules) })
    expect((await visit(LINE_FEED)).headers.get('ngrok-error-code')).toBe('ERR_NGROK_3900')
  })

  test('the trace names the header and the character, but not the value', async () => {
    const { gateway, visit } = createVisited(policyOf('add-headers', { headers }))
    await visit(LINE_FEED)
    const [, rule] = gateway.traffic.last()?.trace ?? []
    expect(rule).toMatchObject({
      actions: [{ did: 'failed: the value of the x-a header contains the control character U+000D', isEnd: true }],
    })
  })

  test('the response that it replaces is ended', async () => {
    let isEnded = false
    const { gateway, visit } = createVisited(policyOf('add-headers', { headers }, 'on_http_response'))
    const end = () => {
      isEnded = true
    }
    const body = () => new ReadableStream({ cancel: end }, { highWaterMark: 0 })
    gateway.traffic.upstream(URL_OF_APP, () => new Response(body()))
    await (await visit(LINE_FEED)).text()
    expect(isEnded).toBe(true)
  })
})

describe('Headers have texts in UTF-8, as those of a Go program do (rules: traffic#header-values)', () => {
  const bytes = (text: string) => Buffer.from(text).toString('latin1')

  test.each(['日本', 'Köln', '🦀', 'a\tb'])('%s is sent as its bytes', async (text) => {
    const { visit, received } = createVisited(policyOf('add-headers', { headers: { 'x-a': text } }))
    await visit()
    expect(received[0]?.headers.get('x-a')).toBe(bytes(text))
    expect(await visitBy(policyOf('custom-response', { headers: { 'x-a': text } }))).toEqual([200, null, bytes(text)])
  })

  test('bytes that are no UTF-8 pass unchanged, and an action that writes their text sends it in UTF-8', async () => {
    const { visit, received } = createVisited(
      policyOf('add-headers', { headers: { 'x-b': "${req.headers['x-a'][0]}" } }),
    )
    await visit('/', { headers: { 'x-a': '\xff\xe9' } })
    expect(['x-a', 'x-b'].map((name) => received[0]?.headers.get(name))).toEqual(['\xff\xe9', bytes('\xff\xe9')])
  })

  test('a host that a policy sets is in `x-forwarded-host`', async () => {
    const { gateway, visit } = createVisited(policyOf('add-headers', { headers: { host: 'other.internal' } }))
    let forwarded: string | null = null
    gateway.traffic.upstream(URL_OF_APP, ({ headers }) => {
      forwarded = headers.get('x-forwarded-host')
      return new Response()
    })
    await visit()
    expect(forwarded).toBe('other.internal')
  })

  test('an entity tag keeps its bytes when it becomes weak', async () => {
    const { gateway, visit } = createVisited(policyOf('compress-response', {}, 'on_http_response'))
    const headers = { etag: '"\xe9"', 'content-type': 'text/plain' }
    gateway.traffic.upstream(URL_OF_APP, () => new Response('a'.repeat(9999), { headers }))
    expect((await visit('/', { headers: { 'accept-encoding': 'gzip' } })).headers.get('etag')).toBe('W/"\xe9"')
  })

  test('a path is decoded, and sent in UTF-8', async () => {
    const policy = policyOf('add-headers', { headers: { 'x-a': '${req.url.path}' } }, 'on_http_response')
    expect(await visitBy(policy, '/%E6%97%A5')).toEqual([200, null, bytes('/日')])
  })

  test('an expression reads the text of a header and of a cookie that a visitor sends in UTF-8, and it passes unchanged', async () => {
    const { visit, received } = createVisited(
      policyOf('add-headers', { headers: { 'x-b': "${req.headers['x-a'][0]}" } }, 'on_http_request', [
        "req.headers['x-a'][0] == '日本'",
        "getReqCookie('c').value == 'Köln'",
        "req.user_agent == 'é'",
      ]),
    )
    await visit('/', { headers: { 'x-a': bytes('日本'), cookie: bytes('c=Köln'), 'user-agent': '\xe9' } })
    expect(received[0]?.headers.get('x-b')).toBe(bytes('日本'))
  })
})

describe('A URL gets percent signs for what no URL has (rules: traffic#header-values)', () => {
  test.each([
    ['/a%0Ab', 'https://x.example.com/a%0Ab'],
    ['/%E6%97%A5%20', 'https://x.example.com/%E6%97%A5%20'],
  ])('a redirect to the decoded path %s', async (path, location) => {
    const policy = policyOf('redirect', { to: 'https://x.example.com${req.url.path}' })
    expect(await visitBy(policy, path, 'location')).toEqual([302, null, location])
  })

  test('half of a surrogate pair becomes the replacement character', async () => {
    const policy = policyOf('redirect', { to: 'https://x.example.com/\ud800' })
    expect(await visitBy(policy, '/', 'location')).toEqual([302, null, 'https://x.example.com/%EF%BF%BD'])
  })

  test('a further header `Location` does not join the one of the redirect', async () => {
    const policy = policyOf('redirect', { to: 'https://x.example.com', headers: { Location: '/', 'x-a': '1' } })
    expect(await visitBy(policy, '/', 'location')).toEqual([302, null, 'https://x.example.com'])
  })

  test('url-rewrite to a decoded path', async () => {
    const { visit, received } = createVisited(policyOf('url-rewrite', { to: 'https://x.example.com${req.url.path}' }))
    await visit('/a%0Ab%E6%97%A5')
    expect(received[0]?.url).toBe('http://localhost/a%0Ab%E6%97%A5')
  })
})

describe('A URL without a host gets that of the request (rules: traffic#header-values)', () => {
  test.each([
    ['/b?c', 'https://app.example.com/b?c'],
    ['https:/b', 'https://app.example.com/b'],
    ['http:/b', 'http://app.example.com/b'],
    ['https:///b', 'https://app.example.com/b'],
    ['https:', 'https://app.example.com'],
    ['https://', 'https://app.example.com'],
    ['https://?c', 'https://app.example.com?c'],
    ['https://b.example.com', 'https://b.example.com'],
    ['https://b.example.com//c', 'https://b.example.com//c'],
  ])('%s is %s', async (to, url) => {
    expect(await visitBy(policyOf('redirect', { to }), '/a?d', 'location')).toEqual([302, null, url])
    const rewrites = JSON.stringify({
      on_http_request: [
        {
          actions: [
            { type: 'url-rewrite', config: { to } },
            { type: 'custom-response', config: { headers: { 'x-url': '${actions.ngrok.url_rewrite.url}' } } },
          ],
        },
      ],
    })
    expect(await visitBy(rewrites, '/a?d', 'x-url')).toEqual([200, null, url])
  })

  test.each(['b', '?c', '//b.example.com/c'])('a redirect to %s stays unchanged', async (to) => {
    expect(await visitBy(policyOf('redirect', { to }), '/a', 'location')).toEqual([302, null, to])
  })
})

describe('A URL that a replacement makes longer than a head may be (rules: traffic#header-values)', () => {
  const to = 'b'.repeat(6900)

  test.each(['redirect', 'url-rewrite'])(
    'ends %s with error 3900, and the trace has its length alone',
    async (type) => {
      const { gateway, visit, received } = createVisited(policyOf(type, { from: 'a{10}', to }))
      const statusOf = async (path: string) => (await visit(path)).headers.get('ngrok-error-code')
      expect(await statusOf(`/${'a'.repeat(1440)}`)).toBeNull()
      received.length = 0
      expect(await statusOf(`/${'a'.repeat(1450)}`)).toBe('ERR_NGROK_3900')
      expect(received).toEqual([])
      const did = `failed: the new URL is ${145 * 6900 + 'https://app.example.com/'.length} characters long. The maximum is 1000000`
      expect(gateway.traffic.last()?.trace).toMatchObject([{}, { actions: [{ did, isEnd: true }] }])
    },
  )

  test('counts with its percent signs', async () => {
    const { visit } = createVisited(policyOf('redirect', { from: 'a', to: '日'.repeat(3000) }))
    expect((await visit(`/${'a'.repeat(40)}`)).headers.get('ngrok-error-code')).toBe('ERR_NGROK_3900')
  })
})

describe('A value that is no URL', () => {
  test.each(['not a url', 'ftp://x.example.com', 'data:text/plain,x', '//x', ''])(
    'ends url-rewrite with error 3900: %j',
    async (text) => {
      const { visit } = createVisited(policyOf('url-rewrite', { to: "${req.headers['x-to'][0]}" }))
      const response = await visit('/', { headers: { 'x-to': text } })
      expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([500, 'ERR_NGROK_3900'])
    },
  )

  test('ends forward-internal with error 3900, unless it continues', async () => {
    const url = "${req.headers['x-to'][0]}"
    const statusOf = async (config: object) =>
      (await createVisited(policyOf('forward-internal', config)).visit('/', { headers: { 'x-to': 'none' } })).status
    expect([await statusOf({ url }), await statusOf({ url, on_error: 'continue' })]).toEqual([500, 200])
  })

  test.each(['none', 'tcp://x.internal:1', 'https://x.internal:99999'])(
    'fails http-request, with parameters and without: %s',
    async (text) => {
      for (const query_params of [[], [{ key: 'a', value: 'b' }]]) {
        const config = { url: "${req.headers['x-to'][0]}", on_error: 'halt', query_params }
        const { visit, gateway } = createVisited(policyOf('http-request', config))
        expect((await visit('/', { headers: { 'x-to': text } })).status).toBe(502)
        expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain('is not an http or https URL')
      }
    },
  )

  test('in the location of a response, it fails http-request', async () => {
    const config = { url: 'https://x.internal', on_error: 'halt', max_redirects: 1 }
    const { visit, gateway } = createVisited(policyOf('http-request', config))
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://x.internal', binding: 'internal' }] })
    gateway.traffic.upstream(
      'https://x.internal',
      () => new Response(null, { status: 302, headers: { location: 'http://' } }),
    )
    expect((await visit()).status).toBe(502)
  })
})

test('A length that is no number is 0 for expressions', async () => {
  const policy = policyOf('custom-response', { body: '${req.content_length}' }, 'on_http_request', [
    'req.content_length == 0',
  ])
  for (const length of ['abc', '1e400', '-1', '9'.repeat(30)]) {
    const response = await createVisited(policy).visit('/', { headers: { 'content-length': length } })
    expect(await response.text()).toBe('0')
  }
})

test.each([
  [0, 'ERR_NGROK_3009'],
  [600, 'ERR_NGROK_3010'],
  [99, 'ERR_NGROK_3010'],
])('An upstream that answers %d is error %s', async (status, code) => {
  const { gateway, visit } = createVisited()
  let isEnded = false
  const end = () => {
    isEnded = true
  }
  const body = { async *[Symbol.asyncIterator]() {}, length: undefined, watch: () => undefined, destroy: end }
  gateway.transport.serveUpstream(URL_OF_APP, async () => ({ status, headers: [], body }))
  const response = await visit()
  expect([response.status, response.headers.get('ngrok-error-code'), isEnded]).toEqual([502, code, true])
})

test('`policy check` rejects a fixed value with a line feed, and warns of one around a `${…}` and of one outside ASCII', () => {
  const problemsOf = (value: string) =>
    checkPolicy(policyOf('add-headers', { headers: { 'x-a': value } })).map(({ number, rule }) => number ?? rule)
  expect(problemsOf('a\nb')).toEqual([2211])
  expect(problemsOf('a\n${req.method}')).toEqual(['header-value'])
  expect(problemsOf("${req.url.raw_path == '/a\\n' ? 'a' : 'b'}")).toEqual([])
  expect(problemsOf('${req.method} 日本')).toEqual(['header-value'])
  expect(problemsOf('a\tb~')).toEqual([])
  expect(checkPolicy(policyOf('custom-response', { content_type: 'a\nb' }))).toMatchObject([{ number: 2211 }])
})

// rules: traffic#headers
test('A cookie that a rule adds follows the others after a semicolon, and other values after a comma', async () => {
  const { gateway, visit } = createVisited(policyOf('add-headers', { headers: { cookie: 'b=2', 'x-a': '2' } }))
  let received: Headers | undefined
  gateway.traffic.upstream(URL_OF_APP, ({ headers }) => {
    received = headers
    return new Response()
  })
  await visit('/', { headers: { cookie: 'a=1', 'x-a': '1' } })
  expect([received?.get('cookie'), received?.get('x-a')]).toEqual(['a=1; b=2', '1, 2'])
})
