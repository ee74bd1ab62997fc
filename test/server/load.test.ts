import { once } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { serveGateway } from '../support/serve.ts'
import { formatPost, openRawConnection, type RawConnection, GET as WHOLE_LIST } from '../support/wire.ts'

/** The number of connections, small for any machine. FAUXGATE_CONNECTIONS=5000 takes 30 s and 10,000 files. */
const CONNECTIONS = Number(process.env.FAUXGATE_CONNECTIONS ?? 200)

const GET = WHOLE_LIST.replace('addrs', 'addrs?limit=1')
const POST = formatPost()

let gateway: Gateway
let port: number

beforeEach(async () => {
  gateway = createGateway({ seed: 'load', clock: { now: 0 }, journalSize: 20 })
  port = (await serveGateway(gateway)).port
})

function openConnections(count: number, bytes = ''): Promise<RawConnection[]> {
  return Promise.all(Array.from({ length: count }, () => openRawConnection(port, bytes)))
}

/** Resolves with the statuses on each connection, once each has `count` responses. */
function statuses(connections: readonly RawConnection[], count: number): Promise<number[][]> {
  return Promise.all(connections.map((each) => each.statuses(count)))
}

describe('A server with many connections', () => {
  test('answers every request on all keep-alive connections', async () => {
    const connections = await openConnections(CONNECTIONS)
    for (const round of [1, 2, 3]) {
      for (const { socket } of connections) socket.write(round === 1 ? POST : GET)
      await statuses(connections, round)
    }
    expect(await statuses(connections, 3)).toEqual(Array(CONNECTIONS).fill([201, 200, 200]))
    expect(gateway.leftovers()).toHaveLength(CONNECTIONS)
  })

  test('answers other requests while some are half sent, and these once they are complete', async () => {
    const slow = await openConnections(CONNECTIONS / 2, POST.slice(0, 40))
    const inBody = await openConnections(CONNECTIONS / 2, POST.slice(0, -1))
    const quick = await openRawConnection(port, GET.repeat(3))
    expect(await quick.statuses(3)).toEqual([200, 200, 200])
    expect(gateway.leftovers()).toEqual([])
    for (const { socket } of slow) socket.write(POST.slice(40))
    for (const { socket } of inBody) socket.write(POST.slice(-1))
    await statuses([...slow, ...inBody], 1)
    expect(gateway.leftovers()).toHaveLength(CONNECTIONS)
  })

  test('answers a request that comes byte by byte', async () => {
    const connection = await openRawConnection(port)
    for (const byte of POST + GET) {
      connection.socket.write(byte)
      await new Promise(setImmediate)
    }
    expect(await connection.statuses(2)).toEqual([201, 200])
  })

  test('continues when clients leave before, during and after their requests', async () => {
    const leaving = [
      ...(await openConnections(CONNECTIONS / 4)),
      ...(await openConnections(CONNECTIONS / 4, POST.slice(0, 60))),
      ...(await openConnections(CONNECTIONS / 4, POST.slice(0, -1))),
      ...(await openConnections(CONNECTIONS / 4, GET.repeat(20))),
    ]
    for (const { socket } of leaving) socket.resetAndDestroy()
    await Promise.all(leaving.map(({ socket }) => socket.closed || once(socket, 'close')))
    expect(await (await openRawConnection(port, POST)).statuses(1)).toEqual([201])
    expect(gateway.leftovers()).toHaveLength(1)
  })
})
