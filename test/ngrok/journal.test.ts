import { describe, expect, it, test } from 'vitest'
import { openGateway } from './support.ts'

const SECRET = 'a-secret-of-a-vault'

/** A gateway with a vault, and the journal's entry of a request. */
function started() {
  const { gateway, send } = openGateway()
  const { id: vault_id } = gateway.vaults.create({ name: 'ci' })
  const entryOf = async (method: string, path: string, json: object) => {
    await send(method, path, { json })
    return gateway.requests.last()
  }
  return { gateway, vault_id, entryOf }
}

describe('In the journal, a field whose name ends with "value" (rules: secrets#journal)', () => {
  test.each([
    ['PUT', '/edges/tcp/edgtcp_1/traffic_policy', { value: 'on_tcp_connect: []' }],
    ['POST', '/reserved_domains', { domain: 'app.example.com', resolves_to: [{ value: 'us-and-elsewhere' }] }],
    ['POST', '/endpoints', { url: 'https://a.internal', traffic_policy: 'on_http_request: []', myvalue: 'shown-here' }],
  ])('is shown where it is no secret: %s %s', async (method, path, json) => {
    const { entryOf } = started()
    expect((await entryOf(method, path, json))?.request).toEqual(json)
  })

  it('is shown in responses and commits too', async () => {
    const { entryOf } = started()
    const entry = await entryOf('PUT', '/edges/tls/edgtls_1/traffic_policy', { value: 'on_tcp_connect: []' })
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
  ])('is hidden where it is one, and where nobody knows: %s %s %j', async (method, path, json) => {
    const { gateway, vault_id, entryOf } = started()
    const entry = await entryOf(method, path, { ...json, vault_id })
    expect(JSON.stringify(entry)).not.toContain(SECRET)
    expect(JSON.stringify(entry?.request)).toContain('[redacted]')
    expect(gateway.requests.all()).toHaveLength(1)
  })

  it('is hidden only in messages of its own operation', async () => {
    const { gateway, entryOf } = started()
    const message = async (path: string, json: object) => (await entryOf('POST', path, json))?.response
    const own = await message('/vault_secrets', { name: 'a secret-value', value: 'a secret-value' })
    expect(JSON.stringify(own)).not.toContain('a secret-value')
    const other = await message('/reserved_domains', { domain: 'not a-name', resolves_to: [{ value: 'not a-name' }] })
    expect(JSON.stringify(other)).toContain('not a-name')
    expect(() =>
      gateway.reservedDomains.create({ domain: 'not a-name', resolves_to: [{ value: 'not a-name' }] }),
    ).toThrow(/not a-name/)
  })
})
