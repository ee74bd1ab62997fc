import { describe, expect, test } from 'vitest'
import { toInspected } from '../../../src/gateway/inspected.ts'
import { createWithAgent } from './agent.ts'

// rules: agent#behavior
describe('An agent that is down', () => {
  test('refuses connections, until it is not', async () => {
    const { gateway, call } = createWithAgent()
    gateway.agent.set({ down: true })
    await expect(call('GET', '/api/tunnels')).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED' },
    })
    gateway.agent.set({ down: false })
    expect((await call('GET', '/api/tunnels')).status).toBe(200)
  })

  test('is in the overview, so that an open page hears of a call in the same process', () => {
    const { gateway } = createWithAgent()
    const facts = () => toInspected(gateway).overview()
    expect(facts()).not.toHaveProperty('agentDown')
    gateway.agent.set({ down: true })
    expect(facts()).toMatchObject({ agentDown: true })
    gateway.agent.set({ down: false })
    expect(facts()).not.toHaveProperty('agentDown')
  })

  test('is up after a reset', async () => {
    const { gateway, call } = createWithAgent()
    await gateway.agent.start({ addr: 80 })
    gateway.agent.set({ down: true, urlAfter: '1m' })
    gateway.reset()
    expect((await call('GET', '/api/tunnels')).body.tunnels).toEqual([])
    await gateway.agent.start({ addr: 80 })
    expect((await call('GET', '/api/tunnels')).body.tunnels).toHaveLength(1)
  })
})

describe('An agent that is slow to get a URL', () => {
  test('lists a tunnel after the time on the clock of the gateway', async () => {
    const { gateway, call, names } = createWithAgent()
    gateway.agent.set({ urlAfter: '2s' })
    expect((await gateway.agent.start({ addr: 80, name: 'web' })).public_url).toBe('')
    gateway.clock.advance('1s')
    expect(await names()).toEqual([])
    expect((await call('GET', '/api/endpoints')).body.endpoints).toEqual([])
    expect((await call('GET', '/api/tunnels/web')).body.public_url).toBe('')
    gateway.clock.advance('1s')
    expect(await names()).toEqual(['web'])
    expect((await call('GET', '/api/tunnels/web')).body.public_url).toMatch(/^https:/)
  })

  test('shows tunnels that were started before', async () => {
    const { gateway, names } = createWithAgent()
    await gateway.agent.start({ addr: 80, name: 'first' })
    gateway.clock.advance('10s')
    gateway.agent.set({ urlAfter: '2s' })
    await gateway.agent.start({ addr: 80, name: 'second' })
    expect(await names()).toEqual(['first'])
  })
})

describe('A restart', () => {
  test('keeps the tunnels, with their URLs or with new ones', async () => {
    const { gateway, call, names } = createWithAgent()
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const kept = await gateway.agent.start({ addr: 80, name: 'kept', domain: 'app.example.com', inspect: false })
    const { public_url } = await gateway.agent.start({ addr: 80, name: 'web', schemes: ['http', 'https'] })
    const urls = async () =>
      (await call('GET', '/api/tunnels')).body.tunnels.map((each: { public_url: string }) => each.public_url)
    const before = await urls()
    await gateway.agent.restart()
    expect(await urls()).toEqual(before)
    await gateway.agent.restart({ newUrls: true })
    expect(await names()).toEqual(['kept', 'web', 'web (http)'])
    const [first, second, third] = await urls()
    expect(first).toBe(kept.public_url)
    expect(second).not.toBe(public_url)
    expect(third).toBe(second.replace('https', 'http'))
    expect((await call('GET', '/api/tunnels/kept')).body.config.inspect).toBe(false)
    expect(gateway.endpoints.list().endpoints.map(({ url }) => url)).toEqual([third, second, first])
  })

  test('starts no tunnel at a URL whose domain or address was deleted, as a start would not', async () => {
    const { gateway, names } = createWithAgent()
    const domain = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const address = gateway.reservedAddrs.create()
    await gateway.agent.start({ addr: 80, name: 'gone', domain: 'app.example.com' })
    await gateway.agent.start({ addr: 22, name: 'tcp gone', proto: 'tcp', remote_addr: address.addr })
    await gateway.agent.start({ addr: 22, name: 'tcp', proto: 'tcp' })
    await gateway.agent.start({ addr: 80, name: 'free', domain: 'free.ngrok.app' })
    gateway.reservedDomains.delete(domain.id)
    gateway.reservedAddrs.delete(address.id)
    expect(await names()).toEqual(['gone', 'tcp gone', 'tcp', 'free'])
    await gateway.agent.restart()
    expect(await names()).toEqual(['tcp', 'free'])
  })
})

test('a snapshot has the tunnels', async () => {
  const { gateway, names } = createWithAgent()
  await gateway.agent.start({ addr: 80, name: 'one', inspect: false })
  const snapshot = gateway.snapshot()
  await gateway.agent.start({ addr: 80, name: 'two' })
  gateway.restore(snapshot)
  expect(await names()).toEqual(['one'])
  await gateway.agent.start({ addr: 80, name: 'labelled', labels: ['a=b'] })
  gateway.restore(gateway.snapshot())
  expect(await names()).toEqual(['one', 'labelled'])
})

// rules: control-api#calls
test('all of it is a call over HTTP too', async () => {
  const { control, gateway, call, names } = createWithAgent()
  const { status, body } = await control('POST', '/agent/tunnels', { addr: 80, name: 'web' })
  expect([status, body.name]).toEqual([200, 'web'])
  expect((await control('POST', '/agent/tunnels', { addr: 80, name: 'web' })).body.error_code).toBe('ERR_NGROK_90461')
  expect((await control('PUT', '/agent', { url_after: '2s' })).status).toBe(204)
  expect(await names()).toEqual([])
  expect((await control('PUT', '/agent', { down: true })).status).toBe(204)
  await expect(call('GET', '/api')).rejects.toThrow('fetch failed')
  await control('PUT', '/agent', { down: false, url_after: 0 })
  expect((await control('POST', '/agent/restart', { new_urls: true })).status).toBe(204)
  expect(gateway.endpoints.list().endpoints[0]?.url).not.toBe(body.public_url)
})

test('unknown options are rejected', async () => {
  const { gateway } = createWithAgent()
  // @ts-expect-error There is no such option.
  expect(() => gateway.agent.set({ slow: true })).toThrow('slow')
  // @ts-expect-error There is no such option.
  await expect(gateway.agent.restart({ urls: true })).rejects.toThrow('urls')
})
