import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ownFamilies } from '../../../scripts/generate/evidence.ts'
import { groupOf, type Operation } from '../../../src/core/operation/operation.ts'
import { listSchemas, partsOf } from '../../../src/core/schema/schema-parts.ts'
import { type Gateway, ngrok, standard } from '../../../src/index.ts'
import { families } from '../../../src/service/resources/index.ts'
import {
  type Call,
  callDirectly,
  callOverHttp,
  calls,
  fillIds,
  fillOmittedFields,
  listFields,
  type Outcome,
} from '../../support/calls.ts'
import { CERTIFICATE_FIELDS, DOMAIN_FIELDS, HEAD_FIELDS } from '../../support/fields.ts'
import { createTestClock, open, stateOf } from '../../support/gateway.ts'
import { check } from '../../support/property.ts'

const dialects = fc.constantFrom(standard, ngrok)
const histories = fc.array(fc.record({ call: calls, wait: fc.constantFrom(0, 0, 1000, 40_000) }), { maxLength: 12 })

/** Makes a call directly or over HTTP, and returns its outcome. Adds the id of a created resource to `ids`. */
function makeCall(gateway: Gateway, call: Call, ids: string[], way: 'direct' | 'HTTP'): Outcome {
  const { call: whole, id } = fillIds(call, ids)
  const outcome = way === 'direct' ? callDirectly(gateway, whole, id) : callOverHttp(gateway, whole)
  if (outcome.status === 201) ids.push(JSON.parse(outcome.json as string).id)
  return outcome
}

/** The fields of each kind of object in a response, in the order of the API reference's tables. */
const DESCRIBED = [...HEAD_FIELDS, 'description', 'metadata']
const ORDERS: readonly (readonly string[])[] = [
  [...DESCRIBED, 'addr', 'region', 'endpoint_configuration'],
  [...DESCRIBED, ...DOMAIN_FIELDS],
  [...DESCRIBED, ...DOMAIN_FIELDS, 'error_redirect_url', 'is_dev', 'resolves_to'],
  ['authority', 'private_key_type'],
  ['renews_at', 'provisioning_job'],
  ['error_code', 'msg', 'started_at', 'retries_at'],
  ['value'],
  [...DESCRIBED, 'backends'],
  [...DESCRIBED, ...CERTIFICATE_FIELDS],
  ['dns_names', 'ips'],
  ['id', 'uri'],
  ['reserved_addrs', 'uri', 'next_page_uri'],
  ['reserved_domains', 'uri', 'next_page_uri'],
  ['backends', 'uri', 'next_page_uri'],
  ['tls_certificates', 'uri', 'next_page_uri'],
  ['enabled'],
  ['enabled', 'provider', 'secret'],
  ['enabled', 'inbound', 'outbound'],
  ['name', 'expressions', 'actions'],
  ['type', 'config'],
  ['enabled', 'tripped_duration', 'rolling_window', 'num_buckets', 'volume_threshold', 'error_threshold_percentage'],
]
const OPTIONAL = ['description', 'metadata', 'resolves_to', 'name', 'expressions', 'config']

/** The names of fauxgate's own families. No API reference has their fields, so the schemas define them. */
const ownNames = ownFamilies()
const operations = Object.values(families).flatMap((each) => Object.values<Operation>(each.operations))
const responses = operations.flatMap((each) =>
  ownNames.includes(groupOf(each)) && each.response ? [each.response] : [],
)
const OWN_ENTRIES = [...listSchemas(responses)]
  .map((each) => partsOf(each).entries)
  .filter((each) => each !== undefined)

const ORDERS_WITH_OPTIONAL = [
  ...ORDERS.map((order) => ({ order, optional: OPTIONAL })),
  ...OWN_ENTRIES.map((entries) => {
    const order = Object.keys(entries)
    return { order, optional: order.filter((name) => entries[name]?.type === 'exact_optional') }
  }),
]

/** Returns whether the keys of an object are those of a table, in its order. Optional keys may be absent. */
function isInOrder(keys: readonly string[]): boolean {
  return ORDERS_WITH_OPTIONAL.some(({ order, optional }) => {
    const present = order.filter((name) => keys.includes(name) || !optional.includes(name))
    return present.join() === keys.join()
  })
}

/** Calls a function with every object in a value, except maps, whose keys the client chooses. */
function visitObjects(value: unknown, visit: (object: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>)
  for (const [key, inner] of Object.entries(value)) {
    const isMap = key === 'backends' && !Array.isArray(inner)
    if (!isMap && key !== 'config') visitObjects(inner, visit)
  }
}

describe('Any calls at all', () => {
  test('have the same results and leave the same state over HTTP and through the direct API', () => {
    const statuses = new Set<number>()
    check(
      fc.property(dialects, histories, (dialect, history) => {
        const [one, two] = [createTestClock(), createTestClock()]
        const direct = open({ dialect, clock: one })
        const http = open({ dialect, clock: two })
        const ids: [string[], string[]] = [[], []]
        for (const { call, wait } of history) {
          one.advance(wait)
          two.advance(wait)
          const outcome = makeCall(direct, call, ids[0], 'direct')
          expect(makeCall(http, call, ids[1], 'HTTP')).toEqual(outcome)
          statuses.add(outcome.status)
        }
        expect(stateOf(http)).toBe(stateOf(direct))
      }),
      { numRuns: 100 },
    )
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 400, 404]))
  })

  test("return every field in the order of the document's tables, and with URIs below the gateway's", () => {
    const keyLists = new Set<string>()
    const urls = fc.constantFrom('https://api.example.com/v2', 'http://127.0.0.1:4747')
    check(
      fc.property(dialects, urls, histories, (dialect, baseUrl, history) => {
        const clock = createTestClock()
        const gateway = open({ dialect, baseUrl, clock, dns: 'simulated' })
        const ids: string[] = []
        for (const { call, wait } of history) {
          clock.advance(wait)
          const { status, json } = makeCall(gateway, call, ids, 'HTTP')
          if (status >= 400 || json === null) continue
          visitObjects(JSON.parse(json), (object) => {
            const keys = Object.keys(object)
            keyLists.add(keys.join())
            expect(isInOrder(keys) ? 'in order' : keys).toBe('in order')
            for (const uri of [object.uri, object.next_page_uri]) {
              if (typeof uri === 'string') expect(uri.startsWith(`${gateway.url}/`) ? 'below' : uri).toBe('below')
            }
          })
        }
      }),
      { numRuns: 100 },
    )
    expect(keyLists.size).toBeGreaterThan(10)
  })

  test('treat null in any field, and "" in a reference, a region or a key type, like an absent field', () => {
    const isBlankable = (field: string) =>
      /^(certificate|.*endpoint_configuration|before)_id$|^region$|^private_key_type$/.test(field)
    const fields = new Map([standard, ngrok].map((dialect) => [dialect, listFields(dialect)]))
    const fillers = fc.infiniteStream(fc.constantFrom('' as const, null))
    check(
      fc.property(dialects, histories, fillers, (dialect, history, blanks) => {
        const [without, withNothing] = [open({ dialect }), open({ dialect })]
        const ids: [string[], string[]] = [[], []]
        for (const { call } of history) {
          const filler = (field: string) => (isBlankable(field) ? blanks.next().value : null)
          const outcome = makeCall(without, call, ids[0], 'direct')
          expect(
            makeCall(withNothing, fillOmittedFields(call, fields.get(dialect) ?? new Map(), filler), ids[1], 'direct'),
          ).toEqual(outcome)
        }
        expect(stateOf(withNothing)).toBe(stateOf(without))
      }),
      { numRuns: 100 },
    )
  })
})
