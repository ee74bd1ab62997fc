import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { managed, manual, SandboxClient, SharedSandboxes, sharedSandboxes, until } from './support/served.ts'

const sandboxes = sharedSandboxes()

describe('A sandbox whose state cannot be read (rules: sandboxes#versions)', () => {
  it.each([
    ['newer-tables', 'UPDATE fauxgate_schema SET version = 99', 'its tables have the version 99'],
    ['damaged', "UPDATE fauxgate_records SET record = replace(record, 'kept', 'lost')", 'it is damaged'],
  ])('answers 503 in JSON with why and what to do, and can be removed: %s', async (name, statement, why) => {
    const sandbox = await sandboxes.create(name, manual)
    await sandbox.ask('POST', '/reserved_addrs', { description: 'kept' })
    await sandboxes.withStorage([{ of: 'SANDBOXES', name, sql: [statement] }])
    for (const answer of [
      await sandbox.ask('GET', '/reserved_addrs'),
      await sandbox.ask('POST', '/reserved_addrs', {}),
      await sandbox.control('GET', '/state'),
      await sandbox.control('GET', '/events'),
      await sandboxes.account('GET', `/s/${name}`),
      await sandboxes.account('POST', `/s/${name}/fork`, { name: `${name}-fork` }),
    ]) {
      expect([answer.status, answer.body.error_code]).toEqual([503, 'ERR_GATEWAY_90618'])
      expect(answer.body.msg).toContain(`The state of the sandbox ${name} cannot be read`)
      expect(answer.body.msg).toContain(why)
      expect(answer.text).not.toContain('lost')
    }
    expect(await sandboxes.names()).toContain(name)
    expect((await sandboxes.account('GET', `/s/${name}/keys`)).status).toBe(200)
    expect((await sandboxes.account('DELETE', `/s/${name}`)).status).toBe(204)
    expect((await sandboxes.create(name, manual)).created.name).toBe(name)
  })

  it('is removed at its end, although an event in it was due earlier', async () => {
    // It must not end before its storage is changed, on a busy machine too.
    const sandbox = await sandboxes.create('ends', { ttl: '10s', provisioningDelay: '1s' })
    await sandbox.ask('POST', '/reserved_domains', managed)
    const sql = ['UPDATE fauxgate_schema SET version = 99'] as const
    await sandboxes.withStorage([{ of: 'SANDBOXES', name: 'ends', sql }])
    const left = () => sandboxes.names()
    await until(left, (all) => !all.includes('ends'))
  })

  it('can be read, unchanged, when the version that wrote it runs again', async () => {
    const sandbox = await sandboxes.create('again', manual)
    const { body } = await sandbox.ask('POST', '/reserved_addrs', { description: 'kept' })
    const setVersion = (version: string) =>
      sandboxes.withStorage([
        { of: 'SANDBOXES', name: 'again', sql: [`UPDATE fauxgate_schema SET version = ${version}`] },
      ])
    await setVersion('version + 40')
    expect((await sandbox.ask('GET', '/reserved_addrs')).status).toBe(503)
    await setVersion('version - 40')
    expect((await sandbox.ask('GET', `/reserved_addrs/${body.id}`)).body).toEqual(body)
  })
})

/** The collections that have records: another version has other empty ones. */
const filled = (records: Readonly<Record<string, readonly object[]>>) =>
  Object.fromEntries(Object.entries(records).filter(([, each]) => each.length > 0))

const CORPUS = fileURLToPath(new URL('../corpus', import.meta.url))
const versions = readdirSync(CORPUS).filter((version) => existsSync(`${CORPUS}/${version}/sandbox`))

describe.each(versions)('The sandbox of fauxgate %s', (version) => {
  const folder = `${CORPUS}/${version}/sandbox`
  const jsonOf = (name: string) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))

  it('is read from its storage, with its keys, and continues (rules: sandboxes#versions)', async () => {
    const older = await new SharedSandboxes().withFiles(`${folder}/state`).start()
    onTestFinished(() => older.stop())
    const sandbox = new SandboxClient(older, { ...jsonOf('created'), url: `${older.url}/s/corpus` })
    // The rate limit counts in memory alone.
    const { body: state } = await sandbox.control('GET', '/state')
    const written = jsonOf('state')
    expect({ ...state, records: filled(state.records) }).toEqual({
      ...written,
      records: filled(written.records),
      rateLimit: [],
    })
    expect((await older.account('GET', '/s')).body.sandboxes).toMatchObject([{ name: 'corpus', clock: 'manual' }])
    const { body, status } = await sandbox.ask('POST', '/reserved_addrs', { description: 'of today' })
    expect(status).toBe(201)
    await older.restart({})
    expect((await sandbox.ask('GET', `/reserved_addrs/${body.id}`)).body).toEqual(body)
  })

  it('is read from its export by another sandbox', async () => {
    const sandbox = await sandboxes.create(`from-${version.replaceAll('.', '-')}`, {
      ...manual,
      dns: 'simulated',
      snapshot: jsonOf('state'),
    })
    expect(filled((await sandbox.control('GET', '/state')).body.records)).toEqual(filled(jsonOf('state').records))
  })
})
