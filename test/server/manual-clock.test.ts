import { Agent, get, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { openTrafficPort } from '../../src/server/traffic/port.ts'
import { timersOn } from '../../src/testing/clock.ts'
import { serveGateway } from '../support/serve.ts'
import { GET, openRawConnection } from '../support/wire.ts'

const headers = { authorization: 'Bearer key', 'ngrok-version': '2' }

const open = () => createNgrok({ clock: manualClock('2026-01-01T00:00:00Z') })

type Send = (url: string) => Promise<unknown>

const byHttp =
  (options: RequestOptions): Send =>
  (url) =>
    new Promise((resolve, reject) => {
      get(url, { headers, ...options }, (response) => resolve(text(response))).on('error', reject)
    })

/** Polls every 5 s, with several requests in a row, while the clock advances for a minute. Returns the seconds of the polls. */
async function pollForOneMinute(clock: ReturnType<typeof manualClock>, requests: number, send: () => Promise<unknown>) {
  const { setTimeout } = timersOn(clock)
  const start = clock.now
  const polls: number[] = []
  void (async () => {
    while (clock.now < start + 60_000) {
      for (let n = 0; n < requests; n++) await send()
      polls.push((clock.now - start) / 1000)
      await new Promise<void>((resolve) => setTimeout(resolve, 5000))
    }
  })()
  await clock.advanceAsync('1m')
  return polls
}

const EVERY_5_S = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55]

describe.each<[string, Send]>([
  ['fetch', async (url) => (await fetch(url, { headers })).text()],
  ['node:http with a pool', byHttp({ agent: new Agent({ keepAlive: true }) })],
  ['node:http with a connection for each request', byHttp({ agent: false })],
])('An asynchronous move of the clock waits for %s', (_name, send) => {
  test.each([1, 2, 3, 5])('to send %i requests in a row to a server in the same process', async (requests) => {
    const { gateway, url } = await serveGateway(open())
    expect(await pollForOneMinute(gateway.clock, requests, () => send(`${url}/reserved_domains`))).toEqual(EVERY_5_S)
  })
})

test('An asynchronous move of the clock waits for visitors of a traffic port', async () => {
  const gateway = open()
  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const port = await openTrafficPort(gateway, { port: 0, host: '127.0.0.1', tls: false })
  onTestFinished(() => port.close())
  const visit = byHttp({ agent: false, headers: { host: 'app.example.com' } })
  expect(await pollForOneMinute(gateway.clock, 3, () => visit(port.url))).toEqual(EVERY_5_S)
})

test('An asynchronous move of the clock waits for the first bytes on a connection, which may take real time', async () => {
  const { gateway, server } = await serveGateway(open())
  const { setTimeout } = timersOn(gateway.clock)
  const start = gateway.clock.now
  const receivedAfter = new Promise((resolve) => setTimeout(resolve, 500)).then(async () => {
    const { socket, statuses } = await openRawConnection(server.port)
    for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve))
    socket.write(GET)
    await statuses(1)
    return gateway.clock.now - start
  })
  await gateway.clock.advanceAsync('3s')
  expect(await receivedAfter).toBe(500)
})

test('An asynchronous move of the clock ends although a client sends requests endlessly', async () => {
  const { gateway, url } = await serveGateway(open())
  let hasEnded = false
  const requests = (async () => {
    while (!hasEnded) await (await fetch(`${url}/reserved_domains`, { headers })).text()
  })()
  await gateway.clock.advanceAsync('1s')
  hasEnded = true
  await requests
})

test.each([
  ['the agent', '../../src/control/agent/api.ts', 'http://127.0.0.1:4040/api/tunnels'],
  ['traffic', '../../src/traffic/traffic.ts', 'https://app.example.com/'],
])('An asynchronous move of the clock waits while the code of %s loads', async (name, path, url) => {
  vi.doMock(path, async (importOriginal) => {
    for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve))
    return importOriginal()
  })
  onTestFinished(() => void vi.doUnmock(path))
  const gateway = open()
  const { clock } = gateway
  const { fetch } = name === 'traffic' ? gateway.traffic : gateway.agent
  const { setTimeout } = timersOn(clock)
  const start = clock.now
  const receivedAfter = new Promise((resolve) => setTimeout(resolve, 500))
    .then(() => fetch(url))
    .then(() => clock.now - start)
  await clock.advanceAsync('3s')
  expect(await receivedAfter).toBe(500)
})
