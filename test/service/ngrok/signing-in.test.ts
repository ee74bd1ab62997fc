import { describe, expect, it } from 'vitest'
import { openGateway } from './support.ts'

const SECRET = 'kept-between-app-and-provider'

/** Creates a gateway with a route, and a function that sets a module of the route. */
async function openWithRoute() {
  const { gateway, send } = openGateway()
  const edge = gateway.httpsEdges.create()
  const { id } = gateway.httpsEdgeRoutes.create(edge.id, { match: '/' })
  const path = `/edges/https/${edge.id}/routes/${id}`
  const put = (module: string, json: object) => send('PUT', `${path}/${module}`, { json })
  return { gateway, send, path, id, put }
}

const noProviders = {
  amazon: null,
  facebook: null,
  github: null,
  gitlab: null,
  linkedin: null,
  microsoft: null,
  twitch: null,
}

describe('People sign in at a route (rules: edges#signing-in)', () => {
  it('by OAuth, with the fields and defaults that were recorded', async () => {
    const { put, send, path } = await openWithRoute()
    const app = { client_id: 'client-id', client_secret: SECRET, scopes: ['profile', 'email'] }
    const google = { ...app, email_addresses: ['alan@example.com'] }
    const { status, body } = await put('oauth', { module: { enabled: true, provider: { google } } })
    expect([status, body]).toEqual([
      200,
      {
        auth_check_interval: 0,
        cookie_prefix: 'ngrok.',
        enabled: true,
        inactivity_timeout: 0,
        maximum_duration: 0,
        options_passthrough: false,
        provider: { ...noProviders, google: { ...google, email_domains: [] } },
      },
    ])
    expect((await send('GET', path)).body.oauth).toEqual(body)
  })

  it("by the service's own app, without a secret, at GitHub also by team", async () => {
    const { put } = await openWithRoute()
    const { body } = await put('oauth', { provider: { github: { teams: ['acme/ops'] } }, cookie_prefix: 'acme.' })
    const lists = { scopes: [], email_addresses: [], email_domains: [], teams: ['acme/ops'], organizations: [] }
    expect(body).toMatchObject({
      cookie_prefix: 'acme.',
      provider: { google: null, github: { client_id: null, client_secret: null, ...lists } },
    })
  })

  it('by OpenID Connect and SAML, with the fields and defaults that were recorded', async () => {
    const { gateway, put, send, path, id } = await openWithRoute()
    const app = { issuer: 'https://accounts.example.com', client_id: 'an-app', client_secret: SECRET }
    const session = { enabled: true, cookie_prefix: '', inactivity_timeout: 0, maximum_duration: 0 }
    const base = { ...session, options_passthrough: false }
    expect((await put('oidc', { ...app, scopes: ['profile'] })).body).toEqual({ ...base, ...app, scopes: ['profile'] })
    await send('DELETE', `${path}/oidc`)
    const samlUri = `https://idp.ngrok.com/saml/${id}`
    expect((await put('saml', { idp_metadata: '<EntityDescriptor/>' })).body).toEqual({
      ...base,
      allow_idp_initiated: true,
      assertion_consumer_service_url: `${samlUri}/acs`,
      authorized_groups: [],
      entity_id: samlUri,
      force_authn: false,
      idp_metadata: '<EntityDescriptor/>',
      idp_metadata_url: '',
      metadata_url: samlUri,
      nameid_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      request_signing_certificate_pem: gateway.authority.certificatePem,
      single_logout_url: `${samlUri}/slo`,
    })
  })

  const toGoogle = (account: object) => ({ provider: { google: account } })
  it.each([
    [7033, 'oauth', toGoogle({ client_id: 'an-app' })],
    [7033, 'oauth', toGoogle({ client_secret: SECRET })],
    [7034, 'oauth', toGoogle({ scopes: ['email'] })],
    [7036, 'oauth', { provider: { google: {}, gitlab: {} } }],
    [7037, 'oauth', { provider: {} }],
    [7042, 'oauth', { ...toGoogle({}), cookie_prefix: 'a b' }],
    [7043, 'oauth', toGoogle({ email_addresses: ['alan'] })],
    [7039, 'oauth', toGoogle({ email_domains: ['@example.com'] })],
    [7039, 'oauth', toGoogle({ email_domains: ['example'] })],
    [7040, 'oauth', { provider: { github: { teams: ['ops'] } } }],
    [7044, 'oauth', toGoogle({ email_domains: ['xn--zzzzzzzzzzz.com'] })],
    [7045, 'oauth', toGoogle({ email_addresses: ['kim@xn--zzzzzzzzzzz.com'] })],
    [7046, 'oauth', toGoogle({ email_addresses: ['kim@example.com', 'kim@example.com'] })],
    [7047, 'oauth', toGoogle({ email_domains: ['example.com', 'a.example.com', 'example.com'] })],
    [7048, 'oauth', { provider: { github: { teams: ['acme/ops', 'acme/ops'] } } }],
    [7049, 'oauth', { provider: { github: { organizations: ['acme', 'acme'] } } }],
    [7067, 'oauth', toGoogle({ email_addresses: ['Kim@example.com'] })],
    [7068, 'oauth', toGoogle({ email_domains: ['Example.com'] })],
    [7051, 'oauth', toGoogle({ email_addresses: ['a@example.com', ''] })],
    [7052, 'oauth', toGoogle({ email_domains: [''] })],
    [7053, 'oauth', { provider: { github: { teams: [''] } } }],
    [7054, 'oauth', { provider: { github: { organizations: [''] } } }],
    [7092, 'oauth', { ...toGoogle({}), inactivity_timeout: 31_536_001 }],
    [214, 'oauth', toGoogle({ teams: ['a/b'] })],
    [7088, 'oidc', { client_id: 'a', client_secret: SECRET }],
    [7088, 'oidc', { issuer: 'accounts', client_id: 'a', client_secret: SECRET }],
    [7087, 'oidc', { issuer: `https://${'a'.repeat(248)}`, client_id: 'a', client_secret: SECRET }],
    [7089, 'oidc', { issuer: 'https://a.example.com', client_id: '', client_secret: SECRET }],
    [7089, 'oidc', { issuer: 'https://a.example.com', client_secret: SECRET }],
    [7090, 'oidc', { issuer: 'https://a.example.com', client_id: 'a', client_secret: '' }],
    [7081, 'saml', { idp_metadata: '<EntityDescriptor/>', idp_metadata_url: 'https://idp.example.com/metadata' }],
    [7091, 'saml', {}],
  ])(
    'and a wrong module is rejected with %i, and 5400 less on endpoint configurations: %s %j',
    async (number, module, json) => {
      const { gateway, put, send } = await openWithRoute()
      const { id } = gateway.endpointConfigurations.create({ type: 'https' })
      const before = gateway.snapshot()
      const ofConfiguration = number > 5400 ? number - 5400 : number
      for (const [code, { status, body }] of [
        [number, await put(module, json)],
        [ofConfiguration, await send('PUT', `/endpoint_configurations/${id}/${module}`, { json })],
        [ofConfiguration, await send('POST', '/endpoint_configurations', { json: { type: 'https', [module]: json } })],
      ] as const) {
        expect([status, body.error_code]).toEqual([400, `ERR_NGROK_${code}`])
        expect(JSON.stringify(body)).not.toContain(SECRET)
      }
      expect(gateway.snapshot()).toEqual(before)
    },
  )

  it('and the people of a list may have other forms: numbered teams, Punycode, an issuer of 255 bytes', async () => {
    const { put } = await openWithRoute()
    const github = {
      email_addresses: ['kim@xn--bcher-kva.example'],
      email_domains: ['xn--bcher-kva.example', '*.example.com'],
      teams: ['12', 'acme/ops'],
      organizations: ['acme'],
    }
    expect((await put('oauth', { provider: { github }, enabled: false })).body.provider.github).toMatchObject(github)
    const issuer = `https://${'a'.repeat(247)}`
    expect((await put('oidc', { issuer, client_id: 'a', client_secret: SECRET })).status).toBe(200)
  })

  const bodies = {
    oauth: toGoogle({}),
    oidc: { issuer: 'https://accounts.example.com', client_id: 'an-app', client_secret: SECRET },
    saml: { idp_metadata_url: 'https://idp.example.com/metadata' },
  }
  it.each([
    ['oauth', 'oidc'],
    ['oidc', 'saml'],
    ['saml', 'oauth'],
  ] as const)('by one enabled module: %s with %s is rejected with 7079', async (first, second) => {
    const { gateway, put, send, path } = await openWithRoute()
    await put(second, { ...bodies[second], enabled: false })
    await put(first, bodies[first])
    const before = gateway.snapshot()
    const routes = path.replace(/[/][^/]*$/, '')
    for (const refused of [
      await put(second, bodies[second]),
      await send('PATCH', path, { json: { [second]: bodies[second] } }),
      await send('POST', routes, { json: { match: '/b', [first]: bodies[first], [second]: bodies[second] } }),
    ]) {
      expect([refused.status, refused.body.error_code]).toEqual([400, 'ERR_NGROK_7079'])
      expect(refused.body.msg).toMatch(/^\w+ and \w+ are enabled together/)
    }
    expect(gateway.snapshot()).toEqual(before)
    const swapped = { [first]: { ...bodies[first], enabled: false }, [second]: bodies[second] }
    expect((await send('PATCH', path, { json: swapped })).status).toBe(200)
  })

  it('and the secret of the app is only in the response', async () => {
    const { gateway, put } = await openWithRoute()
    await put('oauth', toGoogle({ client_id: 'an-app', client_secret: SECRET }))
    await put('oidc', { issuer: 'https://a.example.com', client_id: 'an-app', client_secret: SECRET })
    const views = [gateway.requests.all(), gateway.snapshot(), gateway.report()]
    expect(JSON.stringify(views)).not.toContain(SECRET)
    expect(JSON.stringify(gateway.snapshot({ privateKeys: true }))).toContain(SECRET)
  })
})

describe('The older policy', () => {
  it.each(['tcp', 'tls'])('of a %s edge is a module as on routes, in addition to traffic_policy', async (kind) => {
    const { send } = openGateway()
    const { id } = (await send('POST', `/edges/${kind}`, { json: {} })).body
    const inbound = [{ name: 'a', expressions: [], actions: [{ type: 'deny', config: {} }] }]
    const { status, body } = await send('PUT', `/edges/${kind}/${id}/policy`, { json: { inbound } })
    expect([status, body]).toMatchObject([200, { enabled: true, inbound: [{ name: 'a' }], outbound: [] }])
    expect((await send('GET', `/edges/${kind}/${id}`)).body).toMatchObject({ policy: body, traffic_policy: null })
    expect((await send('DELETE', `/edges/${kind}/${id}/policy`)).status).toBe(204)
    expect((await send('GET', `/edges/${kind}/${id}`)).body.policy).toBeNull()
  })
})
