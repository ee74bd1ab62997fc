import { describe, expect, test } from 'vitest'
import { client, outcome, refusalKey } from '../../support/client.ts'
import { open, stateOf } from '../../support/gateway.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const BASE = '/edges/https/edghts_1/routes/edghtsrt_1'
const BREAKER = {
  enabled: true,
  tripped_duration: 10,
  rolling_window: 10,
  num_buckets: 10,
  volume_threshold: 10,
  error_threshold_percentage: 0.5,
}

/** Each module: the last segment of its path, a minimal body, and the response to that body. */
const MODULES = [
  ['compression', {}, { enabled: true }],
  ['circuit_breaker', {}, BREAKER],
  ['policy', {}, { enabled: true, inbound: [], outbound: [] }],
  [
    'webhook_verification',
    { provider: 'github', secret: 's3cret' },
    { enabled: true, provider: 'github', secret: 's3cret' },
  ],
] as const

describe.each(MODULES)('The module %s (rules: route-modules#singletons)', (segment, body, fields) => {
  const path = `${BASE}/${segment}`
  const moduleName = segment === 'policy' ? 'traffic policy' : segment.replace('_', ' ')

  test('is returned by PUT with 200, has all fields in the order of the table, and is enabled by default', async () => {
    const response = await client(open())('PUT', path, { json: body })
    expect(response.status).toBe(200)
    expect(response.text).toBe(JSON.stringify(fields))
  })

  test('is read by GET after a PUT; before it GET returns 404 (rules: route-modules#singletons)', async () => {
    const api = client(open())
    const before = await api('GET', path)
    expect(outcome(before)).toBe('404 ERR_GATEWAY_90404')
    expect(before.body.msg).toBe(`There is no ${moduleName} module on the route edghtsrt_1.`)
    expect(before.body.details).toMatchObject(ROUTE)
    const put = await api('PUT', path, { json: body })
    const read = await api('GET', path)
    expect([read.status, read.text]).toEqual([200, put.text])
  })

  test('is removed by DELETE with 204, even if it was never set', async () => {
    const gateway = open()
    const api = client(gateway)
    const before = stateOf(gateway)
    expect((await api('DELETE', path)).status).toBe(204)
    await api('PUT', path, { json: body })
    const deleted = await api('DELETE', path)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect(outcome(await api('GET', path))).toBe('404 ERR_GATEWAY_90404')
    expect(stateOf(gateway)).toBe(before)
  })

  test.each([
    [false, false],
    [true, true],
    [null, true],
  ])('takes enabled %j as %j', async (enabled, expected) => {
    const response = await client(open())('PUT', path, { json: { ...body, enabled } })
    expect(response.body.enabled).toBe(expected)
  })

  test.each(['true', 1, '', []])('rejects enabled %j', async (enabled) => {
    const response = await client(open())('PUT', path, { json: { ...body, enabled } })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_215')
    expect(response.body.details['field:enabled']).toBe(response.body.msg)
  })

  test('rejects an unknown field', async () => {
    const response = await client(open())('PUT', path, { json: { ...body, colour: 'red' } })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_214')
  })

  test('accepts edge_id and id in the body if they equal those of the path (rules: requests#fields)', async () => {
    const api = client(open())
    expect((await api('PUT', path, { json: { ...body, ...ROUTE } })).status).toBe(200)
    for (const other of [{ edge_id: 'edghts_2' }, { id: 'edghtsrt_2' }, { id: 7 }]) {
      const response = await api('PUT', path, { json: { ...body, ...other } })
      expect(outcome(response)).toBe('400 ERR_GATEWAY_215')
    }
  })

  test('is replaced as a whole: fields that the second PUT omits have their defaults again', async () => {
    const api = client(open())
    await api('PUT', path, { json: { ...body, enabled: false } })
    expect((await api('PUT', path, { json: body })).body).toEqual(fields)
    expect((await api('GET', path)).body).toEqual(fields)
  })

  test('exists once per route of an edge, and does not affect other modules', async () => {
    const api = client(open())
    await api('PUT', path, { json: { ...body, enabled: false } })
    for (const other of ['edghts_1/routes/edghtsrt_2', 'edghts_2/routes/edghtsrt_1']) {
      expect((await api('GET', `/edges/https/${other}/${segment}`)).status).toBe(404)
    }
    for (const [otherSegment] of MODULES) {
      expect((await api('GET', `${BASE}/${otherSegment}`)).status).toBe(otherSegment === segment ? 200 : 404)
    }
  })

  test.each([
    ['edghts_1', 'edghts_1', '227'],
    ['edghtsrt_1', 'edghtsrt_1', '227'],
    ['nonsense', 'edghtsrt_1', '223'],
    ['edghts_1', 'nonsense', '223'],
  ])('rejects the edge %s with the route %s because of their ids', async (edge, route, number) => {
    const api = client(open())
    const modulePath = `/edges/https/${edge}/routes/${route}/${segment}`
    expect(outcome(await api('GET', modulePath))).toBe(`400 ERR_GATEWAY_${number}`)
    expect(outcome(await api('PUT', modulePath, { json: body }))).toBe(`400 ERR_GATEWAY_${number}`)
    expect(outcome(await api('DELETE', modulePath))).toBe(`400 ERR_GATEWAY_${number}`)
  })

  test('exists only on declared routes of declared edges with references "declared" (rules: references#declared)', async () => {
    const gateway = open({ references: 'declared' })
    const api = client(gateway)
    const listOutcomes = async () => [
      outcome(await api('GET', path)),
      outcome(await api('PUT', path, { json: body })),
      outcome(await api('DELETE', path)),
    ]
    expect(await listOutcomes()).toEqual(Array(3).fill('404 ERR_GATEWAY_7000'))
    gateway.declare.edge('edghts_1')
    expect(await listOutcomes()).toEqual(Array(3).fill('404 ERR_GATEWAY_90404'))
    gateway.declare.edge('edghts_2', { routes: ['edghtsrt_1'] })
    expect(await listOutcomes()).toEqual(Array(3).fill('404 ERR_GATEWAY_90404'))
    gateway.declare.edge('edghts_1', { routes: ['edghtsrt_9', 'edghtsrt_1'] })
    expect(await listOutcomes()).toEqual(['404 ERR_GATEWAY_90404', '200', '204'])
  })
})

describe('The circuit breaker (rules: circuit-breaker#numbers, circuit-breaker#defaults)', () => {
  const put = (json: object) => client(open())('PUT', `${BASE}/circuit_breaker`, { json })
  const LARGEST = 4_294_967_295

  test.each([
    ['tripped_duration', 1],
    ['tripped_duration', LARGEST],
    ['rolling_window', LARGEST],
    ['num_buckets', 1],
    ['num_buckets', 128],
    ['volume_threshold', 0],
    ['volume_threshold', LARGEST],
    ['error_threshold_percentage', 0],
    ['error_threshold_percentage', 1],
  ])('takes %s = %d and defaults for the rest', async (field, value) => {
    const { status, body } = await put({ [field]: value })
    expect([status, body]).toEqual([200, { ...BREAKER, [field]: value }])
  })

  test.each([
    ['tripped_duration', 0, '7016'],
    ['tripped_duration', 1.5, '7016'],
    ['tripped_duration', LARGEST + 1, '7016'],
    ['rolling_window', 0, '7017'],
    ['rolling_window', LARGEST + 1, '7017'],
    ['num_buckets', 0, '7018'],
    ['num_buckets', 129, '7018'],
    ['volume_threshold', -1, '215'],
    ['volume_threshold', LARGEST + 1, '215'],
    ['volume_threshold', '10', '215'],
    ['error_threshold_percentage', -0.01, '7011'],
    ['error_threshold_percentage', 1.01, '7011'],
  ])('rejects %s = %j', async (field, value, number) => {
    const response = await put({ [field]: value })
    expect(outcome(response)).toBe(`400 ERR_GATEWAY_${number}`)
    expect(response.body.details[`field:${field}`]).toBe(response.body.msg)
  })
})

describe('Declaring through the direct API (rules: references#declared)', () => {
  test.each([
    ['edge', 'edghtsrt_1'],
    ['edge', 'nonsense'],
    ['endpointConfiguration', 'rd_1'],
    ['backend', 'ec_1'],
    ['backend', 'bkdhr'],
  ] as const)('rejects %s %s with an error that names the id', (what, id) => {
    const gateway = open({ references: 'declared' })
    const before = stateOf(gateway)
    expect(() => gateway.declare[what](id)).toThrow(id)
    expect(stateOf(gateway)).toBe(before)
  })

  test('declares neither the edge nor its routes if one route is wrong', () => {
    const gateway = open({ references: 'declared' })
    const before = stateOf(gateway)
    expect(() => gateway.declare.edge('edghts_1', { routes: ['edghtsrt_1', 'edghts_2'] })).toThrow('edghts_2')
    expect(stateOf(gateway)).toBe(before)
  })
})

describe('Results of the direct API (rules: route-modules#singletons)', () => {
  test("do not keep the caller's ids object", () => {
    const gateway = open()
    const ids = { ...ROUTE }
    gateway.compression.replace(ids)
    ids.id = 'edghtsrt_2'
    expect(gateway.compression.get(ROUTE)).toEqual({ enabled: true })
    expect(refusalKey(() => gateway.compression.get(ids))).toBe('not_found')
  })
})
