import { describe, expect, it } from 'vitest'
import { ACCOUNT_KEY, MANAGED_DOMAIN, MANUAL_CLOCK, startSandboxes, useSandboxes } from './support/sandboxes.ts'

const LIMITS = { MOST_RECORDS: '5', MOST_BYTES: '12000', MOST_SANDBOXES: '4', MOST_REQUESTS: '60' }

const sandboxes = useSandboxes(LIMITS)

describe('A limit', () => {
  it('applies to records: a call that exceeds it changes nothing, and deleting still works', async () => {
    const sandbox = await sandboxes.create('records', { clock: 'manual' })
    const ids: string[] = []
    let response = await sandbox.send('POST', '/reserved_addrs', {})
    for (; response.status === 201; response = await sandbox.send('POST', '/reserved_addrs', {}))
      ids.push(response.body.id)
    expect(response.status).toBe(507)
    expect(response.body.msg).toContain('this would bring the sandbox to 6 records. The maximum is 5 (MOST_RECORDS)')
    expect((await sandbox.send('GET', '/reserved_addrs')).body.reserved_addrs).toHaveLength(ids.length)
    expect((await sandbox.send('DELETE', `/reserved_addrs/${ids[0]}`)).status).toBe(204)
    expect((await sandbox.send('POST', '/reserved_addrs', {})).status).toBe(201)
    await sandboxes.callAccount('DELETE', '/s/records')
  })

  it('does not stop automatic events', async () => {
    const sandbox = await sandboxes.create('by-itself', MANUAL_CLOCK)
    const { body: domain } = await sandbox.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    let last = await sandbox.send('POST', '/reserved_addrs', {})
    while (last.status === 201) last = await sandbox.send('POST', '/reserved_addrs', {})
    expect(last.status).toBe(507)
    expect((await sandbox.control('POST', '/clock', { advance: '30s' })).body.now).toBe('2026-01-01T00:00:30Z')
    expect((await sandbox.send('GET', `/reserved_domains/${domain.id}`)).body.certificate).not.toBeNull()
    const { records } = (await sandboxes.callAccount('GET', '/s/by-itself')).body
    expect(records).toBeGreaterThan(5)
    // Such a sandbox can also be copied and restored (rules: sandboxes#backup).
    const fork = await sandboxes.callAccount('POST', '/s/by-itself/fork', { name: 'its-fork' })
    expect([fork.status, fork.body.records]).toEqual([201, records])
    await sandboxes.callAccount('DELETE', '/s/its-fork')
    const account = { 'fauxgate-account-key': ACCOUNT_KEY }
    const { text } = await sandboxes.send('GET', '/backup', { headers: account })
    const restored = await sandboxes.send('POST', '/restore?existing=replace', { headers: account, body: text })
    expect([restored.status, restored.body.refused]).toEqual([200, 0])
    expect((await sandbox.send('POST', '/reserved_addrs', {})).status).toBe(507)
    await sandboxes.callAccount('DELETE', '/s/by-itself')
  })

  it('applies to bytes', async () => {
    const sandbox = await sandboxes.create('bytes', { clock: 'manual' })
    // UTF-8 stores each character in two bytes.
    const large = { metadata: 'é'.repeat(2000) }
    for (let n = 0; n < 2; n++) expect((await sandbox.send('POST', '/reserved_addrs', large)).status).toBe(201)
    const { status, body } = await sandbox.send('POST', '/reserved_addrs', large)
    expect(status).toBe(507)
    expect(body.msg).toMatch(/to 12\d\d\d bytes of records\. The maximum is 12000 \(MOST_BYTES\)/)
    expect((await sandbox.send('GET', '/reserved_addrs')).body.reserved_addrs).toHaveLength(2)
    expect((await sandbox.send('POST', '/reserved_addrs', {})).status).toBe(201)
    await sandboxes.callAccount('DELETE', '/s/bytes')
  })

  it('applies to requests within a minute, and the error says when to try again', async () => {
    const sandbox = await sandboxes.create('requests')
    const answers = []
    // One more than twice the limit, because a minute may end meanwhile.
    for (let n = 0; n < 121; n++) answers.push(await sandbox.send('GET', '/reserved_addrs'))
    const refusal = answers.find(({ status }) => status === 429)
    expect(refusal?.body.error_code).toBe('ERR_GATEWAY_90629')
    expect(refusal?.body.msg).toContain('60 requests per minute')
    expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThan(0)
    await sandboxes.callAccount('DELETE', '/s/requests')
  })

  it('applies to the number of sandboxes', async () => {
    for (let n = 0; n < 4; n++) await sandboxes.create(`sandbox-${n}`)
    expect(await sandboxes.callAccount('PUT', '/s/sandbox-4', {})).toMatchObject({
      status: 409,
      body: { error_code: 'ERR_GATEWAY_90614' },
    })
    for (let n = 0; n < 4; n++) await sandboxes.callAccount('DELETE', `/s/sandbox-${n}`)
    expect((await sandboxes.callAccount('PUT', '/s/sandbox-4', {})).status).toBe(201)
    await sandboxes.callAccount('DELETE', '/s/sandbox-4')
  })
})

describe('A sandbox that exceeds a limit, because the limit was lowered (rules: sandboxes#limits)', () => {
  it('accepts every call that makes it smaller, and rejects every call that makes it larger', async () => {
    const ownSandboxes = await startSandboxes()
    const sandbox = await ownSandboxes.create('over', MANUAL_CLOCK)
    const ids: string[] = []
    for (let n = 0; n < 12; n++) {
      ids.push((await sandbox.send('POST', '/reserved_addrs', { metadata: 'm'.repeat(2000) })).body.id)
    }
    await ownSandboxes.restart({ MOST_RECORDS: '5', MOST_BYTES: '6000' })
    const [firstId, ...others] = ids
    const larger = await sandbox.send('PATCH', `/reserved_addrs/${firstId}`, { metadata: 'm'.repeat(2100) })
    expect([larger.status, larger.body.msg]).toEqual([507, expect.stringContaining('(MOST_BYTES)')])
    expect((await sandbox.send('PATCH', `/reserved_addrs/${firstId}`, { metadata: '' })).status).toBe(200)
    const another = await sandbox.send('POST', '/reserved_addrs', {})
    expect([another.status, another.body.msg]).toEqual([507, expect.stringContaining('(MOST_RECORDS)')])
    for (const id of others) expect((await sandbox.send('DELETE', `/reserved_addrs/${id}`)).status).toBe(204)
    expect((await sandbox.send('GET', '/reserved_addrs')).body.reserved_addrs).toMatchObject([{ id: firstId }])
    expect((await sandbox.send('POST', '/reserved_addrs', {})).status).toBe(201)
  })
})
