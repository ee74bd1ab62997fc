import { describe, expectTypeOf, test } from 'vitest'
import type { ErrorKey } from '../../src/generated/resources.ts'
import {
  createGateway,
  type Dialect,
  type Fetch,
  type Gateway,
  GatewayError,
  type GatewayOptions,
  type Region,
  standard,
} from '../../src/index.ts'

// Only the types are looked at: nothing of this runs.
const gateway = createGateway()
const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

type Ref = { readonly id: string; readonly uri: string }

describe('createGateway', () => {
  test('takes no options or some, and answers a Gateway', () => {
    expectTypeOf(createGateway()).toExtend<Gateway>()
    expectTypeOf(createGateway({ seed: 'x', dialect: standard, clock: { now: () => 0 } })).toExtend<Gateway>()
    expectTypeOf<{ references: 'declared' }>().toExtend<GatewayOptions>()
  })

  test('keeps the type of the clock that it was given', () => {
    const clock = { now: 0, turn: (_ms: number) => {} }
    expectTypeOf(createGateway({ clock }).clock.turn).toEqualTypeOf<(_ms: number) => void>()
  })

  test('refuses unknown options and wrong values', () => {
    // @ts-expect-error: there is no such option
    createGateway({ sed: 'x' })
    // @ts-expect-error: a seed is a text
    createGateway({ seed: 7 })
    // @ts-expect-error: only two values are allowed
    createGateway({ references: 'none' })
    // @ts-expect-error: a dialect is an object, not its name
    createGateway({ dialect: 'ngrok' })
    // @ts-expect-error: a quirk that there is not
    createGateway({ quirks: { keepBackend: true } })
  })

  test('gives what a client needs', () => {
    expectTypeOf(gateway.url).toEqualTypeOf<string>()
    expectTypeOf(gateway.dialect).toEqualTypeOf<Dialect>()
    expectTypeOf(gateway.fetch).toEqualTypeOf<Fetch>()
    expectTypeOf(gateway.fetch).toExtend<(input: string | URL | Request, init?: RequestInit) => Promise<Response>>()
    // @ts-expect-error: the URL is moved by servedAt only
    gateway.url = 'http://localhost'
  })
})

describe('Reserved addresses', () => {
  test('are created from optional fields', () => {
    expectTypeOf(gateway.reservedAddrs.create).toBeCallableWith()
    expectTypeOf(gateway.reservedAddrs.create).toBeCallableWith({})
    expectTypeOf(gateway.reservedAddrs.create).toBeCallableWith({ description: 'd', metadata: 'm', region: 'eu' })
    // @ts-expect-error: a region is a text
    gateway.reservedAddrs.create({ region: 7 })
    // @ts-expect-error: no such field
    gateway.reservedAddrs.create({ colour: 'red' })
    // @ts-expect-error: a description is a text
    gateway.reservedAddrs.create({ description: 7 })
  })

  test('have all fields of the document, deeply readonly', () => {
    const address = gateway.reservedAddrs.get('ra_1')
    expectTypeOf(address.id).toEqualTypeOf<string>()
    expectTypeOf(address.created_at).toEqualTypeOf<string>()
    expectTypeOf(address.description).toEqualTypeOf<string | undefined>()
    expectTypeOf(address.endpoint_configuration).toEqualTypeOf<Ref | null>()
    expectTypeOf(gateway.reservedAddrs.create()).toEqualTypeOf(address)
    expectTypeOf(gateway.reservedAddrs.update('ra_1', {})).toEqualTypeOf(address)
    // @ts-expect-error: results are readonly
    address.description = 'x'
    // @ts-expect-error: also what is inside
    if (address.endpoint_configuration) address.endpoint_configuration.id = 'ec_2'
    // @ts-expect-error: there is no such field
    address.colour
  })

  test('are named by one id', () => {
    // @ts-expect-error: the id is missing
    gateway.reservedAddrs.get()
    // @ts-expect-error: an id is a text
    gateway.reservedAddrs.get(7)
    // @ts-expect-error: the region cannot be changed
    gateway.reservedAddrs.update('ra_1', { region: 'eu' })
    expectTypeOf(gateway.reservedAddrs.delete).parameters.toEqualTypeOf<[id: string]>()
    expectTypeOf(gateway.reservedAddrs.delete).returns.toEqualTypeOf<void>()
  })

  test('are listed in pages', () => {
    expectTypeOf(gateway.reservedAddrs.list).toBeCallableWith()
    expectTypeOf(gateway.reservedAddrs.list).toBeCallableWith({ limit: 1, before_id: 'ra_1', filter: 'true' })
    const page = gateway.reservedAddrs.list()
    expectTypeOf(page.uri).toEqualTypeOf<string>()
    expectTypeOf(page.next_page_uri).toEqualTypeOf<string | null>()
    expectTypeOf(page.reserved_addrs).toEqualTypeOf<readonly ReturnType<typeof gateway.reservedAddrs.get>[]>()
    // @ts-expect-error: no such parameter
    gateway.reservedAddrs.list({ colour: 'red' })
    // @ts-expect-error: lists are readonly
    page.reserved_addrs.push(gateway.reservedAddrs.get('ra_1'))
  })
})

describe('Reserved domains', () => {
  test('need a domain to be created', () => {
    expectTypeOf(gateway.reservedDomains.create).toBeCallableWith({ domain: 'app.example.com' })
    expectTypeOf(gateway.reservedDomains.create).toBeCallableWith({
      domain: 'app.example.com',
      region: 'eu',
      certificate_id: 'cert_1',
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
    })
    // @ts-expect-error: the domain is missing
    gateway.reservedDomains.create()
    // @ts-expect-error: the domain is missing
    gateway.reservedDomains.create({})
    // @ts-expect-error: the authority is missing
    gateway.reservedDomains.create({ domain: 'a.b', certificate_management_policy: {} })
    // @ts-expect-error: a policy is an object
    gateway.reservedDomains.create({ domain: 'a.b', certificate_management_policy: 'letsencrypt' })
    // @ts-expect-error: the name cannot be changed
    gateway.reservedDomains.update('rd_1', { domain: 'a.b' })
  })

  test('have a certificate, a policy and a status, each or null', () => {
    const domain = gateway.reservedDomains.get('rd_1')
    expectTypeOf(domain.region).toEqualTypeOf<string | null>()
    expectTypeOf(domain.cname_target).toEqualTypeOf<string | null>()
    expectTypeOf(domain.certificate).toEqualTypeOf<Ref | null>()
    expectTypeOf(domain.certificate_management_policy).toEqualTypeOf<{
      readonly authority: 'letsencrypt' | (string & Record<never, never>)
      readonly private_key_type: 'rsa' | 'ecdsa'
    } | null>()
    expectTypeOf(domain.certificate_management_status).toEqualTypeOf<{
      readonly renews_at: string | null
      readonly provisioning_job: {
        readonly error_code: 'INTERNAL_ERROR' | 'DNS_ERROR' | null
        readonly msg: string
        readonly started_at: string
        readonly retries_at: string | null
      } | null
    } | null>()
    expectTypeOf(gateway.reservedDomains.detachCertificate).parameters.toEqualTypeOf<[id: string]>()
    expectTypeOf(gateway.reservedDomains.detachCertificateManagementPolicy).returns.toEqualTypeOf<void>()
  })
})

describe('Weighted backends and TLS certificates', () => {
  test('have maps of weights, readonly', () => {
    expectTypeOf(gateway.weightedBackends.create).toBeCallableWith({ backends: { bkdhr_1: 5 } })
    const { backends } = gateway.weightedBackends.get('bkdwd_1')
    expectTypeOf(backends).toEqualTypeOf<{ readonly [child: string]: number }>()
    expectTypeOf(gateway.weightedBackends.list().backends).items.toHaveProperty('backends')
    // @ts-expect-error: weights are readonly
    backends.bkdhr_1 = 6
    // @ts-expect-error: a weight is a number
    gateway.weightedBackends.create({ backends: { bkdhr_1: '5' } })
  })

  test('have lists of names, readonly, and no private key', () => {
    const certificate = gateway.tlsCertificates.get('cert_1')
    expectTypeOf(certificate.subject_alternative_names).toEqualTypeOf<{
      readonly dns_names: readonly string[]
      readonly ips: readonly string[]
    }>()
    expectTypeOf(certificate.key_usages).toEqualTypeOf<readonly string[]>()
    expectTypeOf(certificate.private_key_type).toEqualTypeOf<'rsa' | 'ecdsa' | 'ed25519'>()
    expectTypeOf(certificate.issued_at).toEqualTypeOf<string | null>()
    expectTypeOf(certificate).not.toHaveProperty('private_key_pem')
    // @ts-expect-error: the certificate cannot be changed
    gateway.tlsCertificates.update('cert_1', { certificate_pem: 'x' })
  })
})

describe('Route modules', () => {
  test('are named by edge and route', () => {
    expectTypeOf(gateway.compression.replace).toBeCallableWith({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
    expectTypeOf(gateway.compression.replace).toBeCallableWith(ROUTE, { enabled: false })
    expectTypeOf(gateway.compression.get(ROUTE)).toEqualTypeOf<{ readonly enabled: boolean }>()
    expectTypeOf(gateway.compression.delete(ROUTE)).toEqualTypeOf<void>()
    // @ts-expect-error: a route alone does not say which edge
    gateway.compression.get('edghtsrt_1')
    // @ts-expect-error: the edge is missing
    gateway.compression.get({ id: 'edghtsrt_1' })
  })

  test('take bodies of their own', () => {
    expectTypeOf(gateway.circuitBreaker.replace).toBeCallableWith(ROUTE)
    expectTypeOf(gateway.circuitBreaker.replace).toBeCallableWith(ROUTE, { num_buckets: 5 })
    expectTypeOf(gateway.circuitBreaker.get(ROUTE).error_threshold_percentage).toEqualTypeOf<number>()
    expectTypeOf(gateway.webhookVerification.replace).toBeCallableWith(ROUTE, { provider: 'github', secret: 's' })
    expectTypeOf(gateway.trafficPolicy.replace).toBeCallableWith(ROUTE, {
      inbound: [{ name: 'x', expressions: ['true'], actions: [{ type: 'log', config: { metadata: { a: 1 } } }] }],
    })
    // @ts-expect-error: a number of buckets is a number
    gateway.circuitBreaker.replace(ROUTE, { num_buckets: '5' })
    // @ts-expect-error: an action has a type
    gateway.trafficPolicy.replace(ROUTE, { inbound: [{ actions: [{}] }] })
  })

  test('are deeply readonly', () => {
    const policy = gateway.trafficPolicy.get(ROUTE)
    // @ts-expect-error: rules are readonly
    policy.inbound.push({ actions: [] })
    // @ts-expect-error: actions are readonly
    policy.inbound[0]?.actions.pop()
    // @ts-expect-error: a breaker's fields are readonly
    gateway.circuitBreaker.get(ROUTE).enabled = false
  })
})

describe('Errors and declarations', () => {
  test('have keys of the catalogue', () => {
    const error = null as unknown as GatewayError
    expectTypeOf(GatewayError.prototype).toExtend<Error>()
    expectTypeOf(error.key).toEqualTypeOf<ErrorKey>()
    expectTypeOf<'domain_taken' | 'not_found' | 'injected_fault'>().toExtend<ErrorKey>()
    expectTypeOf(error.status).toEqualTypeOf<number>()
    expectTypeOf(error.code).toEqualTypeOf<string>()
    expectTypeOf(error.details).toEqualTypeOf<Readonly<Record<string, string>>>()
    // @ts-expect-error: there is no such key
    if (error.key === 'domain_eaten') return
  })

  test('name regions and declare things by id', () => {
    expectTypeOf<Region>().toEqualTypeOf<'au' | 'eu' | 'ap' | 'us' | 'jp' | 'in' | 'sa'>()
    expectTypeOf(gateway.declare.edge).toBeCallableWith('edghts_1', { routes: ['edghtsrt_1'] })
    expectTypeOf(gateway.declare.backend).parameters.toEqualTypeOf<[id: string]>()
    // @ts-expect-error: an id is a text
    gateway.declare.backend(7)
  })
})

describe('The journal', () => {
  test('is looked into by the names that there are', () => {
    const { requests } = gateway
    expectTypeOf(requests.all).toBeCallableWith({ operation: 'reserved_domains.create', method: 'POST', status: 201 })
    expectTypeOf(requests.count).toBeCallableWith({ operation: null })
    expectTypeOf(requests.last).toBeCallableWith((entry) => entry.path === '/reserved_addrs')
    // @ts-expect-error: there is no such operation
    requests.all({ operation: 'reserved_domains.craete' })
    // @ts-expect-error: there is no such field
    requests.count({ operaton: 'reserved_domains.create' })
    // @ts-expect-error: methods are in upper case
    requests.last({ method: 'get' })
  })

  test('holds as many bytes as it is told to', () => {
    expectTypeOf<{ journalBytes: number }>().toExtend<GatewayOptions>()
    // @ts-expect-error: a number of bytes
    createGateway({ journalBytes: '16 MiB' })
  })
})
