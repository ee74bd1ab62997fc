import nodeHttp from 'node:http'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGateway, type Gateway, manualClock, ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { handlers } from '../../src/testing/msw.ts'
import { CLOCK_START } from '../support/clock.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
let close = () => {}
afterEach(() => close())

/** Starts MSW with handlers for gateways, and for https://elsewhere.test. */
function listen(...gateways: Gateway[]) {
  const elsewhere = http.get('https://elsewhere.test/', () => HttpResponse.text('elsewhere'))
  const server = setupServer(...gateways.flatMap(handlers), elsewhere)
  server.listen({ onUnhandledRequest: 'error' })
  close = () => server.close()
  return server
}

describe('handlers for Mock Service Worker', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('answer the global fetch with every method', async () => {
    const gateway = createGateway({ seed: 'msw' })
    listen(gateway)
    const url = `${gateway.url}/reserved_domains`
    const body = JSON.stringify({ domain: 'app.example.com' })
    const creation = await fetch(url, { method: 'POST', headers, body })
    expect(creation.status).toBe(201)
    const { id } = (await creation.json()) as { id: string }
    const patch = JSON.stringify({ description: 'shop' })
    expect((await fetch(`${url}/${id}`, { method: 'PATCH', headers, body: patch })).status).toBe(200)
    expect(gateway.reservedDomains.get(id).description).toBe('shop')
    expect(await (await fetch(`${url}?limit=1`, { headers })).json()).toMatchObject({ reserved_domains: [{ id }] })
    const deletion = await fetch(`${url}/${id}`, { method: 'DELETE', headers })
    expect([deletion.status, await deletion.text()]).toEqual([204, ''])
  })

  it('answer clients that use node:http', async () => {
    const gateway = createGateway({ baseUrl: 'http://gateway.test' })
    listen(gateway)
    const status = await new Promise((resolve, reject) => {
      const request = nodeHttp.get(`${gateway.url}/reserved_addrs`, { headers })
      request.on('response', (response) => resolve(response.statusCode)).on('error', reject)
    })
    expect(status).toBe(200)
  })

  it('leave other requests to other handlers and to onUnhandledRequest', async () => {
    const gateway = createGateway()
    listen(gateway)
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    expect(await (await fetch('https://elsewhere.test/')).text()).toBe('elsewhere')
    await expect(fetch(`${gateway.url}.evil.test/`)).rejects.toThrow()
    expect(error).toHaveBeenCalled()
    expect(gateway.requests.count()).toBe(0)
  })

  it('serve several gateways side by side, whatever the form of their base URLs', async () => {
    const one = createGateway({ baseUrl: 'https://One.test:443/api' })
    const two = createGateway({ dialect: ngrok })
    listen(one, two)
    await fetch(`${one.url}/reserved_addrs`, { headers })
    await fetch(`${two.url}/reserved_addrs`, { headers: { ...headers, 'ngrok-version': '2' } })
    expect(one.requests.all().map(({ path, status }) => [path, status])).toEqual([['/reserved_addrs', 200]])
    expect(two.requests.all().map(({ path, status }) => [path, status])).toEqual([['/reserved_addrs', 200]])
  })

  it('turn a fault that breaks the connection into a network error', async () => {
    const gateway = createGateway()
    listen(gateway)
    gateway.faults.add({ times: 1, drop: true })
    gateway.faults.add({ times: 1, status: 503, retryAfter: '2s' })
    await expect(fetch(`${gateway.url}/reserved_addrs`, { headers })).rejects.toThrow(TypeError)
    const failure = await fetch(`${gateway.url}/reserved_addrs`, { headers })
    expect([failure.status, failure.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await fetch(`${gateway.url}/reserved_addrs`, { headers })).status).toBe(200)
  })

  it('break the connection of a client of node:http as a server does, and print nothing', async () => {
    const gateway = createGateway({ baseUrl: 'http://gateway.test' })
    const listening = listen(gateway)
    const consoleError = vi.spyOn(console, 'error')
    gateway.faults.add({ times: 1, drop: true })
    const get = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = nodeHttp.get(`${gateway.url}/reserved_addrs`, { headers })
        request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      })
    await expect(get()).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await get()).toBe(200)
    listening.close()
    expect(consoleError).not.toHaveBeenCalled()
  })

  it('reject a response that stalls for a client of node:http, with a message that names serve', async () => {
    const gateway = createGateway({ baseUrl: 'http://gateway.test' })
    listen(gateway)
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    gateway.faults.add({ truncate: 3, ending: 'stall' })
    const text = await new Promise((resolve, reject) => {
      const request = nodeHttp.get(`${gateway.url}/reserved_addrs`, { headers })
      const read = async (response: nodeHttp.IncomingMessage) => Buffer.concat(await response.toArray()).toString()
      request.on('response', (response) => resolve(read(response))).on('error', reject)
    })
    expect(JSON.parse(String(text)).message).toBe(
      "A fault with ending: 'stall' cannot reach a node:http client through Mock Service Worker. For such clients, serve " +
        'the gateway with serve from fauxgate/node.',
    )
  })

  it.each([undefined, null, 'https://api.gateway.test', { url: 'https://api.gateway.test' }])(
    'throw for %j in the place of a gateway',
    (other) => expect(() => handlers(other as never)).toThrow(/^handlers received .*\. Allowed: a gateway\.$/),
  )

  it('leave a failure of a gateway to MSW, which answers 500', async () => {
    const broken = createGateway()
    for (const cause of [undefined, { code: 'EPIPE' }, 'ECONNRESET']) {
      const fetch = () => Promise.reject(new TypeError('It is broken.', { cause }))
      const server = setupServer(...handlers({ url: broken.url, fetch }))
      server.listen()
      vi.spyOn(console, 'error').mockImplementation(() => undefined)
      const response = await globalThis.fetch(`${broken.url}/reserved_addrs`)
      expect([response.status, await response.json()]).toMatchObject([500, { message: 'It is broken.' }])
      server.close()
    }
  })

  it('follow a gateway that starts and stops being served', async () => {
    const gateway = createGateway()
    const firstUrl = gateway.url
    const mswServer = listen(gateway)
    const server = await serve(gateway)
    expect(gateway.url).toBe(server.url)
    expect((await fetch(`${server.url}/reserved_addrs`, { headers })).status).toBe(200)
    expect(gateway.requests.count()).toBe(1)
    await server.close()
    expect((await fetch(`${firstUrl}/reserved_addrs`, { headers })).status).toBe(200)
    mswServer.close()
  })

  it('wait with a delayed response no longer than the client, and print nothing', async () => {
    const gateway = createGateway({ clock: manualClock(CLOCK_START) })
    const responses: Promise<Response>[] = []
    gateway.faults.add({ latency: '30s' })
    listen(
      Object.assign(Object.create(gateway), {
        fetch(...call: Parameters<Gateway['fetch']>) {
          const response = gateway.fetch(...call)
          responses.push(response)
          return response
        },
      }),
    )
    const consoleError = vi.spyOn(console, 'error')
    const controller = new AbortController()
    const response = fetch(`${gateway.url}/reserved_addrs`, { headers, signal: controller.signal })
    await vi.waitUntil(() => responses.length === 1, { interval: 1 })
    controller.abort(new Error('enough'))
    await expect(response).rejects.toThrow('enough')
    await expect(responses[0]).rejects.toThrow('enough')
    for (let i = 0; i < 10; i++) await new Promise(setImmediate)
    expect(consoleError).not.toHaveBeenCalled()
  })
})
