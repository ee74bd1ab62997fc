import { expect } from 'vitest'
import { outcome } from '../../support/client.ts'
import { readAllItems, programTest as test } from './support.ts'

// Programs that use edges. Each makes the calls that public programs of its kind make.

test('A controller of TCP edges creates a group, an address and an edge, and finds them after a restart', async ({
  gateway,
  send,
}) => {
  const expected = { labels: { 'k8s.example.com/service': 'ssh', 'k8s.example.com/port': '22' } }
  const owner = JSON.stringify({ namespace: 'default', name: 'ssh' })

  /** Finds the edge by its labels, because the controller may have forgotten its id. */
  async function findEdge() {
    for (const edge of await readAllItems(send, '/edges/tcp', 'tcp_edges')) {
      if (edge.backend === null) continue
      const { status, body } = await send('GET', `/backends/tunnel_group/${edge.backend.backend.id}`)
      if (status === 404) continue
      if (JSON.stringify(body.labels) === JSON.stringify(expected.labels)) return edge
    }
    return undefined
  }

  async function findOrCreateAddress() {
    const all = await readAllItems(send, '/reserved_addrs', 'reserved_addrs')
    const found = all.find(({ metadata }) => metadata === owner)
    return found ?? (await send('POST', '/reserved_addrs', { json: { description: 'ssh', metadata: owner } })).body
  }

  async function reconcile(knownId?: string) {
    const group = (await send('POST', '/backends/tunnel_group', { json: { ...expected, metadata: '{}' } })).body
    const { addr } = await findOrCreateAddress()
    const found = knownId === undefined ? await findEdge() : (await send('GET', `/edges/tcp/${knownId}`)).body
    const json = { description: 'ssh', metadata: '{}', backend: { backend_id: group.id } }
    const edge = found ?? (await send('POST', '/edges/tcp', { json })).body
    if (edge.hostports?.[0] === addr && edge.backend.backend.id === group.id) return edge
    return (await send('PATCH', `/edges/tcp/${edge.id}`, { json: { ...json, hostports: [addr] } })).body
  }

  const edge = await reconcile()
  const { addr } = await findOrCreateAddress()
  expect([edge.hostports, edge.ip_restriction, edge.traffic_policy]).toEqual([[addr], null, null])
  // Without an IP policy, it removes a module that may exist.
  expect((await send('DELETE', `/edges/tcp/${edge.id}/ip_restriction`)).status).toBe(204)
  const policy = { value: '{"on_tcp_connect":[{"actions":[{"type":"deny"}]}]}' }
  const put = await send('PUT', `/edges/tcp/${edge.id}/traffic_policy`, { json: { id: edge.id, module: policy } })
  expect(put.body).toEqual({ enabled: true, ...policy })
  // The controller starts agents with the labels.
  gateway.declare.tunnelSession({ labelled: [expected] })
  expect((await send('GET', `/backends/tunnel_group/${edge.backend.backend.id}`)).body.tunnels).toHaveLength(1)
  expect(gateway.endpoints.list({ filter: "obj.type == 'edge'" }).endpoints[0]?.hostport).toBe(addr)

  // The controller restarts and has forgotten all ids.
  const second = await reconcile()
  expect([second.id, second.traffic_policy.value, second.hostports]).toEqual([edge.id, policy.value, [addr]])
  // Somebody deletes the edge manually: it is created again, at the same address.
  await send('DELETE', `/edges/tcp/${edge.id}`)
  expect((await send('GET', `/edges/tcp/${edge.id}`)).status).toBe(404)
  const third = await reconcile()
  expect([third.id === edge.id, third.hostports]).toEqual([false, [addr]])
  // At the end, deleting a deleted resource is not an error.
  for (const status of [204, 404]) expect((await send('DELETE', `/edges/tcp/${third.id}`)).status).toBe(status)
})

test('A controller of HTTPS edges waits for its domain, creates routes without a backend, and deletes a route', async ({
  gateway,
  send,
}) => {
  const json = { description: 'shop', metadata: '{}', hostports: ['shop.example.com:443'] }
  // The domain has another controller, which may be slower.
  expect(outcome(await send('POST', '/edges/https', { json }))).toBe('400 ERR_NGROK_7117')
  await send('POST', '/reserved_domains', { json: { domain: 'shop.example.com' } })
  const edge = (await send('POST', '/edges/https', { json })).body
  const path = `/edges/https/${edge.id}/routes`

  async function apply(match: string) {
    const route = (await send('POST', path, { json: { match, match_type: 'path_prefix' } })).body
    await send('PUT', `${path}/${route.id}/compression`, { json: { enabled: true } })
    const group = (
      await send('POST', '/backends/tunnel_group', { json: { labels: { match: match.slice(1) || 'all' } } })
    ).body
    const changes = { match, match_type: 'path_prefix', backend: { backend_id: group.id } }
    return (await send('PATCH', `${path}/${route.id}`, { json: changes })).body
  }

  const [all, blog] = [await apply('/'), await apply('/blog')]
  expect([all.compression.enabled, all.backend.backend.uri]).toEqual([
    true,
    expect.stringContaining('/backends/tunnel_group/bkdtg_'),
  ])
  const found = await readAllItems(send, '/edges/https', 'https_edges')
  expect(found[0].routes).toEqual([all, blog])
  await send('DELETE', `${path}/${blog.id}`)
  expect((await send('GET', `/edges/https/${edge.id}`)).body.routes).toEqual([all])
  expect((await send('PUT', `${path}/${blog.id}/compression`, { json: {} })).status).toBe(404)
  expect((await send('DELETE', `/edges/https/${edge.id}`)).status).toBe(204)
  expect(gateway.endpoints.list().endpoints).toEqual([])
})
