import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { served } from '../support/served.ts'
import { eventually, type RawConnection, rawAnswers, rawConnection } from '../support/wire.ts'

/** Few enough for any machine; FAUXGATE_CONNECTIONS=5000 takes half a minute and twice as many open files. */
const CONNECTIONS = Number(process.env.FAUXGATE_CONNECTIONS ?? 200)

const KEYS = 'Host: x\r\nAuthorization: Bearer k\r\nService-Version: 2\r\n'
const GET = `GET /reserved_addrs?limit=1 HTTP/1.1\r\n${KEYS}\r\n`
const POST = `POST /reserved_addrs HTTP/1.1\r\n${KEYS}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`

let gateway: Gateway
let port: number
const open: RawConnection[] = []

beforeEach(async () => {
  gateway = createGateway({ seed: 'load', clock: { now: 0 }, journalSize: 20 })
  port = (await served(gateway)).port
})

afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy()
})

async function connected(count: number, bytes = ''): Promise<RawConnection[]> {
  const connections = await Promise.all(Array.from({ length: count }, () => rawConnection(port, bytes)))
  open.push(...connections)
  return connections
}

function statuses(connection: RawConnection): number[] {
  return rawAnswers(connection.received()).map(({ status }) => status)
}

/** Resolves once each connection has so many whole answers. */
async function answered(connections: readonly RawConnection[], count: number): Promise<void> {
  for (const each of connections) await eventually(() => hasAll(each, count))
}

/** Tells whether the last of so many responses is whole. */
function hasAll(connection: RawConnection, count: number): boolean {
  const text = connection.received()
  return text.split('HTTP/1.1 ').length > count && text.endsWith('}')
}

describe('A server with many connections', () => {
  test('answers every request of all that are kept alive', async () => {
    const connections = await connected(CONNECTIONS)
    for (const round of [1, 2, 3]) {
      for (const { socket } of connections) socket.write(round === 1 ? POST : GET)
      await answered(connections, round)
    }
    for (const each of connections) expect(statuses(each)).toEqual([201, 200, 200])
    expect(gateway.leftovers()).toHaveLength(CONNECTIONS)
  })

  test('answers others while requests are half sent, and these once their rest has come', async () => {
    const slow = await connected(CONNECTIONS / 2, POST.slice(0, 40))
    const inBody = await connected(CONNECTIONS / 2, POST.slice(0, -1))
    const [quick] = await connected(1, GET.repeat(3))
    await answered([quick as RawConnection], 3)
    expect(statuses(quick as RawConnection)).toEqual([200, 200, 200])
    expect(gateway.leftovers()).toEqual([])
    for (const { socket } of slow) socket.write(POST.slice(40))
    for (const { socket } of inBody) socket.write(POST.slice(-1))
    await answered([...slow, ...inBody], 1)
    expect(gateway.leftovers()).toHaveLength(CONNECTIONS)
  })

  test('answers a request that comes byte by byte', async () => {
    const [connection] = await connected(1)
    const { socket } = connection as RawConnection
    for (const byte of POST + GET) {
      socket.write(byte)
      await new Promise(setImmediate)
    }
    await answered([connection as RawConnection], 2)
    expect(statuses(connection as RawConnection)).toEqual([201, 200])
  })

  test('continues when clients leave: before, within and behind their requests', async () => {
    const leaving = [
      ...(await connected(CONNECTIONS / 4)),
      ...(await connected(CONNECTIONS / 4, POST.slice(0, 60))),
      ...(await connected(CONNECTIONS / 4, POST.slice(0, -1))),
      ...(await connected(CONNECTIONS / 4, GET.repeat(20))),
    ]
    for (const { socket } of leaving) socket.resetAndDestroy()
    await Promise.all(leaving.map(({ socket }) => socket.closed || once(socket, 'close')))
    const [connection] = await connected(1, POST)
    await answered([connection as RawConnection], 1)
    expect(statuses(connection as RawConnection)).toEqual([201])
    expect(gateway.leftovers()).toHaveLength(1)
  })
})
