import { describe, expect, test } from 'vitest'
import { openRawPorts, openRawUpstream, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

const HOST = 'host: app.example.com\r\n'
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const CHUNKED = 'transfer-encoding: chunked\r\n'
const SMUGGLED = 'GET /admin/smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

interface Row {
  readonly name: string
  /** The bytes of the visitor. */
  readonly sent: string
  /** The status of the first response, or a pattern for it. */
  readonly status: number | string
  /** The request lines that the upstream gets; none by default. */
  readonly lines?: readonly string[]
  /** A pattern for the first request that the upstream gets. */
  readonly head?: RegExp
  readonly notHead?: RegExp
  readonly body?: string
}

const passes = (name: string, sent: string, more: Partial<Row> = {}): Row => ({
  name,
  sent,
  status: 200,
  lines: [`${/^\S+ \S+/.exec(sent)?.[0]} HTTP/1.1`],
  ...more,
})
const refused = (name: string, status: number | string, sent: string): Row => ({ name, sent, status })

const framedMethods = [
  'DELETE',
  'OPTIONS',
  'TRACE',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'PROPFIND',
  'REPORT',
  'QUERY',
]

const rows: Row[] = [
  ...framedMethods
    .filter((method) => method !== 'QUERY')
    .flatMap((method) => [
      passes(
        `${method} with a chunked body that is a request`,
        `${method} /a HTTP/1.1\r\n${HOST}${CHUNKED}\r\n${chunk(SMUGGLED)}0\r\n\r\n`,
        {
          head: /^transfer-encoding: chunked\r$/m,
          notHead: /content-length/,
          body: SMUGGLED,
        },
      ),
      passes(`${method} with a length`, `${method} /a HTTP/1.1\r\n${HOST}content-length: 5\r\n\r\nhello`, {
        head: /^content-length: 5\r$/m,
        notHead: /transfer-encoding/,
        body: 'hello',
      }),
    ]),
  passes('POST without a body', `POST /a HTTP/1.1\r\n${HOST}\r\n`, { head: /^content-length: 0\r$/m, body: '' }),
  passes('PROPFIND without a body', `PROPFIND /a HTTP/1.1\r\n${HOST}\r\n`, { notHead: /transfer-encoding/i, body: '' }),
  passes('GET without a body', `GET /a HTTP/1.1\r\n${HOST}\r\n`, {
    notHead: /content-length|transfer-encoding/,
    body: '',
  }),
  passes('chunk extensions', `POST /a HTTP/1.1\r\n${HOST}${CHUNKED}\r\n5;a=b\r\nhello\r\n0;c\r\n\r\n`, {
    body: 'hello',
  }),
  passes('a name that Connection has', `GET /a HTTP/1.1\r\n${HOST}x-secret: 1\r\nconnection: X-Secret\r\n\r\n`, {
    notHead: /x-secret|^connection: x/im,
  }),
  passes(
    'names of framing that Connection has',
    `POST /a HTTP/1.1\r\n${HOST}connection: content-length, host\r\ncontent-length: 5\r\n\r\nhello`,
    {
      head: /^host: app\.example\.com\r$/m,
      body: 'hello',
    },
  ),
  passes('dots and escapes in a path', `GET /x/../a/%2e%2e/b?c=%zz&d=[] HTTP/1.1\r\n${HOST}\r\n`),
  passes('an empty query', `GET /a? HTTP/1.1\r\n${HOST}\r\n`),
  passes('two slashes', `GET //evil.example.com/a HTTP/1.1\r\n${HOST}\r\n`),
  refused('bytes beyond ASCII in a path', 400, `GET /caf\xc3\xa9 HTTP/1.1\r\n${HOST}\r\n`),
  passes('a path of 500 kB', `GET /${'a'.repeat(500_000)} HTTP/1.1\r\n${HOST}\r\n`),
  passes('a head of 900 kB', `GET /a HTTP/1.1\r\n${HOST}x-big: ${'a'.repeat(900_000)}\r\n\r\n`),
  // With many more bytes, the reset of the connection can overtake the response.
  refused('a head above 1 MiB', 431, `GET /a HTTP/1.1\r\n${HOST}x-big: ${'a'.repeat(1_048_600)}\r\n\r\n`),
  passes(
    'a whole URL, which overrides the host',
    'GET http://app.example.com/a?b HTTP/1.1\r\nhost: nope.example.com\r\n\r\n',
    {
      lines: ['GET /a?b HTTP/1.1'],
      head: /^host: app\.example\.com\r$/m,
    },
  ),
  refused('a whole URL of another host', 404, `GET http://nope.example.com/a HTTP/1.1\r\n${HOST}\r\n`),
  refused('a URL of another scheme', 400, `GET ftp://app.example.com/a HTTP/1.1\r\n${HOST}\r\n`),
  refused('two Hosts', 400, `GET /a HTTP/1.1\r\n${HOST}host: other.example.com\r\n\r\n`),
  refused('two equal Hosts', 400, `GET /a HTTP/1.1\r\n${HOST}${HOST}\r\n`),
  refused('no Host', 400, 'GET /a HTTP/1.1\r\n\r\n'),
  refused('a Host with a user', 400, 'GET /a HTTP/1.1\r\nhost: x@app.example.com\r\n\r\n'),
  refused('a Host that is a path', 400, 'GET /a HTTP/1.1\r\nhost: app.example.com/x\r\n\r\n'),
  refused('an empty Host', 400, 'GET /a HTTP/1.1\r\nhost:\r\n\r\n'),
  refused(
    'both framings',
    400,
    `POST /a HTTP/1.1\r\n${HOST}content-length: 5\r\n${CHUNKED}\r\n${chunk(SMUGGLED)}0\r\n\r\n`,
  ),
  refused('two lengths', 400, `POST /a HTTP/1.1\r\n${HOST}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`),
  refused('a list of lengths', 400, `POST /a HTTP/1.1\r\n${HOST}content-length: 5, 6\r\n\r\nhello!`),
  refused('two equal lengths', 400, `POST /a HTTP/1.1\r\n${HOST}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`),
  refused('a folded line', 400, `GET /a HTTP/1.1\r\n${HOST}x-a: 1\r\n folded: 2\r\n\r\n`),
  refused(
    'a folded line of framing',
    400,
    `POST /a HTTP/1.1\r\n${HOST}transfer-encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ),
  refused('a folded line before all others', 400, `GET /a HTTP/1.1\r\n x-a: 1\r\n${HOST}\r\n`),
  refused('line feeds alone', 400, 'GET /a HTTP/1.1\nhost: app.example.com\n\n'),
  refused('a line feed alone after a header', 400, `GET /a HTTP/1.1\r\n${HOST}x-a: 1\nx-b: 2\r\n\r\n`),
  refused('a line feed alone after a chunk', 400, `POST /a HTTP/1.1\r\n${HOST}${CHUNKED}\r\n5\nhello\r\n0\r\n\r\n`),
  refused('a carriage return alone in a header', 400, `GET /a HTTP/1.1\r\n${HOST}x-a: 1\rx-b: 2\r\n\r\n`),
  refused('a negative length', 400, `POST /a HTTP/1.1\r\n${HOST}content-length: -5\r\n\r\nhello`),
  refused('a length with a sign', 400, `POST /a HTTP/1.1\r\n${HOST}content-length: +5\r\n\r\nhello`),
  refused('a length in hex', 400, `POST /a HTTP/1.1\r\n${HOST}content-length: 0x5\r\n\r\nhello`),
  refused('a huge length', 400, `POST /a HTTP/1.1\r\n${HOST}content-length: 99999999999999999999\r\n\r\nhello`),
  refused('a space before the colon', 400, `POST /a HTTP/1.1\r\n${HOST}content-length : 5\r\n\r\nhello`),
  refused(
    'gzip, chunked',
    501,
    `POST /a HTTP/1.1\r\n${HOST}transfer-encoding: gzip, chunked\r\n\r\n${chunk('hello')}0\r\n\r\n`,
  ),
  refused(
    'an unknown coding',
    // The parser of some versions of Node rejects it first.
    '(400|501)',
    `POST /a HTTP/1.1\r\n${HOST}transfer-encoding: xchunked\r\n\r\n${chunk('hello')}0\r\n\r\n`,
  ),
  refused('chunked twice', 400, `POST /a HTTP/1.1\r\n${HOST}${CHUNKED}${CHUNKED}\r\n${chunk('hello')}0\r\n\r\n`),
  refused('chunked in HTTP/1.0', 400, `POST /a HTTP/1.0\r\n${HOST}${CHUNKED}\r\n${chunk('hello')}0\r\n\r\n`),
  refused('a control character in a header', 400, `GET /a HTTP/1.1\r\n${HOST}x-a: \x01\r\n\r\n`),
  refused('CONNECT', 405, `CONNECT app.example.com:443 HTTP/1.1\r\n${HOST}\r\n`),
  { name: 'OPTIONS of the gateway itself', sent: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, status: 200 },
  {
    name: 'OPTIONS of a URL without a path',
    sent: `OPTIONS http://app.example.com HTTP/1.1\r\n${HOST}\r\n`,
    status: 200,
  },
  passes('OPTIONS of a whole URL', `OPTIONS http://app.example.com/ HTTP/1.1\r\n${HOST}\r\n`, {
    lines: ['OPTIONS / HTTP/1.1'],
  }),
  passes('GET of a URL without a path', `GET http://app.example.com HTTP/1.1\r\n${HOST}\r\n`, {
    lines: ['GET / HTTP/1.1'],
  }),
  refused('another method for *', 400, `GET * HTTP/1.1\r\n${HOST}\r\n`),
  passes('Expect', `POST /a HTTP/1.1\r\n${HOST}expect: 100-continue\r\ncontent-length: 5\r\n\r\nhello`, {
    notHead: /expect/,
    body: 'hello',
    status: 100,
  }),
  passes('an empty list of expectations', `POST /a HTTP/1.1\r\n${HOST}expect:\r\ncontent-length: 5\r\n\r\nhello`, {
    notHead: /expect/,
    body: 'hello',
  }),
  refused('an unknown expectation', 417, `POST /a HTTP/1.1\r\n${HOST}expect: tea\r\ncontent-length: 5\r\n\r\nhello`),
  passes(
    'a wish for h2c with a body',
    `POST /a HTTP/1.1\r\n${HOST}connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\ncontent-length: 5\r\n\r\nhello`,
    {
      notHead: /upgrade|http2-settings/i,
      body: 'hello',
    },
  ),
  passes(
    'a wish for h2c without a body',
    `GET /a HTTP/1.1\r\n${HOST}connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMA\r\n\r\n`,
    {
      notHead: /upgrade|http2-settings/i,
    },
  ),
  passes(
    'a wish for a WebSocket with a body',
    `POST /a HTTP/1.1\r\n${HOST}connection: Upgrade\r\nupgrade: websocket\r\n${CHUNKED}\r\n${chunk('hello')}0\r\n\r\n`,
    {
      notHead: /upgrade/i,
      body: 'hello',
    },
  ),
  passes('a wish in HTTP/1.0', `GET /a HTTP/1.0\r\n${HOST}connection: upgrade\r\nupgrade: websocket\r\n\r\n`, {
    notHead: /upgrade/i,
  }),
  passes('cookies in two headers', `GET /a HTTP/1.1\r\n${HOST}cookie: a=1\r\ncookie: b=2\r\n\r\n`, {
    head: /^cookie: a=1; b=2\r$/m,
  }),
  passes('a header of an earlier version', `GET /a HTTP/1.1\r\n${HOST}x-fauxgate-upgrade: 0\r\n\r\n`, {
    head: /^x-fauxgate-upgrade: 0\r$/m,
  }),
]

test.each(['plain', 'tls'] as const)(
  'A length that no number has exactly passes in chunks, at the port %s',
  async (kind) => {
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url)
    const sent = `POST /a HTTP/1.1\r\n${HOST}content-length: 9007199254740993\r\n\r\nhello`
    await visitRaw(ports[kind], sent, kind === 'tls' ? 'app.example.com' : undefined)
    await waitUntil(() => upstream.received().endsWith('5\r\nhello\r\n'))
    expect(upstream.received()).toMatch(/^transfer-encoding: chunked\r$/m)
    expect(upstream.received()).not.toContain('content-length')
  },
)

describe.each(['plain', 'tls'] as const)('Bytes of a visitor at the port %s (rules: traffic#ports)', (kind) => {
  test.each(rows)('$name', async ({ sent, status, lines = [], head = /^/, notHead = /(?!)/, body }) => {
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports[kind], sent, kind === 'tls' ? 'app.example.com' : undefined)
    const text = await visitor.until(status === 100 ? /\r\n\r\nok$/ : /^HTTP\/1.1 \d+.*?\r\n\r\n/s)
    expect(text.slice(0, 400)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(upstream.requests.map((each) => each.head.split('\r\n')[0])).toEqual(lines)
    const [first = { head: '', body: '' }] = upstream.requests
    expect(first.head).toMatch(head)
    expect(first.head).not.toMatch(notHead)
    if (body !== undefined) expect(first.body).toBe(body)
    expect(upstream.received()).toHaveLength(Buffer.byteLength(upstream.received(), 'latin1'))
  })
})

describe.each(['plain', 'tls'] as const)(
  'A rule at the port %s reads the path that is sent on (RFC 9110, section 7.7)',
  (kind) => {
    test.each([
      '/admin/../x',
      '/admin/%2e%2e/x',
      '/admin/.%2E/x',
      '/admin/..',
      '/%61dmin/../x',
      '/admin\\..\\x',
      '/admin?',
    ])('%s', async (path) => {
      const upstream = await openRawUpstream(OK)
      const rules = [{ expressions: ["req.url.path.startsWith('/admin')"], actions: [{ type: 'deny' }] }]
      const policy = { traffic_policy: JSON.stringify({ on_http_request: rules }) }
      const { ports } = await openRawPorts(upstream.url, policy)
      const sent = `GET ${path} HTTP/1.1\r\n${HOST}\r\n`
      const visitor = await visitRaw(ports[kind], sent, kind === 'tls' ? 'app.example.com' : undefined)
      expect(await visitor.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 403 /)
      expect(upstream.requests).toEqual([])
    })

    test.each([
      ["req.url.raw_path == '/a/../%78'", '/a/../%78?'],
      ["req.url.path == '/a/../x'", '/a/../%78?'],
      ["req.url.uri == '/a/./b?c=%27'", '/a/./b?c=%27'],
      ["req.url.uri == '/a?b=c?'", '/a?b=c?'],
      ["req.url.uri == '/a'", '/a?'],
      ['req.url.query == "c=\'d"', "/a?c='d"],
      ["req.url.query_params['c'][0] == 'd e'", '/a/../b?c=d+e'],
      ["req.url == 'https://app.example.com/x'", '/a/../x'],
      ["req.url.raw == 'https://app.example.com/a/../x'", '/a/../x'],
    ])('%s for %s', async (expression, path) => {
      const upstream = await openRawUpstream(OK)
      const rules = [{ expressions: [expression], actions: [{ type: 'deny' }] }]
      const policy = { traffic_policy: JSON.stringify({ on_http_request: rules }) }
      const { ports } = await openRawPorts(upstream.url, policy)
      const visitor = await visitRaw(
        ports[kind],
        `GET ${path} HTTP/1.1\r\n${HOST}\r\n`,
        kind === 'tls' ? 'app.example.com' : undefined,
      )
      expect(await visitor.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 403 /)
    })
  },
)

describe.each(['plain', 'tls'] as const)('The variables of a URL at the port %s', (kind) => {
  test.each([
    ['/a/../x?b=c', 'app.example.com'],
    ['/a/%2e%2E/./x', 'APP.Example.com'],
    ['/x', 'app.example.com:443'],
    ['HTTPS://APP.example.com:443/a/../x?', 'app.example.com'],
  ])('are those of a fetch: %s at %s', async (target, host) => {
    const names = ['req.url', 'req.url.host', 'req.url.authority', 'req.url.port', 'req.url.scheme', 'req.url.query']
    const body = names.map((name) => `\${${name}}`).join(' ')
    const rules = [{ actions: [{ type: 'custom-response', config: { body } }] }]
    const policy = { traffic_policy: JSON.stringify({ on_http_request: rules }) }
    const { ports, gateway } = await openRawPorts('http://127.0.0.1:9', policy)
    const sent = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
    const visitor = await visitRaw(ports[kind], sent, kind === 'tls' ? 'app.example.com' : undefined)
    const url = target.startsWith('/') ? `https://${host}${target}` : target
    const fetched = await (await gateway.traffic.fetch(url)).text()
    expect(fetched).toMatch(/^https:\/\/app\.example\.com\/x(\?\S*)? app\.example\.com /)
    expect((await visitor.closed()).split('\r\n\r\n')[1]).toBe(fetched)
  })
})

describe.each(['plain', 'tls'] as const)('The head of a request at the port %s (rules: traffic#ports)', (kind) => {
  test.each([
    ['with a length', 'content-length: 5\r\n', 'hello', ''],
    ['with chunks', CHUNKED, `${chunk('hello')}0\r\n\r\n`, ''],
    [
      'that waits for 100, which the port sends itself (RFC 9110, section 10.1.1)',
      'expect: 100-continue\r\ncontent-length: 5\r\n',
      'hello',
      'HTTP/1.1 100 Continue\r\n\r\n',
    ],
  ])('reaches its upstream before the body: one %s', async (_name, lines, body, first) => {
    const upstream = await openRawUpstream(OK)
    // An action that needs only the head changes nothing.
    const rules = [{ actions: [{ type: 'add-headers', config: { headers: { 'x-a': 'b' } } }] }]
    const { ports } = await openRawPorts(upstream.url, { traffic_policy: JSON.stringify({ on_http_request: rules }) })
    const sent = `POST /a HTTP/1.1\r\n${HOST}${lines}\r\n`
    const visitor = await visitRaw(ports[kind], sent, kind === 'tls' ? 'app.example.com' : undefined)
    await waitUntil(() => upstream.received().endsWith('\r\n\r\n'))
    expect(upstream.received()).toMatch(/^POST \/a HTTP\/1.1\r\n(?!.*^expect:).*x-a: b\r\n/ms)
    visitor.socket.write(body)
    expect(await visitor.until(/ok$/)).toMatch(new RegExp(`^${first}HTTP/1.1 200 `))
    expect(upstream.requests.map((request) => request.body)).toEqual(['hello'])
  })
})
