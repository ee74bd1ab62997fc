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

  test('follows redirects as fetch does: with GET after 302, with the body after 307, and to other hosts without credentials', async () => {
    const outside = vi.fn(async (request: Request) => new Response(`outside ${request.headers.get('authorization')}`))
    globalThis.fetch = outside as unknown as typeof fetch // A test's fetch gets requests alone.
    const gateway = createVisited()
    gateway.traffic.upstream('https://app.ngrok-free.app', async (request) => {
      const { pathname } = new URL(request.url)
      const [, status, to = ''] = /^\/(\d+)(.*)$/.exec(pathname) ?? []
      if (status)
        return new Response(null, { status: Number(status), headers: { location: to || 'https://other.test/' } })
      return new Response(`${request.method} ${pathname} ${await request.text()}`)
    })
    gateway.install({ traffic: true, others: 'pass' })
    const post = { method: 'POST', body: 'x', headers: { authorization: 'Bearer key' } }
    const read = async (path: string, init?: RequestInit) =>
      (await fetch(new URL(path, 'https://app.ngrok-free.app'), init)).text()
    expect(await read('/302/there', post)).toBe('GET /there ')
    expect(await read('/307/308/there', post)).toBe('POST /there x')
    expect(await read('/303/there', { method: 'PUT', body: 'x' })).toBe('GET /there ')
    expect(await read('/302', post)).toBe('outside null')
    const request = new Request('https://app.ngrok-free.app/307/there', { method: 'POST', body: 'y' })
    const response = await fetch(request)
    expect([response.redirected, response.url]).toEqual([true, 'https://app.ngrok-free.app/there'])
    expect(await response.text()).toBe('POST /there y')
    expect((await fetch('https://app.ngrok-free.app/302/there', { redirect: 'manual' })).status).toBe(302)
    await expect(read('/302/there', { redirect: 'error' })).rejects.toThrow('redirect is "error"')
    await expect(read(`/302${'/302'.repeat(20)}/there`)).rejects.toThrow('more than 20 times')
    expect(await read(`/302${'/302'.repeat(19)}/there`)).toBe('GET /there ')
  })

  test('answers for a reserved domain without an endpoint too, as the service does', async () => {
    const gateway = createVisited()
    gateway.reservedDomains.create({ domain: 'offline.example.com' })
    gateway.install({ traffic: true, others: 'refuse' })
    const response = await fetch('https://offline.example.com/')
    expect([response.status, response.headers.get('ngrok-error-code')]).toEqual([404, 'ERR_NGROK_3200'])
    await expect(fetch('https://elsewhere.test/')).rejects.toThrow('is not under')
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

  test('without the option, visitor requests are requests to other hosts', async () => {
    createVisited().install({ others: 'refuse' })
    await expect(fetch('https://app.ngrok-free.app/')).rejects.toThrow('other requests are rejected')
  })
})
