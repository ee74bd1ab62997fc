import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { CLOCK_START, SHOWN_START } from '../support/clock.ts'
import { dueAfter, timeAfter } from '../support/provisioning.ts'
import { createVisited, policyOf } from './visits.ts'

const ADA = { provider: 'google', id: 'g-1', email: 'ada@example.com', name: 'Ada' }

// rules: traffic#signing-in
describe('A person who signs in', () => {
  const open = (config: object = {}) => {
    const { gateway, visit } = createVisited(policyOf('oauth', { provider: 'google', ...config }))
    const statusOf = async (identity: Readonly<Record<string, unknown>> = ADA) =>
      (await visit('/', { from: { identity, country: 'GB' }, headers: { 'user-agent': 'curl/8' } })).status
    return { gateway, statusOf, visit }
  }

  test('becomes an application user with a session, which later visits continue', async () => {
    const { gateway, statusOf } = open()
    expect(await statusOf()).toBe(200)
    gateway.clock.advance('1h')
    await statusOf()
    const { application_users } = gateway.applicationUsers.list()
    const { application_sessions } = gateway.applicationSessions.list()
    expect(application_users).toMatchObject([
      {
        identity_provider: { name: 'google', url: 'https://accounts.google.com' },
        provider_user_id: 'g-1',
        email: 'ada@example.com',
        name: 'Ada',
        created_at: SHOWN_START,
        last_login: SHOWN_START,
        last_active: timeAfter('1h'),
      },
    ])
    expect(application_sessions).toMatchObject([
      {
        public_url: 'https://app.example.com',
        browser_session: { user_agent: { raw: 'curl/8' }, location: { country_code: 'GB' } },
        application_user: { id: application_users[0]?.id },
        last_active: timeAfter('1h'),
      },
    ])
    expect(application_sessions[0]?.endpoint?.id).toMatch(/^ep_/)
    expect(gateway.leftovers().map(({ family }) => family)).not.toContain('application_users')
  })

  test('signs in again after the session was deleted, or its user', async () => {
    const { gateway, statusOf } = open()
    await statusOf()
    const [session] = gateway.applicationSessions.list().application_sessions
    gateway.applicationSessions.delete(String(session?.id))
    expect([await statusOf(), await statusOf()]).toEqual([302, 200])
    const [user] = gateway.applicationUsers.list().application_users
    gateway.applicationUsers.delete(String(user?.id))
    expect([await statusOf(), await statusOf()]).toEqual([302, 200])
    expect(gateway.traffic.all()[1]?.trace).toMatchObject([
      {},
      { actions: [{ did: 'sent the visitor to sign in, whose session has ended' }] },
    ])
  })

  test('signs in again after a visit of the path of logout, which ends the session of this person alone', async () => {
    const { gateway, statusOf, visit } = open()
    const eve = { ...ADA, id: 'g-2' }
    await statusOf()
    await statusOf(eve)
    expect((await visit('/ngrok/logout', { from: { identity: ADA } })).status).toBe(302)
    const { application_sessions } = gateway.applicationSessions.list()
    expect(application_sessions.map(({ application_user }) => application_user?.id)).toEqual([
      gateway.applicationUsers.list().application_users.find((user) => user.provider_user_id === 'g-2')?.id,
    ])
    expect([await statusOf(), await statusOf(), await statusOf(eve)]).toEqual([302, 200, 200])
  })

  test('signs in again after the longest duration, or after the time without requests', async () => {
    const longest = open({ max_session_duration: '1h' })
    const idle = open({ idle_session_timeout: '1h' })
    const statuses = []
    for (const { gateway, statusOf } of [longest, idle]) {
      for (let visits = 0; visits < 3; visits++) {
        statuses.push(await statusOf())
        gateway.clock.advance('40m')
      }
      gateway.clock.advance('40m')
      statuses.push(await statusOf())
    }
    expect(statuses).toEqual([200, 200, 302, 200, 200, 200, 200, 302])
  })

  test('is another one at another provider, and nobody without an identity', async () => {
    const { gateway, statusOf, visit } = open()
    await statusOf()
    await statusOf({ ...ADA, id: 'g-2' })
    expect([await statusOf({ ...ADA, provider: 'github' }), (await visit('/')).status]).toEqual([302, 302])
    expect(gateway.applicationUsers.list().application_users).toHaveLength(2)
  })
})

describe('The people of a sign-in module', () => {
  const open = (modules: object) => {
    const gateway = createNgrok({ clock: manualClock(CLOCK_START), provisioningDelay: 0 })
    gateway.reservedDomains.create({ domain: 'shop.example.com' })
    const { id } = gateway.httpsEdges.create({ hostports: ['shop.example.com:443'] })
    const backend_id = gateway.httpResponseBackends.create({ body: 'page', status_code: 200 }).id
    const route = gateway.httpsEdgeRoutes.create(id, { match: '/', backend: { backend_id }, ...modules })
    const visit = async (identity: Readonly<Record<string, unknown>>) => {
      const { status, headers } = await gateway.traffic.fetch('https://shop.example.com/', { from: { identity } })
      return headers.get('ngrok-error-code') ?? status
    }
    return { gateway, route, visit }
  }

  test.each([
    ['email_addresses', { google: { email_addresses: ['ada@example.com'] } }, { email: 'Ada@example.com' }],
    ['email_domains', { google: { email_domains: ['example.com'] } }, { email: 'kim@example.com' }],
    ['teams', { github: { teams: ['a/team'] } }, { teams: ['a/team'] }],
    ['organizations', { github: { organizations: ['acme'] } }, { organizations: ['acme', 'b'] }],
  ])('may pass by %s, and others get 3105', async (list, provider, identity) => {
    const { gateway, visit } = open({ oauth: { provider } })
    expect([await visit(identity), await visit({ email: 'eve@example.org' })]).toEqual([200, 'ERR_NGROK_3105'])
    expect(JSON.stringify(gateway.traffic.last()?.trace)).toContain(`it is in none of ${list}`)
    expect(gateway.applicationUsers.list().application_users).toHaveLength(1)
  })

  test('may pass by one of several lists', async () => {
    const { visit } = open({
      oauth: { provider: { google: { email_addresses: ['kim@example.org'], email_domains: ['example.com'] } } },
    })
    const found = ['kim@example.org', 'ada@example.com', 'eve@example.org'].map((email) => visit({ email }))
    expect(await Promise.all(found)).toEqual([200, 200, 'ERR_NGROK_3105'])
  })

  test('are the members of the groups of SAML, and others get 5312', async () => {
    const { visit } = open({
      saml: { idp_metadata_url: 'https://idp.example.com/metadata', authorized_groups: ['admins'] },
    })
    expect([await visit({ groups: ['admins'] }), await visit({ groups: ['guests'] })]).toEqual([200, 'ERR_NGROK_5312'])
  })

  test('have sessions that the module limits, at its route and its provider', async () => {
    const { gateway, route, visit } = open({
      oidc: {
        ...{ issuer: 'https://login.example.com', client_id: 'an app', client_secret: 'its secret' },
        ...{ maximum_duration: 3600, inactivity_timeout: 600 },
      },
    })
    await visit({ email: 'ada@example.com' })
    const [session] = gateway.applicationSessions.list().application_sessions
    expect(session).toMatchObject({ route: { id: route.id }, endpoint: null, expires_at: dueAfter('10m') })
    expect(gateway.applicationUsers.list().application_users[0]?.identity_provider.url).toBe(
      'https://login.example.com',
    )
    gateway.clock.advance('601s')
    expect([await visit({ email: 'ada@example.com' }), await visit({ email: 'ada@example.com' })]).toEqual([302, 200])
  })
})
