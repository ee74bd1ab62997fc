import { describe, expect, it } from 'vitest'
import { createGateway, manualClock, ngrok } from '../../src/index.ts'
import { MANAGED_DOMAIN, MANUAL_CLOCK, useSandboxes } from './support/sandboxes.ts'
import { openSocket } from './support/web-socket.ts'

const sandboxes = useSandboxes({ MOST_RECORDS: '50000' })

/** Creates a gateway in this process, on a manual clock, with a domain whose certificate was issued. */
function issueLocally(start: number) {
  const gateway = createGateway({ clock: manualClock(start), seed: 'local' })
  const { id } = gateway.reservedDomains.create(MANAGED_DOMAIN)
  gateway.clock.advance('30s')
  return { gateway, id }
}

describe('A local run and a shared one', () => {
  it('exchange their states, in both directions', async () => {
    const local = createGateway({ dialect: ngrok, seed: 'local', clock: manualClock(MANUAL_CLOCK.start) })
    const { id } = local.reservedDomains.create({ domain: 'app.example.com' })
    const sandbox = await sandboxes.create('exchange', {
      dialect: 'ngrok',
      ...MANUAL_CLOCK,
      snapshot: local.snapshot(),
    })
    const state = await sandbox.control('GET', '/state')
    const other = createGateway({ dialect: ngrok, clock: manualClock(0) })
    other.restore(state.body)
    expect(other.reservedDomains.get(id).domain).toBe('app.example.com')
    expect(other.clock.now).toBe(Date.parse(MANUAL_CLOCK.start))
  })

  it('exchange states of many MiB, also when a sandbox is created, and reject a state of more than 20 MiB', async () => {
    const local = createGateway({ seed: 'large', clock: manualClock(MANUAL_CLOCK.start) })
    for (let n = 0; n < 3000; n++) local.reservedAddrs.create({ metadata: `${n} `.padEnd(1500, 'é') })
    const snapshot = local.snapshot()
    expect(JSON.stringify(snapshot).length).toBeGreaterThan(4 * 1024 * 1024)
    const created = await sandboxes.create('started', { ...MANUAL_CLOCK, snapshot })
    const restored = await sandboxes.create('restored', MANUAL_CLOCK)
    expect((await restored.control('PUT', '/state', snapshot)).status).toBe(204)
    for (const sandbox of [created, restored]) {
      const { body } = await sandbox.control('GET', '/state')
      expect(body.records).toEqual(JSON.parse(JSON.stringify(snapshot.records)))
    }
    await sandboxes.callAccount('POST', '/s/started/fork', { name: 'started-fork' })
    expect((await sandboxes.callAccount('GET', '/s/started-fork')).body.records).toBeGreaterThan(3000)
    const tooLarge = `{"version":1,"more":"${'m'.repeat(20 * 1024 * 1024)}"}`
    for (const answer of [
      await restored.control('PUT', '/state', tooLarge),
      await sandboxes.callAccount('PUT', '/s/too-large', tooLarge),
    ]) {
      expect([answer.status, answer.body.msg]).toEqual([413, expect.stringContaining('20971520')])
    }
    expect((await restored.send('POST', '/reserved_addrs', { metadata: 'm'.repeat(1024 * 1024) })).status).toBe(413)
    expect((await restored.send('GET', '/reserved_addrs?limit=1')).status).toBe(200)
    for (const name of ['started', 'restored', 'started-fork']) await sandboxes.callAccount('DELETE', `/s/${name}`)
  })

  it('reject a large state from clients without a valid key, each with a response', async () => {
    const sandbox = await sandboxes.create('unread', MANUAL_CLOCK)
    const url = `${sandbox.created.url}/_fauxgate/state`
    const body = '['.repeat(8 * 1024 * 1024)
    const codes = new Set<string>()
    const put = async (path: string, headers: Readonly<Record<string, string>>, sent = body) =>
      codes.add((await sandboxes.send('PUT', path, { headers, body: sent })).body.error_code)
    for (let n = 0; n < 5; n++) {
      await put(url, { 'fauxgate-control-key': sandbox.created.api_key })
      await put(url, { 'fauxgate-control-key': `${sandbox.created.control_key}x` })
    }
    expect([...codes]).toEqual(['ERR_GATEWAY_90402', 'ERR_GATEWAY_90606'])
    codes.clear()
    for (let n = 0; n < 5; n++) await put('/s/never', {})
    await put('/s/never', {}, body.repeat(5))
    expect([...codes]).toEqual(['ERR_GATEWAY_90601'])
  })

  it('reject a record that is too large for a row', async () => {
    const sandbox = await sandboxes.create('row', MANUAL_CLOCK)
    const { body: snapshot } = await sandbox.control('GET', '/state')
    const fault = { operation: 'reserved_addrs.create', status: 503, body: 'b'.repeat(1_000_000) }
    expect((await sandbox.control('POST', '/faults', fault)).status).toBe(200)
    const { body: stateWithFault } = await sandbox.control('GET', '/state')
    const text = JSON.stringify(stateWithFault).replace(/b{1000000}/, 'b'.repeat(3_000_000))
    const refusal = await sandbox.control('PUT', '/state', text)
    expect([refusal.status, refusal.body.msg]).toEqual([507, expect.stringContaining('a row can be at most 2000000')])
    expect((await sandbox.control('GET', '/state')).body).toEqual(stateWithFault)
    expect((await sandbox.control('PUT', '/state', snapshot)).status).toBe(204)
  })
})

describe('An old state on the system clock', () => {
  it('runs all events that fell due since then, each at its own time, by the alarm alone', async () => {
    const { gateway, id } = issueLocally(Date.parse('2025-01-01T00:00:00Z'))
    const snapshot = gateway.snapshot()
    const sandbox = await sandboxes.create('late', { snapshot })
    const { body } = await sandbox.control('GET', `/provisioning/timeline?id=${id}`)
    const { now } = (await sandbox.control('GET', '/clock')).body
    gateway.clock.advanceTo(Date.parse(now))
    expect(body.filter(({ transition }: { transition: string }) => transition === 'renewed').length).toBeGreaterThan(3)
    expect(body.map(({ at, transition }: { at: string; transition: string }) => [at, transition])).toEqual(
      gateway.provisioning.timeline(id).map(({ at, transition }) => [at, transition]),
    )
  })

  it('renews certificates that fell due while the process was down, each at its own time', async () => {
    const probe = issueLocally(0)
    const untilRenewal = probe.gateway.nextDueAt() ?? 0
    const { now } = (await sandboxes.create('world')).created as unknown as { now: string }
    // The event is due after the requests below, on a busy machine too.
    const start = Date.parse(now) + 10_000 - untilRenewal
    const { gateway, id } = issueLocally(start)
    const due = gateway.nextDueAt() as number
    const sandbox = await sandboxes.create('renewal', { snapshot: gateway.snapshot() })
    expect((await sandboxes.callAccount('GET', '/s/renewal')).body.next_event_at).toBe(
      new Date(due).toISOString().replace('.000Z', 'Z'),
    )
    await sandboxes.kill()
    await sandboxes.start()
    // Listening alone runs the events that are due now, and no later ones.
    const socket = await openSocket(`${sandbox.created.url}/_fauxgate/events`, sandbox.created.control_key)
    const overview = (await socket.until(({ event }) => event === 'overview')).at(-1)
    if (Date.parse(overview?.data.now) < due) await socket.until(({ event }) => event === 'changed')
    socket.end()
    const { body } = await sandbox.control('GET', `/provisioning/timeline?id=${id}`)
    expect(body.map(({ at, transition }: { at: string; transition: string }) => [at, transition])).toContainEqual([
      new Date(due).toISOString().replace('.000Z', 'Z'),
      'renewal started',
    ])
  })
})
