import { describe, expect, test } from 'vitest'
import { client, outcome, refusalOf } from '../support/client.ts'
import { handClock, open, START } from '../support/gateway.ts'

const PATH = '/reserved_addrs'

describe('Creating a reserved address (rules: reserved-addresses#resource)', () => {
  test('answers 201 with every field in the order of the table, description and metadata absent when not set', async () => {
    const { status, body } = await client(open())('POST', PATH, { json: {} })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['id', 'uri', 'created_at', 'addr', 'region', 'endpoint_configuration'])
    expect(body.id).toMatch(/^ra_[0-9A-Za-z]{27}$/)
    expect(body.uri).toBe(`https://api.gateway.test/reserved_addrs/${body.id}`)
    expect(body.created_at).toBe('2025-09-04T10:11:14Z')
    expect(body.region).toBe('us')
    expect(body.endpoint_configuration).toBeNull()
  })

  test('takes a request without any body as one without values (rules: requests#body)', async () => {
    expect((await client(open())('POST', PATH)).body.region).toBe('us')
  })

  test.each(['au', 'eu', 'ap', 'jp', 'in', 'sa'])(
    'takes the region %s and assigns an address there (rules: limits#regions)',
    async (region) => {
      const { body } = await client(open())('POST', PATH, { json: { region } })
      expect(body.region).toBe(region)
      expect(body.addr).toMatch(new RegExp(`^\\d+\\.tcp\\.${region}\\.gateway\\.test:\\d{5}$`))
    },
  )

  test.each(['US', 'us ', 'mars', 7, true, ['us'], { us: 1 }])('refuses the region %j', async (region) => {
    const answer = await client(open())('POST', PATH, { json: { region } })
    expect(outcome(answer)).toBe('400 ERR_GATEWAY_500')
  })

  test('assigns ports from 10000 to 29999, all over that range (rules: reserved-addresses#address)', () => {
    const gateway = open({ addressesPerRegion: 40_000 })
    const parts = Array.from({ length: 400 }, () => gateway.reservedAddrs.create().addr.split(':'))
    const ports = parts.map(([, port]) => Number(port)).sort((a, b) => a - b)
    expect([ports[0], ports.at(-1)].map((port = 0) => Math.floor(port / 1000))).toEqual([10, 29])
    expect(new Set(parts.map(([host]) => host))).toEqual(new Set(['0.tcp.gateway.test', '1.tcp.gateway.test']))
  })

  test('never assigns an address twice, and a deleted one again (rules: reserved-addresses#address)', () => {
    const gateway = open({ addressesPerRegion: 40 })
    const made = Array.from({ length: 40 }, () => gateway.reservedAddrs.create())
    expect(new Set(made.map(({ addr }) => addr)).size).toBe(40)
    expect(refusalOf(() => gateway.reservedAddrs.create())).toBe('address_pool_exhausted')
    const freed = made[17] as (typeof made)[0]
    gateway.reservedAddrs.delete(freed.id)
    expect(gateway.reservedAddrs.create().addr).toBe(freed.addr)
  })

  test('counts the addresses of each region on their own (rules: reserved-addresses#address)', () => {
    const gateway = open({ addressesPerRegion: 1 })
    gateway.reservedAddrs.create({ region: 'us' })
    expect(refusalOf(() => gateway.reservedAddrs.create({ region: 'eu' }))).toBe('ok')
    expect(refusalOf(() => gateway.reservedAddrs.create({ region: 'eu' }))).toBe('address_pool_exhausted')
  })
})

describe('The metadata of a reserved address (rules: limits#texts)', () => {
  test.each([
    ['ASCII', 'x'.repeat(4096)],
    ['two-byte characters', 'ü'.repeat(2048)],
    ['three-byte characters', `${'東'.repeat(1365)}x`],
    ['four-byte characters', '😀'.repeat(1024)],
  ])('may have exactly 4096 bytes in UTF-8 and not one more: %s', async (_what, metadata) => {
    const api = client(open())
    const { status, body } = await api('POST', PATH, { json: { metadata } })
    expect([status, body.metadata]).toEqual([201, metadata])
    const longer = { json: { metadata: `${metadata}x` } }
    expect(outcome(await api('POST', PATH, longer))).toBe('400 ERR_GATEWAY_505')
    expect(outcome(await api('PATCH', `${PATH}/${body.id}`, longer))).toBe('400 ERR_GATEWAY_505')
  })

  test('is the only limited text: a description can be long', async () => {
    const { status, body } = await client(open())('POST', PATH, { json: { description: 'x'.repeat(100_000) } })
    expect([status, body.description.length]).toEqual([201, 100_000])
  })
})

describe('Reading and deleting a reserved address (rules: reserved-addresses#resource)', () => {
  test('answers GET with 200 and exactly what the creation answered', async () => {
    const api = client(open())
    const created = await api('POST', PATH, { json: { description: 'one' } })
    const got = await api('GET', `${PATH}/${created.body.id}`)
    expect([got.status, got.text]).toEqual([200, created.text])
  })

  test('deletes with 204, after which it is gone for GET, PATCH, DELETE and the list', async () => {
    const api = client(open())
    const { id } = (await api('POST', PATH)).body
    const deleted = await api('DELETE', `${PATH}/${id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect(outcome(await api('GET', `${PATH}/${id}`))).toBe('404 ERR_GATEWAY_90404')
    expect(outcome(await api('PATCH', `${PATH}/${id}`, { json: { metadata: 'x' } }))).toBe('404 ERR_GATEWAY_90404')
    expect(outcome(await api('DELETE', `${PATH}/${id}`))).toBe('404 ERR_GATEWAY_90404')
    expect((await api('GET', PATH)).body.reserved_addrs).toEqual([])
  })
})

describe('Changing a reserved address (rules: reserved-addresses#resource)', () => {
  test('changes what was sent, keeps the rest, and answers 200 with the whole address', async () => {
    const clock = handClock()
    const api = client(open({ clock }))
    const { body: before } = await api('POST', PATH, { json: { description: 'one', metadata: 'm', region: 'eu' } })
    clock.turn(60_000)
    const { status, body } = await api('PATCH', `${PATH}/${before.id}`, { json: { description: 'two' } })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, description: 'two' })
    expect((await api('GET', `${PATH}/${before.id}`)).body).toEqual(body)
  })

  test('can empty a description and metadata that were set, but not set empty ones (rules: fields#absent-until-set)', async () => {
    const api = client(open())
    const { id } = (await api('POST', PATH, { json: { description: 'one', metadata: 'm' } })).body
    const emptied = await api('PATCH', `${PATH}/${id}`, { json: { description: '', metadata: '' } })
    expect([emptied.status, emptied.body.description, emptied.body.metadata]).toEqual([200, '', ''])
    const plain = (await api('POST', PATH)).body
    const untouched = await api('PATCH', `${PATH}/${plain.id}`, { json: { description: '', metadata: '' } })
    expect([untouched.status, untouched.body]).toEqual([200, plain])
  })

  test('links an endpoint configuration as a reference, and keeps it on the next change', async () => {
    const api = client(open())
    const { id } = (await api('POST', PATH)).body
    const linked = { id: 'ec_1', uri: 'https://api.gateway.test/endpoint_configurations/ec_1' }
    const first = await api('PATCH', `${PATH}/${id}`, { json: { endpoint_configuration_id: 'ec_1' } })
    expect(first.body.endpoint_configuration).toEqual(linked)
    expect(Object.keys(first.body.endpoint_configuration)).toEqual(['id', 'uri'])
    const second = await api('PATCH', `${PATH}/${id}`, { json: { metadata: 'x', endpoint_configuration_id: '' } })
    expect(second.body.endpoint_configuration).toEqual(linked)
  })

  test.each([
    ['rd_1', '400 ERR_GATEWAY_227'],
    ['ecx_1', '400 ERR_GATEWAY_227'],
    ['nonsense', '400 ERR_GATEWAY_223'],
    ['ec_', '400 ERR_GATEWAY_223'],
    [7, '400 ERR_GATEWAY_215'],
  ])(
    'refuses %j as an endpoint configuration (rules: reserved-addresses#endpoint-configuration)',
    async (id, expected) => {
      const api = client(open())
      const { body } = await api('POST', PATH)
      const answer = await api('PATCH', `${PATH}/${body.id}`, { json: { endpoint_configuration_id: id } })
      expect(outcome(answer)).toBe(expected)
    },
  )

  test('cannot change the region or the address (rules: reserved-addresses#resource)', async () => {
    const api = client(open())
    const { id } = (await api('POST', PATH)).body
    for (const json of [{ region: 'eu' }, { addr: '1.tcp.gateway.test:10000' }]) {
      expect(outcome(await api('PATCH', `${PATH}/${id}`, { json }))).toBe('400 ERR_GATEWAY_214')
    }
  })

  test.each([{}, { description: null, metadata: null }, { endpoint_configuration_id: '' }])(
    'refuses an update with no value at all: %j (rules: reserved-addresses#update)',
    async (json) => {
      const api = client(open())
      const { id } = (await api('POST', PATH)).body
      expect(outcome(await api('PATCH', `${PATH}/${id}`, { json }))).toBe('400 ERR_GATEWAY_506')
      expect(outcome(await api('PATCH', `${PATH}/${id}`, { json: { ...json, id } }))).toBe('400 ERR_GATEWAY_506')
    },
  )

  test("accepts the id in the body only when it is the path's own (rules: requests#fields)", async () => {
    const api = client(open())
    const { id } = (await api('POST', PATH)).body
    expect((await api('PATCH', `${PATH}/${id}`, { json: { id, metadata: 'x' } })).status).toBe(200)
    const other = await api('PATCH', `${PATH}/${id}`, { json: { id: 'ra_other', metadata: 'x' } })
    expect(outcome(other)).toBe('400 ERR_GATEWAY_215')
    expect(outcome(await api('POST', PATH, { json: { id } }))).toBe('400 ERR_GATEWAY_214')
  })

  test('knows only declared endpoint configurations with references "declared" (rules: references#declared)', () => {
    const gateway = open({ references: 'declared' })
    const { id } = gateway.reservedAddrs.create()
    const link = () => gateway.reservedAddrs.update(id, { endpoint_configuration_id: 'ec_1' })
    expect(refusalOf(link)).toBe('endpoint_configuration_not_found')
    gateway.declare.endpointConfiguration('ec_1')
    expect(refusalOf(link)).toBe('ok')
  })
})

describe('Results of the direct API (rules: reserved-addresses#resource)', () => {
  test("show when the address was created in whole seconds of the gateway's clock (rules: time#timestamps)", () => {
    const time = { ms: START }
    const gateway = open({ clock: { now: () => time.ms } })
    time.ms = Date.UTC(2031, 0, 1, 0, 0, 0, 999)
    expect(gateway.reservedAddrs.create().created_at).toBe('2031-01-01T00:00:00Z')
  })

  test('answer undefined for a deletion and leave nothing behind', () => {
    const gateway = open()
    const records = () => JSON.stringify(gateway.snapshot().records)
    const before = records()
    expect(gateway.reservedAddrs.delete(gateway.reservedAddrs.create().id)).toBeUndefined()
    expect(records()).toBe(before)
  })
})
