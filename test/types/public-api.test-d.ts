import { describe, expectTypeOf, test } from 'vitest'
import {
  createGateway,
  type Dialect,
  type ErrorKey,
  type Fetch,
  type Gateway,
  GatewayError,
  type GatewayOptions,
  standard,
} from '../../src/index.ts'

// Vitest checks only the types of this file, and runs nothing.
const gateway = createGateway()
const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

type Ref = { readonly id: string; readonly uri: string }

describe('createGateway', () => {
  test('takes options or none, and returns a Gateway', () => {
    expectTypeOf(createGateway()).toExtend<Gateway>()
    expectTypeOf(createGateway({ seed: 'x', dialect: standard, clock: { now: () => 0 } })).toExtend<Gateway>()
    expectTypeOf<{ references: 'declared' }>().toExtend<GatewayOptions>()
  })

  test('keeps the type of the clock that it receives', () => {
    const clock = { now: 0, turn: (_ms: number) => {} }
    expectTypeOf(createGateway({ clock }).clock.turn).toEqualTypeOf<(_ms: number) => void>()
  })

  test('rejects unknown options and wrong values', () => {
    // @ts-expect-error: there is no such option
    createGateway({ sed: 'x' })
    // @ts-expect-error: a seed is a text
    createGateway({ seed: 7 })
    // @ts-expect-error: only two values are allowed
    createGateway({ references: 'none' })
    // @ts-expect-error: a dialect is an object, not its name
    createGateway({ dialect: 'ngrok' })
    // @ts-expect-error: there is no such quirk
    createGateway({ quirks: { keepBackend: true } })
  })

  test('has what a client needs', () => {
    expectTypeOf(gateway.url).toEqualTypeOf<string>()
    expectTypeOf(gateway.dialect).toEqualTypeOf<Dialect>()
    expectTypeOf(gateway.fetch).toExtend<Fetch>()
    expectTypeOf(gateway.fetch).parameter(1).exclude<undefined>().toHaveProperty('from')
    expectTypeOf(gateway.fetch).toExtend<(input: string | URL | Request, init?: RequestInit) => Promise<Response>>()
    // @ts-expect-error: only servedAt changes the URL
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
    // @ts-expect-error: there is no such field
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
    // @ts-expect-error: objects inside results are readonly too
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
})

describe('Route modules', () => {
  test('are named by edge and route', () => {
    expectTypeOf(gateway.compression.replace).toBeCallableWith({ edge_id: 'edghts_1', id: 'edghtsrt_1' })
    expectTypeOf(gateway.compression.replace).toBeCallableWith(ROUTE, { enabled: false })
    expectTypeOf(gateway.compression.get(ROUTE)).toEqualTypeOf<{ readonly enabled: boolean }>()
    expectTypeOf(gateway.compression.delete(ROUTE)).toEqualTypeOf<void>()
    // @ts-expect-error: the id of a route does not name its edge
    gateway.compression.get('edghtsrt_1')
    // @ts-expect-error: the edge is missing
    gateway.compression.get({ id: 'edghtsrt_1' })
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
})

describe('The journal', () => {
  test('can be searched only by names that exist', () => {
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
})
