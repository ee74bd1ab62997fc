import { get as httpGet, type IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toInspected } from '../../src/gateway/inspected.ts'
import { withTransport } from '../../src/gateway/transport.ts'
import type { Gateway, GatewayOptions } from '../../src/index.ts'
import { createControlClient } from '../support/client.ts'
import { ECDSA, openManual } from '../support/provisioning.ts'
import { serveGateway } from '../support/serve.ts'

const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }

const serveNew = (options: Omit<GatewayOptions, 'clock'> = {}) => serveGateway(openManual(options))

interface ReceivedEvent {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it waits for
  readonly data: any
}

/** Listens to a server. `next` waits for an event of a kind, and skips other events. */
async function listenToEvents(url: string, sentHeaders: Record<string, string> = {}) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(`${url}/_fauxgate/events`, { headers: sentHeaders }, resolve).on('error', reject)
  })
  onTestFinished(() => void response.destroy())
  const events = parseEvents(response)
  const next = async (event: string): Promise<ReceivedEvent> => {
    for (;;) {
      const { value } = await events.next()
      if (value?.event === event) return value
    }
  }
  const nextAny = async () => (await events.next()).value as ReceivedEvent
  return { response, next, nextAny }
}

async function* parseEvents(response: IncomingMessage): AsyncGenerator<ReceivedEvent, undefined> {
  let text = ''
  for await (const part of response.setEncoding('utf8')) {
    text += part
    const messages = text.split('\n\n')
    text = messages.pop() as string
    for (const message of messages) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(message) ?? []
      if (event) yield { event, data: JSON.parse(data as string) }
    }
  }
  return undefined
}

/** Sends a request that the event has in full: 200 kB. */
const sendLongRequest = (gateway: Gateway) =>
  gateway.fetch(`${gateway.url}/absent`, { method: 'POST', headers, body: JSON.stringify(['m'.repeat(200_000)]) })

const create = (url: string, body: object) =>
  fetch(`${url}/reserved_domains`, { method: 'POST', headers, body: JSON.stringify(body) })

describe('GET /_fauxgate/events', () => {
  it('begins with the overview, and says when something has changed; it sends each journal entry', async () => {
    const { gateway, server } = await serveNew()
    const { response, next } = await listenToEvents(server.url)
    expect(response.headers['content-type']).toContain('text/event-stream')
    expect((await next('overview')).data).toEqual(toInspected(gateway).overview())
    const { sequence } = (await next('changed')).data
    await create(server.url, { domain: 'app.example.com' })
    expect((await next('request')).data).toEqual(JSON.parse(JSON.stringify(gateway.requests.last())))
    expect((await next('changed')).data).toEqual({ sequence: sequence + 1 })
    gateway.reservedAddrs.create()
    expect((await next('changed')).data).toEqual({ sequence: sequence + 2 })
  })

  it('sends one event without records for all changes of a move of the clock, however many listen', async () => {
    const { gateway, server } = await serveNew({ dns: 'simulated' })
    gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: ECDSA })
    const listeners = await Promise.all(Array.from({ length: 3 }, () => listenToEvents(server.url)))
    const commits: string[] = []
    gateway.subscribe(({ operation }) => commits.push(operation))
    const [{ data: first } = { data: undefined }] = await Promise.all(listeners.map(({ next }) => next('changed')))
    await createControlClient(fetch, server.url)('POST', '/clock', { advance: '10d' })
    gateway.requests.clear()
    expect(commits.length).toBeGreaterThan(100)
    for (const { nextAny } of listeners) {
      const received = [await nextAny()]
      while (received.at(-1)?.event !== 'emptied') received.push(await nextAny())
      const changes = received.filter(({ event }) => event === 'changed')
      expect(changes.map(({ data }) => data)).toEqual([{ sequence: first.sequence + commits.length }])
      expect(JSON.stringify(received)).not.toContain('timeline')
    }
  })

  it('lets a listener that comes back see whether it has missed a change, also a reset', async () => {
    const { gateway, server } = await serveNew()
    gateway.reservedAddrs.create()
    const comeBack = async () => {
      const { response, next } = await listenToEvents(server.url)
      const { data } = await next('changed')
      response.destroy()
      return data.sequence
    }
    const first = await comeBack()
    expect(await comeBack()).toBe(first)
    gateway.reset()
    const second = await comeBack()
    expect(second).toBeGreaterThan(first)
    gateway.reservedAddrs.create()
    expect(await comeBack()).toBe(second + 1)
  })

  it('tells of a reset and of a restore in the same process', async () => {
    const { gateway, server } = await serveNew()
    const { next } = await listenToEvents(server.url)
    const { sequence } = (await next('changed')).data
    const empty = gateway.snapshot()
    for (const change of [() => gateway.reset(), () => gateway.restore(empty)]) {
      change()
      expect((await next('changed')).data.sequence).toBeGreaterThan(sequence)
    }
  })

  it('sends the duration of each response, also to later listeners', async () => {
    const { gateway, server } = await serveNew()
    const { next } = await listenToEvents(server.url)
    await create(server.url, { domain: 'app.example.com' })
    const durations = { [gateway.requests.last()?.operationId ?? '']: expect.any(Number) }
    expect((await next('durations')).data).toEqual(durations)
    const later = await listenToEvents(server.url)
    expect((await later.next('durations')).data).toEqual(durations)
  })

  it('sends later listeners the durations of the last 1,000 responses', async () => {
    const { gateway, server } = await serveNew({ journalSize: 2000 })
    for (let at = 0; at < 1002; at++) await (await fetch(`${server.url}/reserved_domains`, { headers })).text()
    const last = gateway.requests.all().slice(-1000)
    const { next } = await listenToEvents(server.url)
    expect(Object.keys((await next('durations')).data).sort()).toEqual(last.map((each) => each.operationId).sort())
  })

  it('reports every advance of the clock, and the events that fell due', async () => {
    const { gateway, server } = await serveNew()
    gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: ECDSA })
    const { next } = await listenToEvents(server.url)
    const { sequence } = (await next('changed')).data
    gateway.clock.advanceToNext()
    expect((await next('changed')).data).toEqual({ sequence: sequence + 1 })
    gateway.clock.advance('1h')
    expect((await next('overview')).data.now).toBe(toInspected(gateway).overview().now)
  })

  it('reports the use of controls over HTTP, unless it changes nothing, and an emptied journal', async () => {
    const { gateway, server } = await serveNew()
    const { next } = await listenToEvents(server.url)
    await create(server.url, { domain: 'app.example.com' })
    const preflight = { origin: 'http://localhost:1', 'access-control-request-method': 'POST' }
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      await (await fetch(`${server.url}/_fauxgate/faults`, { method, headers: preflight })).text()
    await createControlClient(fetch, server.url)('POST', '/faults', { status: 200 })
    await createControlClient(fetch, server.url)('PUT', '/state', gateway.snapshot())
    expect((await next('control')).data).toEqual({ method: 'PUT', path: '/state' })
    gateway.requests.clear()
    await next('emptied')
  })

  it('contains no secrets, and no requests of the inspector', async () => {
    const { server } = await serveNew()
    const { next } = await listenToEvents(server.url)
    await fetch(`${server.url}/reserved_domains`, { headers: { ...headers, 'fauxgate-inspector': '1' } })
    await fetch(`${server.url}/reserved_domains?key=hidden`, {
      headers: { ...headers, authorization: 'Bearer hidden' },
    })
    const { data } = await next('request')
    expect(data.query).toMatch(/^key=/)
    expect(JSON.stringify(data)).not.toContain('hidden"')
  })

  it('serves many listeners at once, and stops for those who leave', async () => {
    const { gateway, server } = await serveNew()
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listenToEvents(server.url)))
    for (const { next } of listeners) await next('changed')
    listeners[0]?.response.destroy()
    gateway.reservedAddrs.create()
    const others = listeners.slice(1).map(async ({ next }) => (await next('changed')).data.sequence)
    expect(new Set(await Promise.all(others))).toEqual(new Set([gateway.transport.sequence()]))
  })

  it('unsubscribes when the last listener has left', async () => {
    const gateway = openManual()
    let subscriptions = 0
    const watch: Gateway['transport']['watch'] = (watcher) => {
      subscriptions++
      const end = gateway.transport.watch(watcher)
      return () => {
        subscriptions--
        end()
      }
    }
    const { server } = await serveGateway(withTransport(gateway, { watch }))
    const listeners = [await listenToEvents(server.url), await listenToEvents(server.url)]
    expect(subscriptions).toBe(1)
    for (const { response } of listeners) response.destroy()
    while (subscriptions > 0) await new Promise(setImmediate)
    const { next } = await listenToEvents(server.url)
    expect((await next('overview')).data).toEqual(toInspected(gateway).overview())
    expect(subscriptions).toBe(1)
  })

  it('sends "missed" to a listener who reads too slowly, and buffers little', async () => {
    const { gateway, server } = await serveNew()
    const { response, next } = await listenToEvents(server.url)
    await next('overview')
    response.pause()
    for (let round = 0; round < 100; round++) await sendLongRequest(gateway)
    await next('missed')
    expect((await next('changed')).data).toEqual({ sequence: gateway.transport.sequence() })
    gateway.reservedAddrs.create()
    expect((await next('changed')).data).toEqual({ sequence: gateway.transport.sequence() })
  })

  it('does not send "missed" to a slow listener who receives everything', async () => {
    const { gateway, server } = await serveNew()
    const { response } = await listenToEvents(server.url)
    const events: string[] = []
    for (let round = 0; round < 5; round++) await sendLongRequest(gateway)
    gateway.requests.clear()
    for await (const { event } of parseEvents(response)) {
      events.push(event)
      if (event === 'emptied') break
    }
    expect(events).not.toContain('missed')
    expect(events.filter((event) => event === 'request')).toHaveLength(5)
  })

  it('is refused to pages of other sites and without the control key, like every control', async () => {
    const { server } = await serveNew()
    const status = async (url: string, sentHeaders: Record<string, string>) =>
      (await listenToEvents(url, sentHeaders)).response.statusCode
    expect(await status(server.url, { origin: 'https://evil.example' })).toBe(403)
    expect(await status(server.url, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await status(server.url, { host: 'evil.example' })).toBe(403)
    const { server: closed } = await serveNew({ control: { key: 'sesame' } })
    expect(await status(closed.url, {})).toBe(401)
    expect(await status(closed.url, { 'fauxgate-control-key': 'sesame' })).toBe(200)
  })

  it('does not keep the server from being closed', async () => {
    const { server } = await serveNew()
    const { response } = await listenToEvents(server.url)
    const ended = new Promise((resolve) => response.once('close', resolve))
    await server.close()
    await ended
  })
})

describe("The inspector's own requests", () => {
  const inspecting = { ...headers, authorization: '', 'fauxgate-inspector': '1' }
  const list = (url: string, headers: Record<string, string>) => fetch(`${url}/reserved_domains`, { headers })

  it('need no API key, do not count towards the rate limit, trigger no faults and are not journaled', async () => {
    const { gateway, server } = await serveNew({ keys: ['key'], rateLimit: { requests: 1, window: '1m' } })
    gateway.faults.add({ operation: 'reserved_domains.list', status: 503 })
    for (let round = 0; round < 3; round++) expect((await list(server.url, inspecting)).status).toBe(200)
    expect([gateway.requests.count(), gateway.faults.all()[0]?.hits]).toEqual([0, 0])
    expect((await list(server.url, headers)).status).toBe(503)
    expect(gateway.requests.count()).toBe(1)
  })

  it('need no version: the page sends them before it knows the version header', async () => {
    const { server } = await serveNew()
    expect((await list(server.url, { 'fauxgate-inspector': '1' })).status).toBe(200)
  })

  it('are rejected if the client may not use the controls', async () => {
    const { server } = await serveNew({ control: { key: 'sesame' } })
    expect((await list(server.url, inspecting)).status).toBe(401)
    expect((await list(server.url, { ...inspecting, 'fauxgate-control-key': 'sesame' })).status).toBe(200)
    const { server: own } = await serveNew()
    expect((await list(own.url, { ...inspecting, origin: 'https://evil.example' })).status).toBe(403)
  })

  it('cannot be made with gateway.fetch: the mark has no effect there', async () => {
    const gateway: Gateway = openManual()
    await gateway.fetch(`${gateway.url}/reserved_domains`, { headers: inspecting })
    expect(gateway.requests.last()?.status).toBe(401)
  })
})
