import { describe, expect, test } from 'vitest'
import { client, outcome, refusalKey } from '../../support/client.ts'
import { open, START } from '../../support/gateway.ts'

const PATH = '/reserved_addrs'

describe('Creating a reserved address (rules: reserved-addresses#resource)', () => {
  test('returns 201 with every field in the order of the table, without description and metadata if they are not set', async () => {
    const { status, body } = await client(open())('POST', PATH, { json: {} })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['id', 'uri', 'created_at', 'addr', 'region', 'endpoint_configuration'])
    expect(body.id).toMatch(/^ra_[0-9A-Za-z]{27}$/)
    expect(body.uri).toBe(`https://api.gateway.test/reserved_addrs/${body.id}`)
    expect(body.created_at).toBe('2025-09-04T10:11:14Z')
    expect(body.region).toBe('us')
    expect(body.endpoint_configuration).toBeNull()
  })

  test('reads a request without a body like one without values (rules: requests#body)', async () => {
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

  test.each(['US', 'us ', 'mars', 7, true, ['us'], { us: 1 }])('rejects the region %j', async (region) => {
    const response = await client(open())('POST', PATH, { json: { region } })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_500')
  })
})

describe('Changing a reserved address (rules: reserved-addresses#resource)', () => {
  test('links an endpoint configuration as a reference, and keeps it on the next change', async () => {
    const api = client(open())
    const { id } = (await api('POST', PATH)).body
    const link = { id: 'ec_1', uri: 'https://api.gateway.test/endpoint_configurations/ec_1' }
    const first = await api('PATCH', `${PATH}/${id}`, { json: { endpoint_configuration_id: 'ec_1' } })
    expect(first.body.endpoint_configuration).toEqual(link)
    expect(Object.keys(first.body.endpoint_configuration)).toEqual(['id', 'uri'])
    const second = await api('PATCH', `${PATH}/${id}`, { json: { metadata: 'x', endpoint_configuration_id: '' } })
    expect(second.body.endpoint_configuration).toEqual(link)
  })

  test.each([
    ['rd_1', '400 ERR_GATEWAY_227'],
    ['ecx_1', '400 ERR_GATEWAY_227'],
    ['nonsense', '400 ERR_GATEWAY_223'],
    ['ec_', '400 ERR_GATEWAY_223'],
    [7, '400 ERR_GATEWAY_215'],
  ])(
    'rejects %j as an endpoint configuration (rules: reserved-addresses#endpoint-configuration)',
    async (id, expected) => {
      const api = client(open())
      const { body } = await api('POST', PATH)
      const response = await api('PATCH', `${PATH}/${body.id}`, { json: { endpoint_configuration_id: id } })
      expect(outcome(response)).toBe(expected)
    },
  )

  test('knows only declared endpoint configurations with references "declared" (rules: references#declared)', () => {
    const gateway = open({ references: 'declared' })
    const { id } = gateway.reservedAddrs.create()
    const link = () => gateway.reservedAddrs.update(id, { endpoint_configuration_id: 'ec_1' })
    expect(refusalKey(link)).toBe('endpoint_configuration_not_found')
    gateway.declare.endpointConfiguration('ec_1')
    expect(refusalKey(link)).toBe('ok')
  })
})

describe('Results of the direct API (rules: reserved-addresses#resource)', () => {
  test("show when the address was created in whole seconds of the gateway's clock (rules: time#timestamps)", () => {
    const time = { ms: START }
    const gateway = open({ clock: { now: () => time.ms } })
    time.ms = Date.UTC(2031, 0, 1, 0, 0, 0, 999)
    expect(gateway.reservedAddrs.create().created_at).toBe('2031-01-01T00:00:00Z')
  })

  test('are undefined for a deletion, which leaves nothing behind', () => {
    const gateway = open()
    const readRecords = () => JSON.stringify(gateway.snapshot().records)
    const before = readRecords()
    expect(gateway.reservedAddrs.delete(gateway.reservedAddrs.create().id)).toBeUndefined()
    expect(readRecords()).toBe(before)
  })
})
