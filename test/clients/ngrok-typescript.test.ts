import { readFileSync } from 'node:fs'
import { Ngrok } from '@ngrok/ngrok-api'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, ngrok } from '../../src/index.ts'
import { type Served, serve } from '../../src/server/node.ts'
import { handlers } from '../../src/testing/msw.ts'

const pem = (name: string) => readFileSync(new URL(`../fixtures/x509/${name}.pem`, import.meta.url), 'utf8')

/** The official client, unmodified, over a loopback port (rules: dialects#ngrok). */
describe('the official TypeScript client, version 0.11.0', () => {
  let gateway: Gateway
  let server: Served
  let client: Ngrok

  beforeAll(async () => {
    gateway = createGateway({ dialect: ngrok, emptyJsonOnDelete: true, keys: ['2aKey'] })
    server = await serve(gateway)
    client = new Ngrok({ apiToken: '2aKey', baseUrl: server.url })
  })

  afterAll(() => server.close())

  it('creates, reads, changes and deletes a reserved address', async () => {
    const created = await client.reservedAddrs.create({ description: 'SSH', metadata: '{"proto":"ssh"}', region: 'eu' })
    expect(created).toMatchObject({ description: 'SSH', metadata: '{"proto":"ssh"}', region: 'eu' })
    expect(created.addr).toMatch(/^\d+\.tcp\.eu\.ngrok\.io:\d+$/)
    expect(created.uri).toBe(`${server.url}/reserved_addrs/${created.id}`)
    expect(await client.reservedAddrs.get(created.id)).toEqual(created)
    const changed = await client.reservedAddrs.update({ id: created.id, description: 'SSH for device 1' })
    expect(changed).toEqual({ ...created, description: 'SSH for device 1' })
    await client.reservedAddrs.delete(created.id)
    await expect(client.reservedAddrs.get(created.id)).rejects.toMatchObject({
      errorCode: 'ERR_NGROK_90404',
      statusCode: 404,
    })
  })

  it('treats the empty region that it sends for an unset one as the default region', async () => {
    expect(await client.reservedAddrs.create({ region: '' })).toMatchObject({ region: 'us' })
  })

  it('reserves a domain under a policy and takes the policy off again', async () => {
    const created = await client.reservedDomains.create({
      domain: 'app.example.com',
      region: '',
      certificateManagementPolicy: { authority: 'letsencrypt', privateKeyType: '' },
    })
    expect(created).toMatchObject({
      region: '',
      certificate: null,
      certificateManagementPolicy: { authority: 'letsencrypt', privateKeyType: 'ecdsa' },
      certificateManagementStatus: { renewsAt: null, provisioningJob: { errorCode: null, retriesAt: null } },
    })
    expect(created.cnameTarget).toMatch(/^[a-z0-9]{17}\.[a-z0-9]{17}\.ngrok-cname\.com$/)
    await client.reservedDomains.deleteCertificateManagementPolicy(created.id)
    expect(await client.reservedDomains.get(created.id)).toMatchObject({ certificateManagementPolicy: null })
  })

  it('throws an error with the code of a conflict', async () => {
    await client.reservedDomains.create({ domain: 'taken.example.com', region: '' })
    const again = client.reservedDomains.create({ domain: 'taken.example.com', region: '' })
    await expect(again).rejects.toMatchObject({
      errorCode: 'ERR_NGROK_413',
      statusCode: 400,
      details: new Map([
        ['operationId', expect.stringMatching(/^op_/)],
        ['field', 'domain'],
        ['rule', 'domain_taken'],
        ['field:domain', expect.stringContaining('taken.example.com')],
      ]),
    })
  })

  it('uploads a certificate of openssl, attaches it to a domain and detaches it', async () => {
    const certificate = await client.tlsCertificates.create({
      description: 'uploaded',
      certificatePem: pem('leaf-p256'),
      privateKeyPem: pem('key-p256'),
    })
    expect(certificate).toMatchObject({ issuedAt: null, privateKeyType: 'ecdsa', certificatePem: pem('leaf-p256') })
    expect(JSON.stringify(certificate)).not.toContain('PRIVATE KEY')
    const domain = await client.reservedDomains.create({
      domain: 'tls.example.com',
      region: '',
      certificateId: certificate.id,
    })
    expect(domain.certificate).toEqual({ id: certificate.id, uri: certificate.uri })
    await expect(client.tlsCertificates.delete(certificate.id)).rejects.toMatchObject({ statusCode: 409 })
    await client.reservedDomains.deleteCertificate(domain.id)
    await client.tlsCertificates.delete(certificate.id)
    expect(gateway.tlsCertificates.list().tls_certificates).toEqual([])
  })

  it('lists all pages with its own name for the cursor before_id', async () => {
    const created: string[] = []
    for (let i = 0; i < 5; i++) created.push(gateway.weightedBackends.create({ description: `${i}` }).id)
    const backends = await client.backends.weightedBackends.list(undefined, '2')
    expect(backends.map((backend) => backend.id)).toEqual(created.reverse())
  })

  it('receives a clear error if it sends weights, because it rewrites their keys', async () => {
    const weights = { bkdhr_2AbC: 5 } as unknown as Map<string, number>
    await expect(client.backends.weightedBackends.create({ backends: weights })).rejects.toMatchObject({
      errorCode: 'ERR_NGROK_6526',
      msg: expect.stringContaining('bkdhr_2_ab_c'),
    })
  })

  it('replaces, reads and removes each route module, which it wraps in an envelope', async () => {
    const route = { edgeId: 'edghts_1', id: 'edghtsrt_1' }
    const modules = client.edgeModules
    const breaker = { ...DEFAULT_BREAKER, numBuckets: 5 }
    const replaced = await modules.edgeRouteCircuitBreakerModule.replace({
      ...route,
      module: { numBuckets: 5 } as never,
    })
    expect(replaced).toEqual(breaker)
    expect(await modules.edgeRouteCircuitBreakerModule.get(route)).toEqual(breaker)
    await modules.edgeRouteCircuitBreakerModule.delete(route)
    await expect(modules.edgeRouteCircuitBreakerModule.get(route)).rejects.toMatchObject({ statusCode: 404 })
    const webhook = { provider: 'TWILIO', secret: 's3cret' }
    expect(await modules.edgeRouteWebhookVerificationModule.replace({ ...route, module: webhook })).toEqual({
      enabled: true,
      ...webhook,
    })
    expect(await modules.edgeRouteCompressionModule.replace({ ...route, module: { enabled: false } })).toEqual({
      enabled: false,
    })
  })
})

const DEFAULT_BREAKER = {
  enabled: true,
  trippedDuration: 10,
  rollingWindow: 10,
  numBuckets: 10,
  volumeThreshold: 10,
  errorThresholdPercentage: 0.5,
}

/** This client uses node:http, not the global fetch: see docs/ngrok.md. */
describe('the official TypeScript client without a server', () => {
  it('is answered by the handlers of fauxgate/msw at the URL of the service', async () => {
    const own = createNgrok()
    const interception = setupServer(...handlers(own))
    interception.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => interception.close())
    const { id } = await new Ngrok({ apiToken: 'any' }).reservedAddrs.create({ description: 'SSH', region: 'us' })
    expect(own.reservedAddrs.get(id).description).toBe('SSH')
  })

  it('does not reach an installed gateway, whose report names the ways that work', async () => {
    const own = createNgrok()
    const installed = own.install()
    onTestFinished(() => installed.uninstall())
    // Nothing listens there, so that the request of the client ends on this machine.
    const escaping = new Ngrok({ apiToken: 'any', baseUrl: 'http://127.0.0.1:1' })
    await expect(escaping.reservedAddrs.create({ region: 'us' })).rejects.toThrow()
    expect(own.report()).toContain('Connect them with the handlers from fauxgate/msw, or with serve from fauxgate/node')
  })
})
