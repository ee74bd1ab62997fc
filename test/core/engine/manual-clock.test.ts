import { describe, expect, test } from 'vitest'
import { createGateway, type ManualClock, manualClock, type Time } from '../../../src/index.ts'
import { timersOn } from '../../../src/testing/clock.ts'
import { client, expectError } from '../../support/client.ts'
import { CLOCK_START, EXACT_START } from '../../support/clock.ts'
import {
  addDurations,
  createDomainReaders,
  dueAfter,
  ECDSA,
  openManual,
  openWithDomain,
  timeAfter,
} from '../../support/provisioning.ts'

const NOW = CLOCK_START
const MIDNIGHT = Date.UTC(2026, 0, 1)
const DAY = 86_400_000
const POLICY = { certificate_management_policy: ECDSA } as const

describe('A manual clock', () => {
  test.each<[Time]>([
    ['2026-01-01T00:00:00Z'],
    [MIDNIGHT],
    [new Date(MIDNIGHT)],
    ['2026-01-01T01:00:00+01:00'],
    ['2026-01-01T00:00:00.000z'],
  ])('starts at %s, stays there, and advances by a duration and to a time', (start) => {
    const clock = manualClock(start)
    expect([clock.now, clock.now]).toEqual([MIDNIGHT, MIDNIGHT])
    for (const duration of ['250ms', '30s', '5m', '24h', '2d', 1, 0, '0s'] as const) clock.advance(duration)
    const elapsed = 250 + 30_000 + 300_000 + 3 * DAY + 1
    expect(clock.now).toBe(MIDNIGHT + elapsed)
    for (const time of ['2026-02-01T00:00:00Z', Date.UTC(2026, 1, 1), new Date('2026-02-01')]) clock.advanceTo(time)
    expect(clock.now).toBe(Date.UTC(2026, 1, 1))
  })

  test.each<[string, (clock: ManualClock) => void]>([
    ['advance', (clock) => clock.advance('1h')],
    ['advanceTo', (clock) => clock.advanceTo(timeAfter('1h'))],
    ['advanceToNext', (clock) => clock.advanceToNext()],
    ['set', (clock) => clock.set(timeAfter('1h'))],
  ])(
    'settles the gateway before %s returns: due events have happened, even if the clock is then set back',
    (_what, move) => {
      const { gateway, certificate } = openWithDomain()
      move(gateway.clock)
      gateway.clock.set(NOW)
      expect(gateway.tlsCertificates.get(certificate() as string).issued_at).toBe(dueAfter('30s'))
    },
  )

  test('is returned by the gateway with its own type, so that a test can move it there', () => {
    const clock = manualClock(NOW)
    const gateway = createGateway({ clock })
    expect(gateway.clock).toBe(clock)
    gateway.clock.advance('1s')
    expect(gateway.reservedAddrs.create().created_at).toBe(timeAfter('1s'))
  })

  test('goes from one due event to the next, and returns false when nothing is due', () => {
    const { gateway, id } = openWithDomain()
    const { clock } = gateway
    gateway.provisioning.failNext('INTERNAL_ERROR')
    const times: string[] = []
    for (let i = 0; i < 4; i++) {
      expect(clock.advanceToNext()).toBe(true)
      times.push(gateway.reservedAddrs.create().created_at)
    }
    expect(times).toEqual([dueAfter('30s'), dueAfter('90s'), dueAfter('90s', '60d'), dueAfter('2m', '60d')])
    gateway.reservedDomains.delete(id)
    const before = clock.now
    expect(clock.advanceToNext()).toBe(false)
    expect(clock.now).toBe(before)
  })

  test('can be set forward, which settles what is due by then but fires no timer', () => {
    const { gateway, id } = openWithDomain()
    let fireCount = 0
    timersOn(gateway.clock).setTimeout(() => fireCount++, 10)
    gateway.clock.set(timeAfter('1h'))
    expect(gateway.snapshot().records.tls_certificates).toHaveLength(1)
    expect(gateway.provisioning.timeline(id).at(-1)).toMatchObject({ at: dueAfter('30s'), transition: 'issued' })
    expect(fireCount).toBe(0)
  })

  test('can be set back: earlier changes stay, new ones have earlier dates, and ids still sort', () => {
    const { gateway, id, certificate } = openWithDomain()
    gateway.clock.advance('1h')
    const first = certificate()
    gateway.clock.set(NOW - DAY)
    expect(certificate()).toBe(first)
    const { id: laterId, created_at } = gateway.reservedDomains.create({ domain: 'b.example.com' })
    expect(created_at).toBe(addDurations(NOW, '-1d'))
    expect(laterId > id).toBe(true)
    gateway.clock.advance('2d')
    expect(certificate()).toBe(first)
    expect(gateway.provisioning.timeline(id)).toHaveLength(2)
  })
})

describe('Timers of code under test on a manual clock', () => {
  test('see the state of the gateway at their own time, whatever the step', () => {
    const { gateway, certificate } = openWithDomain()
    const { clock } = gateway
    const timers = timersOn(clock)
    const results: unknown[] = []
    const due = Date.parse(dueAfter('30s')) - NOW
    for (const ms of [due - 1, due, due + 1]) {
      timers.setTimeout(() => results.push([clock.now - NOW, certificate() !== null]), ms)
    }
    clock.advance('365d')
    expect(results).toEqual([
      [due - 1, false],
      [due, true],
      [due + 1, true],
    ])
  })

  test('can change the gateway at their own time, and the change takes effect within the same step', () => {
    const gateway = openManual()
    const { clock } = gateway
    timersOn(clock).setTimeout(() => gateway.reservedDomains.create({ domain: 'app.example.com', ...POLICY }), 60_000)
    clock.advance('1d')
    expect(gateway.reservedDomains.list().reserved_domains).toMatchObject([{ created_at: timeAfter('1m') }])
    expect(gateway.tlsCertificates.list().tls_certificates).toMatchObject([{ issued_at: dueAfter('90s') }])
  })

  test('that throw do not shorten the move, and gateways stay correct', () => {
    const { gateway, certificate } = openWithDomain()
    timersOn(gateway.clock).setTimeout(() => {
      throw new Error('mine')
    }, 10)
    expect(() => gateway.clock.advance('1m')).toThrow('mine')
    expect(gateway.clock.now).toBe(NOW + 60_000)
    expect(certificate()).not.toBeNull()
  })
})

describe('Several gateways on one manual clock', () => {
  const createTwo = () => {
    const clock = manualClock(NOW)
    const [a, b] = ['a', 'b'].map((seed) =>
      createGateway({ clock, seed, provisioningDelay: seed === 'a' ? '10s' : '20s' }),
    )
    const open = (gateway = a as NonNullable<typeof a>) => {
      const { id } = gateway.reservedDomains.create({ domain: 'app.example.com', ...POLICY })
      return { gateway, ...createDomainReaders(gateway, id) }
    }
    return { clock, a: open(a), b: open(b) }
  }

  test('are all settled by one move, each with its own state', () => {
    const { clock, a, b } = createTwo()
    clock.advance('11s')
    expect([a.gateway.snapshot().records.tls_certificates?.length, b.job()?.error_code]).toEqual([1, null])
    clock.advance('10s')
    expect(b.gateway.snapshot().records.tls_certificates).toHaveLength(1)
  })

  test('give advanceToNext the earliest of all their events', () => {
    const { clock } = createTwo()
    const times = [1, 2, 3, 4].map(() => clock.advanceToNext() && addDurations(clock.now))
    expect(times).toEqual([dueAfter('10s'), dueAfter('20s'), dueAfter('60d', '10s'), dueAfter('60d', '20s')])
  })
})

describe('A manual clock that is reset', () => {
  test('is at its start, without timers and without the effect of an earlier set', () => {
    const clock = manualClock(NOW)
    const timers = timersOn(clock)
    timers.setTimeout(() => expect.unreachable('a dropped timer fired'), 1000)
    clock.advance('10ms')
    clock.set('2030-01-01T00:00:00Z')
    clock.reset()
    expect(clock.now).toBe(NOW)
    expect(timers.count()).toBe(0)
    expect(timers.performance.now()).toBe(0)
    clock.advance('1d')
    expect(timers.performance.now()).toBe(DAY)
  })
})

describe('A manual clock refuses, names what is allowed, and does not move:', () => {
  const DURATION = 'Allowed: a number of ms, or a whole number followed by a unit (ms, s, m, h, or d), such as "30s".'
  const TIME = 'Allowed: an RFC 3339 time such as "2026-01-01T00:00:00Z", epoch milliseconds, or a Date.'
  const wrongDurations = ['5 parsecs', '', '30', '-1s', '1.5h', ' 30s', '1w', -1, 1.5, Number.NaN, null, undefined, {}]
  const wrongTimes = ['yesterday', '2026-02-30T00:00:00Z', Number.NaN, new Date('no'), null, undefined, {}, true]

  /** Opens a gateway in which something is due. Returns its clock, and a function that expects no change. */
  function openUnmoved() {
    const { gateway } = openWithDomain()
    const before = gateway.snapshot()
    const expectUnmoved = () => {
      expect(gateway.clock.now).toBe(NOW)
      expect(gateway.snapshot()).toEqual(before)
    }
    return { clock: gateway.clock, expectUnmoved }
  }

  test.each(wrongDurations.map((value) => [value]))('the duration %j', (value) => {
    const { clock, expectUnmoved } = openUnmoved()
    const error = expectError(() => clock.advance(value as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(/^The duration is /)
    expect(error.message).toContain(DURATION)
    expectUnmoved()
  })

  test.each(wrongTimes.map((value) => [String(value), value]))('the time %s', (_what, value) => {
    const { clock, expectUnmoved } = openUnmoved()
    for (const move of [clock.advanceTo, clock.set, manualClock]) {
      const error = expectError(() => move(value as never))
      expect(error).toBeInstanceOf(TypeError)
      expect(error.message).toMatch(/^The time is /)
      expect(error.message).toContain(TIME)
    }
    expectUnmoved()
  })

  test.each(['2025-12-31T23:59:59Z', NOW - 1, new Date(0)])('a move to %s, which is past', (past) => {
    const { clock, expectUnmoved } = openUnmoved()
    expect(() => clock.advanceTo(past)).toThrow(RangeError)
    expect(() => clock.advanceTo(past)).toThrow(`in the past. Allowed: ${EXACT_START} or later.`)
    expectUnmoved()
  })

  test.each([-1, Date.UTC(10_000, 0), '1969-12-31T23:59:59Z'])('the time %s, which no timestamp can show', (time) => {
    const { clock, expectUnmoved } = openUnmoved()
    for (const move of [clock.advanceTo, clock.set, manualClock]) {
      expect(() => move(time)).toThrow(RangeError)
      expect(() => move(time)).toThrow(/Allowed: .*1970|in the past/)
    }
    expectUnmoved()
  })

  test('a duration that ends after the year 9999', () => {
    const { clock, expectUnmoved } = openUnmoved()
    expect(() => clock.advance('4000000d')).toThrow(/Allowed: 0 \(1970\) to .* \(the end of the year 9999\)/)
    expect(() => clock.advance('999999999999d')).toThrow(RangeError)
    expectUnmoved()
  })

  test('an event that is due after the year 9999', async () => {
    const clock = manualClock(NOW)
    const gateway = createGateway({ clock })
    gateway.faults.add({ latency: '4000000d' })
    void client(gateway)('GET', '/reserved_addrs')
    await expect(clock.advanceToNextAsync()).rejects.toThrow(RangeError)
    expect(() => clock.advanceToNext()).toThrow(/Allowed: 0 \(1970\) to .* \(the end of the year 9999\)/)
    expect(clock.now).toBe(NOW)
  })
})

describe('A move of a manual clock', () => {
  test('may stop more than 10,000 times, as long as the times differ', () => {
    const clock = manualClock(NOW)
    let ticks = 0
    timersOn(clock).setInterval(() => ticks++, 1)
    clock.advance(10_050)
    expect([clock.now - NOW, ticks]).toEqual([10_050, 10_050])
  })

  /** Creates a clock on which something becomes due several times at one time. */
  function createBusyClock(times: number) {
    const clock = manualClock(NOW)
    let remaining = times
    const dueAt = () => (remaining > 0 ? NOW + 1 : undefined)
    const follower = { nextDueAt: dueAt, nextStopAt: dueAt, settle: () => void (clock.now > NOW && remaining--) }
    clock.attach(follower)
    return { clock, follower }
  }

  test('may stop 10,000 times at one time, and no more', () => {
    const enough = createBusyClock(10_000)
    enough.clock.advance('1s')
    expect(enough.clock.now).toBe(NOW + 1000)
    const { clock } = createBusyClock(10_001)
    expect(() => clock.advance('1s')).toThrow(
      `The clock is at ${timeAfter('1ms')}: it stopped 10000 times at that time, and more events are due.`,
    )
    expect(clock.now).toBe(NOW + 1)
  })
})
