import { describe, expect, test } from 'vitest'
import { type Dialect, ngrok, standard } from '../../../src/index.ts'
import { client, outcome } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { open, stateOf } from '../../support/gateway.ts'

const PATH = '/reserved_domains'
const DOMAIN = 'app.example.com'

/** Reserves a domain in the ngrok dialect. Returns the response, and functions that change and read the domain. */
async function reserve(json: object = { domain: DOMAIN }) {
  const gateway = open({ dialect: ngrok })
  const api = client(gateway)
  const created = await api('POST', PATH, { json })
  const path = `${PATH}/${created.body.id}`
  const patch = (json: object) => api('PATCH', path, { json })
  return { gateway, created, patch, get: async () => (await api('GET', path)).body }
}

const create = (dialect: Dialect, json: object) => client(open({ dialect }))('POST', PATH, { json })

describe('Fields that ngrok takes and ignores (rules: dialects#ignored-fields)', () => {
  test('are accepted on update, and without effect', async () => {
    const { created, patch } = await reserve()
    const { status, body } = await patch({ description: 'd', region: 'eu' })
    expect([status, body]).toEqual([200, { ...created.body, description: 'd' }])
  })

  test.each([{ region: 'eu' }, { region: 'mars' }, { domain: DOMAIN }, { name: 'APP.example.com', region: 'eu' }])(
    'count as an empty update if no other field is sent: %j',
    async (json) => {
      const { patch } = await reserve()
      const response = await patch(json)
      expect(outcome(response)).toBe('400 ERR_NGROK_422')
      expect(response.body.msg).toMatch(/ Send at least one of description, .*, resolves_to, error_redirect_url\.$/)
    },
  )

  test.each(['error_redirect_url', 'is_dev', 'resolves_to', 'name', 'http_endpoint_configuration_id'])(
    'are rejected by standard on create: %s',
    async (field) => {
      expect(outcome(await create(standard, { domain: DOMAIN, [field]: null }))).toBe('400 ERR_GATEWAY_214')
    },
  )

  test.each(['error_redirect_url', 'is_dev', 'resolves_to', 'name', 'domain', 'region'])(
    'are rejected by standard on update: %s',
    async (field) => {
      const gateway = open()
      const { id } = gateway.reservedDomains.create({ domain: DOMAIN })
      const response = await client(gateway)('PATCH', `${PATH}/${id}`, { json: { [field]: null } })
      expect(outcome(response)).toBe('400 ERR_GATEWAY_214')
    },
  )
})

describe('Endpoint configurations on create (rules: dialects#extra-fields)', () => {
  test('are linked by ngrok as on update', async () => {
    const links = { http_endpoint_configuration_id: 'ec_1', https_endpoint_configuration_id: 'ec_2' }
    const { created, get } = await reserve({ domain: DOMAIN, ...links })
    const uri = 'https://api.ngrok.com/endpoint_configurations'
    expect(created.body).toMatchObject({
      http_endpoint_configuration: { id: 'ec_1', uri: `${uri}/ec_1` },
      https_endpoint_configuration: { id: 'ec_2', uri: `${uri}/ec_2` },
    })
    expect(await get()).toEqual(created.body)
    const json = { endpoint_configuration_id: 'ec_3' }
    const address = await client(open({ dialect: ngrok }))('POST', '/reserved_addrs', { json })
    expect(address.body.endpoint_configuration).toEqual({ id: 'ec_3', uri: `${uri}/ec_3` })
  })

  test('follow the rules of references', async () => {
    const api = client(open({ dialect: ngrok, references: 'declared' }))
    for (const field of ['http_endpoint_configuration_id', 'https_endpoint_configuration_id']) {
      const response = await api('POST', PATH, { json: { domain: DOMAIN, [field]: 'ec_1' } })
      expect(outcome(response)).toBe('400 ERR_NGROK_90411')
      expect(Object.keys(withoutFacts(response.body.details))).toEqual(['operation_id', `field:${field}`])
    }
    const json = { endpoint_configuration_id: 'ec_1' }
    expect(outcome(await api('POST', '/reserved_addrs', { json }))).toBe('400 ERR_NGROK_90411')
    const wrong = { endpoint_configuration_id: 'rd_1' }
    expect(outcome(await api('POST', '/reserved_addrs', { json: wrong }))).toBe('400 ERR_NGROK_227')
    expect((await api('POST', '/reserved_addrs', { json: { endpoint_configuration_id: '' } })).status).toBe(201)
  })
})

describe('resolves_to of a domain (rules: dialects#extra-fields)', () => {
  const US = [{ value: 'us' }]
  const BOTH = [{ value: 'us' }, { value: 'eu' }]

  test('is the last field of a response, once it was set', async () => {
    const { created, patch, get } = await reserve()
    expect(Object.hasOwn(created.body, 'resolves_to')).toBe(false)
    const { status, body } = await patch({ resolves_to: BOTH })
    expect([status, body.resolves_to]).toEqual([200, BOTH])
    expect(Object.keys(body)).toEqual([...Object.keys(created.body), 'resolves_to'])
    expect(await get()).toEqual(body)
  })

  test('can be set on create, stays, is replaced as a whole and emptied', async () => {
    const { created, patch } = await reserve({ domain: DOMAIN, resolves_to: BOTH })
    expect(created.body.resolves_to).toEqual(BOTH)
    expect((await patch({ metadata: 'm', resolves_to: null })).body.resolves_to).toEqual(BOTH)
    expect((await patch({ resolves_to: US })).body.resolves_to).toEqual(US)
    expect((await patch({ resolves_to: [] })).body.resolves_to).toEqual([])
    expect((await patch({ metadata: 'n' })).body.resolves_to).toEqual([])
  })

  test.each([
    ['us', 'resolves_to'],
    [{ value: 'us' }, 'resolves_to'],
    [[null], 'resolves_to.0'],
    [[{}], 'resolves_to.0.value'],
    [[{ value: 7 }], 'resolves_to.0.value'],
    [[...US, { value: '' }], 'resolves_to.1.value', 'invalid_region_target'],
    [[{ value: 'banana' }], 'resolves_to.0.value', 'invalid_region_target'],
    [[{ value: 'united-states' }], 'resolves_to.0.value', 'invalid_region_target'],
    [[{ value: '192.0.2.300' }], 'resolves_to.0.value', 'invalid_region_target'],
    [[{ value: '192.0.2.1:0' }], 'resolves_to.0.value', 'invalid_region_target'],
    [[{ value: '192.0.2.1:65536' }], 'resolves_to.0.value', 'invalid_region_target'],
    [[...BOTH, ...US], 'resolves_to.2.value', 'ERR_NGROK_456'],
  ])('cannot be %j (rules: reserved-domains#resolves-to)', async (resolves_to, field, code = 'ERR_NGROK_215') => {
    const { gateway, patch } = await reserve()
    const before = stateOf(gateway)
    const response = await patch({ resolves_to })
    expect(outcome(response)).toBe(`400 ${code}`)
    expect(response.body.details[`field:${field}`]).toBe(response.body.msg)
    expect(stateOf(gateway)).toBe(before)
  })
})

describe('The alias name of domain (rules: dialects#the-alias-name)', () => {
  test('names the domain in ngrok, also with an empty domain', async () => {
    for (const domain of [undefined, null, '']) {
      const { status, body } = await create(ngrok, { name: 'App.example.com', domain })
      expect([status, body.domain, Object.hasOwn(body, 'name')]).toEqual([201, DOMAIN, false])
    }
    expect((await create(ngrok, { domain: DOMAIN, name: '' })).status).toBe(201)
  })

  test('is rejected together with domain, even with the same value', async () => {
    const response = await create(ngrok, { name: DOMAIN, domain: DOMAIN })
    expect(outcome(response)).toBe('400 ERR_NGROK_449')
    expect(response.body.msg).toBe('name and domain were both sent, but they are the same field. Send only domain.')
    const { patch } = await reserve()
    expect(outcome(await patch({ name: DOMAIN, domain: DOMAIN, metadata: 'm' }))).toBe('400 ERR_NGROK_449')
  })

  test.each([
    ['a_b.example.com', 'name is "a_b.example.com". Allowed: a name without "_".'],
    ['a_b', 'name is "a_b". Allowed: a name without "_".'],
    [7, 'name is 7. Allowed: a string.'],
  ])('is the name of the field in messages and details: %j', async (name, msg) => {
    const { status, body } = await create(ngrok, { name })
    expect([status, body.msg]).toEqual([400, msg])
    expect(withoutFacts(body.details)).toEqual({ operation_id: body.details.operation_id, 'field:name': msg })
  })

  test('is the name of the field in the details of an error about a taken name', async () => {
    const { gateway } = await reserve()
    const response = await client(gateway)('POST', PATH, { json: { name: 'APP.example.com' } })
    expect(outcome(response)).toBe('400 ERR_NGROK_413')
    expect(response.body.details['field:name']).toBe(response.body.msg)
    expect(Object.hasOwn(response.body.details, 'field:domain')).toBe(false)
  })
})

describe("A domain's own name in an update (rules: dialects#extra-fields)", () => {
  test.each([{ domain: DOMAIN }, { domain: 'APP.Example.com' }, { name: DOMAIN }, { name: null }, { domain: '' }])(
    'is accepted together with a value: %j',
    async (own) => {
      const { created, patch } = await reserve()
      const { status, body } = await patch({ ...own, region: 'us', metadata: 'm' })
      expect([status, body]).toEqual([200, { ...created.body, metadata: 'm' }])
    },
  )

  test.each([
    ['domain', 'b.example.com'],
    ['name', 'b.example.com'],
    ['name', 'app'],
    ['domain', 'app'],
  ])('cannot be another one: %s %s', async (field, value) => {
    const { gateway, patch } = await reserve()
    const before = stateOf(gateway)
    const { status, body } = await patch({ [field]: value, metadata: 'm' })
    const msg = `${field} is "${value}". Allowed: "app.example.com", the domain's own name, which cannot be changed.`
    expect([status, body.error_code, body.msg]).toEqual([400, 'ERR_NGROK_215', msg])
    expect(body.details[`field:${field}`]).toBe(msg)
    expect(stateOf(gateway)).toBe(before)
  })
})

describe('A bare name (rules: dialects#bare-names)', () => {
  test('reserves that label below the first service-owned domain', async () => {
    const { created, patch } = await reserve({ name: 'App' })
    expect(created.body).toMatchObject({ domain: 'app.ngrok.io', cname_target: null })
    expect((await patch({ name: 'APP', metadata: 'm' })).status).toBe(200)
    const dialect = { ...ngrok, serviceDomains: ['acme.example', 'ngrok.io'] }
    expect((await create(dialect, { name: 'app' })).body.domain).toBe('app.acme.example')
  })

  test('cannot be reserved twice, not even as the whole name', async () => {
    const { gateway } = await reserve({ name: 'app' })
    for (const json of [{ name: 'app' }, { domain: 'app.ngrok.io' }]) {
      const response = await client(gateway)('POST', PATH, { json })
      expect(outcome(response)).toBe('400 ERR_NGROK_413')
      expect(response.body.msg).toContain('"app.ngrok.io"')
    }
  })

  test.each([
    ['-app', '400 ERR_NGROK_407'],
    ['app-', '400 ERR_NGROK_408'],
    ['ab--c', '400 ERR_NGROK_410'],
    ['xn--0', '400 ERR_NGROK_429'],
    ['a b', '400 ERR_NGROK_406'],
    ['w*', '400 ERR_NGROK_403'],
    ['a'.repeat(64), '400 ERR_NGROK_513'],
    ['123', '201'],
    ['localhost', '201'],
  ])('follows the rules of labels: %s', async (name, expected) => {
    expect(outcome(await create(ngrok, { name }))).toBe(expected)
  })

  test('is rejected as domain, and by standard', async () => {
    expect(outcome(await create(ngrok, { domain: 'app' }))).toBe('400 ERR_NGROK_448')
    expect(outcome(await create(standard, { domain: 'app' }))).toBe('400 ERR_GATEWAY_448')
  })
})
