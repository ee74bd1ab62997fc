import { describe, expect, it, test } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { createGateway, ngrok } from '../../../src/index.ts'
import { createControlClient, expectError, outcome } from '../../support/client.ts'
import { SHOWN_START } from '../../support/clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { openGateway } from './support.ts'

describe('A declared edge endpoint (contract: declare)', () => {
  it('is an endpoint of the type edge, with the reservation that fits its URL', () => {
    const { gateway } = openGateway()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const endpoint = gateway.declare.edgeEndpoint({ edge: 'edgtls_1', url: 'tls://app.example.com' })
    const { url } = gateway
    expect(endpoint).toEqual({
      id: expect.stringMatching(/^ep_\w{27}$/),
      created_at: SHOWN_START,
      updated_at: SHOWN_START,
      type: 'edge',
      public_url: 'tls://app.example.com',
      proto: 'tls',
      hostport: 'app.example.com:443',
      bindings: ['public'],
      pooling_enabled: false,
      domain: { id, uri: `${url}/reserved_domains/${id}` },
      edge: { id: 'edgtls_1', uri: `${url}/edges/tls/edgtls_1` },
    })
    expect(gateway.endpoints.get(endpoint.id)).toEqual(endpoint)
    expect(gateway.endpoints.list({ filter: 'obj.type == "edge"' }).endpoints).toEqual([endpoint])
  })

  test.each([
    ['edghts_1', 'https://a.example.com', 'edges/https/edghts_1'],
    ['edghts_1', 'http://a.example.com', 'edges/https/edghts_1'],
    ['edgtcp_1', 'tcp://1.tcp.ngrok.io:12345', 'edges/tcp/edgtcp_1'],
    ['edgtls_1', 'tls://a.example.com', 'edges/tls/edgtls_1'],
  ])('of %s can be at %s, and refers to its edge', (edge, url, path) => {
    const { gateway } = openGateway()
    expect(gateway.declare.edgeEndpoint({ edge, url }).edge).toEqual({ id: edge, uri: `${gateway.url}/${path}` })
  })

  it('uses the domain that the test names', () => {
    const { gateway } = openGateway()
    const { id: domain } = gateway.reservedDomains.create({ domain: 'other.example.com' })
    expect(gateway.declare.edgeEndpoint({ edge: 'edghts_1', url: 'https://a.com', domain }).domain?.id).toBe(domain)
  })

  it('declares its edge too', () => {
    const { gateway } = openGateway({ references: 'declared' })
    const value = 'on_tcp_connect: []'
    const replace = () => gateway.tcpEdgeTrafficPolicy.replace('edgtcp_1', { value })
    expect(expectError(replace).code).toBe('ERR_NGROK_7000')
    gateway.declare.edgeEndpoint({ edge: 'edgtcp_1', url: 'tcp://1.tcp.ngrok.io:12345' })
    expect(replace().value).toBe(value)
  })

  test.each([
    [{ edge: 'edghts_1', url: 'tcp://1.tcp.ngrok.io:12345' }, '215', 'a URL such as "https://app.example.com"'],
    [{ edge: 'edgtcp_1', url: 'https://a.example.com' }, '215', 'a URL such as "tcp://1.tcp.ngrok.io:12345"'],
    [{ edge: 'edgtcp_1', url: 'tcp://1.tcp.ngrok.io' }, '18003', 'a URL with a port'],
    [{ edge: 'ec_1', url: 'https://a.example.com' }, '215', '"edghts_" or "edgtcp_" or "edgtls_" followed by letters'],
    [{ edge: 'edghts_1', url: 'nowhere' }, '249', 'a URL with only a scheme, a host, and an optional port'],
    [{ edge: 'edghts_1', url: 'https://a.example.com/path' }, '9037', 'a URL without a path'],
    [{ edge: 'edghts_1', url: 'https://app.internal' }, '18007', 'only with the binding internal'],
    [{ edge: 'edghts_1', url: 'https://a.example.com', domain: 'rd_gone' }, '215', 'a reserved domain that exists'],
    [{ edge: 'edghts_1', url: 'https://a.example.com', domain: 'ra_1' }, '227', 'rd_'],
    [{ edge: 'edghts_1' }, '215', 'required'],
    [{ url: 'https://a.example.com' }, '215', 'required'],
    [undefined, '215', 'required'],
  ])('cannot be %j (%s)', (fields, number, allowed) => {
    const { gateway } = openGateway()
    const before = JSON.stringify(gateway.snapshot())
    const error = expectError(() => gateway.declare.edgeEndpoint(fields as { edge: string; url: string }))
    expect([error.code, error.message]).toEqual([`ERR_NGROK_${number}`, expect.stringContaining(allowed)])
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
  })

  it('cannot be of an edge that an operation created, which has an endpoint for each of its hostports', () => {
    const { gateway } = openGateway()
    const { id: edge } = gateway.httpsEdges.create()
    const declare = () => gateway.declare.edgeEndpoint({ edge, url: 'https://app.example.com' })
    expect(declare).toThrow(`edge_endpoint.edge is "${edge}". Allowed: an edge not created by an operation`)
    expect(gateway.endpoints.list().endpoints).toEqual([])
  })

  it('cannot be where another endpoint is online (334)', () => {
    const { gateway } = openGateway()
    const url = 'https://app.ngrok-free.app'
    gateway.declare.tunnelSession({ endpoints: [{ url, pooling_enabled: true }] })
    expect(expectError(() => gateway.declare.edgeEndpoint({ edge: 'edghts_1', url })).code).toBe('ERR_NGROK_334')
  })

  it('cannot be changed or deleted by the API (90440), ends by its id, and then its URL is free', async () => {
    const { gateway, sendRefused } = openGateway()
    const fields = { edge: 'edghts_1', url: 'https://app.example.com' }
    const { id } = gateway.declare.edgeEndpoint(fields)
    expect(await sendRefused('DELETE', `/endpoints/${id}`)).toBe('400 ERR_NGROK_90440')
    gateway.declare.end(id)
    expect(gateway.endpoints.list().endpoints).toEqual([])
    expect(expectError(() => gateway.declare.end(id)).key).toBe('not_found')
    expect(() => gateway.declare.edgeEndpoint(fields)).not.toThrow()
  })

  it('is the only kind of endpoint that a test can end', () => {
    const { gateway } = openGateway()
    gateway.reservedDomains.create({ domain: 'app.example.com' })
    const cloud = gateway.endpoints.create({ url: 'https://app.example.com', traffic_policy: 'on_http_request: []' })
    gateway.declare.tunnelSession({ endpoints: [{}] })
    for (const { id } of gateway.endpoints.list().endpoints)
      expect(expectError(() => gateway.declare.end(id)).key).toBe('not_found')
    expect(gateway.endpoints.get(cloud.id)).toEqual(cloud)
  })

  it('keeps its domain from being deleted until it ends, and survives a snapshot', async () => {
    const { gateway, send, sendRefused } = openGateway()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const endpoint = gateway.declare.edgeEndpoint({ edge: 'edghts_1', url: 'https://app.example.com' })
    gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    expect(await sendRefused('DELETE', `/reserved_domains/${id}`)).toBe('400 ERR_NGROK_446')
    expect(gateway.endpoints.get(endpoint.id)).toEqual(endpoint)
    gateway.declare.end(endpoint.id)
    expect((await send('DELETE', `/reserved_domains/${id}`)).status).toBe(204)
  })
})

describe('A declared dev domain (rules: reserved-domains#dev-domain)', () => {
  it('has three words from the seed below ngrok-free.dev, and the fields of a real dev domain', () => {
    const devDomain = openGateway().gateway.declare.devDomain()
    expect(devDomain).toEqual({
      id: expect.stringMatching(/^rd_\w{27}$/),
      uri: `https://api.ngrok.com/reserved_domains/${devDomain.id}`,
      created_at: SHOWN_START,
      description: 'Your dev domain',
      domain: expect.stringMatching(/^[a-z]+-[a-z]+-[a-z]+\.ngrok-free\.dev$/),
      region: '',
      cname_target: null,
      certificate: null,
      certificate_management_policy: null,
      certificate_management_status: null,
      acme_challenge_cname_target: null,
      http_endpoint_configuration: null,
      https_endpoint_configuration: null,
      error_redirect_url: null,
      is_dev: true,
    })
    expect(openGateway().gateway.declare.devDomain()).toEqual(devDomain)
    expect(openGateway({ seed: 'another' }).gateway.declare.devDomain().domain).not.toBe(devDomain.domain)
  })

  it('is a reserved domain like any other, except that nobody can delete it (458)', async () => {
    const { gateway, send, sendRefused } = openGateway()
    const { id, domain } = gateway.declare.devDomain({ name: 'heron-sharing-precisely' })
    expect(domain).toBe('heron-sharing-precisely.ngrok-free.dev')
    expect(gateway.reservedDomains.list().reserved_domains.map((each) => each.is_dev)).toEqual([true])
    const { body } = await send('PATCH', `/reserved_domains/${id}`, {
      json: { description: 'mine', error_redirect_url: 'https://e.com' },
    })
    expect(body).toMatchObject({ description: 'mine', error_redirect_url: 'https://e.com', is_dev: true })
    expect(await sendRefused('DELETE', `/reserved_domains/${id}`)).toBe('400 ERR_NGROK_458')
    const json = { certificate_management_policy: { authority: 'letsencrypt' } }
    expect(await sendRefused('PATCH', `/reserved_domains/${id}`, { json })).toBe('400 ERR_NGROK_439')
    expect(await sendRefused('POST', '/reserved_domains', { json: { domain } })).toBe('400 ERR_NGROK_413')
    const endpoint = gateway.endpoints.create({ url: `https://${domain}`, traffic_policy: 'on_http_request: []' })
    expect(endpoint.domain?.id).toBe(id)
  })

  test.each(['a-b-c', 'A-B-C', 'a-b-c.ngrok-free.dev', 'A-b-c.NGROK-free.dev'])('can be named %s', (name) => {
    expect(openGateway().gateway.declare.devDomain({ name }).domain).toBe('a-b-c.ngrok-free.dev')
  })

  test.each([
    '',
    'a.b',
    'a.b.ngrok-free.dev',
    '*.ngrok-free.dev',
    'a--b',
    '-a',
    'a_b',
    'a.ngrok-free.app',
    'x'.repeat(64),
    7,
  ])('cannot be named %j (215)', (name) => {
    const { gateway } = openGateway()
    const error = expectError(() => gateway.declare.devDomain({ name: name as string }))
    expect([error.key, error.message]).toEqual(['field_invalid', expect.stringContaining('name is ')])
    expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
  })

  it('exists only if it is declared, is no leftover, and cannot be declared twice with the same name (413)', () => {
    const { gateway } = openGateway({ takenDomains: ['theirs.ngrok-free.dev'] })
    expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
    const declare = (name: string) => () => gateway.declare.devDomain({ name })
    declare('mine')()
    expect(gateway.leftovers()).toEqual([])
    expect([expectError(declare('mine')).code, expectError(declare('theirs')).code]).toEqual([
      'ERR_NGROK_413',
      'ERR_NGROK_414',
    ])
  })

  it('ends by its id, unless a cloud endpoint uses it (446)', () => {
    const { gateway } = openGateway()
    const { id, domain } = gateway.declare.devDomain()
    const url = `https://${domain}`
    const { id: endpoint } = gateway.endpoints.create({ url, traffic_policy: 'on_http_request: []' })
    const before = JSON.stringify(gateway.snapshot())
    expect(expectError(() => gateway.declare.end(id)).code).toBe('ERR_NGROK_446')
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    gateway.endpoints.delete(endpoint)
    gateway.declare.tunnelSession({ endpoints: [{ url }] })
    gateway.declare.end(id)
    expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
    expect(gateway.endpoints.list().endpoints.map((each) => [each.url, each.domain])).toEqual([[url, undefined]])
    expect(expectError(() => gateway.declare.end(id)).key).toBe('not_found')
    gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
  })

  it('is the only domain that a test can end', () => {
    const { gateway } = openGateway()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    expect(expectError(() => gateway.declare.end(id)).key).toBe('not_found')
    expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
  })

  it('cannot be declared in a dialect without dev domains', () => {
    const { endpoints } = ngrokFamilies
    const gateway = createGateway({ families: { endpoints } })
    const error = expectError(() => gateway.declare.devDomain())
    expect([error.key, error.message]).toEqual([
      'field_invalid',
      expect.stringContaining('the dialect standard has no dev domain'),
    ])
  })

  it('is loaded from a store, removed by a reset, and restored from a snapshot', () => {
    const store = memoryStore()
    const { id } = openGateway({ store }).gateway.declare.devDomain()
    const { gateway } = openGateway({ store: memoryStore(store.commits) })
    expect(gateway.reservedDomains.get(id).is_dev).toBe(true)
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot()))
    gateway.reset()
    expect(gateway.reservedDomains.list().reserved_domains).toEqual([])
    gateway.restore(snapshot)
    expect(expectError(() => gateway.reservedDomains.delete(id)).code).toBe('ERR_NGROK_458')
  })
})

describe('The control API declares (contract: declare)', () => {
  it('several resources at once, and returns the resources', async () => {
    const { gateway } = openGateway({ references: 'declared' })
    const control = createControlClient(gateway.fetch, 'http://localhost')
    const json = {
      edge: 'edgtls_2',
      dev_domain: { name: 'a-b-c' },
      credential: { default: true },
      edge_endpoint: { edge: 'edgtcp_1', url: 'tcp://1.tcp.ngrok.io:12345' },
    }
    const { status, body } = await control('POST', '/declare', json)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      dev_domain: { domain: 'a-b-c.ngrok-free.dev', is_dev: true },
      credential: { token: expect.stringContaining('_') },
      edge_endpoint: { type: 'edge', edge: { id: 'edgtcp_1' } },
    })
    expect(expectError(() => gateway.credentials.delete(body.credential.id)).code).toBe('ERR_NGROK_637')
    expect(gateway.tlsEdgeTrafficPolicy.replace('edgtls_2', { value: 'on_tcp_connect: []' }).enabled).toBe(true)
    for (const id of [body.dev_domain.id, body.edge_endpoint.id]) {
      expect((await control('DELETE', `/declare?id=${id}`)).status).toBe(204)
      expect(outcome(await control('DELETE', `/declare?id=${id}`))).toBe('404 ERR_NGROK_90404')
    }
  })

  it('either all resources of a call or none', async () => {
    const { gateway } = openGateway()
    const before = JSON.stringify(gateway.snapshot())
    const json = { dev_domain: {}, edge_endpoint: { edge: 'edgtcp_1', url: 'https://a.com' } }
    const response = await createControlClient(gateway.fetch, 'http://localhost')('POST', '/declare', json)
    expect([outcome(response), JSON.stringify(gateway.snapshot())]).toEqual(['400 ERR_NGROK_215', before])
  })

  it('none of these resources in a gateway without the families', () => {
    const gateway = createGateway({ dialect: ngrok })
    expect(Object.keys(gateway.declare)).toEqual(['edge', 'endpointConfiguration', 'backend', 'end'])
  })
})
