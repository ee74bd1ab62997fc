import { describe, expect, test } from 'vitest'
import { openRawPorts, openRawUpstream, type RawAnswer, visitRaw } from '../../support/raw-traffic.ts'
import { waitUntil } from '../../support/wire.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const HOST = 'host: app.example.com\r\n'
const WISH = `GET /ws HTTP/1.1\r\n${HOST}connection: Upgrade\r\nupgrade: websocket\r\n\r\n`
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`
const FIELDS = Array.from({ length: 1500 }, (_, index) => `x-${index}: a\r\n`).join('')

async function open(answer: RawAnswer, endpoint = {}) {
  const upstream = await openRawUpstream(answer)
  const { ports, gateway } = await openRawPorts(upstream.url, endpoint)
  return { upstream, gateway, visit: (bytes: string) => visitRaw(ports.plain, bytes) }
}

// RFC 9110, section 5.4: a server must not ignore fields in silence.
describe('The fields after the 1,000th (rules: traffic#ports)', () => {
  test.each([
    ['a length', 'content-length: 5\r\n\r\nhello', 'hello'],
    ['chunks', 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n', 'hello'],
  ])('of a request count: %s', async (_, rest, body) => {
    const { upstream, visit } = await open(OK)
    const visitor = await visit(`POST /pay HTTP/1.1\r\n${HOST}${FIELDS}${rest}`)
    await visitor.until(/ok$/)
    expect(upstream.requests).toEqual([{ head: expect.stringContaining('x-1499: a'), body }])
  })

  test.each([
    ['a second Host', HOST, 400],
    ['another coding', 'transfer-encoding: gzip, chunked\r\n', 501],
  ])('of a request are checked: %s', async (_, field, status) => {
    const { upstream, visit } = await open(OK)
    const visitor = await visit(`POST / HTTP/1.1\r\n${HOST}${FIELDS}${field}\r\n`)
    expect(await visitor.until(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(upstream.requests).toHaveLength(0)
  })

  test('of a response reach the visitor', async () => {
    const { visit } = await open(`HTTP/1.1 200 OK\r\n${FIELDS}set-cookie: a=1\r\ncontent-length: 2\r\n\r\nok`)
    expect(await (await visit(get('/'))).until(/ok$/)).toMatch(/\r\nset-cookie: a=1\r\ncontent-length: 2\r\n/)
  })
})

// RFC 9110, section 7.8.
describe('An upstream that switches protocols (rules: traffic#ports)', () => {
  test.each(['', 'upgrade: foo\r\n', 'connection: Upgrade\r\n'])(
    'without naming the new one (%j) is no response, and its connection serves nobody else',
    async (fields) => {
      const { visit } = await open((socket, { head }) => {
        if (!head.startsWith('GET /one ')) return void socket.write(OK)
        socket.write(`HTTP/1.1 101 X\r\n${fields}\r\n`)
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nSECRET')
      })
      expect(await (await visit(get('/one'))).until(/3004/)).toMatch(/^HTTP\/1.1 502 /)
      expect(await (await visit(get('/two'))).until(/ok$/)).not.toContain('SECRET')
      expect(await (await visit(WISH.replace('/ws', '/one'))).closed()).toMatch(/^HTTP\/1.1 502 /)
    },
  )

  test('to another one than the visitor asked for is no response', async () => {
    const { upstream, visit } = await open('HTTP/1.1 101 X\r\nconnection: Upgrade\r\nupgrade: other\r\n\r\n')
    expect(await (await visit(WISH)).closed()).toMatch(/^HTTP\/1.1 502 /)
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('too late, after its visitor has ended the connection, is not waited for', async () => {
    const { upstream, visit } = await open(() => undefined)
    const visitors = await Promise.all(Array.from({ length: 10 }, () => visit(WISH)))
    await waitUntil(() => upstream.requests.length === 10)
    for (const { socket } of visitors) socket.end()
    await waitUntil(() => upstream.sockets.size === 0)
  })

  test('gets the bytes that its visitor has sent early', async () => {
    const { visit } = await open((socket) => {
      socket.write('HTTP/1.1 101 X\r\nconnection: Upgrade\r\nupgrade: WebSocket\r\n\r\n')
      socket.on('data', (part) => socket.write(`got ${part};`))
    })
    const visitor = await visit(`${WISH}early`)
    expect(await visitor.until(/;$/)).toMatch(/got early;$/)
  })
})

describe('Informational responses (rules: traffic#ports)', () => {
  test('make a request one that is not sent twice', async () => {
    const { upstream, visit } = await open((socket, { head }) => {
      if (head.startsWith('GET /first ')) return void socket.write(OK)
      socket.end('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')
    })
    await (await visit(get('/first'))).until(/ok$/)
    const text = await (await visit(get('/second'))).until(/ERR_NGROK/)
    expect(text.match(/ 103 /g)).toHaveLength(1)
    expect(upstream.requests).toHaveLength(2)
  })

  test('without an end are no response after 1 MB', async () => {
    const hint = `HTTP/1.1 103 Early Hints\r\nlink: <${'a'.repeat(1000)}>\r\n\r\n`
    const { upstream, visit } = await open((socket) => {
      const write = () => void (socket.writable && socket.write(hint.repeat(100), write))
      write()
    })
    const visitor = await visit(get('/'))
    expect(await visitor.until(/HTTP\/1.1 502 /)).toMatch(/3004/)
    expect(visitor.received().length).toBeLessThan(1_300_000)
    await waitUntil(() => upstream.sockets.size === 0)
  })
})

// RFC 9112, sections 2.3 and 3.2.
test.each([
  ['GET /x#/../admin HTTP/1.1', 400],
  ['GET /x HTTP/2.0', 505],
  ['GET /x HTTP/0.9', 505],
])('The line %j is rejected with %i (rules: traffic#ports)', async (line, status) => {
  const { upstream, visit } = await open(OK)
  expect(await (await visit(`${line}\r\n${HOST}\r\n`)).until(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(upstream.requests).toHaveLength(0)
})

// RFC 9110, section 15.5.14.
test('The rest of a body that is too long for a policy is read, and the connection goes on (rules: traffic#bodies)', async () => {
  const config = { replacements: [{ from: 'a', to: 'b' }] }
  const rules = [{ actions: [{ type: 'request-body-find-replace', config }] }]
  const { visit } = await open(OK, { traffic_policy: JSON.stringify({ on_http_request: rules }) })
  const visitor = await visit(`POST / HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n`)
  const size = 1_048_576
  const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
  for (let count = 0; count < 40; count++) visitor.socket.write(chunk)
  visitor.socket.write(`0\r\n\r\n${get('/next')}`)
  expect(await visitor.until(/ok$/)).toMatch(/^HTTP\/1.1 413 .*ERR_NGROK_3903.*HTTP\/1.1 200 /s)
})

describe('A header that a policy takes from a visitor frames and routes nothing (rules: traffic#ports):', () => {
  test.each([
    ['host', 'other.example.com'],
    ['expect', '100-continue'],
    ['expect', 'tea'],
    ['content-length', '1'],
    ['content-length', '99'],
    ['transfer-encoding', 'chunked'],
    ['transfer-encoding', 'gzip'],
    ['connection', 'close'],
    ['connection', 'content-length, transfer-encoding, host'],
    ['connection', 'upgrade'],
    ['upgrade', 'websocket'],
    ['trailer', 'content-length'],
    ['te', 'gzip'],
    ['keep-alive', 'timeout=0'],
  ])('%s: %s', async (name, value) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression
    const headers = { [name]: "${req.headers['x-v'][0]}" }
    const rules = [{ actions: [{ type: 'add-headers', config: { headers } }] }]
    const { upstream, visit } = await open(OK, { traffic_policy: JSON.stringify({ on_http_request: rules }) })
    const post = (framing: string) => `POST / HTTP/1.1\r\n${HOST}x-v: ${value}\r\n${framing}`
    const visitor = await visit(
      post('content-length: 5\r\n\r\nhello') + post('transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'),
    )
    expect(await visitor.until(/(ok.*){2}$/s)).toMatch(/^HTTP\/1.1 200 .*HTTP\/1.1 200 /s)
    expect(upstream.requests.map(({ body }) => body)).toEqual(['hello', 'hello'])
    const framing = /^(host|te|trailer|upgrade|content-length|transfer-encoding):.*/gim
    const host = `host: ${name === 'host' ? value : 'app.example.com'}`
    expect(upstream.requests.map(({ head }) => head.match(framing))).toEqual([
      [host, 'content-length: 5'],
      [host, 'transfer-encoding: chunked'],
    ])
  })
})
