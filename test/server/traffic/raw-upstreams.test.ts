import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { openRawPorts, openRawUpstream, type RawAnswer, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

const GET = 'GET /a HTTP/1.1\r\nhost: app.example.com\r\nconnection: close\r\n\r\n'
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const WISH = 'GET /ws HTTP/1.1\r\nhost: app.example.com\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'

/** Answers with bytes, and ends the connection. */
const ends =
  (bytes: string): RawAnswer =>
  (socket) =>
    socket.end(bytes, 'latin1')

interface Row {
  readonly name: string
  readonly answer: RawAnswer
  /** The whole response that the visitor gets, without Date and Connection. */
  readonly gets: RegExp
  readonly sent?: string
  /** True if the visitor's connection must break in the middle. */
  readonly breaks?: true
}

const failed = /^HTTP\/1.1 502 .*ngrok-error-code: ERR_NGROK_3004\r\n/s
const whole = (head: string, body: string) => new RegExp(`^HTTP/1.1 ${head}.*\r\n\r\n${body}$`, 'si')

const rows: Row[] = [
  { name: 'a length', answer: OK, gets: whole('200 .*content-length: 2', 'ok') },
  {
    name: 'chunks',
    answer: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\n\r\n',
    gets: whole('200 .*transfer-encoding: chunked', '2\r\nok\r\n0\r\n\r\n'),
  },
  {
    name: 'neither length nor chunks',
    answer: ends('HTTP/1.1 200 OK\r\n\r\nok'),
    gets: whole('200 .*transfer-encoding: chunked', '2\r\nok\r\n0\r\n\r\n'),
  },
  { name: 'HTTP/1.0', answer: ends('HTTP/1.0 200 OK\r\n\r\nok'), gets: whole('200 ', '2\r\nok\r\n0\r\n\r\n') },
  {
    name: 'a head of 900 kB',
    answer: `HTTP/1.1 200 OK\r\nx-big: ${'a'.repeat(900_000)}\r\ncontent-length: 0\r\n\r\n`,
    gets: /^HTTP\/1.1 200 OK\r\nx-big: a{900000}\r\n/,
  },
  { name: 'a head of 1.1 MB', answer: `HTTP/1.1 200 OK\r\nx-big: ${'a'.repeat(1_100_000)}\r\n\r\n`, gets: failed },
  { name: 'nothing, and then the end', answer: ends(''), gets: failed },
  { name: 'an end in the middle of the head', answer: ends('HTTP/1.1 200 OK\r\ncontent-le'), gets: failed },
  { name: 'bytes that are not HTTP', answer: ends('\x15\x03\x01 hello'), gets: failed },
  {
    name: 'both framings',
    answer: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    gets: failed,
  },
  { name: 'two lengths', answer: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!', gets: failed },
  { name: 'a negative length', answer: 'HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok', gets: failed },
  {
    name: 'gzip, chunked',
    answer: 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    gets: failed,
  },
  {
    name: 'a line feed in a value',
    answer: 'HTTP/1.1 200 OK\r\nx-a: b\x00c\r\ncontent-length: 0\r\n\r\n',
    gets: failed,
  },
  {
    name: 'an end in the middle of a length',
    answer: ends('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'),
    gets: /^HTTP\/1.1 200 .*content-length: 9.*\r\n\r\nok$/s,
    breaks: true,
  },
  {
    name: 'an end in the middle of a chunk',
    answer: ends('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nok'),
    gets: /^HTTP\/1.1 200 .*\r\n\r\n(2\r\nok\r\n)?$/s,
    breaks: true,
  },
  {
    name: 'chunks without an end',
    answer: ends('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n'),
    gets: /^HTTP\/1.1 200 .*\r\n\r\n(2\r\nok\r\n)?$/s,
    breaks: true,
  },
  {
    name: 'a chunk with a wrong size',
    answer: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n',
    gets: /^HTTP\/1.1 (502|200) /,
    breaks: true,
  },
  {
    name: '204 with a length',
    answer: 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n',
    gets: /^HTTP\/1.1 204 (?!.*content-length).*\r\n\r\n$/s,
  },
  {
    name: '205 with a length',
    answer: 'HTTP/1.1 205 Reset Content\r\ncontent-length: 5\r\n\r\nhello',
    gets: whole('205 .*content-length: 0', ''),
  },
  {
    name: '304 with a length',
    answer: 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n',
    gets: whole('304 .*content-length: 5', ''),
  },
  {
    name: '304 with a body',
    answer: 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\nhello',
    gets: whole('304 .*content-length: 5', ''),
  },
  {
    name: '304 with a chunked body',
    answer: 'HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    gets: /^HTTP\/1.1 304 (?!.*(hello|transfer-encoding)).*\r\n\r\n$/s,
  },
  {
    name: 'a length that no number has exactly',
    answer: ends('HTTP/1.1 200 OK\r\ncontent-length: 9007199254740993\r\n\r\nok'),
    gets: /^HTTP\/1.1 200 (?!.*content-length).*transfer-encoding: chunked.*2\r\nok\r\n$/is,
    breaks: true,
  },
  {
    name: 'HEAD with a length that no number has exactly',
    sent: GET.replace('GET', 'HEAD'),
    answer: 'HTTP/1.1 200 OK\r\ncontent-length: 9007199254740993\r\n\r\n',
    gets: whole('200 .*content-length: 9007199254740993', ''),
  },
  {
    name: 'a folded line',
    answer: 'HTTP/1.1 200 OK\r\nx-a: 1\r\n folded: 2\r\ncontent-length: 2\r\n\r\nok',
    gets: failed,
  },
  { name: 'line feeds alone', answer: 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok', gets: failed },
  {
    name: 'two equal lengths',
    answer: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok',
    gets: failed,
  },
  {
    name: 'HEAD with a length',
    sent: GET.replace('GET', 'HEAD'),
    answer: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n',
    gets: whole('200 .*content-length: 5', ''),
  },
  {
    name: 'HEAD with a body',
    sent: GET.replace('GET', 'HEAD'),
    answer: OK,
    gets: whole('200 .*content-length: 2', ''),
  },
  {
    name: '103',
    answer: `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\nngrok-error-code: x\r\nconnection: link2\r\n\r\n${OK}`,
    gets: /^HTTP\/1.1 103 Early Hints\r\nlink: <\/a>\r\n\r\nHTTP\/1.1 200 .*ok$/s,
  },
  ...['content-length: 5', 'transfer-encoding: chunked', 'keep-alive: timeout=9'].map((line) => ({
    name: `103 with ${line}`,
    answer: `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n${line}\r\n\r\n${OK}`,
    gets: /^HTTP\/1.1 103 Early Hints\r\nlink: <\/a>\r\n\r\nHTTP\/1.1 200 .*ok$/s,
  })),
  {
    name: 'several 1xx',
    answer: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 199 Odd\r\n\r\n${OK}`,
    gets: /^HTTP\/1.1 102 Processing\r\n\r\nHTTP\/1.1 199 \r\n\r\nHTTP\/1.1 200 .*ok$/s,
  },
  { name: '101 that nobody asked for', answer: `${SWITCHED}evil`, gets: failed },
  {
    name: 'the status 600',
    answer: 'HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n',
    gets: /^HTTP\/1.1 502 .*ERR_NGROK_3010/s,
  },
  {
    name: 'the status 999',
    answer: 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n',
    gets: /^HTTP\/1.1 502 .*ERR_NGROK_3010/s,
  },
  {
    name: 'the status 0',
    answer: 'HTTP/1.1 000 Odd\r\ncontent-length: 0\r\n\r\n',
    gets: /^HTTP\/1.1 502 .*ERR_NGROK_30(04|09|10)/s,
  },
  {
    name: 'headers of its connection',
    answer:
      'HTTP/1.1 200 OK\r\nconnection: x-a, keep-alive\r\nx-a: 1\r\nkeep-alive: timeout=9\r\nproxy-authenticate: x\r\ncontent-length: 2\r\n\r\nok',
    gets: /^HTTP\/1.1 200 (?!.*(x-a|timeout=9|proxy-authenticate)).*ok$/s,
  },
  {
    name: 'the code of an error',
    answer: 'HTTP/1.1 200 OK\r\nngrok-error-code: ERR_NGROK_1\r\ncontent-length: 2\r\n\r\nok',
    gets: /^HTTP\/1.1 200 (?!.*ERR_NGROK).*ok$/s,
  },
  {
    name: 'the code of an error in a trailer',
    answer:
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nngrok-error-code: ERR_NGROK_1\r\nte: x\r\nx-sum: 1\r\n\r\n',
    gets: /^HTTP\/1.1 200 (?!.*ERR_NGROK).*0\r\nx-sum: 1\r\n\r\n$/s,
  },
  {
    name: 'a length in a trailer, which is an error (RFC 9110, section 6.5.1)',
    answer: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\ncontent-length: 2\r\n\r\n',
    gets: /^HTTP\/1.1 200 /,
    breaks: true,
  },
  {
    name: 'no switch of protocols',
    sent: WISH,
    answer: 'HTTP/1.1 426 Upgrade Required\r\ncontent-length: 2\r\n\r\nno',
    gets: whole('426 ', 'no'),
  },
  { name: 'no valid response to a wish to switch', sent: WISH, answer: ends('HTTP/1.1 1'), gets: failed },
  {
    name: 'a response before the body has come',
    sent: 'POST /a HTTP/1.1\r\nhost: app.example.com\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\nab',
    answer: ends('HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno'),
    gets: /413 .*no$/s,
  },
]

describe.each(['plain', 'tls'] as const)('Bytes of an upstream, at the port %s (rules: traffic#ports)', (kind) => {
  test.each(rows)('$name', async ({ answer, gets, sent = GET, breaks }) => {
    const upstream = await openRawUpstream(answer)
    const { ports } = await openRawPorts(upstream.url)
    const servername = kind === 'tls' ? 'app.example.com' : undefined
    const text = await (await visitRaw(ports[kind], sent, servername)).closed()
    expect(text.length > 5000 ? text.slice(0, 950_000) : text).toMatch(gets)
    if (breaks) expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
    // The port still answers.
    expect(await (await visitRaw(ports[kind], GET.replace('app.', 'nope.'), servername)).closed()).toMatch(
      /^HTTP\/1.1 404|^$/,
    )
  })
})

test('HEAD and 304 have the headers of GET behind compress-response', async () => {
  const upstream = await openRawUpstream((socket, { head }) => {
    const body = head.startsWith('GET') ? 'ok' : ''
    const status = head.startsWith('OPTIONS') ? '304 Not Modified' : '200 OK'
    socket.end(`HTTP/1.1 ${status}\r\netag: "1"\r\naccept-ranges: bytes\r\ncontent-length: 2\r\n\r\n${body}`)
  })
  const rules = [{ actions: [{ type: 'compress-response', config: {} }] }]
  const { ports } = await openRawPorts(upstream.url, { traffic_policy: JSON.stringify({ on_http_response: rules }) })
  const headersOf = async (method: string, encoding: string) => {
    const sent = GET.replace('GET', method).replace('connection', `accept-encoding: ${encoding}\r\nconnection`)
    const [head = ''] = (await (await visitRaw(ports.plain, sent)).closed()).split('\r\n\r\n')
    return head.split('\r\n').filter((line) => !/^(date|transfer-encoding):/i.test(line))
  }
  const compressed = await headersOf('HEAD', 'gzip')
  expect(compressed).toEqual(await headersOf('GET', 'gzip'))
  expect(compressed).toEqual(expect.arrayContaining(['etag: W/"1"', 'content-encoding: gzip']))
  expect((await headersOf('OPTIONS', 'gzip')).slice(1)).toEqual(compressed.slice(1))
  const unchanged = await headersOf('HEAD', 'identity')
  expect(unchanged).toEqual(await headersOf('GET', 'identity'))
  expect(unchanged).toEqual(expect.arrayContaining(['etag: "1"', 'content-length: 2']))
})

describe('A header that no connection can send (rules: traffic#headers)', () => {
  const add = (value: string, phase: string) => ({
    traffic_policy: JSON.stringify({
      [phase]: [{ actions: [{ type: 'add-headers', config: { headers: { 'x-a': value } } }] }],
    }),
  })
  const answerWith = (type: string, config: object) => ({
    traffic_policy: JSON.stringify({ on_http_request: [{ actions: [{ type, config }] }] }),
  })
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of the policy
  const LINE = '${req.url.path}'
  test.each([
    ['add-headers to a request', add(LINE, 'on_http_request')],
    ['add-headers to a response', add(LINE, 'on_http_response')],
    ['a header of redirect', answerWith('redirect', { to: 'https://example.com', headers: { 'x-a': LINE } })],
    ['a header of custom-response', answerWith('custom-response', { headers: { 'x-a': LINE } })],
  ])('is an error of the policy: %s', async (_name, endpoint) => {
    const upstream = await openRawUpstream(OK)
    const { ports, gateway } = await openRawPorts(upstream.url, endpoint)
    const visitor = await visitRaw(ports.plain, GET.replace('/a', '/a%0ab'))
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 500 .*ngrok-error-code: ERR_NGROK_3900/s)
    expect(gateway.traffic.last()).toMatchObject({ status: 500, error: 'ERR_NGROK_3900' })
  })

  test('is not one with other letters, which pass as UTF-8', async () => {
    const upstream = await openRawUpstream(OK)
    const { ports } = await openRawPorts(upstream.url, add('日本', 'on_http_response'))
    const text = await (await visitRaw(ports.plain, GET)).closed()
    expect(Buffer.from(text, 'latin1').toString()).toContain('x-a: 日本\r\n')
  })
})

describe('Connections that have switched protocols (rules: traffic#ports)', () => {
  test('belong to their visitor, whatever the ports, their number and their headers', async () => {
    const upstream = await openRawUpstream((socket, { head }) => {
      const [, path] = /^GET (\S+)/.exec(head) ?? []
      socket.write(`${SWITCHED}hello ${path}`)
      socket.on('data', (part) => socket.write(`${path} got ${part};`))
    })
    const { ports, gateway } = await openRawPorts(upstream.url)
    const visit = (port: number, path: string, servername?: string) =>
      visitRaw(port, WISH.replace('/ws', path).replace('connection', 'x-fauxgate-upgrade: 0\r\nconnection'), servername)
    const visitors = await Promise.all([
      ...[1, 2, 3].map((n) => visit(ports.plain, `/plain${n}`)),
      ...[1, 2, 3].map((n) => visit(ports.tls, `/tls${n}`, 'app.example.com')),
    ])
    for (const [index, visitor] of visitors.entries()) {
      const path = `/${index < 3 ? 'plain' : 'tls'}${(index % 3) + 1}`
      await visitor.until(new RegExp(`^HTTP/1.1 101 .*\r\n\r\nhello ${path}$`, 's'))
      visitor.socket.write('ping')
      expect(await visitor.until(/;$/)).toMatch(new RegExp(`hello ${path}${path} got ping;$`))
    }
    expect(gateway.traffic.last()).toMatchObject({ status: 101 })
    expect(JSON.stringify(gateway.traffic.all())).not.toMatch(/"x-fauxgate-upgrade":"[^0]/)
  })

  test('end with their visitor, and their visitor with them', async () => {
    const upstream = await openRawUpstream(SWITCHED)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports.plain, WISH)
    await visitor.until(/\r\n\r\n/)
    const [socket] = upstream.sockets
    visitor.socket.resetAndDestroy()
    if (socket && !socket.closed) await once(socket, 'close')
    const other = await visitRaw(ports.plain, WISH)
    await other.until(/\r\n\r\n/)
    for (const each of upstream.sockets) each.resetAndDestroy()
    await other.closed()
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('are not opened for a visitor who has left while its earlier request was answered', async () => {
    const upstream = await openRawUpstream(() => undefined)
    const { ports } = await openRawPorts(upstream.url)
    const visitor = await visitRaw(ports.plain, GET.replace('connection: close\r\n', '') + WISH)
    await waitUntil(() => upstream.requests.length === 1)
    visitor.socket.resetAndDestroy()
    await waitUntil(() => upstream.sockets.size === 0)
    expect(upstream.requests).toHaveLength(1)
    // The port still answers.
    expect(await (await visitRaw(ports.plain, GET.replace('app.', 'nope.'))).closed()).toMatch(/^HTTP\/1.1 404/)
  })

  test('have no framing of a body in the head of their 101', async () => {
    const upstream = await openRawUpstream(`${SWITCHED}hello`)
    const headers = { 'transfer-encoding': 'chunked', 'content-length': '5', 'x-a': 'b' }
    const rules = [{ actions: [{ type: 'add-headers', config: { headers } }] }]
    const { ports } = await openRawPorts(upstream.url, { traffic_policy: JSON.stringify({ on_http_response: rules }) })
    const text = await (await visitRaw(ports.plain, WISH)).until(/hello$/)
    expect(text.toLowerCase().split('\r\n').sort()).toEqual(
      [
        '',
        '',
        'connection: upgrade',
        'hello',
        'http/1.1 101 switching protocols',
        'upgrade: websocket',
        'x-a: b',
      ].slice(1),
    )
  })

  test('end if a policy replaces the response', async () => {
    const upstream = await openRawUpstream(SWITCHED)
    const rules = [{ actions: [{ type: 'custom-response', config: { status_code: 403, body: 'no' } }] }]
    const { ports } = await openRawPorts(upstream.url, { traffic_policy: JSON.stringify({ on_http_response: rules }) })
    expect(await (await visitRaw(ports.plain, WISH)).closed()).toMatch(/^HTTP\/1.1 403 .*no$/s)
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('are not opened by a replay of the agent, which has no visitor for them', async () => {
    const upstream = await openRawUpstream((socket) => {
      socket.write(SWITCHED)
      setImmediate(() => socket.resetAndDestroy())
    })
    const { ports, gateway } = await openRawPorts(upstream.url)
    await (await visitRaw(ports.plain, WISH)).closed()
    const ask = async (init?: RequestInit) => gateway.agent.fetch('http://127.0.0.1:4040/api/requests/http', init)
    const [{ id }] = ((await (await ask()).json()) as { requests: [{ id: string }] }).requests
    for (let count = 0; count < 10; count++) await ask({ method: 'POST', body: JSON.stringify({ id }) })
    await waitUntil(() => upstream.sockets.size === 0)
    expect(upstream.requests).toHaveLength(1)
  })
})
