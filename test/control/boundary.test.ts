import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { withTransport } from '../../src/gateway/transport.ts'
import { serve } from '../../src/server/node.ts'
import { controlClient, createControlClient } from '../support/client.ts'
import { startServerProcess } from '../support/command.ts'
import { deferredStore } from '../support/memory-store.ts'
import { listen, serveGateway } from '../support/serve.ts'
import { formatPost, GET, openRawConnection } from '../support/wire.ts'

const APP = 'https://app.ngrok-free.app'
const SESSION = { tunnel_session: { endpoints: [{ url: APP }] } }

function silence() {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => print.mockRestore())
  return print
}

/** A gateway whose clock a test can break: every reading of it throws then. */
function createBreakable() {
  const clock = { now: 0 }
  const gateway = createNgrok({ clock })
  const breakClock = () => {
    clock.now = Number.NaN
  }
  return { gateway, breakClock }
}

// rules: control-api#errors
describe('A control that throws another error than an error gets 500 and 90501, and the error is printed', () => {
  const broken = {
    async 'at once'() {
      const { gateway, breakClock } = createBreakable()
      breakClock()
      return { gateway, call: { method: 'GET', path: '/clock', json: undefined } }
    },
    async later() {
      const { gateway, breakClock } = createBreakable()
      gateway.declare.tunnelSession(SESSION.tunnel_session)
      gateway.traffic.upstream(APP, async () => {
        breakClock()
        return new Response('hello')
      })
      return { gateway, call: { method: 'POST', path: '/traffic', json: { url: APP } } }
    },
  }

  test.each(Object.entries(broken))('%s, in the same process and in a server', async (_when, prepare) => {
    const print = silence()
    const first = await prepare()
    const inProcess = await controlClient(first.gateway)(first.call.method, first.call.path, first.call.json)
    const second = await prepare()
    const { url } = await serveGateway(second.gateway)
    const served = await createControlClient(fetch, url)(second.call.method, second.call.path, second.call.json)
    for (const { status, body } of [inProcess, served])
      expect([status, body.error_code]).toEqual([500, 'ERR_NGROK_90501'])
    expect(print.mock.calls).toEqual([[expect.any(RangeError)], [expect.any(RangeError)]])
  })
})

test('a control that changes something later waits for the store, as one that does so at once', async () => {
  const store = deferredStore()
  const gateway = createNgrok({ store })
  store.flush()
  let isAnswered = false
  const started = controlClient(gateway)('POST', '/agent/tunnels', { addr: 80 }).finally(() => {
    isAnswered = true
  })
  await vi.waitUntil(() => gateway.tunnels.list().tunnels.length > 0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(isAnswered).toBe(false)
  store.flush()
  expect((await started).status).toBe(200)
})

test('no call ends a server: neither one without a URL, nor a visit to an application that breaks off in its body', async () => {
  const application = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy()),
    )
  })
  const address = await listen(application)
  const { child, output, url } = await startServerProcess(
    ...['serve', '--port', '0', '--quiet', '--dialect', 'ngrok', '--upstream', `${APP}=${address}`],
  )
  const call = createControlClient(fetch, url)
  await call('POST', '/declare', SESSION)
  expect((await call('POST', '/traffic', { url: '' })).body.error_code).toBe('ERR_NGROK_215')
  const { body } = await call('POST', '/traffic', { url: APP })
  expect(body).toMatchObject({ status: 200, body: 'half', incomplete: expect.stringContaining('ended early') })
  expect([(await call('GET', '/clock')).status, child.exitCode, output.stderr]).toEqual([200, null, ''])
})

test('a visit that waits for an application does not delay the end of a server', async () => {
  const { gateway } = createBreakable()
  gateway.declare.tunnelSession(SESSION.tunnel_session)
  const server = await serve(gateway)
  let isLeft = false
  const arrived = new Promise<void>((resolve) => {
    gateway.traffic.upstream(APP, ({ signal }) => {
      signal.addEventListener('abort', () => {
        isLeft = true
      })
      resolve()
      return new Promise(() => undefined)
    })
  })
  const call = createControlClient(fetch, server.url)('POST', '/traffic', { url: APP })
  await Promise.all([arrived.then(() => server.close()), expect(call).rejects.toThrow('fetch failed')])
  expect(isLeft).toBe(true)
})

describe('What a part of a server throws ends the connection of its request, and nothing else', () => {
  const failure = () => {
    throw new Error('a defect')
  }
  test.each([
    [
      'before a long body is read',
      { bodyLimit: failure },
      formatPost(JSON.stringify({ metadata: 'x'.repeat(100_000) })),
    ],
    ['while it makes an error', { exchange: failure, refused: failure }, GET],
    ['while it makes the error for bytes that are no request', { refused: failure }, 'nonsense\r\n\r\n'],
    ['while a response is late', { delivered: failure, refused: failure, exchange: () => LATE }, GET],
    ['when a late response cannot be sent', { exchange: () => LATE, delivered: async () => UNSENDABLE }, GET],
  ] as const)('%s', async (_when, calls, bytes) => {
    const print = silence()
    const { port } = await serveGateway(withTransport(createNgrok(), calls))
    await (await openRawConnection(port, bytes)).ended()
    expect(print).toHaveBeenCalledWith(expect.any(Error))
    // The server still listens.
    await openRawConnection(port)
  })
})

const UNSENDABLE = { status: 200, headers: { 'x-a': 'a\nb' }, body: 'x' }
const LATE = { status: 200, headers: {}, body: 'x', safe: Promise.resolve(UNSENDABLE) }
