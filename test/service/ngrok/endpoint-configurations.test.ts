import { describe, expect, test } from 'vitest'
import { openGateway } from './support.ts'

const app = { client_id: 'an app', client_secret: 'its secret' }
const oidc = { issuer: 'https://accounts.example.com', ...app }

const { gateway: issuer } = openGateway()

/** Creates a gateway with a configuration of the type https, an IP policy and a certificate authority. */
function openWithConfiguration() {
  const setup = openGateway()
  const { id } = setup.gateway.endpointConfigurations.create({ type: 'https' })
  const policy = setup.gateway.ipPolicies.create().id
  const authority = setup.gateway.certificateAuthorities.create({ ca_pem: issuer.authority.certificatePem }).id
  return { ...setup, id, policy, authority, path: `/endpoint_configurations/${id}` }
}

/** A body of each module. */
const modulesWith = (policy: string, authority: string) => ({
  basic_auth: { realm: 'the office' },
  circuit_breaker: { tripped_duration: 30 },
  compression: {},
  ip_policy: { ip_policy_ids: [policy] },
  mutual_tls: { certificate_authority_ids: [authority] },
  oauth: { provider: { google: { email_domains: ['example.com'] } } },
  oidc,
  request_headers: { add: { 'X-Frontend': 'ngrok' } },
  response_headers: { remove: ['Server'] },
  saml: { idp_metadata_url: 'https://idp.example.com/metadata' },
  tls_termination: { terminate_at: 'upstream' },
  webhook_validation: { provider: 'github', secret: 'a shared secret' },
})

describe('An endpoint configuration (rules: ngrok-families#endpoint-configurations)', () => {
  test('has each module as a field, and as its own resource', async () => {
    const { gateway, send, path, id, policy, authority } = openWithConfiguration()
    const modules = Object.entries(modulesWith(policy, authority))
    expect(modules).toHaveLength(12)
    for (const [name, json] of modules) {
      const put = await send('PUT', `${path}/${name}`, { json })
      expect([name, put.status]).toEqual([name, 200])
      expect(Reflect.get(gateway.endpointConfigurations.get(id), name)).toEqual(put.body)
      expect((await send('GET', `${path}/${name}`)).body).toEqual(put.body)
      expect((await send('DELETE', `${path}/${name}`)).status).toBe(204)
      expect(Reflect.get(gateway.endpointConfigurations.get(id), name)).toBeNull()
      expect((await send('GET', `${path}/${name}`)).status).toBe(404)
      expect((await send('PATCH', path, { json: { [name]: json } })).body[name]).toEqual(put.body)
      await send('DELETE', `${path}/${name}`)
    }
  })

  test('that does not exist has no modules', async () => {
    const { sendRefused } = openGateway()
    const path = '/endpoint_configurations/ec_1/compression'
    expect(await sendRefused('PUT', path, { json: {} })).toMatch(/^404/)
    expect(await sendRefused('GET', path)).toMatch(/^404/)
    expect(await sendRefused('DELETE', path)).toMatch(/^404/)
  })

  test.each<[number: number, json: object]>([
    [1620, {}],
    [1622, { type: 'udp' }],
    [1673, { type: 'tcp', description: 'x'.repeat(256) }],
    [1674, { type: 'tcp', metadata: 'x'.repeat(4097) }],
    [1621, { type: 'tcp', compression: {} }],
    [1621, { type: 'http', tls_termination: {} }],
    [1679, { type: 'http', basic_auth: {}, oidc }],
    [1662, { type: 'https', tls_termination: { terminate_at: 'upstream' }, compression: {} }],
    [
      1694,
      { type: 'https', tls_termination: { terminate_at: 'upstream' }, mutual_tls: { certificate_authority_ids: [] } },
    ],
    [1699, { type: 'http', webhook_validation: { provider: 'sendgrid', secret: 's3cret' } }],
  ])('is rejected with %i: %o', async (number, json) => {
    const { sendRefused } = openGateway()
    expect(await sendRefused('POST', '/endpoint_configurations', { json })).toBe(`400 ERR_NGROK_${number}`)
  })

  test.each<[number: number, module: string, json: object]>([
    [228, 'mutual_tls', { certificate_authority_ids: ['x'] }],
    [1607, 'ip_policy', { ip_policy_ids: ['ipp_1'] }],
    [1611, 'circuit_breaker', { error_threshold_percentage: 2 }],
    [1612, 'basic_auth', { auth_provider_id: 'somebody' }],
    [1616, 'circuit_breaker', { tripped_duration: 0 }],
    [1617, 'circuit_breaker', { rolling_window: 0 }],
    [1618, 'circuit_breaker', { num_buckets: 129 }],
    [1623, 'request_headers', { remove: ['a b'] }],
    [1624, 'response_headers', { add: { a: 'b\nc' } }],
    [1625, 'ip_policy', { ip_policy_ids: [] }],
    [1626, 'webhook_validation', { provider: 'sns', secret: 'x' }],
    [1627, 'webhook_validation', { provider: 'github' }],
    [1629, 'webhook_validation', {}],
    [1630, 'webhook_validation', { provider: 'nobody', secret: 'x' }],
    [1632, 'tls_termination', { terminate_at: 'upstream', min_version: '1.2' }],
    [1633, 'oauth', { provider: { google: { client_id: 'x' } } }],
    [1634, 'oauth', { provider: { google: { scopes: ['x'] } } }],
    [1636, 'oauth', { provider: { google: {}, github: {} } }],
    [1637, 'oauth', { provider: {} }],
    [1642, 'oidc', { ...oidc, cookie_prefix: 'a b' }],
    [1643, 'oauth', { provider: { google: { email_addresses: ['x'] } } }],
    [1651, 'oauth', { provider: { google: { email_addresses: [''] } } }],
    [1652, 'oauth', { provider: { google: { email_domains: [''] } } }],
    [1653, 'oauth', { provider: { github: { teams: [''] } } }],
    [1654, 'oauth', { provider: { github: { organizations: [''] } } }],
    [1669, 'request_headers', { add: { a: 'b', A: 'b' } }],
    [1672, 'mutual_tls', { certificate_authority_ids: ['ca_1'] }],
    [1688, 'oidc', { ...oidc, issuer: '' }],
    [1692, 'oidc', { ...oidc, inactivity_timeout: 1e9 }],
  ])('rejects a module with %i, alone and as a field: %s %o', async (number, module, json) => {
    const { sendRefused, path } = openWithConfiguration()
    expect(await sendRefused('PUT', `${path}/${module}`, { json })).toBe(`400 ERR_NGROK_${number}`)
    expect(await sendRefused('PATCH', path, { json: { [module]: json } })).toBe(`400 ERR_NGROK_${number}`)
    const created = { type: 'https', [module]: json }
    expect(await sendRefused('POST', '/endpoint_configurations', { json: created })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('lets people sign in by one enabled module', async () => {
    const { send, sendRefused, path } = openWithConfiguration()
    await send('PUT', `${path}/oidc`, { json: { ...oidc, enabled: false } })
    expect((await send('PUT', `${path}/basic_auth`, { json: {} })).status).toBe(200)
    expect(await sendRefused('PUT', `${path}/oidc`, { json: oidc })).toBe('400 ERR_NGROK_1679')
    expect(await sendRefused('PATCH', path, { json: { oidc } })).toBe('400 ERR_NGROK_1679')
  })

  test('is linked by domains and addresses of its type, which keep it from deletion', async () => {
    const { gateway, sendRefused } = openGateway({ references: 'declared' })
    const [http, https, tcp] = (['http', 'https', 'tcp'] as const).map(
      (type) => gateway.endpointConfigurations.create({ type }).id,
    )
    const domain = gateway.reservedDomains.create({ domain: 'app.example.com', http_endpoint_configuration_id: http })
    gateway.reservedDomains.update(domain.id, { https_endpoint_configuration_id: https })
    const address = gateway.reservedAddrs.create({ endpoint_configuration_id: tcp })
    const other = { json: { https_endpoint_configuration_id: http } }
    expect(await sendRefused('PATCH', `/reserved_domains/${domain.id}`, other)).toBe('400 ERR_NGROK_428')
    const ofDomain = { json: { endpoint_configuration_id: https } }
    expect(await sendRefused('PATCH', `/reserved_addrs/${address.id}`, ofDomain)).toBe('400 ERR_NGROK_507')
    const unknown = { json: { endpoint_configuration_id: 'ec_1' } }
    expect(await sendRefused('PATCH', `/reserved_addrs/${address.id}`, unknown)).toBe('400 ERR_NGROK_90411')
    for (const id of [http, https, tcp])
      expect(await sendRefused('DELETE', `/endpoint_configurations/${id}`)).toBe('400 ERR_NGROK_1619')
    gateway.reservedDomains.delete(domain.id)
    gateway.reservedAddrs.delete(address.id)
    for (const id of [http, https, tcp]) gateway.endpointConfigurations.delete(id ?? '')
    const gone = { json: { endpoint_configuration_id: tcp } }
    expect(await sendRefused('POST', '/reserved_addrs', gone)).toBe('400 ERR_NGROK_90411')
  })

  test.each([
    [1670, { max: 1 }],
    [1609, { max: 1, number: 1609 }],
  ])('is limited by the account with %i', async (number, limit) => {
    const { gateway, sendRefused } = openGateway({ account: { limits: { endpoint_configurations: limit } } })
    gateway.endpointConfigurations.create({ type: 'tcp' })
    const json = { type: 'tcp' }
    expect(await sendRefused('POST', '/endpoint_configurations', { json })).toBe(`400 ERR_NGROK_${number}`)
  })
})
