import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { manualClock } from '../../../src/core/engine/manual-clock.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { controlClient } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { listen } from '../../support/serve.ts'
import { auth, azure, openGateway, receiveEvents, subscribeTo } from './support.ts'

describe('An event for a destination with an address (rules: events#delivery)', () => {
  test('is posted in an array, with the key of Datadog', async () => {
    const receiver = await receiveEvents()
    const { gateway, list, kinesis } = openGateway(receiver.url)
    gateway.vaults.create({ name: 'one' })
    gateway.vaults.create({ name: 'two' })
    expect(list()).toMatchObject([{ delivery: 'waiting' }, { delivery: 'waiting' }])
    await gateway.sentEvents.idle()
    const [request, ...others] = receiver.received
    expect(others).toEqual([])
    expect(request?.headers).toMatchObject({ 'dd-api-key': 'the key', 'content-type': 'application/json' })
    expect(request?.events).toEqual(
      list().map(({ subscription: _, destination: __, delivery: ___, attempts: ____, problem: _____, ...payload }) => ({
        ...payload,
        service: 'gateway',
        ddtags: 'env:test',
      })),
    )
    expect(list()).toMatchObject([{ delivery: 'delivered', attempts: 1, problem: null }, { delivery: 'delivered' }])
    expect(gateway.sentEvents.list({ destination: kinesis.id })).toMatchObject([
      { delivery: 'kept' },
      { delivery: 'kept' },
    ])
  })

  test.each<[kind: 'kinesis' | 'firehose' | 'cloudwatch_logs' | 'azure_logs_ingestion', target: object]>([
    ['kinesis', { stream_arn: 'arn:aws:kinesis:us-east-1:123456789012:stream/one', auth }],
    ['firehose', { delivery_stream_arn: 'arn:aws:firehose:us-east-1:123456789012:deliverystream/one', auth }],
    ['cloudwatch_logs', { log_group_arn: 'arn:aws:logs:us-east-1:123456789012:log-group:one', auth }],
    ['azure_logs_ingestion', azure],
  ])('is posted plainly to the address of %s, without its secrets', async (kind, target) => {
    const receiver = await receiveEvents()
    const clock = manualClock(CLOCK_START)
    const gateway = createNgrok({ seed: 'events', clock, destinations: { [kind]: `${receiver.url}/${kind}` } })
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { [kind]: target } })
    gateway.eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }], destination_ids: [id] })
    const vault = gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    expect(gateway.sentEvents.list()).toMatchObject([{ destination: id, delivery: 'delivered', attempts: 1 }])
    const [request] = receiver.received
    expect(request?.url).toBe(`/${kind}`)
    expect(request?.events).toMatchObject([{ event_type: 'vault_created.v0', object: vault }])
    expect(JSON.stringify(request)).not.toMatch(/a secret|authorization|api-key/i)
  })

  test('waits while a destination is down for an hour, and arrives in order', async () => {
    const receiver = await receiveEvents()
    const { gateway, list } = openGateway(receiver.url)
    receiver.status = 503
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    expect(list()).toMatchObject([{ delivery: 'waiting', attempts: 1, problem: 'the destination responded with 503' }])
    for (let minute = 0; minute < 60; minute++) {
      gateway.clock.advance('1m')
      await gateway.sentEvents.idle()
    }
    gateway.vaults.create({ name: 'two' })
    receiver.status = 200
    gateway.clock.advance('5m')
    await gateway.sentEvents.idle()
    expect(receiver.received.map(({ events }) => events.length)).toEqual([2])
    expect(receiver.received[0]?.events).toMatchObject([{ object: { name: 'one' } }, { object: { name: 'two' } }])
    expect(list()).toMatchObject([
      { delivery: 'delivered', problem: null },
      { delivery: 'delivered', attempts: 1 },
    ])
    expect(list()[0]?.attempts).toBeGreaterThan(10)
  })

  test('waits for the next attempt by a timer of the system clock that does not keep the process alive', async () => {
    const receiver = await receiveEvents()
    receiver.status = 503
    const timers: { ms: number | undefined; timer: NodeJS.Timeout }[] = []
    const { setTimeout } = globalThis
    const record = (run: () => void, ms?: number) => {
      const timer = setTimeout(run, ms)
      timers.push({ ms, timer })
      return timer
    }
    vi.stubGlobal('setTimeout', record)
    onTestFinished(() => void vi.unstubAllGlobals())
    const gateway = createNgrok({ destinations: { datadog: receiver.url } })
    onTestFinished(() => gateway.dispose())
    const { list } = subscribeTo(gateway)
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    expect(list()).toMatchObject([{ delivery: 'waiting', attempts: 1 }])
    const [wait, ...others] = timers.filter(({ ms = 0 }) => ms > 900 && ms <= 1000)
    expect([wait?.timer.hasRef(), others]).toEqual([false, []])
  })

  test('is not posted after a reset, also if its destination exists from the beginning', async () => {
    const receiver = await receiveEvents()
    const initial = { eventDestinations: [{ format: 'json' as const, target: { datadog: { api_key: 'the key' } } }] }
    const destinations = { datadog: receiver.url }
    const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START), initial, destinations })
    const findDestination = () => gateway.eventDestinations.list().event_destinations[0]?.id ?? ''
    const destination = findDestination()
    gateway.eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }], destination_ids: [destination] })
    receiver.status = 503
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    gateway.reset()
    expect(findDestination()).toBe(destination)
    receiver.status = 200
    gateway.clock.advance('1h')
    await gateway.sentEvents.idle()
    expect([receiver.attempts, receiver.received]).toEqual([1, []])
  })

  test('is one of at most 100 in a request, and of the last 1,000 in the list', async () => {
    const receiver = await receiveEvents()
    const { gateway, list } = openGateway(receiver.url)
    for (let vault = 0; vault < 1001; vault++) gateway.vaults.create({ name: `vault-${vault}` })
    await gateway.sentEvents.idle()
    expect(receiver.received.map(({ events }) => events.length)).toEqual([...Array(10).fill(100), 1])
    // Each event has two destinations.
    expect(gateway.sentEvents.list()).toHaveLength(1000)
    expect([list()[0]?.object.name, list().at(-1)?.object.name]).toEqual(['vault-501', 'vault-1000'])
  })

  test('does not follow a redirect, which could lead its key to another host', async () => {
    const other = await receiveEvents()
    const redirecting = createServer((_request, response) => response.writeHead(307, { location: other.url }).end())
    const { gateway, list } = openGateway(await listen(redirecting))
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    expect(list()).toMatchObject([{ delivery: 'waiting', problem: expect.stringContaining('307') }])
    expect(other.received).toEqual([])
  })

  test('does not wait for ever for a destination that accepts and never answers', async () => {
    const limit = new AbortController()
    const silent = createServer(() => limit.abort())
    const { gateway, list } = openGateway(await listen(silent))
    const startTimeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    onTestFinished(() => startTimeout.mockRestore())
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    expect(list()).toMatchObject([{ delivery: 'waiting', attempts: 1, problem: 'no response within 10 seconds' }])
    expect(startTimeout.mock.calls).toEqual([[10_000]])
  })

  test('of a destination that is down is gone after a reset', async () => {
    const { gateway, list } = openGateway('http://127.0.0.1:1')
    gateway.vaults.create({ name: 'one' })
    await gateway.sentEvents.idle()
    expect(list()).toHaveLength(1)
    gateway.reset()
    await gateway.sentEvents.idle()
    expect(gateway.sentEvents.list()).toEqual([])
  })
})

describe('The address of a destination (rules: secrets)', () => {
  test.each([
    'http://user:PASSWORDXYZ99@127.0.0.1/',
    'http://PASSWORDXYZ99@127.0.0.1/',
    'http://:PASSWORDXYZ99@127.0.0.1/',
    'http://127.0.0.1:99999/PASSWORDXYZ99',
    'ftp://127.0.0.1/PASSWORDXYZ99',
    'http:///PASSWORDXYZ99',
  ])('is rejected at the start if no request can be sent there, and not shown: %s', (datadog) => {
    const problem = readProblem(() => createNgrok({ destinations: { datadog } }))
    expect(problem).toMatch(
      /^destinations\.datadog is .*\. Allowed: an http or https URL without a user name or password\.$/,
    )
    expect(problem).not.toContain('PASSWORDXYZ99')
  })

  test('is no part of the lists of controls and of copied tests, since its query may be a key', async () => {
    const gateway = createNgrok({ destinations: { datadog: 'http://127.0.0.1:1/path?dd-api-key=PASSWORDXYZ99' } })
    for (const path of ['controls', 'test']) {
      const response = await gateway.fetch(`http://localhost/_fauxgate/${path}`)
      expect(response.status).toBe(200)
      expect(await response.text()).not.toMatch(/PASSWORDXYZ99|127\.0\.0\.1:1/)
    }
  })
})

function readProblem(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
  return ''
}

describe('The sent events', () => {
  test('show the credentials of a destination as API responses do (rules: secrets)', () => {
    const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    const sources = [{ type: 'event_destination_updated.v0' }]
    gateway.eventSubscriptions.create({ sources, destination_ids: [id] })
    const shown = gateway.eventDestinations.update(id, { description: 'one' })
    expect(shown.target.datadog).toMatchObject({ api_key: 'a key' })
    expect(gateway.sentEvents.list()).toMatchObject([{ object: { target: shown.target } }])
  })

  test('come to subscribers, and over HTTP', async () => {
    const gateway = createNgrok({ seed: 'events', clock: manualClock(CLOCK_START) })
    const { id } = gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    gateway.eventSubscriptions.create({ sources: [{ type: 'vault_created.v0' }], destination_ids: [id] })
    const seen: unknown[] = []
    const stop = gateway.sentEvents.subscribe((event) => seen.push(event))
    gateway.vaults.create({ name: 'one' })
    stop()
    gateway.vaults.create({ name: 'two' })
    expect(seen).toEqual([gateway.sentEvents.list()[0]])
    const control = controlClient(gateway)
    const { body } = await control('GET', '/sent-events?type=vault_created.v0')
    expect(body).toEqual(gateway.sentEvents.list())
    expect(await control('GET', `/sent-events?destination=ed_1`)).toMatchObject({ body: [] })
    expect(await control('GET', '/sent-events?type=vault_create.v0')).toMatchObject({ status: 400 })
    expect(() => gateway.sentEvents.list({ type: 'vault_create.v0' })).toThrow('vault_created.v0')
  })

  test('of a gateway of another dialect are none', async () => {
    const { createGateway } = await import('../../../src/index.ts')
    const gateway = createGateway()
    expect(gateway.sentEvents.list()).toEqual([])
    gateway.sentEvents.subscribe(() => undefined)()
    await gateway.sentEvents.idle()
  })
})
