import { describe, expect, test } from 'vitest'
import { openGateway } from './support.ts'

const VALUE = 'the-value-of-a-secret'
const TOO_LONG = 'n'.repeat(256)

/** Creates a gateway with two vaults, of which the first has a secret. */
function openWithVaults() {
  const { gateway, send, sendRefused } = openGateway()
  const vault = gateway.vaults.create({ name: 'ci/prod', description: 'd' })
  const other = gateway.vaults.create({ name: 'other' })
  const secret = gateway.vaultSecrets.create({ name: 'db', value: VALUE, vault_id: vault.id })
  return { gateway, send, sendRefused, vault, other, secret }
}

describe('Vaults', () => {
  test('list their own secrets in pages, without a filter', async () => {
    const { gateway, send, sendRefused, vault, other, secret } = openWithVaults()
    const { uri: _, ...newest } = gateway.vaultSecrets.create({ name: 'b', value: VALUE, vault_id: vault.id })
    gateway.vaultSecrets.create({ name: 'db', value: VALUE, vault_name: other.name })
    const first = await send('GET', `/vaults/${vault.id}/secrets?limit=1`)
    const uri = `${gateway.url}/vaults/${vault.id}/secrets`
    const next_page_uri = `${uri}?before_id=${newest.id}&limit=1`
    expect(first.body).toEqual({ secrets: [expect.objectContaining(newest)], uri, next_page_uri })
    expect((await send('GET', next_page_uri)).body).toEqual({ secrets: [secret], uri, next_page_uri: null })
    expect(gateway.vaults.secrets(other.id).secrets.map((each) => each.vault_name)).toEqual(['other'])
    expect(await sendRefused('GET', `/vaults/${vault.id}/secrets?filter=true`)).toBe('400 ERR_NGROK_231')
    expect(await sendRefused('GET', '/vaults/vault_1/secrets')).toBe('404 ERR_NGROK_90404')
  })

  test('list their secrets also if the query repeats the id of the path (rules: lists#ids-in-the-path)', async () => {
    const { gateway, sendRefused, vault, other, secret } = openWithVaults()
    const path = `/vaults/${vault.id}/secrets`
    const headers = { authorization: 'Bearer key', 'ngrok-version': '2' }
    const response = await gateway.fetch(`${gateway.url}${path}?id=${vault.id}&limit=3`, { headers })
    expect(await response.json()).toMatchObject({ secrets: [secret], uri: `${gateway.url}${path}` })
    expect(await sendRefused('GET', `${path}?id=${other.id}`)).toBe('400 ERR_NGROK_231')
  })

  test('that get a new name show it in their secrets too', () => {
    const { gateway, vault, secret } = openWithVaults()
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
  ])('are rejected with %i, also in an update: %o', async (number, json) => {
    const { sendRefused, vault } = openWithVaults()
    const code = `400 ERR_NGROK_${number}`
    expect(await sendRefused('POST', '/vaults', { json: { name: 'new', ...json } })).toBe(code)
    expect(await sendRefused('PATCH', `/vaults/${vault.id}`, { json })).toBe(code)
  })

  test('need a name, and are not deleted while they have a secret', async () => {
    const { gateway, sendRefused, vault, secret } = openWithVaults()
    expect(await sendRefused('POST', '/vaults', { json: {} })).toBe('400 ERR_NGROK_23001')
    expect(await sendRefused('DELETE', `/vaults/${vault.id}`)).toBe('400 ERR_NGROK_23003')
    expect(gateway.requests.last()?.response).toMatchObject({
      msg: `${vault.id} has secrets, such as ${secret.id}. Delete them first.`,
    })
    gateway.vaultSecrets.delete(secret.id)
    gateway.vaults.delete(vault.id)
  })
})

describe('Secrets of vaults', () => {
  test.each<[number: number, json: object]>([
    [24000, { name: 'a b' }],
    [24001, { name: '' }],
    [24002, { name: TOO_LONG }],
    [24003, { value: '' }],
    [24004, { value: 'v'.repeat(65_536) }],
    [24005, { name: 'taken' }],
  ])('are rejected with %i, also in an update: %o', async (number, json) => {
    const { gateway, sendRefused, vault, secret } = openWithVaults()
    gateway.vaultSecrets.create({ name: 'taken', value: VALUE, vault_id: vault.id })
    const code = `400 ERR_NGROK_${number}`
    const valid = { name: 'new', value: VALUE, vault_id: vault.id }
    expect(await sendRefused('POST', '/vault_secrets', { json: { ...valid, ...json } })).toBe(code)
    expect(await sendRefused('PATCH', `/vault_secrets/${secret.id}`, { json })).toBe(code)
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
  ])('a creation is rejected with %i: %o', async (number, json) => {
    const { sendRefused, other } = openWithVaults()
    const sent = { name: 'new', value: VALUE, vault_name: 'ci/prod', ...json }
    const text = JSON.stringify(sent).replace('the other', other.id)
    expect(await sendRefused('POST', '/vault_secrets', { json: JSON.parse(text) })).toBe(`400 ERR_NGROK_${number}`)
  })

  test('stay in their vault, where another vault may use the same name', async () => {
    const { gateway, sendRefused, other, secret } = openWithVaults()
    const json = { vault_id: other.id }
    expect(await sendRefused('PATCH', `/vault_secrets/${secret.id}`, { json })).toBe('400 ERR_NGROK_214')
    expect(gateway.vaultSecrets.create({ name: 'db', value: VALUE, vault_name: 'other' }).vault.id).toBe(other.id)
  })

  test('show their value only in a snapshot with secrets', async () => {
    const { gateway, send, vault, secret } = openWithVaults()
    const sent = { name: 'new', value: VALUE, vault_id: vault.id }
    await send('POST', '/vault_secrets', { json: sent })
    await send('POST', '/vault_secrets', { json: { ...sent, name: 'big', value: VALUE.repeat(4000) } })
    await send('PATCH', `/vault_secrets/${secret.id}`, { json: { value: `${VALUE}!` } })
    expect(gateway.requests.all().map(({ status }) => status)).toEqual([201, 400, 200])
    for (const view of [gateway.requests.all(), gateway.vaultSecrets.list(), gateway.snapshot()]) {
      expect(JSON.stringify(view)).not.toContain(VALUE)
    }
    expect(JSON.stringify(gateway.snapshot({ privateKeys: true }))).toContain(`"${VALUE}!"`)
  })
})
