import { describe, expect, test } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { served } from '../support/served.ts'
import { eventually, rawAnswers, rawConnection } from '../support/wire.ts'

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
