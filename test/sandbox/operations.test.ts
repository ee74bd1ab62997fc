import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  ACCOUNT_KEY,
  MANAGED_DOMAIN,
  MANUAL_CLOCK,
  runMany,
  type SharedSandboxes,
  startSandboxes,
  waitUntil,
} from './support/sandboxes.ts'

describe('Removal by prefix (rules: sandboxes#removal)', () => {
  it('removes 100 matching sandboxes at a time, and returns how many are left', async () => {
    const sandboxes = await startSandboxes()
    await runMany(103, (n) => sandboxes.create(`branch-${n}`, MANUAL_CLOCK))
    await runMany(2, (n) => sandboxes.create(`brand-${n}`, MANUAL_CLOCK))
    await sandboxes.create('branch', MANUAL_CLOCK)
    const remove = () => sandboxes.callAccount('DELETE', '/s?prefix=branch-')
    expect(await remove()).toMatchObject({ status: 200, body: { removed: 100, left: 3 } })
    expect((await remove()).body).toEqual({ removed: 3, left: 0 })
    expect((await remove()).body).toEqual({ removed: 0, left: 0 })
    expect(await sandboxes.listNames()).toEqual(['branch', 'brand-0', 'brand-1'])
  })

  it.each([
    ['', 'prefix'],
    ['?prefix=', 'prefix'],
    ['?prefix=*', 'prefix is "*". Allowed: a name prefix: 1 to 40 lowercase letters, digits, and hyphens'],
    ['?prefix=a&before=2026', 'before'],
  ])('is rejected without a valid prefix, and removes nothing: %j', async (query, message) => {
    const sandboxes = await startSandboxes()
    await sandboxes.create('stays', MANUAL_CLOCK)
    const { status, body } = await sandboxes.callAccount('DELETE', `/s${query}`)
    expect([status, body.msg]).toEqual([400, expect.stringContaining(message)])
    expect(await sandboxes.listNames()).toEqual(['stays'])
  })

  it('also removes the name of a sandbox whose creation was interrupted by a kill', async () => {
    const sandboxes = await startSandboxes()
    const facts = {
      name: 'half',
      created_at: MANUAL_CLOCK.start,
      expires_at: null,
      dialect: 'standard',
      clock: 'manual',
    }
    await sandboxes.callAccount('GET', '/s')
    const sql = ['INSERT INTO sandboxes (name, facts) VALUES (?, ?)', 'half', JSON.stringify(facts)] as const
    await sandboxes.runInStorage([{ namespace: 'ACCOUNTS', name: 'account', sql }])
    expect((await sandboxes.callAccount('DELETE', '/s?prefix=ha')).body).toEqual({ removed: 0, left: 0 })
    expect(await sandboxes.listNames()).toEqual([])
  })
})

describe('A quota (rules: sandboxes#limits)', () => {
  it('is exact when many sandboxes are created at once, and a removal makes room again', async () => {
    const sandboxes = await startSandboxes({ QUOTAS: 'branch-=5, branch-ci-=2' })
    const answers = await runMany(20, (n) => sandboxes.callAccount('PUT', `/s/branch-${n}`, {}))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const refusals = answers.filter(({ status }) => status === 409)
    expect(refusals).toHaveLength(15)
    expect([refusals[0]?.body.error_code, refusals[0]?.body.msg]).toEqual([
      'ERR_GATEWAY_90620',
      'The maximum of 5 sandboxes with the prefix branch- has been reached (QUOTAS). Delete some, or choose a name with ' +
        'another prefix.',
    ])
    const [name] = await sandboxes.listNames()
    const fork = await sandboxes.callAccount('POST', `/s/${name}/fork`, { name: 'branch-fork' })
    expect([fork.status, fork.body.error_code]).toEqual([409, 'ERR_GATEWAY_90620'])
    expect((await sandboxes.callAccount('PUT', '/s/other', {})).status).toBe(201)
    await sandboxes.callAccount('DELETE', `/s/${name}`)
    for (const status of [201, 409]) {
      expect((await sandboxes.callAccount('PUT', `/s/branch-ci-${status}`, {})).status).toBe(status)
    }
  })

  it('applies together with quotas of longer and shorter prefixes', async () => {
    const sandboxes = await startSandboxes({ QUOTAS: 'b=9,branch-=1' })
    await sandboxes.create('b1')
    await sandboxes.create('branch-1')
    expect((await sandboxes.callAccount('PUT', '/s/branch-2', {})).body.msg).toContain('with the prefix branch-')
    await sandboxes.create('b2')
  })
})

const prometheusHeaders = { authorization: `Bearer ${ACCOUNT_KEY}` }

const getMetrics = async (
  sandboxes: SharedSandboxes,
  headers: Readonly<Record<string, string>> = prometheusHeaders,
) => {
  const answer = await sandboxes.send('GET', '/metrics', { headers })
  const values = Object.fromEntries(
    answer.text.split('\n').flatMap((line) => (/^[a-z]/.test(line) ? [line.split(' ') as [string, string]] : [])),
  )
  return { ...answer, value: (name: string) => Number(values[`fauxgate_${name}`]) }
}

describe('GET /metrics (rules: sandboxes#metrics)', () => {
  it('counts sandboxes, requests by status, bytes and alarms, in the format of Prometheus', async () => {
    const sandboxes = await startSandboxes()
    const sandbox = await sandboxes.create('counted', { provisioningDelay: '1s' })
    const before = await getMetrics(sandboxes)
    expect([before.status, before.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    for (let n = 0; n < 5; n++) await sandbox.send('GET', '/reserved_addrs')
    for (let n = 0; n < 3; n++) await sandboxes.send('GET', '/s/counted/reserved_addrs')
    await sandboxes.send('GET', '/healthz')
    const after = await getMetrics(sandboxes, { 'fauxgate-account-key': ACCOUNT_KEY })
    const measureGrowth = (name: string) => after.value(name) - before.value(name)
    // These include the first request for metrics, and the request for the health.
    expect(
      ['1xx', '2xx', '3xx', '4xx', '5xx'].map((status) => measureGrowth(`requests_total{status="${status}"}`)),
    ).toEqual([0, 7, 0, 3, 0])
    expect(after.value('sandboxes')).toBe(1)
    expect(after.value('storage_bytes')).toBeGreaterThan(4096)
    expect(after.value('alarms_total')).toBe(0)
    await sandboxes.callAccount('DELETE', '/s/counted')
    const afterRemoval = await getMetrics(sandboxes)
    expect([afterRemoval.value('sandboxes'), afterRemoval.value('storage_bytes')]).toEqual([0, 0])
  })

  it('counts an alarm of a sandbox that had reported nothing for a minute, and keeps its counts over a restart', async () => {
    const sandboxes = await startSandboxes()
    const sandbox = await sandboxes.create('alarmed', { provisioningDelay: '1s' })
    expect((await sandboxes.callAccount('GET', '/s/alarmed')).status).toBe(200)
    await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    // A new process has not reported yet, so it reports with its first alarm.
    await sandboxes.restart({})
    await waitUntil(
      () => getMetrics(sandboxes),
      (answer) => answer.value('alarms_total') > 0,
    )
    const before = await getMetrics(sandboxes)
    await sandboxes.restart({})
    expect((await getMetrics(sandboxes)).value('requests_total{status="2xx"}')).toBeGreaterThanOrEqual(
      before.value('requests_total{status="2xx"}'),
    )
  })

  it('requires the account key', async () => {
    const sandboxes = await startSandboxes()
    const sandbox = await sandboxes.create('any')
    for (const headers of [
      {},
      { authorization: 'Bearer guess' },
      { 'fauxgate-control-key': sandbox.created.control_key },
    ]) {
      expect((await getMetrics(sandboxes, headers)).status).toBe(401)
    }
    expect((await sandboxes.send('GET', '/s', { headers: prometheusHeaders })).status).toBe(401)
    expect((await getMetrics(sandboxes)).value('wrong_account_keys_total')).toBe(1)
  })
})

describe('The audit log (rules: sandboxes#audit-log)', () => {
  const getLog = async (sandboxes: SharedSandboxes, limit = 100) =>
    (await sandboxes.callAccount('GET', `/s/_audit?limit=${limit}`)).body

  it('records who changed what and when, including rejected calls, and contains no key', async () => {
    const sandboxes = await startSandboxes()
    const { created } = await sandboxes.create('one', MANUAL_CLOCK)
    await sandboxes.callAccount('PUT', '/s/one', {})
    await sandboxes.callAccount('PUT', '/s/one', { clock: 'lunar' })
    await sandboxes.callAccount('PUT', '/s/No', {})
    await sandboxes.callAccount('DELETE', '/s/one?unknown=1')
    await sandboxes.callAccount('POST', '/s/one/fork', { name: 'two' })
    const keyResponse = await sandboxes.callAccount('POST', '/s/one/keys', { name: 'ci' })
    await sandboxes.callAccount('POST', '/s/one/keys', {})
    await sandboxes.callAccount('DELETE', '/s/one/keys/ci')
    await sandboxes.callAccount('DELETE', '/s/two')
    await sandboxes.callAccount('DELETE', '/s?prefix=on')
    await sandboxes.callAccount('GET', '/s')
    for (let n = 0; n < 3; n++) await sandboxes.send('GET', '/s', { headers: { 'fauxgate-account-key': 'a guess' } })
    const { entries, wrong_account_keys } = await getLog(sandboxes)
    const rows = entries.map((each: Record<string, unknown>) => [
      each.call,
      each.sandbox,
      each.target,
      each.status,
      each.error_code,
      each.sandboxes,
    ])
    expect(rows).toEqual([
      ['remove_all', null, 'on', 200, null, 1],
      ['remove', 'two', null, 204, null, null],
      ['revoke_key', 'one', 'ci', 204, null, null],
      ['renew_keys', 'one', null, 200, null, null],
      ['create_key', 'one', 'ci', 201, null, null],
      ['fork', 'one', 'two', 201, null, null],
      ['remove', 'one', null, 400, 'ERR_GATEWAY_231', null],
      ['create', null, null, 400, 'ERR_GATEWAY_90610', null],
      ['create', 'one', null, 400, 'ERR_GATEWAY_215', null],
      ['create', 'one', null, 409, 'ERR_GATEWAY_90612', null],
      ['create', 'one', null, 201, null, null],
    ])
    const fingerprint = createHash('sha256').update(ACCOUNT_KEY).digest('hex').slice(0, 8)
    for (const { at, by } of entries) expect([Number.isNaN(Date.parse(at)), by]).toEqual([false, fingerprint])
    expect(wrong_account_keys).toBe(3)
    const text = JSON.stringify(entries)
    for (const key of [ACCOUNT_KEY, created.api_key, created.control_key, keyResponse.body.key])
      expect(text).not.toContain(key)
  })

  it('keeps the last 1000 entries, and is at a path that no sandbox can have', async () => {
    const sandboxes = await startSandboxes()
    await sandboxes.create('first', MANUAL_CLOCK)
    await runMany(1000, () => sandboxes.callAccount('DELETE', '/s/nobody'))
    const { entries } = await getLog(sandboxes, 1000)
    expect(entries).toHaveLength(1000)
    expect(new Set(entries.map(({ call }: { call: string }) => call))).toEqual(new Set(['remove']))
    expect((await getLog(sandboxes, 2)).entries).toHaveLength(2)
    const sql = ['SELECT COUNT(*) AS count FROM audit'] as const
    expect(await sandboxes.runInStorage([{ namespace: 'ACCOUNTS', name: 'account', sql }])).toEqual([[{ count: 1000 }]])
    expect((await sandboxes.callAccount('PUT', '/s/_audit', {})).status).toBe(405)
    expect((await sandboxes.send('GET', '/s/_audit')).status).toBe(401)
  })
})
