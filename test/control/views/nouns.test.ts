import { expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'

test('Each family has nouns of its own, the path of its list, and what its resources are part of', () => {
  const nouns = createNgrok().transport.nouns()
  expect(nouns.ip_policies).toEqual({ one: 'IP policy', many: 'IP policies', list: '/ip_policies' })
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
