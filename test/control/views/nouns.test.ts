import { expect, test } from 'vitest'
import type { Operation } from '../../../src/core/operation/operation.ts'
import { partsOf } from '../../../src/core/schema/schema-parts.ts'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { families } from '../../../src/service/resources/index.ts'

test('Each family has nouns of its own, the path of its list, and what its resources are part of', () => {
  const nouns = createNgrok().transport.nouns()
  expect(nouns.ip_policies).toEqual({ one: 'IP policy', many: 'IP policies', list: '/ip_policies' })
  expect(nouns.endpoints?.tableFields).toContain('url')
  expect(nouns.tunnels?.tableFields).toContain('public_url')
  expect(nouns.ip_policy_rules?.tableFields).toContain('action')
  expect(nouns.tls_certificates?.tableFields).toContain('not_after')
  expect(nouns.compression).toEqual({
    one: 'compression module',
    many: 'compression modules',
    owner: 'a route',
    list: null,
  })
  expect(nouns.event_sources).toMatchObject({ many: 'sources', owner: 'an event subscription', list: null })
  // An older module has the noun of a newer one, so it has the words of its name.
  expect(nouns.tcp_edge_traffic_policy?.many).toBe('traffic policy modules')
  expect(nouns.tcp_edge_policy).toEqual({
    one: 'tcp edge policy',
    many: 'tcp edge policy',
    owner: 'a TCP edge',
    list: null,
  })
  const names = Object.values(nouns).map(({ many, owner }) => `${many} ${owner}`)
  expect(new Set(names).size).toBe(names.length)
})

test("The fields of a family's tables are fields of its resources", () => {
  const operations = Object.values<{ operations: Readonly<Record<string, Operation>> }>({
    ...families,
    ...ngrokFamilies,
  })
  const named = operations.flatMap(({ operations: { get } }) => (get?.nouns?.tableFields ? [get] : []))
  for (const { name, nouns, response } of named) {
    const fields = Object.keys((response && partsOf(response).entries) ?? {})
    for (const field of nouns?.tableFields ?? []) expect(fields, name).toContain(field)
  }
  expect(named.length).toBeGreaterThan(30)
})
