import { describe, expect, it } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { MANAGED_DOMAIN, MANUAL_CLOCK, useSandboxes } from './support/sandboxes.ts'

const sandboxes = useSandboxes()

/** Returns a snapshot with many domains whose certificates are issued at the same time. */
function createLargeSnapshot() {
  const local = createGateway({ clock: manualClock(MANUAL_CLOCK.start), seed: 'large' })
  for (let n = 0; n < 4000; n++) local.reservedDomains.create({ ...MANAGED_DOMAIN, domain: `d${n}.example.com` })
  local.clock.advance('1h')
  return local.snapshot()
}
const snapshot = createLargeSnapshot()
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
    expect(answered).toBeGreaterThan(10)
  })

  it('a kill leaves the state before the move, and the next start repeats it', async () => {
    const large = await sandboxes.create('killed', { ...MANUAL_CLOCK, snapshot })
    const other = await sandboxes.create('beside', MANUAL_CLOCK)
    const before = await large.control('GET', '/state')
    const move = large.control('POST', '/clock', { advance: '60d' }).catch(() => 'killed')
    for (let n = 0; n < 5; n++) await other.send('GET', '/reserved_addrs')
    await sandboxes.kill()
    expect(await move).toBe('killed')
    await sandboxes.start()
    expect((await large.control('GET', '/clock')).body.now).toBe(START)
    expect((await large.control('GET', '/state')).body).toEqual(before.body)
    expect((await large.control('POST', '/clock', { advance: '60d' })).body.now).toBe(END)
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
    expect(answered).toBeGreaterThan(10)
  })
})
