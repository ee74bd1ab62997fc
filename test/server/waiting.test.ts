import { channel } from 'node:diagnostics_channel'
import { getEventListeners, once } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { exchange } from '../support/exchange.ts'
import { serveGateway } from '../support/serve.ts'
import { GET, openRawConnection, waitUntil } from '../support/wire.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Serves a gateway on the system clock that delays every response. Its timers are counted. */
async function serveDelayed() {
  vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  const { gateway, server } = await serveGateway(createGateway({ seed: 'waiting' }))
  gateway.faults.add({ latency: '30s' })
  /** Opens a connection that waits for a response. */
  const openWaiting = async () => {
    const before = vi.getTimerCount()
    const connection = await openRawConnection(server.port, GET)
    await waitUntil(() => vi.getTimerCount() === before + 1)
    return connection
  }
  return { gateway, server, openWaiting }
}

describe('A server with a delayed response', () => {
  test('sends the response at its time', async () => {
    const { openWaiting } = await serveDelayed()
    const connection = await openWaiting()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(connection.received()).toBe('')
    await vi.advanceTimersByTimeAsync(1)
    expect(await connection.statuses(1)).toEqual([200])
  })

  test('stops waiting when its client leaves, and logs no error', async () => {
    const consoleError = vi.spyOn(console, 'error')
    const { openWaiting } = await serveDelayed()
    const [one, other] = [await openWaiting(), await openWaiting()]
    one.socket.destroy()
    await waitUntil(() => vi.getTimerCount() === 1)
    other.socket.resetAndDestroy()
    await waitUntil(() => vi.getTimerCount() === 0)
    expect(consoleError).not.toHaveBeenCalled()
  })

  test('closes immediately and drops 20 delayed responses', async () => {
    const { server, openWaiting } = await serveDelayed()
    const connections = []
    for (let i = 0; i < 20; i++) connections.push(await openWaiting())
    const ended = connections.map((connection) => connection.ended())
    await server.close()
    expect(await Promise.all(ended)).toEqual(Array(20).fill(''))
    await waitUntil(() => vi.getTimerCount() === 0)
  })

  test('closes immediately while a request is half received', async () => {
    const { server } = await serveDelayed()
    const half = await openRawConnection(server.port, GET.slice(0, 50))
    await server.close()
    expect(await half.ended()).toBe('')
  })

  test.each([
    ['what is no request', 'garbage\r\n\r\n'],
    ['another request', 'POST /reserved_addrs HTTP/1.1\r\nHos'],
    ['another body', 'POST /reserved_addrs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{'],
  ])('waits no longer when its client leaves in the middle of %s, and does not run that', async (_what, half) => {
    const { gateway, openWaiting } = await serveDelayed()
    const connection = await openWaiting()
    connection.socket.end(half)
    await waitUntil(() => vi.getTimerCount() === 0)
    expect(gateway.requests.all({ method: 'POST' })).toEqual([])
  })
})

describe('`delivered`', () => {
  /** Creates a response with a delay of 30 s on a manual clock. */
  function createLateResponse() {
    const gateway = createGateway({ clock: manualClock(0), seed: 'late' })
    gateway.faults.add({ latency: '30s' })
    const send = () => exchange(gateway, { method: 'GET' })
    return { gateway, send, answer: send() }
  }

  test('rejects when its signal is aborted, and removes its listener from the signal', async () => {
    const { gateway, answer } = createLateResponse()
    const aborting = new AbortController()
    const { signal } = aborting
    const waiting = gateway.transport.delivered(answer, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    aborting.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await expect(gateway.transport.delivered(answer, { signal })).rejects.toThrow('enough')
  })

  test('removes its listener from its signal when the response is due', async () => {
    const { gateway, answer } = createLateResponse()
    const { signal } = new AbortController()
    const waiting = [gateway.transport.delivered(answer, { signal }), gateway.transport.delivered(answer)]
    gateway.clock.advance('30s')
    expect(await Promise.all(waiting)).toEqual([answer, answer])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('does not wait for a response without delay, and does not check the signal', async () => {
    const { gateway, send } = createLateResponse()
    gateway.faults.clear()
    const answer = send()
    expect(await gateway.transport.delivered(answer, { signal: AbortSignal.abort() })).toBe(answer)
  })
})

test('A connection that a fault resets does not end the waits of other connections', async () => {
  const { gateway, server, openWaiting } = await serveDelayed()
  const connection = await openWaiting()
  gateway.faults.clear()
  gateway.faults.add({ drop: true, times: 1 })
  const dropped = await openRawConnection(server.port, GET)
  expect(await dropped.ended()).toBe('')
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await connection.statuses(1)).toEqual([200])
  const closed = once(connection.socket, 'close')
  await server.close()
  await closed
})

/** Serves a gateway on a manual clock that drops a connection after a second. */
async function serveDropped() {
  const gateway = createGateway({ clock: manualClock(0), seed: 'dropped' })
  gateway.faults.add({ latency: '1s', drop: true })
  return serveGateway(gateway)
}

test('A connection is dropped with a reset while its client listens', async () => {
  const { gateway, port } = await serveDropped()
  const { socket } = await openRawConnection(port, GET)
  const error = once(socket, 'error')
  await waitUntil(() => gateway.requests.all().length > 0)
  gateway.clock.advance('1s')
  expect(await error).toEqual([expect.objectContaining({ code: 'ECONNRESET' })])
})

test('A connection that is dropped while its client ends it closes, so that the process of the server can exit', async () => {
  const { gateway, port } = await serveDropped()
  const sockets = channel('net.server.socket')
  const closed = new Promise((resolve, reject) => {
    const see = (message: unknown) => {
      const { socket } = message as { socket: Socket } // Node's documentation has the type.
      if (socket.localPort !== port) return
      // The server ends too in this turn of the event loop, and its end is sent in the next one.
      socket
        .once('end', () => gateway.clock.advance('1s'))
        .once('error', reject)
        .once('close', resolve)
    }
    sockets.subscribe(see)
    onTestFinished(() => void sockets.unsubscribe(see))
  })
  const { socket } = await openRawConnection(port)
  socket.end(GET)
  await closed
})
