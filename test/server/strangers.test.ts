import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { serveGateway } from '../support/serve.ts'
import {
  formatPost,
  GET,
  KEYS,
  openRawConnection,
  POST_HEAD,
  parseRawAnswers,
  type RawConnection,
  waitUntil,
} from '../support/wire.ts'

const MIB = 1024 * 1024
const CONTROL_KEY = 'a-control-key-of-this-test'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Returns the bytes of this process outside and inside the heap, after a garbage collection. */
async function countHeldBytes(): Promise<number> {
  // The platform frees buffers in another thread.
  for (let round = 0; round < 3; round++) {
    collectGarbage()
    await waitForTurns(10)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Sends a request with the first bytes of a body, which is as long as announced: `start`, and then spaces. */
async function sendBody(
  port: number,
  head: string,
  { sent, announced, start = Buffer.of() }: { sent: number; announced: number; start?: Buffer },
): Promise<RawConnection> {
  const connection = await openRawConnection(
    port,
    `${head}Content-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n`,
  )
  const chunk = Buffer.alloc(MIB, ' ')
  connection.socket.write(Buffer.concat([start, chunk.subarray(start.length)]))
  for (let bytes = MIB; bytes < sent; bytes += MIB) connection.socket.write(chunk.subarray(0, sent - bytes))
  return connection
}

describe('The body of a request is not held if its head is rejected (rules: requests#body):', () => {
  const createTestGateway = (options: object) => createGateway({ seed: 'strangers', clock: { now: 0 }, ...options })

  test.each([
    [
      'a state without the control key',
      { control: { key: CONTROL_KEY } },
      'PUT /_fauxgate/state HTTP/1.1\r\nHost: localhost\r\n',
    ],
    ['a state for another host', {}, 'PUT /_fauxgate/state HTTP/1.1\r\nHost: evil.example\r\n'],
    ['a state from a page', {}, 'PUT /_fauxgate/state HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://evil.example\r\n'],
    ['a resource without a key', {}, 'POST /reserved_addrs HTTP/1.1\r\nHost: localhost\r\nService-Version: 2\r\n'],
    ['a resource with a wrong key', { keys: ['right'] }, `POST /reserved_addrs HTTP/1.1\r\nHost: localhost\r\n${KEYS}`],
  ])('%s', async (_what, options, head) => {
    const { port } = await serveGateway(createTestGateway(options))
    const before = await countHeldBytes()
    const connections = await Promise.all(
      Array.from({ length: 5 }, () => sendBody(port, head, { sent: 12 * MIB, announced: 64 * MIB })),
    )
    await waitUntil(() => connections.every(({ socket }) => socket.writableLength === 0))
    const heldBytes = (await countHeldBytes()) - before
    for (const { socket } of connections) socket.destroy()
    expect(heldBytes / connections.length).toBeLessThan(2 * MIB)
  })

  test('it gets the usual response, and so does the next request', async () => {
    const { gateway, port } = await serveGateway(createTestGateway({ control: { key: CONTROL_KEY }, keys: ['k'] }))
    const put = `PUT /_fauxgate/state HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
    const post = formatPost().replace('Bearer k', 'Bearer wrong')
    const connection = await openRawConnection(port, put + post + GET)
    expect(await connection.statuses(3)).toEqual([401, 401, 200])
    expect(gateway.requests.last({ status: 401 })?.request).toMatch(/^\[a body that was not read/)
  })

  test.each([65_536, 65_537])('the journal has no part of it: %d bytes', async (bytes) => {
    const { gateway, port } = await serveGateway(createTestGateway({ keys: ['k'] }))
    const head = POST_HEAD.replace('Bearer k', 'Bearer wrong')
    const body = JSON.stringify({ pad: 'x'.repeat(bytes - 10) })
    const connection = await openRawConnection(port, `${head}Content-Length: ${bytes}\r\n\r\n${body}`)
    expect(await connection.statuses(1)).toEqual([401])
    expect(gateway.requests.last()?.request).toMatch(/^\[a body that was not read/)
  })

  test('a body in chunks of one byte takes no more memory than one in a piece', async () => {
    const { port } = await serveGateway(createTestGateway({}))
    const before = await countHeldBytes()
    const head = `${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n`
    const connection = await openRawConnection(port, head + '1\r\n \r\n'.repeat(MIB / 4))
    await waitUntil(() => connection.socket.writableLength === 0)
    // The server still reads it. Memory that was freed meanwhile does not count.
    await waitUntil(async () => (await countHeldBytes()) - before < 2 * MIB)
    connection.socket.write('2\r\n{}\r\n0\r\n\r\n')
    expect(await connection.statuses(1)).toEqual([201])
  })
})

describe('Only the call that restores a state accepts a body over 1 MiB (rules: requests#body):', () => {
  const id = 'edghts_2Fl0mAzU7ASxLLpKVXcVkmKFw4Q'
  const policy = `/edges/https/${id}/routes/${id}/policy`
  const body = JSON.stringify({ pad: ' '.repeat(2 * MIB) })

  test.each([`${policy}#/_fauxgate/state`, `${policy}?/_fauxgate/state`, `${policy}?a=b#/_fauxgate/state`])(
    'PUT %s',
    async (target) => {
      const { gateway, port } = await serveGateway(createGateway())
      const head = `PUT ${target} HTTP/1.1\r\nHost: localhost\r\n${KEYS}Content-Type: application/json\r\n`
      const connection = await openRawConnection(port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)
      expect(await connection.statuses(1)).toEqual([413])
      const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
      const { status } = await gateway.fetch(`${gateway.url}${target}`, { method: 'PUT', headers, body })
      expect(status).toBe(413)
    },
  )

  test('which accepts an exported state of 256 MiB unchanged, and rejects one byte more', async () => {
    const { gateway, port, url } = await serveGateway(createGateway({ seed: 'given out' }))
    gateway.reservedAddrs.create({})
    const snapshot = Buffer.from(await (await fetch(`${url}/_fauxgate/state`)).text())
    gateway.reset()
    const head = 'PUT /_fauxgate/state HTTP/1.1\r\nHost: 127.0.0.1\r\n'
    const tooLarge = await sendBody(port, head, { sent: 256 * MIB + 1, announced: 256 * MIB + 1, start: snapshot })
    expect(await tooLarge.statuses(1)).toEqual([413])
    expect(gateway.reservedAddrs.list().reserved_addrs).toEqual([])
    const allowed = await sendBody(port, head, { sent: 256 * MIB, announced: 256 * MIB, start: snapshot })
    await allowed.until(/^HTTP\/1.1 204 /)
    expect(gateway.reservedAddrs.list().reserved_addrs).toHaveLength(1)
  })
})

describe('Pipelined requests whose responses nobody reads', () => {
  /** Opens a gateway whose list of domains is long. */
  function openWithLongList(domains: number, journalSize = 10_000): Gateway {
    const gateway = createGateway({ seed: 'long list', journalSize, journalBytes: 2 ** 30 })
    for (let i = 0; i < domains; i++) {
      gateway.reservedDomains.create({
        domain: `${i}.example.com`,
        description: 'd'.repeat(255),
        metadata: 'm'.repeat(4096),
      })
    }
    return gateway
  }
  const LIST = `GET /reserved_domains HTTP/1.1\r\nHost: localhost\r\n${KEYS}\r\n`

  test('wait, and take bounded memory', async () => {
    const { gateway, port } = await serveGateway(openWithLongList(100, 0))
    const before = await countHeldBytes()
    const connection = await openRawConnection(port)
    connection.socket.pause()
    // Long heads, so that one read of the socket has few requests. The test measures responses, not requests.
    connection.socket.write(LIST.replace('\r\n\r\n', `\r\nPad: ${'x'.repeat(2000)}\r\n\r\n`).repeat(5000))
    const countServed = () => gateway.requests.count({})
    for (let last = -1; last !== countServed(); await waitForTurns(50)) last = countServed()
    // The buffers of the system hold the rest.
    expect(countServed()).toBeLessThan(100)
    expect((await countHeldBytes()) - before).toBeLessThan(4 * MIB)
  })

  test('wait for a large state, which is in memory once', async () => {
    const gateway = openWithLongList(2000)
    const { length } = JSON.stringify(gateway.snapshot())
    const { port } = await serveGateway(gateway)
    const before = await countHeldBytes()
    const connection = await openRawConnection(port)
    connection.socket.pause()
    connection.socket.write('GET /_fauxgate/state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(20))
    for (let last = -1; last !== connection.socket.bytesRead; await waitForTurns(50)) last = connection.socket.bytesRead
    const heldBytes = (await countHeldBytes()) - before
    // The platform may hold one more copy of its own.
    expect(heldBytes / length).toBeLessThan(1.5)
  })

  test('are all answered in order once somebody does', async () => {
    const { gateway, port } = await serveGateway(openWithLongList(20))
    const connection = await openRawConnection(port)
    connection.socket.pause()
    const requests = Array.from({ length: 1500 }, (_, i) =>
      i % 10 === 0 ? LIST : i % 10 === 5 ? creation(i) : formatLimitedList(i),
    )
    connection.socket.write(
      `${requests.join('')}GET /reserved_addrs HTTP/1.1\r\nHost: localhost\r\n${KEYS}Connection: close\r\n\r\n`,
    )
    await waitForTurns(200)
    connection.socket.resume()
    const answers = parseRawAnswers(await connection.ended())
    expect(answers.map(({ status }) => status)).toEqual([
      ...requests.map((text) => (text.startsWith('P') ? 201 : 200)),
      200,
    ])
    const entries = gateway.requests.all().slice(0, -1)
    const lines = entries.map(({ method, path, query }) => `${method} ${path}${query && '?'}${query}`)
    expect(lines).toEqual(requests.map((text) => text.split(' HTTP')[0]))
  })

  const formatLimitedList = (i: number) => GET.replace('addrs', `addrs?limit=${(i % 90) + 1}`)

  const creation = (i: number) => formatPost(JSON.stringify({ description: `number ${i}`, metadata: 'm'.repeat(i) }))
})

/** Waits for turns of the event loop. */
async function waitForTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}
