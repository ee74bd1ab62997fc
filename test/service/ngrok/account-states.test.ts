import { describe, expect, it } from 'vitest'
import { openGateway } from './support.ts'

/** Opens a gateway with an edge, an endpoint configuration and a domain, which the direct API made. */
function openWith(account: NonNullable<Parameters<typeof openGateway>[0]>['account']) {
  const opened = openGateway({ account })
  const edge = opened.gateway.httpsEdges.create({})
  const configuration = opened.gateway.endpointConfigurations.create({ type: 'https' })
  return { ...opened, edge: `/edges/https/${edge.id}`, configuration: `/endpoint_configurations/${configuration.id}` }
}

describe('The state of an account (rules: account#states)', () => {
  it('rejects every request, and none of the direct API', async () => {
    const { gateway, sendRefused } = openWith({ state: 'suspended' })
    expect(await sendRefused('GET', '/self')).toBe('403 ERR_NGROK_205')
    expect(await sendRefused('POST', '/vaults', { json: { name: 'a' } })).toBe('403 ERR_NGROK_205')
    expect(gateway.vaults.create({ name: 'a' }).name).toBe('a')
    // The account is known once the key is valid.
    expect(await sendRefused('GET', '/self', { headers: { Authorization: '' } })).toBe('403 ERR_NGROK_201')
  })

  it.each([
    ['suspended', 103, 338],
    ['unpaid', 102, 337],
  ] as const)(
    '%s lets no agent connect (%i), and no connected agent start an endpoint (%i)',
    async (state, connects, starts) => {
      const { gateway } = openGateway({ account: { state } })
      const start = () => gateway.agent.start({ addr: 80, proto: 'http' })
      await expect(start()).rejects.toMatchObject({ code: `ERR_NGROK_${connects}` })
      gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.example.com', name: 'web' }] })
      await expect(start()).rejects.toMatchObject({ code: `ERR_NGROK_${starts}` })
      expect((await gateway.agent.fetch('http://localhost:4040/api/tunnels')).status).toBe(200)
      expect(gateway.tunnels.list().tunnels).toHaveLength(1)
    },
  )

  it('shows visitors of a suspended account 3208, and where no endpoint is online 3200', async () => {
    const { gateway } = openGateway({ account: { state: 'suspended' } })
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    gateway.endpoints.create({ url: 'http://app.example.com', traffic_policy: '{}' })
    const visit = async (url: string) => {
      const { status, headers } = await gateway.traffic.fetch(url)
      return `${status} ${headers.get('ngrok-error-code')}`
    }
    expect(await visit('http://app.example.com/')).toBe('403 ERR_NGROK_3208')
    expect(await visit('http://other.example.com/')).toBe('404 ERR_NGROK_3200')
  })

  it.each(['suspended', 'unpaid'] as const)(
    '%s fails each attempt of a certificate job with 26033, but not a scripted one',
    (state) => {
      const { gateway } = openGateway({ account: { state } })
      const certificate_management_policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const
      gateway.provisioning.script(['success'], { domain: 'b.example.com' })
      const domains = ['a.example.com', 'b.example.com'].map((domain) =>
        gateway.reservedDomains.create({ domain, certificate_management_policy }),
      )
      gateway.clock.advance('31s')
      const [failed, issued] = domains.map(({ id }) => gateway.reservedDomains.get(id))
      expect(failed?.certificate_management_status?.provisioning_job).toMatchObject({
        error_code: 'INTERNAL_ERROR',
        msg: expect.stringContaining('ERR_NGROK_26033'),
      })
      expect(issued?.certificate).not.toBeNull()
    },
  )

  it('is read-only in a maintenance: lists and single resources are still read', async () => {
    const { send, sendRefused, edge } = openWith({ state: 'maintenance_read_only' })
    expect([(await send('GET', edge)).status, (await send('GET', '/edges/https')).status]).toEqual([200, 200])
    for (const method of ['PATCH', 'DELETE'])
      expect(await sendRefused(method, edge, method === 'PATCH' ? { json: {} } : {})).toBe('503 ERR_NGROK_1500')
  })
})

describe('Edges that have ended (rules: account#edges)', () => {
  it('cannot be created, read or changed, and neither can endpoint configurations', async () => {
    const { send, sendRefused, edge, configuration } = openWith({ edges: 'ended' })
    for (const [path, number] of [
      [edge, 7008],
      ['/edges/tcp', 7008],
      [configuration, 1608],
      [`${configuration}/oauth`, 1608],
    ])
      expect([path, await sendRefused('GET', `${path}`)]).toEqual([path, `400 ERR_NGROK_${number}`])
    expect(await sendRefused('POST', '/edges/tls', { json: {} })).toBe('400 ERR_NGROK_7008')
    expect(await sendRefused('POST', '/endpoint_configurations', { json: {} })).toBe('400 ERR_NGROK_1608')
    expect((await send('GET', '/backends/weighted')).status).toBe(200)
  })

  it('cannot be bound to a domain or an address any more', async () => {
    const { gateway, send, sendRefused, configuration } = openWith({ edges: 'ended' })
    const id = configuration.split('/').at(-1)
    const domain = { domain: 'app.example.com' }
    for (const field of ['http_endpoint_configuration_id', 'https_endpoint_configuration_id'])
      expect(await sendRefused('POST', '/reserved_domains', { json: { ...domain, [field]: id } })).toBe(
        '400 ERR_NGROK_1608',
      )
    const { id: reserved } = gateway.reservedDomains.create(domain)
    const json = { https_endpoint_configuration_id: id }
    expect(await sendRefused('PATCH', `/reserved_domains/${reserved}`, { json })).toBe('400 ERR_NGROK_1608')
    const { id: address } = gateway.reservedAddrs.create()
    const linked = { endpoint_configuration_id: id }
    expect(await sendRefused('PATCH', `/reserved_addrs/${address}`, { json: linked })).toBe('400 ERR_NGROK_1608')
    const unbound = { https_endpoint_configuration_id: null, metadata: 'm' }
    expect((await send('PATCH', `/reserved_domains/${reserved}`, { json: unbound })).status).toBe(200)
  })

  it('can be read and not changed where the account still has some', async () => {
    const { send, sendRefused, edge, configuration } = openWith({ edges: 'read_only' })
    expect([(await send('GET', edge)).status, (await send('GET', configuration)).status]).toEqual([200, 200])
    expect(await sendRefused('DELETE', edge)).toBe('400 ERR_NGROK_7196')
    expect(await sendRefused('PATCH', edge, { json: { metadata: 'm' } })).toBe('400 ERR_NGROK_7196')
    expect(await sendRefused('DELETE', configuration)).toBe('400 ERR_NGROK_1608')
  })

  it('are unchanged by default', async () => {
    const { send, edge } = openWith({})
    expect((await send('PATCH', edge, { json: { metadata: 'm' } })).body.metadata).toBe('m')
  })
})
