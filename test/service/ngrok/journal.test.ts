import { describe, expect, it, test } from 'vitest'
import { openGateway } from './support.ts'

const SECRET = 'a-secret-of-a-vault'

/** Creates a gateway with a vault, and a function that sends a request and finds its journal entry. */
function openWithVault() {
  const { gateway, send } = openGateway()
  const { id: vault_id } = gateway.vaults.create({ name: 'ci' })
  const findEntry = async (method: string, path: string, json: object) => {
    await send(method, path, { json })
    return gateway.requests.last()
  }
  return { gateway, vault_id, findEntry }
}

describe('In the journal, a field whose name ends with "value" (rules: secrets#journal)', () => {
  test.each([
    ['PUT', '/edges/tcp/edgtcp_1/traffic_policy', { value: 'on_tcp_connect: []' }],
    ['POST', '/reserved_domains', { domain: 'app.example.com', resolves_to: [{ value: 'us-cal-1' }] }],
    ['POST', '/endpoints', { url: 'https://a.internal', traffic_policy: 'on_http_request: []', myvalue: 'shown-here' }],
  ])('is shown where it is no secret: %s %s', async (method, path, json) => {
    const { findEntry } = openWithVault()
    expect((await findEntry(method, path, json))?.request).toEqual(json)
  })

  it('is shown in responses and commits too', async () => {
    const { findEntry } = openWithVault()
    const entry = await findEntry('PUT', '/edges/tls/edgtls_1/traffic_policy', { value: 'on_tcp_connect: []' })
    expect(entry?.response).toEqual({ enabled: true, value: 'on_tcp_connect: []' })
    expect(JSON.stringify(entry?.commit)).toContain('on_tcp_connect: []')
  })

  test.each([
    ['POST', '/vault_secrets', { name: 'db', value: SECRET }],
    ['POST', '/vault_secrets', { name: 'db', value: [SECRET] }],
    ['POST', '/vault_secrets', { name: 'db', Value: SECRET }],
    ['POST', '/vault_secrets', { name: 'db', 'value ': SECRET, description: `see ${SECRET}` }],
    ['PATCH', '/vault_secrets/secret_1', { value: SECRET }],
    ['POST', '/vault_secret', { name: 'db', value: SECRET }],
    ['POST', '/no/such/path', { value: SECRET }],
  ])('is hidden where it is or could be a secret: %s %s %j', async (method, path, json) => {
    const { gateway, vault_id, findEntry } = openWithVault()
    const entry = await findEntry(method, path, { ...json, vault_id })
    expect(JSON.stringify(entry)).not.toContain(SECRET)
    expect(JSON.stringify(entry?.request)).toContain('[redacted]')
    expect(gateway.requests.all()).toHaveLength(1)
  })

  it('is hidden only in messages of its own operation', async () => {
    const { gateway, findEntry } = openWithVault()
    const findResponse = async (path: string, json: object) => (await findEntry('POST', path, json))?.response
    const own = await findResponse('/vault_secrets', { name: 'a secret-value', value: 'a secret-value' })
    expect(JSON.stringify(own)).not.toContain('a secret-value')
    const other = await findResponse('/reserved_domains', {
      domain: 'not a-name',
      resolves_to: [{ value: 'not a-name' }],
    })
    expect(JSON.stringify(other)).toContain('not a-name')
    expect(() =>
      gateway.reservedDomains.create({ domain: 'not a-name', resolves_to: [{ value: 'not a-name' }] }),
    ).toThrow(/not a-name/)
  })
})
