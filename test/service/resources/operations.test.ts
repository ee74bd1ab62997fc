import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { ownFamilies } from '../../../scripts/generate/evidence.ts'
import { groupOf } from '../../../src/core/operation/operation.ts'
import { ngrok, standard } from '../../../src/index.ts'
import { families } from '../../../src/service/resources/index.ts'
import { callOverHttp, calls, fillIds } from '../../support/calls.ts'
import { client } from '../../support/client.ts'
import { createTestClock, isDeeplyFrozen, open } from '../../support/gateway.ts'
import { upload } from '../../support/pem.ts'
import { check } from '../../support/property.ts'

interface DefinedOperation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly summary: string
  readonly response?: v.GenericSchema
}

const operations = Object.entries(families).flatMap(([family, { operations }]) =>
  Object.entries<DefinedOperation>(operations).map(([verb, operation]) => ({ call: `${family}.${verb}`, operation })),
)

/** Returns the expected operations of a resource (rules: one-table#operations), each with its documentation. */
function listResourceRows(group: string, path: string, noun: string, plural = `${noun}s`): string[] {
  return [
    `${group}.create POST ${path} 201 Create a ${noun}`,
    `${group}.get GET ${path}/{id} 200 Get a ${noun}`,
    `${group}.list GET ${path} 200 List ${plural}, newest first`,
    `${group}.update PATCH ${path}/{id} 200 Change a ${noun}`,
    `${group}.delete DELETE ${path}/{id} 204 Delete a ${noun}`,
  ]
}

function listModuleRows(group: string, segment: string, noun: string): string[] {
  const path = `/edges/https/{edge_id}/routes/{id}/${segment}`
  return [
    `${group}.replace PUT ${path} 200 Replace the ${noun} module of a route`,
    `${group}.get GET ${path} 200 Get the ${noun} module of a route`,
    `${group}.delete DELETE ${path} 204 Remove the ${noun} module of a route`,
  ]
}

const DOMAIN = '/reserved_domains/{id}'
const ROWS = [
  ...listResourceRows('reserved_addrs', '/reserved_addrs', 'reserved address', 'reserved addresses'),
  'reserved_addrs.detach_endpoint_configuration DELETE /reserved_addrs/{id}/endpoint_configuration 204 ' +
    'Detach the endpoint configuration from a reserved address',
  ...listResourceRows('reserved_domains', '/reserved_domains', 'reserved domain'),
  `reserved_domains.detach_certificate DELETE ${DOMAIN}/certificate 204 Detach the uploaded certificate from a reserved domain`,
  `reserved_domains.detach_certificate_management_policy DELETE ${DOMAIN}/certificate_management_policy 204 ` +
    'Detach the certificate management policy from a reserved domain',
  ...['http', 'https'].map(
    (protocol) =>
      `reserved_domains.detach_${protocol}_endpoint_configuration DELETE ${DOMAIN}/${protocol}_endpoint_configuration 204 ` +
      `Detach the ${protocol.toUpperCase()} endpoint configuration from a reserved domain`,
  ),
  ...listResourceRows('weighted_backends', '/backends/weighted', 'weighted backend'),
  ...listResourceRows('tls_certificates', '/tls_certificates', 'TLS certificate'),
  ...listModuleRows('webhook_verification', 'webhook_verification', 'webhook verification'),
  ...listModuleRows('traffic_policy', 'policy', 'traffic policy'),
  ...listModuleRows('circuit_breaker', 'circuit_breaker', 'circuit breaker'),
  ...listModuleRows('compression', 'compression', 'compression'),
]

describe('The table of operations (rules: one-table#operations)', () => {
  test('has each operation of the API reference with its method, path, status and one line about it', () => {
    const ownNames = ownFamilies()
    const referenced = operations.filter(({ operation }) => !ownNames.includes(groupOf(operation)))
    const rows = referenced.map(({ operation: { name, method, path, status, summary } }) =>
      [name, method, path, status, summary].join(' '),
    )
    expect(rows).toEqual(ROWS)
  })

  test('has the schema of every response: each response has all its fields, and no others', () => {
    const names = new Set<string>()
    const histories = fc.array(fc.record({ call: calls, wait: fc.constantFrom(0, 40_000) }), { maxLength: 12 })
    check(
      fc.property(fc.constantFrom(standard, ngrok), histories, (dialect, history) => {
        const clock = createTestClock()
        const gateway = open({ dialect, clock })
        const ids: string[] = []
        for (const { call, wait } of history) {
          clock.advance(wait)
          const { status, json } = callOverHttp(gateway, fillIds(call, ids).call)
          if (status >= 400 || json === null) continue
          const response = JSON.parse(json)
          if (status === 201) ids.push(response.id)
          const name = `${call.family}.${call.verb}`
          const schema = operations.find((each) => each.call === name)?.operation.response as v.GenericSchema
          expect(v.parse(schema, response)).toEqual(response)
          names.add(name)
        }
      }),
      { numRuns: 1000 },
    )
    expect(names.size).toBeGreaterThan(15)
  })
})

describe('A description and metadata that were set (rules: fields#absent-until-set)', () => {
  test.each([
    ['/reserved_addrs', {}],
    ['/reserved_domains', { domain: 'app.example.com' }],
    ['/backends/weighted', {}],
    ['/tls_certificates', upload()],
  ])('stay when the other one changes, and can be emptied, but null changes nothing: %s', async (path, json) => {
    const api = client(open())
    const { body: plain } = await api('POST', path, { json })
    const empty = await api('PATCH', `${path}/${plain.id}`, { json: { description: '', metadata: '' } })
    expect([empty.status, empty.body]).toEqual([200, plain])
    await api('DELETE', `${path}/${plain.id}`)
    const { id } = (await api('POST', path, { json: { ...json, description: 'd', metadata: 'm' } })).body
    for (const [sent, expected] of [
      [{ description: 'e' }, ['e', 'm']],
      [{ metadata: '' }, ['e', '']],
      [{ metadata: 'n', description: '' }, ['', 'n']],
      [{ metadata: 'o', description: null }, ['', 'o']],
    ] as const) {
      const { status, body } = await api('PATCH', `${path}/${id}`, { json: sent })
      expect([status, body.description, body.metadata]).toEqual([200, ...expected])
      expect((await api('GET', `${path}/${id}`)).body).toEqual(body)
    }
  })
})

/** Changes every text and number in an input. */
function overwrite(sent: object): void {
  for (const [key, value] of Object.entries(sent)) {
    if (typeof value === 'object') overwrite(value)
    else Reflect.set(sent, key, 'changed by the caller')
  }
}

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const EXPRESSIONS = [
  { name: 'one', expressions: ['true'], actions: [{ type: 'log', config: { metadata: { a: [1] } } }] },
]

describe('Results of the direct API (rules: one-table#operations)', () => {
  test.each([
    ['reservedAddrs', '/reserved_addrs', { description: 'one' }],
    [
      'reservedDomains',
      '/reserved_domains',
      { domain: 'a.b', certificate_management_policy: { authority: 'letsencrypt' } },
    ],
    ['weightedBackends', '/backends/weighted', { backends: { bkdhr_1: 1 } }],
    ['tlsCertificates', '/tls_certificates', upload()],
  ] as const)(
    'of %s are frozen, equal to those over HTTP, and share no objects with inputs or later results',
    async (family, path, body) => {
      const gateway = open()
      const sent = structuredClone(body)
      const created = gateway[family].create(sent as never) // Each family with its own body.
      const text = JSON.stringify(created)
      overwrite(sent)
      expect((await client(gateway)('GET', `${path}/${created.id}`)).text).toBe(text)
      const list = gateway[family].list()
      gateway[family].update(created.id, { metadata: 'changed' })
      gateway[family].delete(created.id)
      expect([isDeeplyFrozen(created), isDeeplyFrozen(list)]).toEqual([true, true])
      expect(JSON.stringify(created)).toBe(text)
      expect(JSON.stringify(list)).toContain(text)
    },
  )

  test.each([
    ['circuitBreaker', { num_buckets: 5 }],
    ['trafficPolicy', { inbound: EXPRESSIONS }],
  ] as const)('of the module %s are frozen, and share no objects with inputs or later results', (family, body) => {
    const gateway = open()
    const sent = structuredClone(body)
    const first = gateway[family].replace(ROUTE, sent as never) // Each module with its own body.
    const text = JSON.stringify(first)
    overwrite(sent)
    const second = gateway[family].get(ROUTE)
    gateway[family].replace(ROUTE)
    gateway[family].delete(ROUTE)
    expect([isDeeplyFrozen(first), isDeeplyFrozen(second)]).toEqual([true, true])
    expect([JSON.stringify(first), JSON.stringify(second)]).toEqual([text, text])
  })
})
