import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../src/index.ts'
import { outcome } from '../support/client.ts'
import { opened } from './support.ts'

const VALUE = 'the-value-of-a-secret'
const TOO_LONG = 'n'.repeat(256)

/** A gateway with two vaults, the first with a secret. */
function furnished() {
  const { gateway, send, refusedBy } = opened()
  const vault = gateway.vaults.create({ name: 'ci/prod', description: 'd' })
  const other = gateway.vaults.create({ name: 'other' })
  const secret = gateway.vaultSecrets.create({ name: 'db', value: VALUE, vault_id: vault.id })
  return { gateway, send, refusedBy, vault, other, secret }
}

describe('Vaults', () => {
  test('are created, read, listed by a filter, changed and deleted', async () => {
    const { gateway, send, vault } = furnished()
    const created = await send('POST', '/vaults', { json: { name: 'a-Z_9/.', metadata: 'm' } })
    const { id, created_by } = created.body
    expect([created.status, created.body]).toEqual([
      201,
      {
        id,
        uri: `${gateway.url}/vaults/${id}`,
        created_at: '2026-01-01T00:00:00Z',
        metadata: 'm',
        updated_at: '2026-01-01T00:00:00Z',
        name: 'a-Z_9/.',
        created_by,
        last_updated_by: created_by,
      },
    ])
    expect([id, created_by]).toEqual([
      expect.stringMatching(/^vault_[0-9A-Za-z]{27}$/),
      expect.stringMatching(/^usr_[0-9A-Za-z]{27}$/),
    ])
    expect((await send('GET', `/vaults/${id}`)).body).toEqual(created.body)
    const listed = await send('GET', `/vaults?filter=${encodeURIComponent('obj.name.startsWith("ci/")')}`)
    expect(listed.body).toEqual({ vaults: [vault], uri: `${gateway.url}/vaults`, next_page_uri: null })
    gateway.clock.advance('1m')
    for (const json of [{}, { name: vault.name, description: 'd' }]) {
      expect((await send('PATCH', `/vaults/${vault.id}`, { json })).body).toEqual(vault)
    }
    const changed = await send('PATCH', `/vaults/${vault.id}`, { json: { description: '' } })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...vault, description: '', updated_at: '2026-01-01T00:01:00Z' },
    ])
    expect(outcome(await send('DELETE', `/vaults/${id}`))).toBe('204')
    expect(outcome(await send('GET', `/vaults/${id}`))).toBe('404 ERR_NGROK_90404')
  })

  test('list their own secrets in pages, without a filter', async () => {
    const { gateway, send, refusedBy, vault, other, secret } = furnished()
    const { uri: _, ...newest } = gateway.vaultSecrets.create({ name: 'b', value: VALUE, vault_id: vault.id })
    gateway.vaultSecrets.create({ name: 'db', value: VALUE, vault_name: other.name })
    const first = await send('GET', `/vaults/${vault.id}/secrets?limit=1`)
    const uri = `${gateway.url}/vaults/${vault.id}/secrets`
    const next_page_uri = `${uri}?before_id=${newest.id}&limit=1`
    expect(first.body).toEqual({ secrets: [expect.objectContaining(newest)], uri, next_page_uri })
    expect((await send('GET', next_page_uri)).body).toEqual({ secrets: [secret], uri, next_page_uri: null })
    expect(gateway.vaults.secrets(other.id).secrets.map((each) => each.vault_name)).toEqual(['other'])
    expect(await refusedBy('GET', `/vaults/${vault.id}/secrets?filter=true`)).toBe('400 ERR_NGROK_231')
    expect(await refusedBy('GET', '/vaults/vault_1/secrets')).toBe('404 ERR_NGROK_90404')
  })

  test('give a new name to their secrets too', () => {
    const { gateway, vault, secret } = furnished()
    gateway.clock.advance('1m')
    gateway.vaults.update(vault.id, { name: 'ci/live' })
    expect(gateway.vaultSecrets.get(secret.id)).toEqual({ ...secret, vault_name: 'ci/live' })
  })

  test.each<[number: number, json: object]>([
    [23000, { name: 'two words' }],
    [23000, { name: 'é' }],
    [23001, { name: '' }],
    [23002, { name: TOO_LONG }],
    [23004, { name: 'other' }],
    [215, { description: 'd'.repeat(256) }],
  ])('refuse with %i, also in a change: %o', async (number, json) => {
    const { refusedBy, vault } = furnished()
    const code = `400 ERR_NGROK_${number}`
    expect(await refusedBy('POST', '/vaults', { json: { name: 'new', ...json } })).toBe(code)
    expect(await refusedBy('PATCH', `/vaults/${vault.id}`, { json })).toBe(code)
  })

  test('need a name, and are not deleted while they have a secret', async () => {
    const { gateway, refusedBy, vault, secret } = furnished()
    expect(await refusedBy('POST', '/vaults', { json: {} })).toBe('400 ERR_NGROK_23001')
    expect(await refusedBy('DELETE', `/vaults/${vault.id}`)).toBe('400 ERR_NGROK_23003')
    expect(gateway.requests.last()?.response).toMatchObject({
      msg: `${vault.id} has secrets, such as ${secret.id}. Delete them first.`,
    })
    gateway.vaultSecrets.delete(secret.id)
    gateway.vaults.delete(vault.id)
  })
})

describe('Secrets of vaults', () => {
  test('are created, read, listed by a filter, changed and deleted', async () => {
    const { gateway, send, vault, secret } = furnished()
    const json = { name: 'key', value: VALUE, vault_id: vault.id, vault_name: vault.name, metadata: 'm' }
    const created = await send('POST', '/vault_secrets', { json })
    const { id } = created.body
    const user = { id: vault.created_by, uri: '' }
    expect([created.status, created.body]).toEqual([
      201,
      {
        id,
        uri: `${gateway.url}/vault_secrets/${id}`,
        created_at: '2026-01-01T00:00:00Z',
        metadata: 'm',
        updated_at: '2026-01-01T00:00:00Z',
        name: 'key',
        vault: { id: vault.id, uri: vault.uri },
        vault_name: 'ci/prod',
        created_by: user,
        last_updated_by: user,
      },
    ])
    expect(id).toMatch(/^secret_[0-9A-Za-z]{27}$/)
    expect((await send('GET', `/vault_secrets/${id}`)).body).toEqual(created.body)
    const listed = await send('GET', `/vault_secrets?filter=${encodeURIComponent("obj.name == 'db'")}`)
    expect(listed.body).toEqual({ secrets: [secret], uri: `${gateway.url}/vault_secrets`, next_page_uri: null })
    gateway.clock.advance('1m')
    const path = `/vault_secrets/${secret.id}`
    for (const json of [{}, { value: VALUE }]) expect((await send('PATCH', path, { json })).body).toEqual(secret)
    const changed = { ...secret, updated_at: '2026-01-01T00:01:00Z' }
    expect((await send('PATCH', path, { json: { value: 'another value' } })).body).toEqual(changed)
    expect((await send('PATCH', path, { json: { name: 'sql' } })).body).toEqual({ ...changed, name: 'sql' })
    expect(outcome(await send('DELETE', path))).toBe('204')
    expect(gateway.vaultSecrets.list().secrets).toEqual([created.body])
  })

  test.each<[number: number, json: object]>([
    [24000, { name: 'a b' }],
    [24001, { name: '' }],
    [24002, { name: TOO_LONG }],
    [24003, { value: '' }],
    [24004, { value: 'v'.repeat(65_536) }],
    [24005, { name: 'taken' }],
    [215, { metadata: 'm'.repeat(4097) }],
  ])('refuse with %i, also in a change: %o', async (number, json) => {
    const { gateway, refusedBy, vault, secret } = furnished()
    gateway.vaultSecrets.create({ name: 'taken', value: VALUE, vault_id: vault.id })
    const code = `400 ERR_NGROK_${number}`
    const good = { name: 'new', value: VALUE, vault_id: vault.id }
    expect(await refusedBy('POST', '/vault_secrets', { json: { ...good, ...json } })).toBe(code)
    expect(await refusedBy('PATCH', `/vault_secrets/${secret.id}`, { json })).toBe(code)
  })

  test.each<[number: number, json: object]>([
    [24001, { name: undefined }],
    [24003, { value: undefined }],
    [24006, { vault_id: 'vault_1' }],
    [24006, { vault_id: 'ci/prod' }],
    [24008, { vault_name: undefined }],
    [24008, { vault_name: '', vault_id: '' }],
    [24009, { vault_name: 'live' }],
    [24009, { vault_name: 'ci/prod', vault_id: 'the other' }],
  ])('a creation is refused with %i: %o', async (number, json) => {
    const { refusedBy, other } = furnished()
    const sent = { name: 'new', value: VALUE, vault_name: 'ci/prod', ...json }
    const text = JSON.stringify(sent).replace('the other', other.id)
    expect(await refusedBy('POST', '/vault_secrets', { json: JSON.parse(text) })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('stay in their vault, where another vault may use the same name', async () => {
    const { gateway, refusedBy, other, secret } = furnished()
    const json = { vault_id: other.id }
    expect(await refusedBy('PATCH', `/vault_secrets/${secret.id}`, { json })).toBe('400 ERR_NGROK_214')
    expect(gateway.vaultSecrets.create({ name: 'db', value: VALUE, vault_name: 'other' }).vault.id).toBe(other.id)
  })

  test('show their value nowhere but in a snapshot with secrets', async () => {
    const { gateway, send, vault, secret } = furnished()
    const sent = { name: 'new', value: VALUE, vault_id: vault.id }
    await send('POST', '/vault_secrets', { json: sent })
    await send('POST', '/vault_secrets', { json: { ...sent, name: 'big', value: VALUE.repeat(4000) } })
    await send('PATCH', `/vault_secrets/${secret.id}`, { json: { value: `${VALUE}!` } })
    expect(gateway.requests.all().map(({ status }) => status)).toEqual([201, 400, 200])
    for (const shown of [gateway.requests.all(), gateway.vaultSecrets.list(), gateway.snapshot()]) {
      expect(JSON.stringify(shown)).not.toContain(VALUE)
    }
    expect(JSON.stringify(gateway.snapshot({ privateKeys: true }))).toContain(`"${VALUE}!"`)
  })

  test('come back with a snapshot, and one whose names or vaults do not fit is refused', () => {
    const { gateway, vault, secret } = furnished()
    gateway.vaultSecrets.create({ name: 'twin', value: VALUE, vault_id: vault.id })
    const before = gateway.snapshot({ privateKeys: true })
    gateway.vaultSecrets.delete(secret.id)
    gateway.restore(before)
    expect(gateway.vaultSecrets.get(secret.id)).toEqual(secret)
    for (const [from, to] of [
      ['"name":"twin"', '"name":"db"'],
      ['"name":"other"', '"name":"ci/prod"'],
      ['"vault_name":"ci/prod"', '"vault_name":"other"'],
      [`"vault_id":"${vault.id}`, '"vault_id":"vault_1'],
    ] as const) {
      expect(() => gateway.restore(JSON.parse(JSON.stringify(before).replace(from, to))), to).toThrow(GatewayError)
    }
    expect(gateway.snapshot({ privateKeys: true })).toEqual(before)
  })
})
