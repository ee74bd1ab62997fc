import { describe, expect, test } from 'vitest'
import { client, expectError, outcome, refusalKey } from '../../support/client.ts'
import { withoutFacts } from '../../support/details.ts'
import { createTestClock, open, stateOf } from '../../support/gateway.ts'

const PATH = '/backends/weighted'

describe('Creating a weighted backend (rules: weighted-backends#resource)', () => {
  test('returns 201 with every field in the order of the table', async () => {
    const json = { backends: { bkdhr_2: 30, bkdhr_1: 70 } }
    const { status, body } = await client(open())('POST', PATH, { json })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['id', 'uri', 'created_at', 'backends'])
    expect(body).toEqual({
      id: expect.stringMatching(/^bkdwd_[0-9A-Za-z]{27}$/),
      uri: `https://api.gateway.test/backends/weighted/${body.id}`,
      created_at: '2025-09-04T10:11:14Z',
      backends: { bkdhr_2: 30, bkdhr_1: 70 },
    })
    expect(Object.keys(body.backends)).toEqual(['bkdhr_2', 'bkdhr_1'])
  })

  test.each([{}, { backends: null }, { backends: {} }, { description: '', metadata: null }])(
    'has an empty map if none was sent: %j',
    async (json) => {
      const { status, body } = await client(open())('POST', PATH, { json })
      expect([status, body.backends, Object.keys(body)]).toEqual([201, {}, ['id', 'uri', 'created_at', 'backends']])
    },
  )
})

describe('Weights (rules: weighted-backends#weights)', () => {
  test.each([0, 1, 9999, 10_000])('can be %d', async (weight) => {
    const { body } = await client(open())('POST', PATH, { json: { backends: { bkdhr_1: weight } } })
    expect(body.backends).toEqual({ bkdhr_1: weight })
  })

  test.each([-1, 10_001, 0.5, '5', null, true, [1], { weight: 1 }, 1e300])('cannot be %j', async (weight) => {
    const api = client(open())
    const { id } = (await api('POST', PATH)).body
    const json = { backends: { bkdhr_1: weight } }
    expect(outcome(await api('POST', PATH, { json }))).toBe('400 ERR_GATEWAY_6512')
    expect(outcome(await api('PATCH', `${PATH}/${id}`, { json }))).toBe('400 ERR_GATEWAY_6512')
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, Symbol('ten'), new Date(0)])(
    'cannot be %s, which JSON does not have, through the direct API',
    (weight) => {
      const backends = { bkdhr_1: weight as number }
      expect(refusalKey(() => open().weightedBackends.create({ backends }))).toBe('field_invalid')
    },
  )

  test.each(['bkdhr_1', 'bkdtg_2AbC', 'bkdwdx_1', 'bkd_1'])('belong to child ids such as %s', (child) => {
    expect(open().weightedBackends.create({ backends: { [child]: 1 } }).backends).toEqual({ [child]: 1 })
  })

  test.each(['rd_1', 'abkdhr_1', 'bkdhr', 'bkdhr_', 'bkdhr_1-2', '', 'constructor', 'toString', 'bkdtg_2_ab_c'])(
    'cannot belong to the child id %j',
    (child) => {
      const backends = { [child]: 1 }
      expect(refusalKey(() => open().weightedBackends.create({ backends }))).toBe('child_backend_invalid')
    },
  )

  test('cannot belong to the key __proto__, which is data like any other (rules: requests#keys-are-data)', async () => {
    const raw = '{"backends": {"__proto__": 1}}'
    const headers = { 'content-type': 'application/json' }
    const response = await client(open())('POST', PATH, { raw, headers })
    expect(outcome(response)).toBe('400 ERR_GATEWAY_6526')
    expect(response.body.msg).toContain('__proto__')
  })
})

describe('Changing a weighted backend (rules: weighted-backends#update-without-a-map)', () => {
  test('replaces the map as a whole and keeps the rest', async () => {
    const clock = createTestClock()
    const api = client(open({ clock }))
    const json = { backends: { bkdhr_1: 1, bkdhr_2: 2 }, description: 'd', metadata: 'm' }
    const { body: before } = await api('POST', PATH, { json })
    clock.advance(60_000)
    const { status, body } = await api('PATCH', `${PATH}/${before.id}`, { json: { backends: { bkdhr_3: 3 } } })
    expect([status, body]).toEqual([200, { ...before, backends: { bkdhr_3: 3 } }])
  })

  test.each([{ metadata: 'n' }, { metadata: 'n', backends: null }])(
    'empties the map if %j does not have one (rules: weighted-backends#update-without-a-map)',
    async (json) => {
      const api = client(open())
      const { id } = (await api('POST', PATH, { json: { backends: { bkdhr_1: 1 } } })).body
      const { status, body } = await api('PATCH', `${PATH}/${id}`, { json })
      expect([status, body.metadata, body.backends]).toEqual([200, 'n', {}])
      expect((await api('GET', `${PATH}/${id}`)).body.backends).toEqual({})
    },
  )

  test('keeps the map with the quirk keepBackendsOnPatch, and can still empty or replace it', () => {
    const gateway = open({ quirks: { keepBackendsOnPatch: true } })
    const { id } = gateway.weightedBackends.create({ backends: { bkdhr_1: 1 } })
    expect(gateway.weightedBackends.update(id, { metadata: 'n' }).backends).toEqual({ bkdhr_1: 1 })
    expect(gateway.weightedBackends.update(id, { backends: { bkdhr_2: 2 } }).backends).toEqual({ bkdhr_2: 2 })
    expect(gateway.weightedBackends.update(id, { backends: {} }).backends).toEqual({})
  })
})

describe('Child backends with references "declared" (rules: references#declared)', () => {
  test('must be declared, on create and on update', () => {
    const gateway = open({ references: 'declared' })
    const backends = { bkdhr_1: 1 }
    expect(refusalKey(() => gateway.weightedBackends.create({ backends }))).toBe('child_backend_not_found')
    const { id } = gateway.weightedBackends.create()
    expect(refusalKey(() => gateway.weightedBackends.update(id, { backends }))).toBe('child_backend_not_found')
    gateway.declare.backend('bkdhr_1')
    expect(refusalKey(() => gateway.weightedBackends.create({ backends }))).toBe('ok')
    expect(refusalKey(() => gateway.weightedBackends.update(id, { backends }))).toBe('ok')
  })
})

describe('Weighted backends as children (rules: references#always-required)', () => {
  const OTHER_KINDS = 'backends of other kinds'

  test.each(['any', 'declared'] as const)('must exist, whatever was declared: references "%s"', (references) => {
    const gateway = open({ references })
    gateway.declare.backend('bkdwd_gone')
    const backends = { bkdwd_gone: 1 }
    const { id } = gateway.weightedBackends.create()
    const created = expectError(() => gateway.weightedBackends.create({ backends }))
    const problem = 'backends.bkdwd_gone: the backend "bkdwd_gone" does not exist. Allowed:'
    expect([created.key, created.message]).toEqual([
      'child_backend_not_found',
      `${problem} weighted backends that exist, and ${OTHER_KINDS}.`,
    ])
    expect(withoutFacts(created.details)).toEqual({ 'field:backends.bkdwd_gone': created.message })
    const updated = expectError(() => gateway.weightedBackends.update(id, { backends }))
    expect([updated.key, updated.message]).toEqual([
      'child_backend_not_found',
      `${problem} other weighted backends that exist, and ${OTHER_KINDS}.`,
    ])
    expect(gateway.weightedBackends.create({ backends: { [id]: 5 } }).backends).toEqual({ [id]: 5 })
  })

  test('cannot be the backend itself', () => {
    const gateway = open()
    const { id } = gateway.weightedBackends.create()
    const before = stateOf(gateway)
    const error = expectError(() => gateway.weightedBackends.update(id, { backends: { bkdhr_1: 1, [id]: 1 } }))
    expect([error.key, error.status, error.message]).toEqual([
      'child_backend_not_found',
      400,
      `backends.${id}: the backend "${id}" is the backend itself. ` +
        `Allowed: other weighted backends that exist, and ${OTHER_KINDS}.`,
    ])
    expect(stateOf(gateway)).toBe(before)
  })

  test('can form a circle of several backends', () => {
    const gateway = open()
    const one = gateway.weightedBackends.create().id
    const two = gateway.weightedBackends.create({ backends: { [one]: 1 } }).id
    expect(gateway.weightedBackends.update(one, { backends: { [two]: 1 } }).backends).toEqual({ [two]: 1 })
    expect(gateway.weightedBackends.list().backends).toHaveLength(2)
    gateway.restore(gateway.snapshot())
    expect(gateway.weightedBackends.get(one).backends).toEqual({ [two]: 1 })
  })

  test('cannot be deleted while another backend names them, and the message names that backend (rules: references#always-required)', () => {
    const gateway = open()
    const [one, two] = [gateway.weightedBackends.create().id, gateway.weightedBackends.create().id]
    const backends = { bkdhr_1: 1, [one]: 2, [two]: 3 }
    const parents = [gateway.weightedBackends.create({ backends }).id, gateway.weightedBackends.create({ backends }).id]
    const findRefusal = (id: string) => {
      const { key, message } = expectError(() => gateway.weightedBackends.delete(id))
      return [key, message]
    }
    const toRefusal = (id: string, parent?: string) => [
      'weighted_backend_in_use',
      `${id} is a child of the backend ${parent}. Remove it there before you delete it.`,
    ]
    expect([findRefusal(one), findRefusal(two)]).toEqual([toRefusal(one, parents[0]), toRefusal(two, parents[0])])
    gateway.weightedBackends.update(parents[0] as string, { backends: { [two]: 1 } })
    expect([findRefusal(one), findRefusal(two)]).toEqual([toRefusal(one, parents[1]), toRefusal(two, parents[0])])
    gateway.weightedBackends.delete(parents[1] as string)
    gateway.weightedBackends.delete(one)
    expect(findRefusal(two)).toEqual(toRefusal(two, parents[0]))
    gateway.weightedBackends.update(parents[0] as string, { metadata: 'a PATCH without backends empties them' })
    gateway.weightedBackends.delete(two)
  })

  test('cannot be deleted while another backend names them with the weight 0 (rules: references#always-required)', () => {
    const gateway = open()
    const child = gateway.weightedBackends.create().id
    const parent = gateway.weightedBackends.create({ backends: { [child]: 0 } }).id
    expect(refusalKey(() => gateway.weightedBackends.delete(child))).toBe('weighted_backend_in_use')
    gateway.weightedBackends.update(parent, { backends: { [child]: 1 } })
    gateway.weightedBackends.update(parent, { backends: { [child]: 0 } })
    expect(refusalKey(() => gateway.weightedBackends.delete(child))).toBe('weighted_backend_in_use')
    gateway.weightedBackends.delete(parent)
    expect(refusalKey(() => gateway.weightedBackends.delete(child))).toBe('ok')
  })

  test('need no declaration, and other kinds still do, with references "declared"', () => {
    const gateway = open({ references: 'declared' })
    const { id } = gateway.weightedBackends.create()
    const error = expectError(() => gateway.weightedBackends.create({ backends: { [id]: 1, bkdhr_1: 1 } }))
    expect([error.key, error.message]).toEqual([
      'child_backend_not_found',
      'backends.bkdhr_1: the backend "bkdhr_1" was not declared. Allowed: backends declared through the direct ' +
        'API, and weighted backends that exist.',
    ])
  })
})
