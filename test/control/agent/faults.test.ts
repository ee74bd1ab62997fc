import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { serve } from '../../../src/server/serve.ts'
import { waitUntil } from '../../support/wire.ts'
import { createWithAgent } from './agent.ts'

const PATH = '/api/tunnels'
const STALE = { tunnels: [], uri: PATH }

// rules: agent#faults
describe('A fault of the API of the agent', () => {
  test('fails the requests to its path and its method, as often as it says, and no others', async () => {
    const { gateway, call, names } = createWithAgent()
    gateway.faults.add({ agent: PATH, method: 'GET', times: 1, after: 1, status: 502 })
    expect((await call('GET', PATH)).status).toBe(200)
    expect((await call('POST', PATH, { addr: 80, name: 'web' })).status).toBe(201)
    expect((await call('GET', '/api/status')).status).toBe(200)
    const headers = { authorization: 'Bearer any', 'ngrok-version': '2' }
    expect((await gateway.fetch(`${gateway.url}/tunnels`, { headers })).status).toBe(200)
    const { status, body } = await call('GET', PATH)
    expect([status, body]).toEqual([502, { status_code: 502, msg: 'injected fault', details: expect.anything() }])
    expect(await names()).toEqual(['web'])
    gateway.faults.assertNoPendingFaults()
  })

  test('that waits says so of the API of the agent', async () => {
    const { gateway } = createWithAgent()
    gateway.faults.add({ agent: PATH, times: 1 })
    await gateway.fetch(`${gateway.url}/tunnels`)
    expect(() => gateway.faults.assertNoPendingFaults()).toThrow(
      /applied to 0 of 1 request\.\n {2}It is waiting for requests to the agent's API\.$/,
    )
  })

  test('changes nothing if it fails a start', async () => {
    const { gateway, call, names } = createWithAgent()
    gateway.faults.add({ agent: PATH, times: 1 })
    expect((await call('POST', PATH, { addr: 80, name: 'web' })).status).toBe(503)
    expect(await names()).toEqual([])
    expect(gateway.tunnelSessions.list().tunnel_sessions).toEqual([])
  })

  test('has its own body with 200, such as a list that is out of date', async () => {
    const { gateway, call } = createWithAgent()
    await gateway.agent.start({ addr: 80, name: 'web' })
    gateway.faults.add({ agent: PATH, times: 1, body: STALE })
    expect(await call('GET', PATH)).toEqual({ status: 200, body: STALE })
    expect((await call('GET', PATH)).body.tunnels).toHaveLength(1)
  })

  test('delays the usual response on the clock of the gateway', async () => {
    const { gateway, call } = createWithAgent()
    gateway.faults.add({ agent: '/api/status', latency: '2s' })
    let isDone = false
    const answered = call('GET', '/api/status').then((answer) => {
      isDone = true
      return answer
    })
    await waitUntil(() => gateway.faults.all()[0]?.hits === 1)
    gateway.clock.advance('1s')
    await Promise.resolve()
    expect(isDone).toBe(false)
    gateway.clock.advance('1s')
    expect((await answered).status).toBe(200)
  })

  test('breaks the connection, or stalls until the client leaves', async () => {
    const { gateway, call } = createWithAgent()
    gateway.faults.add({ agent: PATH, times: 1, drop: true })
    await expect(call('GET', PATH)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    gateway.faults.add({ agent: PATH, times: 1, truncate: 3, ending: 'break' })
    await expect(call('GET', PATH)).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } })
    gateway.faults.add({ agent: PATH, times: 1, truncate: 0, ending: 'stall' })
    const end = new AbortController()
    const response = await gateway.agent.fetch(`http://localhost:4040${PATH}`, { signal: end.signal })
    const read = response.text()
    end.abort(new Error('enough'))
    await expect(read).rejects.toThrow('enough')
  })

  test.each([
    [{ agent: '/tunnels' }, 'agent is "/tunnels". Allowed: a path in the agent\'s API'],
    [{ agent: PATH, operation: 'endpoints.list' }, 'only without agent'],
    [{ agent: PATH, traffic: 'https://app.example.com' }, 'only without agent'],
    [{ agent: PATH, phase: 'after' as const }, 'only without agent'],
  ])('%j is rejected', (spec, message) => {
    const { gateway } = createWithAgent()
    expect(() => gateway.faults.add(spec as never)).toThrow(message)
    expect(gateway.faults.all()).toEqual([])
  })

  test('reaches the clients of a server too', async () => {
    const gateway = createNgrok()
    const served = await serve(gateway, { agent: 0 })
    try {
      const url = `${served.agentUrl}${PATH}`
      gateway.faults.add({ agent: PATH, times: 1, status: 500 })
      expect((await fetch(url)).status).toBe(500)
      gateway.faults.add({ agent: PATH, times: 1, drop: true })
      await expect(fetch(url)).rejects.toThrow('fetch failed')
      gateway.faults.add({ agent: PATH, times: 1, truncate: 3, ending: 'break' })
      await expect(fetch(url).then((response) => response.text())).rejects.toThrow('terminated')
      gateway.faults.add({ agent: PATH, times: 1, truncate: 3, ending: 'stall' })
      const end = new AbortController()
      const response = await fetch(url, { signal: end.signal })
      const [part] = [await response.body?.getReader().read()]
      expect(new TextDecoder().decode(part?.value)).toBe('{"t')
      end.abort()
      expect((await fetch(url)).status).toBe(200)
    } finally {
      await served.close()
    }
  })
})
