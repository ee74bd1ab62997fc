import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGateway, type GatewayOptions, manualClock, ngrok, standard } from '../../src/index.ts'
import { serveGateway } from '../support/serve.ts'
import {
  findServer,
  formatPost,
  GET,
  KEYS,
  openRawConnection,
  POST_HEAD,
  parseRawAnswers,
  type RawAnswer,
} from '../support/wire.ts'

afterEach(() => void vi.restoreAllMocks())

const serveNew = (options: GatewayOptions = {}) =>
  serveGateway(createGateway({ seed: 'wire', clock: { now: 0 }, ...options }))

/** Checks that a response is an error in the usual shape, and returns its code and message. */
function readError({ headers, body, status }: RawAnswer, prefix = 'ERR_GATEWAY_', header = 'service-operation-id') {
  const error = JSON.parse(body)
  const operation_id = headers.get(header)
  expect(operation_id).toMatch(/^op_[0-9A-Za-z]{27}$/)
  expect(headers.get('content-type')).toBe('application/json')
  expect(error).toEqual({
    error_code: expect.stringContaining(prefix),
    status_code: status,
    msg: expect.stringMatching(/\S+ \S+ \S+/),
    details: { operation_id },
  })
  return { code: `${status} ${error.error_code.slice(prefix.length)}`, msg: error.msg as string }
}

/** Returns the only response to bytes that end their connection. Checks that other connections still work. */
async function sendBytes(port: number, bytes: string | Uint8Array, isHalfClosed = false): Promise<RawAnswer> {
  const connection = await openRawConnection(port, bytes)
  if (isHalfClosed) connection.socket.end()
  const [answer, ...others] = parseRawAnswers(await connection.ended())
  expect(others).toEqual([])
  expect(await (await openRawConnection(port, GET)).statuses(1)).toEqual([200])
  return answer as RawAnswer
}

describe('Bytes that are no request are answered in the usual shape, and end the connection (rules: answers#no-request):', () => {
  const formatBrokenChunks = (rest: string) => `${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n${rest}`
  test.each<[string, string | Uint8Array, boolean?]>([
    ['garbage', 'garbage\r\n\r\n'],
    ['bytes of TLS', Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 13, 10, 13, 10)],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two lengths', `${POST_HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ['a length beside chunks', `${POST_HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
    ['a body with a chunk that is none', formatBrokenChunks('2\r\n{}\r\nnonsense\r\n')],
    ['a body with a chunk longer than it says', formatBrokenChunks('1\r\n{}\r\n0\r\n\r\n')],
    ['the half of a body', `${POST_HEAD}Content-Length: 9\r\n\r\n{"met`, true],
    ['the half of a body in chunks', formatBrokenChunks('2\r\n{}\r\n'), true],
  ])('%s', async (_what, bytes, isHalfClosed) => {
    const { gateway, port } = await serveNew()
    const before = gateway.snapshot()
    const answer = await sendBytes(port, bytes, isHalfClosed)
    expect(answer.headers.get('connection')).toBe('close')
    const { code, msg } = readError(answer)
    expect([code, msg]).toEqual(['400 90430', expect.stringMatching(/not an HTTP\/1.1 request: \S+/)])
    expect(gateway.snapshot()).toEqual(before)
  })

  test.each([
    ['gzip, chunked', '501 90433', `${POST_HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['HTTP/2.0 in its line', '505 90505', GET.replace('HTTP/1.1', 'HTTP/2.0')],
    ['two Hosts', '400 90430', GET.replace('\r\n', '\r\nHost: localhost\r\n')],
    ['chunks in HTTP/1.0', '400 90430', formatBrokenChunks('0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0')],
  ])('a request with %s (RFC 9112, sections 2.3, 3.2 and 6.1): %s', async (_what, expected, bytes) => {
    const { gateway, port } = await serveNew()
    const before = gateway.snapshot()
    const answer = await sendBytes(port, bytes)
    expect([answer.headers.get('connection'), readError(answer).code]).toEqual(['close', expected])
    expect(gateway.snapshot()).toEqual(before)
  })

  test('headers of more than 16 KiB', async () => {
    const { port } = await serveNew()
    const { code, msg } = readError(await sendBytes(port, `${GET.slice(0, -2)}A: ${'a'.repeat(16_384)}\r\n\r\n`))
    expect([code, msg]).toEqual(['431 90431', expect.stringContaining('exceed the maximum of 16384 bytes')])
    const fits = await openRawConnection(port, `${GET.slice(0, -2)}A: ${'a'.repeat(15_000)}\r\n\r\n`)
    expect(await fits.statuses(1)).toEqual([200])
  })

  test('in the form of the dialect', async () => {
    const { port } = await serveNew({ dialect: ngrok })
    const connection = await openRawConnection(port, 'garbage\r\n\r\n')
    const [answer] = parseRawAnswers(await connection.ended())
    expect(readError(answer as RawAnswer, 'ERR_NGROK_', 'ngrok-operation-id').code).toBe('400 90430')
  })

  test('a request that does not arrive in time, once, however often Node reports it', async () => {
    const { port } = await serveNew()
    const server = await findServer(port)
    expect([server.headersTimeout, server.requestTimeout]).toEqual([20_000, 60_000])
    const accepted = once(server, 'connection')
    const connection = await openRawConnection(port, 'GET /reserved_addrs HTTP/1.1\r\nHos')
    const [socket] = await accepted
    // Node checks its connections every few seconds. Here it checks this one at once.
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    for (let i = 0; i < 3; i++) server.emit('clientError', late, socket)
    const [answer, ...others] = parseRawAnswers(await connection.ended())
    expect(others).toEqual([])
    const { code, msg } = readError(answer as RawAnswer)
    expect([code, msg]).toEqual(['408 90432', expect.stringContaining('within 20 seconds')])
  })

  test('but not in the middle of a response', async () => {
    const { gateway, port } = await serveNew()
    for (let n = 0; n < 100; n++) gateway.reservedAddrs.create({ metadata: 'm'.repeat(4000) })
    const connection = await openRawConnection(port)
    connection.socket.pause().write(GET.repeat(20))
    for (let sent = -1; sent !== connection.socket.bytesRead; await nextTurn()) sent = connection.socket.bytesRead
    connection.socket.write('garbage\r\n\r\n'.repeat(1000))
    connection.socket.resume()
    const statuses = parseRawAnswers(await connection.ended()).map(({ status }) => status)
    expect(statuses).toEqual([...new Array(20).fill(200), 400])
  })
})

test('A body whose client leaves in the middle leaves nothing behind', async () => {
  const { gateway, port } = await serveNew()
  const before = gateway.snapshot()
  const server = await findServer(port)
  const requested = once(server, 'request')
  const connection = await openRawConnection(port, `${POST_HEAD}Content-Length: 9\r\n\r\n{"met`)
  const [request] = await requested
  const closed = new Promise((resolve) => request.on('close', resolve))
  connection.socket.resetAndDestroy()
  await closed
  expect(gateway.snapshot()).toEqual(before)
  expect(gateway.requests.all({ method: 'POST' })).toEqual([])
})

describe('A request that Node itself would answer', () => {
  test('without a Host header is rejected in the usual shape, as HTTP/1.1 asks', async () => {
    const { gateway, port } = await serveNew()
    const connection = await openRawConnection(port, `POST /reserved_addrs HTTP/1.1\r\n${KEYS}\r\n`)
    const [answer] = await connection.answers(1)
    const { code, msg } = readError(answer as RawAnswer)
    expect([code, msg]).toEqual(['400 90430', expect.stringContaining('The Host header is missing')])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  test.each([
    ['no Host header in HTTP/1.0', `GET /reserved_addrs HTTP/1.0\r\n${KEYS}\r\n`],
    ['an expectation', GET.replace('\r\n\r\n', '\r\nExpect: miracles\r\n\r\n')],
    ['an upgrade', GET.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')],
  ])('with %s is answered like any other', async (_what, bytes) => {
    const { port } = await serveNew()
    const [answer] = await (await openRawConnection(port, bytes)).answers(1)
    expect([answer?.status, answer?.headers.get('service-operation-id')]).toEqual([200, expect.stringMatching(/^op_/)])
  })

  test('with an upgrade is the last of its connection, because Node loses the bytes behind it', async () => {
    const { gateway, port } = await serveNew()
    const wish = GET.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
    const answers = parseRawAnswers(await (await openRawConnection(port, GET + wish + formatPost())).ended())
    expect(answers.map(({ headers }) => headers.get('connection'))).toEqual(['keep-alive', 'close'])
    expect(gateway.requests.count()).toBe(2)
  })
})

describe('A failure of fauxgate itself', () => {
  /** Serves a gateway whose further requests fail with an error that has many details. */
  async function serveFailing() {
    const clock = { now: 0 }
    const { port, url } = await serveNew({ clock })
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    clock.now = Number.NaN
    return { clock, port, url, consoleError }
  }

  test('is answered with 500 in the usual shape, and its details go only to the console', async () => {
    const { url, consoleError } = await serveFailing()
    const headers = { authorization: 'Bearer s3cret', 'service-version': '2' }
    const answer = await fetch(`${url}/reserved_addrs`, { headers })
    const body = await answer.text()
    expect(readError({ status: answer.status, headers: answer.headers, body }).code).toBe('500 90501')
    expect(consoleError).toHaveBeenCalledExactlyOnceWith(expect.any(RangeError))
  })

  test('does not affect the next request on the same connection', async () => {
    const { clock, port } = await serveFailing()
    const connection = await openRawConnection(port, GET)
    await connection.answers(1)
    clock.now = 0
    connection.socket.write(GET)
    expect(await connection.statuses(2)).toEqual([500, 200])
  })

  test('while it writes a response ends only this connection', async () => {
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { port } = await serveNew({ dialect: { ...standard, operationIdHeader: 'no header' } })
    for (let i = 0; i < 2; i++) expect(await (await openRawConnection(port, GET)).ended()).toBe('')
    expect(consoleError).toHaveBeenCalledTimes(2)
  })

  test('to accept a connection is logged, and the server continues', async () => {
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { port, url } = await serveNew()
    const server = await findServer(port)
    const error = new Error('accept EMFILE')
    server.emit('error', error)
    expect(consoleError).toHaveBeenCalledExactlyOnceWith(error)
    expect((await fetch(`${url}/nope`)).status).toBe(404)
  })
})

test('Pipelined requests are answered in order, also if the first is delayed (rules: answers#pipelining)', async () => {
  const clock = manualClock(0)
  const { gateway, port } = await serveNew({ clock })
  gateway.faults.add({ latency: '30s', times: 1 })
  const connection = await openRawConnection(port, GET + formatPost() + GET)
  while (gateway.requests.count() === 0) await nextTurn()
  expect(connection.received()).toBe('')
  clock.advance('30s')
  expect(await connection.statuses(3)).toEqual([200, 201, 200])
})
