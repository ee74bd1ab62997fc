import { describe, expect, it } from 'vitest'
import { timestamp } from '../../src/core/schema/time.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import {
  MANAGED_DOMAIN,
  MANUAL_CLOCK,
  type SandboxClient,
  startSandboxes,
  useSandboxes,
  waitUntil,
} from './support/sandboxes.ts'
import { openSocket } from './support/web-socket.ts'

const sandboxes = useSandboxes()

/** Returns a snapshot with many domains whose certificates are issued at the same time. */
function createLargeSnapshot() {
  const local = createGateway({ clock: manualClock(MANUAL_CLOCK.start), seed: 'large' })
  for (let n = 0; n < 4000; n++) local.reservedDomains.create({ ...MANAGED_DOMAIN, domain: `d${n}.example.com` })
  local.clock.advance('1h')
  return local.snapshot()
}
const snapshot = createLargeSnapshot()

/** The number of calls after which a move that was sent before has begun. More calls during a move came between its parts. */
const CALLS = 5

/** Lets another sandbox make some calls. */
async function makeCalls(other: SandboxClient, count = CALLS): Promise<void> {
  for (let n = 0; n < count; n++) expect((await other.send('GET', '/reserved_addrs')).status).toBe(200)
}

const START = '2026-01-01T01:00:00Z'
const END = '2026-03-02T01:00:00Z'

// rules: sandboxes#shared-threads
describe('While the clock of a sandbox makes a long move', () => {
  it('other sandboxes answer, calls to the sandbox itself wait for the whole move, and its responses stay in order', async () => {
    const large = await sandboxes.create('large', { ...MANUAL_CLOCK, snapshot })
    const other = await sandboxes.create('other', MANUAL_CLOCK)
    let isOver = false
    const move = large.control('POST', '/clock', { advance: '60d' }).finally(() => {
      isOver = true
    })
    let answered = 0
    const others = (async () => {
      while (!isOver) {
        expect((await other.send('POST', '/reserved_addrs', {})).status).toBe(201)
        if (!isOver) answered++
      }
    })()
    // The move has begun when others have been answered after it was sent.
    while (answered < 3) await other.send('GET', '/reserved_addrs')
    expect(isOver).toBe(false)
    const during = await Promise.all([
      large.control('GET', '/clock'),
      large.send('GET', '/reserved_domains?limit=1'),
      sandboxes.callAccount('GET', '/s/large'),
    ])
    expect(isOver).toBe(true)
    expect([during[0].body.now, during[1].status, during[2].body.now]).toEqual([END, 200, END])
    expect((await move).body.now).toBe(END)
    await others
    expect(answered).toBeGreaterThan(CALLS)
  })

  it('a kill leaves the state before the move, and the next start repeats it', async () => {
    const large = await sandboxes.create('killed', { ...MANUAL_CLOCK, snapshot })
    const other = await sandboxes.create('beside', MANUAL_CLOCK)
    const before = await large.control('GET', '/state')
    // A listener receives the overview, for which the gateway would handle all that is due.
    const { created } = large
    expect((await openSocket(`${created.url}/_fauxgate/events`, created.control_key)).status).toBe(101)
    const move = large.control('POST', '/clock', { advance: '60d' }).catch(() => 'killed')
    await makeCalls(other)
    await sandboxes.kill()
    expect(await move).toBe('killed')
    await sandboxes.start()
    expect((await large.control('GET', '/clock')).body.now).toBe(START)
    expect((await large.control('GET', '/state')).body).toEqual(before.body)
    expect((await large.control('POST', '/clock', { advance: '60d' })).body.now).toBe(END)
  })

  it('a kill at any time, also in its commit, leaves the state before the move or after it', async () => {
    const held = await startSandboxes({}, 'held-commits')
    const large = await held.create('held', { ...MANUAL_CLOCK, snapshot })
    const before = (await large.control('GET', '/state')).body
    const move = () => large.control('POST', '/clock', { advance: '60d' })
    const restart = async () => {
      await held.kill()
      await held.start()
      return (await large.control('GET', '/state')).body
    }
    for (const pause of [1, 3]) {
      await held.send('POST', `/hold/${pause}`)
      const killed = move().catch(() => 'killed')
      await waitUntil(
        () => held.send('GET', '/pauses'),
        ({ body }) => body === pause,
      )
      const after = await restart()
      expect(await killed).toBe('killed')
      expect(after).toEqual(before)
    }
    expect((await move()).status).toBe(200)
    const after = (await large.control('GET', '/state')).body
    expect(timestamp(after.now)).toBe(END)
    expect(await restart()).toEqual(after)
  })

  it('several of them take turns, and each ends', async () => {
    const names = ['one', 'two', 'three']
    const all = await Promise.all(names.map((name) => sandboxes.create(name, { ...MANUAL_CLOCK, snapshot })))
    const other = await sandboxes.create('quiet', MANUAL_CLOCK)
    let left = all.length
    const moves = all.map((each) => each.control('POST', '/clock', { advance: '60d' }).finally(() => left--))
    let answered = 0
    while (left > 0) {
      expect((await other.send('GET', '/reserved_addrs')).status).toBe(200)
      if (left === all.length) answered++
    }
    expect((await Promise.all(moves)).map(({ body }) => body.now)).toEqual([END, END, END])
    expect(answered).toBeGreaterThan(CALLS)
  })

  it('a short move of another sandbox and its calls come before the ends of two long moves that were sent earlier', async () => {
    const [one, two] = [
      await sandboxes.create('long-1', { ...MANUAL_CLOCK, snapshot }),
      await sandboxes.create('long-2', { ...MANUAL_CLOCK, snapshot }),
    ]
    const short = await sandboxes.create('short', MANUAL_CLOCK)
    await short.send('POST', '/reserved_domains', MANAGED_DOMAIN)
    const ends: string[] = []
    const long = [one, two].map((each) =>
      each.control('POST', '/clock', { advance: '365d' }).finally(() => ends.push('long')),
    )
    await makeCalls(short)
    expect((await short.control('POST', '/clock', { advance: '1h' })).status).toBe(200)
    await makeCalls(short)
    ends.push('short')
    expect((await Promise.all(long)).map(({ status }) => status)).toEqual([200, 200])
    expect(ends).toEqual(['short', 'long', 'long'])
  })

  it('a removal and a copy of it wait for the whole move', async () => {
    const large = await sandboxes.create('leaves', { ...MANUAL_CLOCK, snapshot })
    const other = await sandboxes.create('stays', MANUAL_CLOCK)
    const order: string[] = []
    const record = (name: string) => () => void order.push(name)
    const move = large.control('POST', '/clock', { advance: '60d' }).finally(record('move'))
    await makeCalls(other)
    const fork = sandboxes.callAccount('POST', '/s/leaves/fork', { name: 'copied' }).finally(record('fork'))
    await makeCalls(other, 1)
    const removal = sandboxes.callAccount('DELETE', '/s/leaves')
    expect((await move).body.now).toBe(END)
    expect([(await fork).body.now, (await removal).status]).toEqual([END, 204])
    expect(order).toEqual(['move', 'fork'])
    expect((await large.control('GET', '/clock')).status).toBe(401)
  })

  it('the move ends whole although its client has left, and the sandbox answers again', async () => {
    const large = await sandboxes.create('left', { ...MANUAL_CLOCK, snapshot })
    const other = await sandboxes.create('waits', MANUAL_CLOCK)
    const leaver = new AbortController()
    const { url, control_key } = large.created
    const move = fetch(`${url}/_fauxgate/clock`, {
      method: 'POST',
      headers: { 'fauxgate-control-key': control_key, 'content-type': 'application/json' },
      body: JSON.stringify({ advance: '60d' }),
      signal: leaver.signal,
    })
    await makeCalls(other)
    leaver.abort()
    await expect(move).rejects.toThrow()
    expect((await large.control('GET', '/clock')).body.now).toBe(END)
    expect((await large.control('POST', '/clock', { advance: '1h' })).body.now).toBe('2026-03-02T02:00:00Z')
  })

  it('the move stops after its last part with the time that it reached, which stays after a kill, and the next calls continue', async () => {
    const few = await startSandboxes({}, 'short-moves')
    const large = await few.create('large', { ...MANUAL_CLOCK, snapshot })
    const statuses: number[] = []
    for (;;) {
      const { status, body } = await large.control('POST', '/clock', { to: END })
      statuses.push(status)
      if (statuses.length === 1) {
        await few.kill()
        await few.start()
      }
      const { now } = (await large.control('GET', '/clock')).body
      if (status === 200) break
      expect(body.error_code).toBe('ERR_GATEWAY_90422')
      expect(body.msg).toContain(`The clock is at ${now}, and ${END} was requested.`)
    }
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([504]))
    const local = createGateway({ clock: manualClock(START) })
    local.restore(snapshot)
    local.clock.advanceTo(END)
    const { body } = await large.control('GET', '/state')
    expect(body.records.reserved_domains).toEqual(local.snapshot().records.reserved_domains)
  })
})
