import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGateway, type GatewayOptions, manualClock, ngrok, standard } from '../../src/index.ts'
import { served } from '../support/served.ts'
import { type RawAnswer, rawAnswers, rawConnection, serverBehind } from '../support/wire.ts'

afterEach(() => void vi.restoreAllMocks())

const opened = (options: GatewayOptions = {}) => served(createGateway({ seed: 'wire', clock: { now: 0 }, ...options }))

const KEYS = 'Authorization: Bearer k\r\nService-Version: 2\r\n'
const GET = `GET /reserved_addrs HTTP/1.1\r\nHost: x\r\n${KEYS}\r\n`
const POST = `POST /reserved_addrs HTTP/1.1\r\nHost: x\r\n${KEYS}Content-Type: application/json\r\n`

/** Sends bytes on a connection of their own, and collects the responses until the server ends it. */
async function answersTo(port: number, bytes: string | Uint8Array): Promise<RawAnswer[]> {
  const connection = await rawConnection(port, bytes)
  return rawAnswers(await connection.ended())
}

/** Checks that an answer is an error in the usual shape, and answers its code. */
function errorOf({ headers, body, status }: RawAnswer, prefix = 'ERR_GATEWAY_', header = 'service-operation-id') {
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

/** The answer to bytes that are answered once. */
async function errorFor(port: number, bytes: string | Uint8Array) {
  const answers = await answersTo(port, bytes)
  expect(answers).toHaveLength(1)
  expect(answers[0]?.headers.get('connection')).toBe('close')
  return errorOf(answers[0] as RawAnswer)
}

describe('Bytes that are no request are answered in the usual shape, and end the connection (rules: answers#no-request):', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['bytes of TLS', Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 13, 10, 13, 10)],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ['a length beside chunks', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
  ])('%s', async (_what, bytes) => {
    const { gateway, port } = await opened()
    const before = gateway.snapshot()
    const { code, msg } = await errorFor(port, bytes)
    expect([code, msg]).toEqual(['400 90430', expect.stringMatching(/no HTTP\/1.1 request: \S+/)])
    expect(gateway.snapshot()).toEqual(before)
  })

  test('headers of more than 16 KiB', async () => {
    const { port } = await opened()
    const { code, msg } = await errorFor(port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(16_384)}\r\n\r\n`)
    expect(code).toBe('431 90431')
    expect(msg).toContain('more than 16384 bytes')
    const fits = await rawConnection(port, `${GET.slice(0, -2)}A: ${'a'.repeat(15_000)}\r\n\r\n`)
    await fits.until(/^HTTP\/1.1 200 /)
    fits.socket.destroy()
  })

  test('in the dialect’s own words', async () => {
    const { port } = await opened({ dialect: ngrok })
    const [answer] = await answersTo(port, 'garbage\r\n\r\n')
    expect(errorOf(answer as RawAnswer, 'ERR_NGROK_', 'ngrok-operation-id').code).toBe('400 90430')
  })

  test('once, however much follows', async () => {
    const { port } = await opened()
    const connection = await rawConnection(port, 'garbage\r\n\r\n')
    connection.socket.write('more\r\n\r\n'.repeat(1000))
    expect(rawAnswers(await connection.ended()).length).toBeLessThan(2)
  })

  test('a request that is not there in time', async () => {
    const { port } = await opened()
    const late = await lateRequest(port, 'GET /reserved_addrs HTTP/1.1\r\nHos')
    late.connection.socket.write('t: x\r\n')
    expect(late.server.headersTimeout).toBe(20_000)
    expect(late.server.requestTimeout).toBe(60_000)
    late.isFound()
    const [answer] = rawAnswers(await late.connection.ended())
    const { code, msg } = errorOf(answer as RawAnswer)
    expect([code, msg]).toEqual(['408 90432', expect.stringContaining('within 20 seconds')])
  })
})

describe('A server that stood still reads what has come meanwhile before it finds it late', () => {
  const SENT = `POST /reserved_addrs HTTP/1.1\r\nHost: x\r\n${KEYS}Content-Type: application/json\r\nContent-Length: 19\r\n\r\n{"description":"x"}`

  test.each([9, SENT.length - 5])('of a request of which %i characters were there', async (there) => {
    const { gateway, port } = await opened()
    const late = await lateRequest(port, SENT.slice(0, there))
    late.connection.socket.write(SENT.slice(there))
    late.isFound()
    await late.connection.until(/\}$/)
    late.connection.socket.write(`GET /reserved_addrs HTTP/1.1\r\nHost: x\r\n${KEYS}\r\n`)
    await late.connection.until(/"next_page_uri":null\}$/)
    expect(rawAnswers(late.connection.received()).map(({ status }) => status)).toEqual([201, 200])
    expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(1)
    late.connection.socket.destroy()
  })

  test('and refuses one whose body is still not whole', async () => {
    const { gateway, port } = await opened()
    const late = await lateRequest(port, SENT.slice(0, -10))
    late.connection.socket.write(SENT.slice(-10, -1))
    late.isFound()
    const [answer] = rawAnswers(await late.connection.ended())
    expect(errorOf(answer as RawAnswer).code).toBe('400 212')
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })
})

/** A connection with the beginning of a request, which the server finds to be late when it is told. */
async function lateRequest(port: number, beginning: string) {
  const server = await serverBehind(port, GET)
  const accepted = once(server, 'connection')
  const connection = await rawConnection(port, beginning)
  const [socket] = await accepted
  do await nextTurn()
  while (socket.bytesRead < beginning.length)
  // Node looks at its connections every few seconds; here it is told to find this one at once.
  const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  return { server, connection, isFound: () => server.emit('clientError', late, socket) }
}

describe('A request that Node itself would answer', () => {
  test('without a Host header is refused in the usual shape, as HTTP/1.1 asks', async () => {
    const { gateway, port } = await opened()
    const connection = await rawConnection(port, `POST /reserved_addrs HTTP/1.1\r\n${KEYS}\r\n`)
    await connection.until(/\}$/)
    const { code, msg } = errorOf(rawAnswers(connection.received())[0] as RawAnswer)
    expect([code, msg]).toEqual(['400 90430', expect.stringContaining('the Host header is missing')])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
    connection.socket.destroy()
  })

  test('in HTTP/1.0 needs no Host header', async () => {
    const { port } = await opened()
    const [answer] = await answersTo(port, `GET /reserved_addrs HTTP/1.0\r\n${KEYS}\r\n`)
    expect(answer?.status).toBe(200)
  })

  test.each(['Expect: miracles', 'Connection: Upgrade\r\nUpgrade: h2c'])(
    'with %j is answered like any other',
    async (header) => {
      const { port } = await opened()
      const connection = await rawConnection(port, GET.replace('\r\n\r\n', `\r\n${header}\r\n\r\n`))
      await connection.until(/\}$/)
      const [answer] = rawAnswers(connection.received())
      expect([answer?.status, answer?.headers.get('service-operation-id')]).toEqual([
        200,
        expect.stringMatching(/^op_/),
      ])
      connection.socket.destroy()
    },
  )
})

describe('A body that breaks off', () => {
  test.each([
    ['with a chunk that is none', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nnonsense\r\n'],
    ['with a chunk longer than it says', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n'],
  ])('%s is answered by its own request, which stands in the journal', async (_how, rest) => {
    const { gateway, port } = await opened()
    const { code } = await errorFor(port, POST + rest)
    expect(code).toBe('400 212')
    expect(gateway.requests.all()).toMatchObject([{ method: 'POST', status: 400, operation: 'reserved_addrs.create' }])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  const half = [`${POST}Content-Length: 9\r\n\r\n{"met`, `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`]

  test.each(half)('with the sending of a client that still reads is answered: %j', async (bytes) => {
    const { gateway, port } = await opened()
    const connection = await rawConnection(port, bytes)
    connection.socket.end()
    const [answer] = rawAnswers(await connection.ended())
    expect(errorOf(answer as RawAnswer).code).toBe('400 212')
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  test.each(half)('with its whole client leaves nothing behind: %j', async (bytes) => {
    const { gateway, port } = await opened()
    const before = gateway.snapshot()
    const server = await serverBehind(port, GET)
    const requested = once(server, 'request')
    const connection = await rawConnection(port, bytes)
    const [request] = await requested
    const closed = new Promise((resolve) => request.on('close', resolve))
    connection.socket.resetAndDestroy()
    await closed
    expect(gateway.snapshot()).toEqual(before)
    expect(gateway.requests.all({ method: 'POST' })).toEqual([])
  })
})

describe('Requests one behind the other on one connection', () => {
  test('are answered in order, and what is no request behind them', async () => {
    const { gateway, port } = await opened()
    const answers = await answersTo(port, `${POST}Content-Length: 2\r\n\r\n{}${GET}garbage\r\n\r\n`)
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 400])
    expect(JSON.parse(answers[1]?.body ?? '').reserved_addrs).toHaveLength(1)
    expect(errorOf(answers[2] as RawAnswer).code).toBe('400 90430')
    expect(gateway.requests.count()).toBe(2)
  })

  test.each([
    [1, 'garbage\r\n\r\n'],
    [2, `${POST}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`],
  ])('are answered in order when the first is delayed and the last is none, or breaks off', async (requests, bytes) => {
    const clock = manualClock(0)
    const { gateway, port } = await opened({ clock })
    gateway.faults.add({ latency: '30s', times: 1 })
    const connection = await rawConnection(port, GET + bytes)
    while (gateway.requests.count() < requests) await new Promise(setImmediate)
    expect(connection.received()).toBe('')
    clock.advance('30s')
    expect(rawAnswers(await connection.ended()).map(({ status }) => status)).toEqual([200, 400])
  })
})

describe('A failure of fauxgate itself', () => {
  /** Makes every further request fail, in a way that says a lot. */
  async function failing() {
    const clock = { now: 0 }
    const { gateway, port, url } = await opened({ clock })
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    clock.now = Number.NaN
    return { clock, gateway, port, url, printed }
  }

  test('is answered with 500 in the usual shape, and told to the console only', async () => {
    const { url, printed } = await failing()
    const headers = { authorization: 'Bearer s3cret', 'service-version': '2' }
    const answer = await fetch(`${url}/reserved_addrs`, { headers })
    const body = await answer.text()
    expect(errorOf({ status: answer.status, headers: answer.headers, body }).code).toBe('500 90501')
    expect(printed).toHaveBeenCalledExactlyOnceWith(expect.any(RangeError))
  })

  test('passes: the next request is answered, on the same connection', async () => {
    const { clock, port } = await failing()
    const connection = await rawConnection(port, GET)
    await connection.until(/\}$/)
    clock.now = 0
    connection.socket.write(GET)
    await connection.until(/HTTP\/1.1 200 /)
    connection.socket.destroy()
  })

  test('to write an answer ends the connection, and no other', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { port } = await opened({ dialect: { ...standard, operationIdHeader: 'no header' } })
    for (let i = 0; i < 2; i++) expect(await answersTo(port, GET)).toEqual([])
    expect(printed).toHaveBeenCalledTimes(2)
  })
})

describe('A server whose listening fails later', () => {
  test('says so and goes on', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { port, url } = await opened()
    const server = await serverBehind(port, GET)
    const error = new Error('accept EMFILE')
    server.emit('error', error)
    expect(printed).toHaveBeenCalledExactlyOnceWith(error)
    expect((await fetch(`${url}/nope`)).status).toBe(404)
  })
})
