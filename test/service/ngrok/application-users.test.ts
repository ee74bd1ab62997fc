import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { dueAfter } from '../../support/provisioning.ts'
import { openGateway } from './support.ts'

// rules: ngrok-families#application-users
describe('An application user', () => {
  test('is declared, listed and deleted with the sessions', async () => {
    const { gateway, send, sendRefused } = openGateway()
    const user = gateway.declare.applicationUser({ email: 'ada@example.com', name: 'Ada', provider: 'github' })
    const session = gateway.declare.applicationSession({ user: user.id, country_code: 'GB' })
    expect((await send('GET', '/app/users')).body.application_users).toEqual([user])
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada', identity_provider: { name: 'github' } })
    expect((await send('GET', `/app/sessions/${session.id}`)).body).toEqual(session)
    expect(session).toMatchObject({
      application_user: { id: user.id },
      browser_session: { ip_address: '203.0.113.10', location: { country_code: 'GB', latitude: null } },
      endpoint: null,
      edge: null,
      route: null,
    })
    expect((await send('DELETE', `/app/users/${user.id}`)).status).toBe(204)
    expect(gateway.applicationSessions.list().application_sessions).toEqual([])
    expect(await sendRefused('GET', `/app/users/${user.id}`)).toMatch(/^404/)
    expect(await sendRefused('DELETE', `/app/users/${user.id}`)).toMatch(/^404/)
  })
})

describe('An application session', () => {
  test('ends at its time, or when it is ended', async () => {
    const { gateway, send } = openGateway()
    const { id: user } = gateway.declare.applicationUser()
    const [short, long] = ['1h', '2h'].map((expires_in) =>
      gateway.declare.applicationSession({ user, expires_in: expires_in as '1h' }),
    )
    expect(short?.expires_at).toBe(dueAfter('1h'))
    const ids = () => gateway.applicationSessions.list().application_sessions.map(({ id }) => id)
    gateway.clock.advance('59m')
    expect(ids()).toEqual([long?.id, short?.id])
    gateway.clock.advanceToNext()
    expect(ids()).toEqual([long?.id])
    expect((await send('DELETE', `/app/sessions/${long?.id}`)).status).toBe(204)
    expect(ids()).toEqual([])
    gateway.clock.advance('2h')
  })

  // rules: time#whole-seconds
  test('ends on a whole second, and is restored, exported and loaded from a store', () => {
    const store = memoryStore()
    const clock = { now: Date.UTC(2026, 0, 1, 0, 0, 0, 209) }
    const gateway = createNgrok({ clock, store })
    const { id: user } = gateway.declare.applicationUser()
    const { id } = gateway.declare.applicationSession({ user, expires_in: '1h' })
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot()))
    const restored = createNgrok({ clock })
    restored.restore(snapshot)
    for (const other of [gateway, restored, createNgrok({ clock, store: memoryStore(store.commits) })])
      expect(other.applicationSessions.get(id)).toMatchObject({ expires_at: '2026-01-01T01:00:01Z' })
    clock.now = Date.UTC(2026, 0, 1, 1, 0, 0, 999)
    expect(restored.applicationSessions.list().application_sessions).toHaveLength(1)
    clock.now++
    expect(restored.applicationSessions.list().application_sessions).toHaveLength(0)
  })

  test.each(['0s', '999999999999d'] as const)('that ends after %s can be restored too', (expires_in) => {
    const { gateway } = openGateway()
    const { id: user } = gateway.declare.applicationUser()
    gateway.declare.applicationSession({ user, expires_in })
    const before = gateway.snapshot()
    gateway.restore(JSON.parse(JSON.stringify(before)))
    expect(gateway.snapshot()).toEqual(before)
  })

  test.each(['any', 'declared'] as const)('has no route without its edge, with references: %s', (references) => {
    const gateway = createNgrok({ clock: { now: 0 }, references })
    const { id: user } = gateway.declare.applicationUser()
    const { id: edge } = gateway.httpsEdges.create()
    const { id: route } = gateway.httpsEdgeRoutes.create(edge, { match: '/', match_type: 'path_prefix' })
    expect(() => gateway.declare.applicationSession({ user, route })).toThrow(
      `route is "${route}". Allowed: a route along with its edge`,
    )
    expect(gateway.applicationSessions.list().application_sessions).toEqual([])
    expect(gateway.declare.applicationSession({ user, edge, route }).route?.id).toBe(route)
  })

  test('names the edge and the route at which the person came', () => {
    const { gateway } = openGateway()
    const { id: user } = gateway.declare.applicationUser()
    const session = gateway.declare.applicationSession({ user, edge: 'edghts_1', route: 'edghtsrt_1' })
    expect(session.route?.uri).toBe(`${gateway.url}/edges/https/edghts_1/routes/edghtsrt_1`)
  })

  test('needs a person who was declared', () => {
    const { gateway } = openGateway()
    const before = gateway.snapshot()
    expect(() => gateway.declare.applicationSession({ user: 'au_1' })).toThrow('user is "au_1"')
    expect(gateway.snapshot()).toEqual(before)
  })
})
