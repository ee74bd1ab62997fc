import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  MANAGED_DOMAIN,
  MANUAL_CLOCK,
  SandboxClient,
  SharedSandboxes,
  useSandboxes,
  waitUntil,
} from './support/sandboxes.ts'

const sandboxes = useSandboxes()

describe('A sandbox whose state cannot be read (rules: sandboxes#versions)', () => {
  it.each([
    ['newer-tables', 'UPDATE fauxgate_schema SET version = 99', 'its tables have version 99'],
    ['damaged', "UPDATE fauxgate_records SET record = replace(record, 'kept', 'lost')", 'it is damaged'],
  ])('answers 503 in JSON with why and what to do, and can be removed: %s', async (name, statement, why) => {
    const sandbox = await sandboxes.create(name, MANUAL_CLOCK)
    await sandbox.send('POST', '/reserved_addrs', { description: 'kept' })
    await sandboxes.runInStorage([{ namespace: 'SANDBOXES', name, sql: [statement] }])
    for (const answer of [
      await sandbox.send('GET', '/reserved_addrs'),
      await sandbox.send('POST', '/reserved_addrs', {}),
      await sandbox.control('GET', '/state'),
      await sandbox.control('GET', '/events'),
      await sandboxes.callAccount('GET', `/s/${name}`),
      await sandboxes.callAccount('POST', `/s/${name}/fork`, { name: `${name}-fork` }),
    ]) {
      expect([answer.status, answer.body.error_code]).toEqual([503, 'ERR_GATEWAY_90618'])
      expect(answer.body.msg).toContain(`The state of the sandbox ${name} cannot be read. `)
      expect(answer.body.msg).toContain(`Reason: ${why}`)
      expect(answer.text).not.toContain('lost')
    }
    expect(await sandboxes.listNames()).toContain(name)
    expect((await sandboxes.callAccount('GET', `/s/${name}/keys`)).status).toBe(200)
    expect((await sandboxes.callAccount('DELETE', `/s/${name}`)).status).toBe(204)
    expect((await sandboxes.create(name, MANUAL_CLOCK)).created.name).toBe(name)
  })

  it('is removed at its end, although an event in it was due earlier', async () => {
    // The sandbox must not end before its storage is changed, on a busy machine too.
    const sandbox = await sandboxes.create('ends', { ttl: '10s', provisioningDelay: '1s' })
    await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    const sql = ['UPDATE fauxgate_schema SET version = 99'] as const
    await sandboxes.runInStorage([{ namespace: 'SANDBOXES', name: 'ends', sql }])
    const listRemaining = () => sandboxes.listNames()
    await waitUntil(listRemaining, (names) => !names.includes('ends'))
  })

  it('can be read, unchanged, when the version that wrote it runs again', async () => {
    const sandbox = await sandboxes.create('again', MANUAL_CLOCK)
    const { body } = await sandbox.send('POST', '/reserved_addrs', { description: 'kept' })
    const setVersion = (version: string) =>
      sandboxes.runInStorage([
        { namespace: 'SANDBOXES', name: 'again', sql: [`UPDATE fauxgate_schema SET version = ${version}`] },
      ])
    await setVersion('version + 40')
    expect((await sandbox.send('GET', '/reserved_addrs')).status).toBe(503)
    await setVersion('version - 40')
    expect((await sandbox.send('GET', `/reserved_addrs/${body.id}`)).body).toEqual(body)
  })
})

/** Omits collections without records, because versions have different ones. */
const omitEmpty = (records: Readonly<Record<string, readonly object[]>>) =>
  Object.fromEntries(Object.entries(records).filter(([, each]) => each.length > 0))

const CORPUS = fileURLToPath(new URL('../corpus', import.meta.url))
const versions = readdirSync(CORPUS).filter((version) => existsSync(`${CORPUS}/${version}/sandbox`))

describe.each(versions)('The sandbox of fauxgate %s', (version) => {
  const folder = `${CORPUS}/${version}/sandbox`
  const readJson = (name: string) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))

  it('is read from its storage, with its keys, and continues (rules: sandboxes#versions)', async () => {
    const older = await new SharedSandboxes().copyStateFrom(`${folder}/state`).start()
    onTestFinished(() => older.stop())
    const sandbox = new SandboxClient(older, { ...readJson('created'), url: `${older.url}/s/corpus` })
    // No store has the counts of the rate limit.
    const { body: state } = await sandbox.control('GET', '/state')
    const expected = readJson('state')
    expect({ ...state, records: omitEmpty(state.records) }).toEqual({
      ...expected,
      records: omitEmpty(expected.records),
      rateLimit: [],
    })
    expect((await older.callAccount('GET', '/s')).body.sandboxes).toMatchObject([{ name: 'corpus', clock: 'manual' }])
    const { body, status } = await sandbox.send('POST', '/reserved_addrs', { description: 'of today' })
    expect(status).toBe(201)
    await older.restart({})
    expect((await sandbox.send('GET', `/reserved_addrs/${body.id}`)).body).toEqual(body)
  })

  it('is read from its export by another sandbox', async () => {
    const sandbox = await sandboxes.create(`from-${version.replaceAll('.', '-')}`, {
      ...MANUAL_CLOCK,
      dns: 'simulated',
      snapshot: readJson('state'),
    })
    expect(omitEmpty((await sandbox.control('GET', '/state')).body.records)).toEqual(
      omitEmpty(readJson('state').records),
    )
  })
})
