import type { Server } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { served } from '../support/served.ts'
import { eventually, rawAnswers, rawConnection, serverBehind } from '../support/wire.ts'

const opened = () => served(createGateway({ seed: 'bodies', clock: { now: 0 } }))

const MIB = 1024 * 1024
const HEAD = 'Host: x\r\nAuthorization: Bearer k\r\nService-Version: 2\r\n'
const GET = `GET /reserved_addrs HTTP/1.1\r\n${HEAD}\r\n`
const POST = `POST /reserved_addrs HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n`
const withLength = (body: string) => `${POST}Content-Length: ${body.length}\r\n\r\n${body}`
const padded = (bytes: number) => `{}${' '.repeat(bytes - 2)}`

/** The statuses of the answers to bytes, once there are so many. */
async function statuses(port: number, bytes: string, count: number): Promise<number[]> {
  const connection = await rawConnection(port, bytes)
  await eventually(() => (connection.received().match(/HTTP\/1\.1 \d/g) ?? []).length === count)
  await connection.until(/\}$/)
  connection.socket.destroy()
  return rawAnswers(connection.received()).map(({ status }) => status)
}

describe('The size of a body (rules: requests#body)', () => {
  test('may be 1 MiB to the byte', async () => {
    const { port } = await opened()
    expect(await statuses(port, withLength(padded(MIB)) + withLength(padded(MIB + 1)), 2)).toEqual([201, 413])
  })

  test('of 16 MiB is read to its end, so that the next request on its connection is answered', async () => {
    const { gateway, port } = await opened()
    expect(await statuses(port, withLength(padded(16 * MIB)) + GET, 2)).toEqual([413, 200])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  test('of more than that is refused before its end, which ends the connection', async () => {
    const { port } = await opened()
    const connection = await rawConnection(port, `${POST}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`
    for (let i = 0; i < 17; i++) connection.socket.write(chunk)
    const [answer] = rawAnswers(await connection.ended())
    expect(answer?.status).toBe(413)
    expect(answer?.headers.get('connection')).toBe('close')
    expect(JSON.parse(answer?.body ?? '').error_code).toBe('ERR_GATEWAY_90413')
  })
})

describe('A client that stops sending in the middle of a body', () => {
  test('is answered, also where the requests before it were', async () => {
    const { port } = await opened()
    const connection = await rawConnection(port, GET)
    await connection.until(/\}$/)
    connection.socket.end(`${POST}Content-Length: 9\r\n\r\n{"met`)
    expect(rawAnswers(await connection.ended()).map(({ status }) => status)).toEqual([200, 400])
  })
})

describe('What the parser says of a connection', () => {
  /** Tells the server of a failed connection, so many times, and answers what its client gets. */
  async function told(times: number, error: Error): Promise<string> {
    const { port } = await opened()
    const server: Server = await serverBehind(port, GET)
    const accepted = new Promise<unknown>((resolve) => server.once('connection', resolve))
    const connection = await rawConnection(port)
    const socket = await accepted
    for (let i = 0; i < times; i++) server.emit('clientError', error, socket)
    return connection.ended()
  }

  test('is answered once, however often it says so', async () => {
    expect(rawAnswers(await told(3, new Error('no request')))).toHaveLength(1)
  })

  test('is told in its own words where it gives no reason', async () => {
    expect(await told(1, new Error('it went wrong'))).toContain('is no HTTP/1.1 request: it went wrong.')
    const error = Object.assign(new Error('in general'), { reason: 'in particular' })
    expect(await told(1, error)).toContain('is no HTTP/1.1 request: in particular.')
  })
})
