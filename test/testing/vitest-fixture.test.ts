import { afterAll, describe, expect, expectTypeOf, vi } from 'vitest'
import { type Gateway, type GatewayOptions, type ManualClock, manualClock, ngrok } from '../../src/index.ts'
import { serve } from '../../src/server/node.ts'
import { it, test, testOnSystemClock } from '../../src/testing/vitest.ts'

const headers = { authorization: 'Bearer k', 'service-version': '2' }
const policy = { authority: 'letsencrypt' } as const

describe('the gateway of a test', () => {
  const earlierObjects = new Set<unknown>()

  for (const name of ['one', 'another', 'a third']) {
    test(`is fresh for ${name}`, ({ gateway }) => {
      expect(earlierObjects.has(gateway)).toBe(false)
      expect(earlierObjects.has(gateway.clock)).toBe(false)
      earlierObjects.add(gateway).add(gateway.clock)
      expect(gateway.leftovers()).toEqual([])
      expect(gateway.clock.now).toBe(Date.UTC(2026, 0, 1))
      gateway.reservedDomains.create({ domain: 'app.example.com' })
      gateway.clock.advance('1d')
    })
  }

  test('has a manual clock', ({ gateway, gatewayOptions }) => {
    expectTypeOf(gateway).toEqualTypeOf<Gateway<ManualClock>>()
    expectTypeOf(gatewayOptions).toEqualTypeOf<GatewayOptions<ManualClock>>()
  })

  it('comes with `it` as well', ({ gateway }) => expect(gateway.leftovers()).toEqual([]))

  describe('in a hook', () => {
    let hookGateway: Gateway
    test.beforeEach(({ gateway }) => {
      hookGateway = gateway
    })
    test('is the gateway of the test', ({ gateway }) => expect(gateway).toBe(hookGateway))
  })
})

describe('the seed of a test', () => {
  const ids: string[] = []

  test('is its full name', { repeats: 1 }, ({ gateway, task }) => {
    expect(gateway.snapshot().seed).toBe(task.fullTestName)
    expect(task.fullTestName).toBe('the seed of a test > is its full name')
    ids.push(gateway.reservedAddrs.create().id)
    expect(new Set(ids).size).toBe(1)
  })

  test.describe('with another', () => {
    test.override('gatewayOptions', { seed: 'checkout' })
    test('is the seed in the options', ({ gateway }) => expect(gateway.snapshot().seed).toBe('checkout'))
  })
})

describe('a gateway that is installed', () => {
  const before = globalThis.fetch
  for (const name of ['one', 'another']) {
    test(`answers the global fetch in ${name} test, and no longer after it`, async ({ gateway }) => {
      expect(globalThis.fetch).toBe(before)
      gateway.install()
      expect((await fetch(`${gateway.url}/reserved_domains`, { headers })).status).toBe(200)
    })
  }

  describe.concurrent('with others at the same time', () => {
    const ownTest = test.extend('gatewayOptions', ({ task }) => ({ baseUrl: `https://${task.id}.test` }))
    let open = 0
    let maxOpen = 0

    for (let turn = 1; turn <= 20; turn++) {
      ownTest(`has its own requests, resources and time, ${turn}`, async ({ gateway }) => {
        maxOpen = Math.max(maxOpen, ++open)
        gateway.install({ others: 'refuse' })
        for (let step = 1; step <= turn; step++) {
          gateway.reservedDomains.create({ domain: `${step}.example.com` })
          gateway.clock.advance('1s')
          await fetch(`${gateway.url}/reserved_domains`, { headers })
          await new Promise((resolve) => setImmediate(resolve))
        }
        expect(gateway.requests.count()).toBe(turn)
        expect(gateway.reservedDomains.list().reserved_domains).toHaveLength(turn)
        expect(gateway.clock.now).toBe(Date.UTC(2026, 0, 1) + turn * 1000)
        open--
      })
    }

    afterAll(() => {
      expect(maxOpen).toBeGreaterThan(1)
      expect(globalThis.fetch).toBe(before)
    })
  })
})

describe('the options', () => {
  describe('of a describe', () => {
    test.override('gatewayOptions', { dialect: ngrok, initial: { reservedDomains: [{ domain: 'app.example.com' }] } })

    test('apply to its tests', ({ gateway }) => {
      expect(gateway.dialect.name).toBe('ngrok')
      expect(gateway.reservedDomains.list().reserved_domains.map(({ domain }) => domain)).toEqual(['app.example.com'])
    })

    describe('inside another', () => {
      test.override({ gatewayOptions: { baseUrl: 'https://inner.test' } })
      test('replace those outside', ({ gateway }) => {
        expect([gateway.url, gateway.dialect.name]).toEqual(['https://inner.test', 'standard'])
      })
    })
  })

  test.extend('gatewayOptions', { rateLimit: { requests: 1 } })('can be those of one test', async ({ gateway }) => {
    const sendRequest = async () => (await gateway.fetch(`${gateway.url}/reserved_domains`, { headers })).status
    expect([await sendRequest(), await sendRequest()]).toEqual([200, 429])
  })

  describe('that name a clock', () => {
    test.override('gatewayOptions', () => ({ clock: manualClock('2030-06-01T00:00:00Z') }))
    for (const name of ['one', 'another']) {
      test(`give ${name} test its own clock`, ({ gateway }) => {
        expect(gateway.clock.now).toBe(Date.UTC(2030, 5, 1))
        gateway.clock.advance('1h')
      })
    }
  })
})

describe('on the system clock', () => {
  testOnSystemClock.beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
  testOnSystemClock.afterEach(() => void vi.useRealTimers())

  testOnSystemClock('the gateway cannot advance its clock', ({ gateway, gatewayOptions, task }) => {
    expectTypeOf(gateway).toEqualTypeOf<Gateway>()
    expectTypeOf(gatewayOptions).toEqualTypeOf<GatewayOptions>()
    expect(gatewayOptions).toEqual({})
    expect(gateway.snapshot().seed).toBe(task.fullTestName)
    // @ts-expect-error: only a manual clock can be advanced
    expect(gateway.clock.advance).toBeUndefined()
  })

  testOnSystemClock('vi.useFakeTimers() controls the time of the gateway, including its waits', async ({ gateway }) => {
    const { id } = gateway.reservedDomains.create({ domain: 'a.test', certificate_management_policy: policy })
    gateway.faults.add({ latency: '31s' })
    const events: unknown[] = []
    void gateway.provisioning.settled(id).then(({ certificate }) => events.push(['settled', certificate !== null]))
    const url = `${gateway.url}/reserved_domains`
    void gateway.fetch(url, { headers }).then(({ status }) => events.push(['fetch', status]))
    const header = (name: string) => headers[name as 'authorization'] ?? null
    const delivery = gateway.transport.delivered(gateway.transport.exchange({ method: 'GET', url, header, body: '' }))
    void delivery.then(({ status }) => events.push(['delivered', status]))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(events).toEqual([['settled', true]])
    await vi.advanceTimersByTimeAsync(1000)
    expect(events).toEqual([
      ['settled', true],
      ['fetch', 200],
      ['delivered', 200],
    ])
    expect(gateway.reservedAddrs.create().created_at).toBe('2026-01-01T00:00:31Z')
  })

  test('vi.useFakeTimers() does not advance a manual clock', async ({ gateway }) => {
    vi.useFakeTimers({ now: 0 })
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(gateway.reservedAddrs.create().created_at).toBe('2026-01-01T00:00:00Z')
    vi.useRealTimers()
  })
})

describe('a server that the test leaves open', () => {
  const urls: string[] = []
  const statuses: number[] = []
  const served = test.extend<{ url: string }>({
    url: async ({ gateway }, use) => {
      const { url } = await serve(gateway)
      await use(url)
      statuses.push((await fetch(`${url}/reserved_addrs`, { headers })).status)
    },
  })

  served('stays open until the fixtures that use it have ended', ({ url }) => {
    urls.push(url)
  })

  afterAll(async () => {
    expect(statuses).toEqual([200])
    expect(urls).toHaveLength(1)
    await expect(fetch(urls[0] ?? '')).rejects.toThrow()
  })
})
