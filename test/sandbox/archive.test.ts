import { describe, expect, it } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { ACCOUNT_KEY, MANAGED_DOMAIN, MANUAL_CLOCK, type SharedSandboxes, startSandboxes } from './support/sandboxes.ts'

const account = { 'fauxgate-account-key': ACCOUNT_KEY }

const downloadBackup = async (sandboxes: SharedSandboxes, query = '') =>
  (await sandboxes.send('GET', `/backup${query}`, { headers: account })).text

const restore = (sandboxes: SharedSandboxes, archive: string, query = '') =>
  sandboxes.send('POST', `/restore${query}`, { headers: account, body: archive })

/** Creates two sandboxes with resources. A certificate job runs in one of them. */
async function fillSandboxes() {
  const from = await startSandboxes()
  const one = await from.create('one', { ...MANUAL_CLOCK, ttl: '7d' })
  await one.send('POST', '/reserved_domains', MANAGED_DOMAIN)
  const two = await from.create('two', MANUAL_CLOCK)
  await two.send('POST', '/reserved_addrs', { description: 'kept' })
  const { body: createdKey } = await from.callAccount('POST', '/s/two/keys', { name: 'ci', scopes: ['api'] })
  return { from, one, two, key: createdKey.key as string }
}

describe('An archive of all sandboxes (rules: sandboxes#backup)', () => {
  it('restores the sandboxes in an empty account, with their state, clock, end and keys', async () => {
    const { from, one, two, key } = await fillSandboxes()
    const archive = await downloadBackup(from)
    const lines = archive
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ name, end, sandboxes }) => name ?? [end, sandboxes])).toEqual(['one', 'two', [true, 2]])
    for (const { api_key, control_key } of [one.created, two.created, { api_key: key, control_key: key }]) {
      expect(archive).not.toContain(api_key)
      expect(archive).not.toContain(control_key)
    }
    const to = await startSandboxes()
    expect(await restore(to, archive)).toMatchObject({
      status: 200,
      body: { restored: 2, kept: 0, ended: 0, refused: 0, is_whole: true },
    })
    const restored = one.in(to)
    expect((await to.callAccount('GET', '/s/one')).body.expires_at).toBe(
      (await from.callAccount('GET', '/s/one')).body.expires_at,
    )
    for (const each of [one, restored]) await each.control('POST', '/clock', { advance: '30s' })
    const [before, after] = [await one.control('GET', '/state'), await restored.control('GET', '/state')]
    expect(after.body).toEqual(before.body)
    expect((await restored.send('GET', '/reserved_domains')).body.reserved_domains[0].certificate).not.toBeNull()
    const client = two.in(to).withKeys({ api_key: key })
    expect((await client.send('GET', '/reserved_addrs')).body.reserved_addrs).toMatchObject([{ description: 'kept' }])
    expect((await client.control('GET', '/clock')).status).toBe(200)
  })

  it('restores keys, which a Worker with another signing secret rejects until they are renewed', async () => {
    const { from, two } = await fillSandboxes()
    const to = await startSandboxes({ SIGNING_KEY: 'another one' })
    expect((await restore(to, await downloadBackup(from))).status).toBe(200)
    const restored = two.in(to)
    expect((await restored.send('GET', '/reserved_addrs')).status).toBe(401)
    const { body } = await to.callAccount('POST', '/s/two/keys', {})
    expect((await restored.withKeys(body).send('GET', '/reserved_addrs')).body.reserved_addrs).toMatchObject([
      { description: 'kept' },
    ])
  })

  it('can reject, skip or replace a sandbox that has the same name', async () => {
    const { from, two } = await fillSandboxes()
    const archive = await downloadBackup(from)
    await two.send('POST', '/reserved_addrs', { description: 'later' })
    const listDescriptions = async () =>
      (await two.send('GET', '/reserved_addrs')).body.reserved_addrs.map(
        (each: { description: string }) => each.description,
      )
    const refusal = await restore(from, archive)
    expect([refusal.status, refusal.body.error_code]).toEqual([409, 'ERR_GATEWAY_90622'])
    expect(refusal.body.msg).toContain('Restored 0 sandboxes and rejected 2')
    expect(refusal.body.details['line 2']).toContain('The sandbox two already exists.')
    expect((await restore(from, archive, '?existing=keep')).body).toMatchObject({ restored: 0, kept: 2 })
    expect(await listDescriptions()).toEqual(['later', 'kept'])
    // No sandbox can start with this journal.
    await from.runInStorage([{ namespace: 'SANDBOXES', name: 'two', put: ['journal', 'no JSON'] }])
    expect((await restore(from, archive, '?existing=replace')).body).toMatchObject({ restored: 2, kept: 0 })
    expect(await listDescriptions()).toEqual(['kept'])
    expect((await two.control('GET', '/requests')).body).toHaveLength(1)
    expect((await restore(from, archive, '?existing=all')).body.msg).toContain('Allowed: refuse, keep, or replace')
  })

  it('changes nothing of a sandbox that it cannot replace', async () => {
    const { from, two } = await fillSandboxes()
    const archive = await downloadBackup(from)
    const damagedArchive = archive.replaceAll('"description":"kept"', '"description":5')
    expect(damagedArchive).not.toBe(archive)
    for (const line of [damagedArchive, archive.replaceAll('"version":1', '"version":99')]) {
      const { status, body } = await restore(from, line, '?existing=replace')
      expect([status, body.details['line 2']]).toEqual([409, expect.stringContaining('sandbox two cannot be read')])
      expect((await two.send('GET', '/reserved_addrs')).body.reserved_addrs).toMatchObject([{ description: 'kept' }])
    }
    expect(await from.listNames()).toEqual(['one', 'two'])
  })

  it('can be sent again after some lines were rejected or the upload broke off', async () => {
    const { from } = await fillSandboxes()
    const archive = await downloadBackup(from)
    const to = await startSandboxes({ QUOTAS: 't=1' })
    await to.create('three')
    const [first = '', second = ''] = archive.split('\n')
    const cutResponse = await restore(to, `${first}\n${second.slice(0, -20)}`)
    expect(cutResponse.body.details).toMatchObject({
      restored: '1',
      'line 2': expect.stringContaining('or it is incomplete'),
    })
    expect((await restore(to, `${first}\n`, '?existing=keep')).body).toMatchObject({ kept: 1, is_whole: false })
    const fullResponse = await restore(to, archive, '?existing=keep')
    expect(fullResponse.body.details['line 2']).toContain('1 sandbox with the prefix t has been reached')
    expect(await to.listNames()).toEqual(['one', 'three'])
    await to.callAccount('DELETE', '/s/three')
    expect((await restore(to, archive, '?existing=keep')).body).toMatchObject({ restored: 1, kept: 1, is_whole: true })
    const parts = (await downloadBackup(from, '?after=one')) + archive
    expect((await restore(to, parts, '?existing=keep')).body).toMatchObject({ kept: 3, refused: 0, is_whole: true })
    expect((await to.callAccount('GET', '/s/_audit')).body.entries[0]).toMatchObject({
      call: 'restore',
      status: 200,
      sandboxes: 0,
    })
  })

  it.each([
    ['no JSON', 'this is no archive', 'it does not start with a sandbox name'],
    ['another name', '{"name":"No Name"}', 'it does not start with a sandbox name'],
    ['less than a sandbox', '{"name":"less","created":1}', 'expires is missing or invalid'],
  ])('names the line that is wrong and the reason, and creates no sandbox from it: %s', async (_, line, why) => {
    const to = await startSandboxes()
    const { status, body } = await restore(to, `${line}\n`)
    expect([status, body.details['line 1']]).toEqual([409, expect.stringContaining(why)])
    expect(await to.listNames()).toEqual([])
  })

  it('of a newer version is rejected line by line with the reason, and its other lines are restored', async () => {
    const { from } = await fillSandboxes()
    const [first = '', second = ''] = (await downloadBackup(from)).split('\n')
    const third = second.replace('"name":"two"', '"name":"three"').replace(/"version":\d+/, '"version":99')
    const to = await startSandboxes()
    const archive = [first.replace('"format":1', '"format":2'), second, third].join('\n')
    const { status, body } = await restore(to, archive)
    expect([status, body.details.restored]).toEqual([409, '1'])
    expect(body.details['line 1']).toContain(
      'a newer version of fauxgate wrote it in format 2; this version reads format 1',
    )
    expect(body.details['line 3']).toContain('sandbox three cannot be read')
    expect(body.details['line 3']).toContain('version 99')
    expect(await to.listNames()).toEqual(['two'])
    // Lines without a format are those of before there were formats.
    expect((await restore(to, first.replace('"format":1,', ''))).body).toMatchObject({ restored: 1 })
  })

  it('contains the reason why a sandbox cannot be read, continues with the others, and can begin after a name', async () => {
    const { from } = await fillSandboxes()
    const earlier = await downloadBackup(from)
    await from.runInStorage([{ namespace: 'SANDBOXES', name: 'one', sql: ['UPDATE fauxgate_schema SET version = 99'] }])
    const archive = await downloadBackup(from)
    expect(JSON.parse(archive.split('\n')[0] ?? '')).toMatchObject({
      name: 'one',
      error: expect.stringContaining('its tables have version 99'),
    })
    const to = await startSandboxes()
    const { body } = await restore(to, archive)
    expect(body.details).toMatchObject({ restored: '1', 'line 1': expect.stringContaining('version 99') })
    expect(await to.listNames()).toEqual(['two'])
    expect((await downloadBackup(from, '?after=one')).split('\n').slice(0, -1)).toEqual(
      archive.split('\n').slice(1, -2).concat('{"end":true,"sandboxes":1,"left_out":0}'),
    )
    expect((await restore(from, earlier, '?existing=replace')).body).toMatchObject({ restored: 2, is_whole: true })
    expect((await from.callAccount('GET', '/s/one')).status).toBe(200)
  })

  it('does not restore sandboxes that have ended since, and requires the account key', async () => {
    const { from } = await fillSandboxes()
    const [line = ''] = (await downloadBackup(from)).split('\n')
    const endedLine = JSON.stringify({ ...JSON.parse(line), expires: 1 })
    const to = await startSandboxes()
    expect((await restore(to, endedLine)).body).toMatchObject({ restored: 0, ended: 1, is_whole: false })
    expect((await to.send('GET', '/backup')).status).toBe(401)
    expect((await to.send('POST', '/restore', { body: line })).status).toBe(401)
    expect(await to.listNames()).toEqual([])
  })

  it('has a sandbox of many records in pieces, which are one line', async () => {
    const local = createGateway({ seed: 'large', clock: manualClock(MANUAL_CLOCK.start) })
    for (let n = 0; n < 1200; n++) local.reservedAddrs.create({ metadata: `${n} `.padEnd(1000, 'é') })
    const from = await startSandboxes()
    const large = await from.create('large', { ...MANUAL_CLOCK, snapshot: local.snapshot() })
    await from.create('later', MANUAL_CLOCK)
    const archive = await downloadBackup(from)
    expect(archive.trim().split('\n').at(-1)).toBe('{"end":true,"sandboxes":2,"left_out":0}')
    const to = await startSandboxes()
    expect((await restore(to, archive)).body).toMatchObject({ restored: 2, is_whole: true })
    const [before, after] = [await large.control('GET', '/state'), await large.in(to).control('GET', '/state')]
    expect(after.body).toEqual(before.body)
    expect(after.body.records.reserved_addrs).toHaveLength(1200)
  })

  it('may be larger than any other body, since one line is read at a time', async () => {
    const from = await startSandboxes()
    const large = { metadata: 'm'.repeat(4000) }
    const first = await from.create('n', MANUAL_CLOCK)
    for (let n = 0; n < 100; n++) await first.send('POST', '/reserved_addrs', large)
    for (let n = 0; n < 55; n++) await from.callAccount('POST', '/s/n/fork', { name: `n${n}` })
    const archive = await downloadBackup(from)
    expect(archive.length).toBeGreaterThan(22_000_000)
    const to = await startSandboxes()
    expect((await restore(to, archive)).body).toMatchObject({ restored: 56, is_whole: true })
    expect((await first.in(to).send('GET', '/reserved_addrs')).body.reserved_addrs).toHaveLength(100)
  })
})
