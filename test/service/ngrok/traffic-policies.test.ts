import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { client, createControlClient, outcome } from '../../support/client.ts'
import { START, stateOf } from '../../support/gateway.ts'

const ROUTE = '/edges/https/edghts_1/routes/edghtsrt_1'
const HTTPS = [`${ROUTE}/traffic_policy`, 'on_http_request:\r\n  - actions: [ {type: deny} ]  # "no"\n'] as const
const TCP = ['/edges/tcp/edgtcp_1/traffic_policy', '{"on_tcp_connect":[{"actions":[{"type":"deny"}]}]}'] as const
const TLS = ['/edges/tls/edgtls_1/traffic_policy', ' { "on_tcp_connect" : [ ] }\n'] as const

describe.each([HTTPS, TCP, TLS])('The module at %s (rules: traffic-policy#texts)', (path, value) => {
  const openGateway = () => {
    const gateway = createNgrok({ clock: { now: () => START } })
    return { gateway, http: client(gateway) }
  }

  test('keeps the text byte for byte, in a snapshot too, until it is deleted', async () => {
    const { gateway, http } = openGateway()
    expect(outcome(await http('GET', path))).toBe('404 ERR_NGROK_90404')
    const { status, body } = await http('PUT', path, { json: { value } })
    expect([status, body]).toEqual([200, { enabled: true, value }])
    const restored = createNgrok()
    restored.restore(gateway.snapshot())
    expect((await client(restored)('GET', path)).body).toEqual({ enabled: true, value })
    expect((await http('DELETE', path)).status).toBe(204)
    expect((await http('DELETE', path)).status).toBe(204)
    expect(outcome(await http('GET', path))).toBe('404 ERR_NGROK_90404')
  })

  test('takes the envelope of the official clients', async () => {
    const { http } = openGateway()
    const [, , , id, , route] = path.split('/')
    const ids = path === HTTPS[0] ? { edge_id: id, id: route } : { id }
    const { status, body } = await http('PUT', path, { json: { ...ids, module: { enabled: false, value } } })
    expect([status, body]).toEqual([200, { enabled: false, value }])
    const wrong = { ...ids, id: 'edghtsrt_2', module: { value } }
    expect(outcome(await http('PUT', path, { json: wrong }))).toBe('400 ERR_NGROK_215')
  })

  test.each([
    [{}, 215],
    [{ value: 7 }, 215],
    [{ value: '- a' }, 2236],
    [{ value: 'on_request: []' }, 2230],
    [{ value: '{"on_tcp_connect":[{"actions":[{"type":"redirect"}]}]}' }, path === HTTPS[0] ? 2248 : 2202],
  ])('refuses %j and keeps what it has', async (json, number) => {
    const { gateway, http } = openGateway()
    await http('PUT', path, { json: { value } })
    const before = stateOf(gateway)
    expect(outcome(await http('PUT', path, { json }))).toBe(`400 ERR_NGROK_${number}`)
    expect(stateOf(gateway)).toBe(before)
  })
})

test('A policy and the older module `policy` of a route do not touch each other', async () => {
  const gateway = createNgrok()
  const route = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
  gateway.trafficPolicy.replace(route, { enabled: false })
  gateway.routeTrafficPolicy.replace(route, { value: '{}' })
  gateway.trafficPolicy.delete(route)
  expect(gateway.routeTrafficPolicy.get(route)).toEqual({ enabled: true, value: '{}' })
})

test.each(['edgtcp_1', 'edgtls_1'])('With declared references the edge %s must be declared', async (edge) => {
  const gateway = createNgrok({ references: 'declared' })
  const path = `/edges/${edge.slice(3, 6)}/${edge}/traffic_policy`
  const put = () => client(gateway)('PUT', path, { json: { value: '{}' } })
  expect(outcome(await put())).toBe('404 ERR_NGROK_7000')
  gateway.declare.edge(edge)
  expect((await put()).status).toBe(200)
  expect(() => gateway.restore(gateway.snapshot())).not.toThrow()
  expect(() => gateway.declare.edge(edge, { routes: ['edghtsrt_1'] })).toThrow(/routes together with their HTTPS edge/)
  const control = createControlClient(gateway.fetch, 'http://127.0.0.1')
  expect((await control('POST', '/declare', { edge: 'edgtls_2' })).status).toBe(200)
  expect((await control('POST', '/declare', { edge: 'edgxyz_2' })).status).toBe(400)
})
