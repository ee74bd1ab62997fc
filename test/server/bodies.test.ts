import { describe, expect, test } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { serveGateway } from '../support/serve.ts'
import { formatPost, GET, openRawConnection, POST_HEAD, parseRawAnswers } from '../support/wire.ts'

const serveNew = () => serveGateway(createGateway({ seed: 'bodies', clock: { now: 0 } }))

const MIB = 1024 * 1024
const formatPaddedPost = (bytes: number) => formatPost(`{}${' '.repeat(bytes - 2)}`)

describe('The size of a body (rules: requests#body)', () => {
  test('may be 1 MiB to the byte', async () => {
    const { port } = await serveNew()
    const connection = await openRawConnection(port, formatPaddedPost(MIB) + formatPaddedPost(MIB + 1))
    expect(await connection.statuses(2)).toEqual([201, 413])
  })

  test('of 16 MiB is read to its end, so that the next request on its connection is answered', async () => {
    const { gateway, port } = await serveNew()
    const connection = await openRawConnection(port, formatPaddedPost(16 * MIB) + GET)
    expect(await connection.statuses(2)).toEqual([413, 200])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
  })

  test('of more than that is rejected before its end, which ends the connection', async () => {
    const { port } = await serveNew()
    const connection = await openRawConnection(port, `${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`
    for (let i = 0; i < 17; i++) connection.socket.write(chunk)
    const [answer] = parseRawAnswers(await connection.ended())
    expect(answer?.status).toBe(413)
    expect(answer?.headers.get('connection')).toBe('close')
    expect(JSON.parse(answer?.body ?? '').error_code).toBe('ERR_GATEWAY_90413')
  })
})
