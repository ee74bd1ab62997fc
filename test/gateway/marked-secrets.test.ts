import type * as v from 'valibot'
import { describe, expect, it, test } from 'vitest'
import { controlCalls } from '../../src/control/controls.ts'
import type { Collection } from '../../src/core/operation/collection.ts'
import type { Family } from '../../src/core/operation/family.ts'
import { isSchema, listSchemas, marksOf, partsOf } from '../../src/core/schema/schema-parts.ts'
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { createGateway, manualClock, ngrok } from '../../src/index.ts'
import { ngrokFamilies as ofNgrok } from '../../src/service/ngrok/families.ts'
import { families } from '../../src/service/resources/index.ts'
import { client } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { collectCommits } from '../support/gateway.ts'
import { lockers, planted, sent } from '../support/lockers.ts'
import { pem, upload } from '../support/pem.ts'

const CONTROL_KEY = 'key-of-the-controls'

const allFamilies: readonly Family[] = Object.values<Family>({ ...families, ...ofNgrok, lockers })
const collections = allFamilies.flatMap((family): readonly Collection<object>[] => family.collections)
const withSecrets = collections.filter(({ schema }) => [...listSchemas([schema])].some((each) => marksOf(each).secret))

/** Makes a value with a secret in every marked field of a schema, in every alternative. */
function plant(schema: v.GenericSchema, where: string): unknown {
  if (marksOf(schema).secret) return planted(where)
  const { wrapped, entries, item, items, value, options = [], getter } = partsOf(schema)
  if (wrapped) return plant(wrapped, where)
  if (getter) return plant(getter(undefined), where)
  if (entries) return Object.fromEntries(Object.entries(entries).map(([name, each]) => [name, plant(each, name)]))
  if (items) return items.map((each) => plant(each, where))
  if (item) return [plant(item, where)]
  const [first] = [value, ...options].filter(isSchema)
  if (first && options.length === 0) return { key: plant(first, where) }
  return first ? plant(first, where) : 'harmless'
}

describe('A field that a schema marks as secret (rules: secrets#fields)', () => {
  it.each(withSecrets.map((each) => [each.name, each] as const))('is in no commit and no snapshot: %s', (_, each) => {
    const record = plant(each.schema, 'record') as object // Every record is an object.
    expect(JSON.stringify(record)).toContain('planted-')
    expect(JSON.stringify(each.toPublic(record))).not.toContain('planted-')
    expect(JSON.stringify(each.toStored(record))).toContain('planted-')
  })

  test('of all families, own ones included, is in no place that shows the state or the traffic', async () => {
    const gateway = createGateway({
      dialect: ngrok,
      families: { ...ngrokFamilies, lockers },
      seed: 'marked',
      control: { key: CONTROL_KEY },
      clock: manualClock(CLOCK_START),
    })
    const commits = collectCommits(gateway)
    const send = client(gateway, { ...ngrokFamilies, lockers })
    const control = async (path: string, method = 'GET') => {
      const headers = { 'content-type': 'application/json', 'fauxgate-control-key': CONTROL_KEY }
      const content = method === 'POST' && { body: '{}' }
      const response = await gateway.fetch(`${gateway.url}/_fauxgate${path}`, { method, headers, ...content })
      expect(response.status, path).toBe(200)
      return response.text()
    }
    const ok = async (method: string, path: string, json?: object) => {
      const response = await send(method, path, json ? { json } : {})
      expect(response.status, `${method} ${path}: ${JSON.stringify(response.body)}`).toBeLessThan(300)
      return response.body
    }
    await control('/snapshots', 'POST')

    const locker = await ok('POST', '/lockers', sent)
    const edge = await ok('POST', '/edges/https', {})
    const route = await ok('POST', `/edges/https/${edge.id}/routes`, { match: '/', match_type: 'path_prefix' })
    const modules = `/edges/https/${edge.id}/routes/${route.id}`
    const app = { client_id: 'an-app', client_secret: planted('oauth'), scopes: ['profile', 'email'] }
    await ok('PUT', `${modules}/webhook_verification`, { provider: 'github', secret: planted('webhook') })
    await ok('PUT', `${modules}/oauth`, { provider: { google: app } })
    await ok('PUT', `${modules}/oidc`, {
      enabled: false,
      issuer: 'https://a.example.com',
      client_id: 'an-app',
      client_secret: planted('oidc'),
    })
    const vault = await ok('POST', '/vaults', { name: 'vault' })
    const stored = await ok('POST', '/vault_secrets', { vault_id: vault.id, name: 'one', value: planted('vault') })
    await ok('POST', '/tls_certificates', upload('p256'))
    const configuration = await ok('POST', '/endpoint_configurations', { type: 'https' })
    const configured = `/endpoint_configurations/${configuration.id}`
    await ok('PUT', `${configured}/webhook_validation`, { provider: 'github', secret: planted('validation') })
    await ok('PUT', `${configured}/oauth`, { provider: { google: app } })
    const creds = { aws_access_key_id: 'an-id', aws_secret_access_key: planted('aws') }
    const kinesis = { stream_arn: 'arn:aws:kinesis:us-east-1:1:stream/one', auth: { creds } }
    await ok('POST', '/event_destinations', { format: 'json', target: { kinesis } })
    await ok('POST', '/event_destinations', { format: 'json', target: { datadog: { api_key: planted('datadog') } } })
    const other = await ok('POST', '/endpoint_configurations', { type: 'https' })
    await ok('PUT', `/endpoint_configurations/${other.id}/oidc`, {
      issuer: 'https://a.example.com',
      client_id: 'an-app',
      client_secret: planted('oidc'),
    })
    const aiKey = (await ok('POST', '/ai_gateway_api_keys', {})).token
    const tokens = [aiKey, (await ok('POST', '/credentials', {})).token, (await ok('POST', '/api_keys', {})).token]

    const keyLine = pem('key-p256').split('\n')[1] ?? ''
    const isSecret = (text: string) => ['planted-', keyLine, ...tokens].some((each) => text.includes(each))
    const full = gateway.snapshot({ privateKeys: true })
    const without = withSecrets.filter(({ name }) => !isSecret(JSON.stringify(full.records[name])))
    expect(without.map(({ name }) => name)).toEqual([])

    // Later requests have the records as they were before.
    await ok('PATCH', `/lockers/${locker.id}`, { pin: planted('second') })
    await ok('PUT', `${modules}/webhook_verification`, { provider: 'sns' })
    for (const module of ['webhook_verification', 'oauth', 'oidc']) await ok('DELETE', `${modules}/${module}`)
    await ok('PATCH', `/vault_secrets/${stored.id}`, { value: planted('other') })
    await ok('DELETE', `/vault_secrets/${stored.id}`)
    const refused = await send('POST', '/lockers', {
      json: { ...sent, codes: planted('codes'), pin: [planted('pin')] },
    })
    expect(refused.status).toBe(400)
    await ok('POST', '/lockers', sent)

    const places: Record<string, string> = {
      message: JSON.stringify(refused.body),
      commits: JSON.stringify(commits),
      journal: JSON.stringify(gateway.requests.all()),
      snapshot: JSON.stringify(gateway.snapshot()),
      report: String(gateway.report()),
      difference: await control('/snapshots/difference?from=Snapshot%201'),
    }
    for (const { method, path } of controlCalls) {
      const needsParameters = /^\/(provisioning\/timeline|snapshots\/difference|openapi\..*)$/.test(path)
      if (method === 'GET' && !needsParameters) places[path] = await control(path)
    }
    expect(Object.keys(places)).toContain('/state')
    expect(Object.keys(places).filter((name) => isSecret(places[name] ?? ''))).toEqual([])
  })

  test('becomes "[redacted]" in a snapshot, or is absent if its schema makes it optional without a default', () => {
    const open = () => createGateway({ families: { lockers }, seed: 'marked', clock: { now: () => 0 } })
    const gateway = open()
    gateway.lockers.create(sent)
    const { records } = JSON.parse(JSON.stringify(gateway.snapshot()))
    expect(records.lockers[0]).toMatchObject({
      pin: '[redacted]',
      codes: ['[redacted]'],
      byName: { first: '[redacted]' },
      either: { word: '[redacted]' },
      deep: { list: [{ word: '[redacted]' }] },
      pair: ['open', '[redacted]'],
      later: { word: '[redacted]' },
      checked: { word: '[redacted]' },
    })
    expect(records.lockers[0]).not.toHaveProperty('hint')
    const other = open()
    other.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
    expect(other.snapshot()).toEqual(gateway.snapshot())
  })
})
