import { afterEach, describe, expect, test, vi } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock } from '../../../src/index.ts'
import { CLOCK_START } from '../../support/clock.ts'

const original = globalThis.fetch
afterEach(() => {
  globalThis.fetch = original
})

/** Creates a gateway with an agent's endpoint at https://app.ngrok-free.app. */
function createVisited() {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START) })
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.ngrok-free.app' }] })
  gateway.traffic.upstream('https://app.ngrok-free.app', () => new Response('from the agent'))
  return gateway
}

describe('gateway.install({ traffic: true }) (rules: traffic#endpoints)', () => {
  test('lets the gateway answer the global fetch for its endpoints', async () => {
    const outside = vi.fn(async () => new Response('outside'))
    globalThis.fetch = outside
    const gateway = createVisited()
    const { uninstall } = gateway.install({ traffic: true, others: 'pass' })
    expect(await (await fetch('https://app.ngrok-free.app/path')).text()).toBe('from the agent')
    expect(await (await fetch(new Request('https://app.ngrok-free.app/', { method: 'POST', body: 'x' }))).text()).toBe(
      'from the agent',
    )
    expect(gateway.traffic.count()).toBe(2)
    expect(await (await fetch('https://other.ngrok-free.app/')).text()).toBe('outside')
    const headers = { authorization: 'Bearer key', 'ngrok-version': '2' }
    expect((await fetch(`${gateway.url}/endpoints`, { headers })).status).toBe(200)
    uninstall()
    expect(globalThis.fetch).toBe(outside)
  })

  test('answers for a reserved domain without an endpoint too, as the service does', async () => {
    const gateway = createVisited()
    gateway.reservedDomains.create({ domain: 'offline.example.com' })
    gateway.install({ traffic: true, others: 'refuse' })
    const response = await fetch('https://offline.example.com/')
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([404, 'ERR_NGROK_3200'])
    await expect(fetch('https://elsewhere.test/')).rejects.toThrow('is not below')
  })

  test('lets several gateways answer, each for its own endpoints', async () => {
    const [one, other] = [createVisited(), createNgrok({ baseUrl: 'https://other.test' })]
    other.declare.tunnelSession({ endpoints: [{ url: 'https://second.ngrok-free.app' }] })
    other.traffic.upstream('https://second.ngrok-free.app', () => new Response('from the second'))
    one.install({ traffic: true, others: 'refuse' })
    other.install({ traffic: true, others: 'refuse' })
    expect(await (await fetch('https://app.ngrok-free.app/')).text()).toBe('from the agent')
    expect(await (await fetch('https://second.ngrok-free.app/')).text()).toBe('from the second')
  })

  test('without the option, requests of visitors are requests for other hosts', async () => {
    createVisited().install({ others: 'refuse' })
    await expect(fetch('https://app.ngrok-free.app/')).rejects.toThrow('other requests are refused')
  })
})
