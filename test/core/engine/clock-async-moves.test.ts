import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../../src/index.ts'
import { type Timers, timersOn } from '../../../src/testing/clock.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import { dueAfter, ECDSA, openManual, openWithDomain, timeAfter } from '../../support/provisioning.ts'

const NOW = CLOCK_START
const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }

afterEach(() => void vi.useRealTimers())

/** Reserves a domain, and polls it every 7 s until it has its certificate. This is the code under test. */
async function provision({ fetch, url }: Gateway, { setTimeout }: Pick<Timers, 'setTimeout'>, onPoll: () => void) {
  const body = JSON.stringify({ domain: 'app.example.com', certificate_management_policy: ECDSA })
  const response = await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
  const { id } = (await response.json()) as { id: string }
  for (;;) {
    onPoll()
    const answer = await fetch(new Request(`${url}/reserved_domains/${id}`, { headers }))
    const { certificate } = (await answer.json()) as { certificate: { id: string } | null }
    if (certificate) return certificate.id
    await new Promise<void>((resolve) => setTimeout(resolve, 7000))
  }
}

/** Starts an application that polls. Returns the seconds at which it polls. */
function createPoller(gateway = openManual()) {
  const { clock } = gateway
  const pollTimes: number[] = []
  const done = provision(gateway, timersOn(clock), () => pollTimes.push((clock.now - NOW) / 1000))
  return { gateway, clock, pollTimes, done }
}

const POLL_TIMES = [0, 7, 14, 21, 28, 35]

type Move = (clock: ManualClock) => Promise<unknown>
const moves: [string, Move][] = [
  ['advanceAsync', (clock) => clock.advanceAsync('1h')],
  ['advanceToAsync', (clock) => clock.advanceToAsync(NOW + 3_600_000)],
]

describe('An application that polls on timers of the clock makes progress', () => {
  test.each(moves)('while %s moves it, at its own times', async (_name, move) => {
    const { gateway, clock, pollTimes, done } = createPoller()
    await move(clock)
    expect(await done).toBe(gateway.tlsCertificates.list().tls_certificates[0]?.id)
    expect(pollTimes).toEqual(POLL_TIMES)
    expect(clock.now).toBe(NOW + 3_600_000)
  })

  test('while advanceToNextAsync moves it on from event to event', async () => {
    const { clock, pollTimes } = createPoller()
    expect(await clock.advanceToNextAsync()).toBe(true)
    expect([clock.now, pollTimes]).toEqual([Date.parse(dueAfter('30s')), POLL_TIMES.slice(0, 5)])
    await clock.advanceAsync('5s')
    expect(pollTimes).toEqual(POLL_TIMES)
  })

  test('while every timer of the host is faked', async () => {
    vi.useFakeTimers({ toFake: [...FAKEABLE] })
    const { clock, done } = createPoller()
    await clock.advanceAsync('1h')
    expect(await done).toMatch(/^cert_/)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('while it waits for settled() of a domain that it created', async () => {
    const gateway = openManual()
    const timers = timersOn(gateway.clock)
    const at: number[] = []
    void (async () => {
      await new Promise<void>((resolve) => timers.setTimeout(resolve, 1000))
      const { id } = gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: ECDSA })
      await gateway.provisioning.settled(id)
      at.push(gateway.clock.now)
    })()
    await gateway.clock.advanceAsync('10s')
    expect(at).toEqual([Date.parse(dueAfter('31s'))])
    expect(gateway.clock.now).toBe(at[0])
  })
})

/** Everything that vitest can fake, except the functions that vitest itself needs. */
const FAKEABLE = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'Date',
  'performance',
] as const

describe('An asynchronous move', () => {
  test('lets code that started before the move continue first', async () => {
    const { clock } = openWithDomain().gateway
    const order: string[] = []
    void Promise.resolve().then(() => order.push(`started at ${clock.now - NOW}`))
    await clock.advanceAsync('1m')
    order.push(`moved at ${clock.now - NOW}`)
    expect(order).toEqual(['started at 0', 'moved at 60000'])
  })

  test('leads to the same state as a synchronous move', async () => {
    const [asyncMove, syncMove] = [openWithDomain(), openWithDomain()]
    await asyncMove.gateway.clock.advanceAsync('200d')
    syncMove.gateway.clock.advance('200d')
    expect(asyncMove.gateway.snapshot()).toEqual(syncMove.gateway.snapshot())
  })

  test('runs all timers, and rejects at its end with the first error of a timer', async () => {
    const { gateway, certificate } = openWithDomain()
    const { setTimeout } = timersOn(gateway.clock)
    for (const at of [10, 20]) {
      setTimeout(() => {
        throw new Error(`at ${at}`)
      }, at)
    }
    await expect(gateway.clock.advanceAsync('1m')).rejects.toThrow('at 10')
    expect([gateway.clock.now, certificate()]).toEqual([NOW + 60_000, expect.stringMatching(/^cert_/)])
  })

  test.each([
    ['advanceAsync', (clock: ManualClock) => clock.advanceAsync('1 day' as never), 'The duration is "1 day"'],
    ['advanceToAsync', (clock: ManualClock) => clock.advanceToAsync(NOW - 1), 'in the past'],
  ])('%s rejects what its synchronous counterpart refuses, and moves nothing', async (_name, move, message) => {
    const clock = manualClock(NOW)
    await expect(move(clock)).rejects.toThrow(message)
    expect(clock.now).toBe(NOW)
  })

  test('ends when the time is set', async () => {
    const { gateway } = openWithDomain()
    const { clock } = gateway
    timersOn(clock).setTimeout(() => clock.set(timeAfter('5d')), 1000)
    await clock.advanceAsync('60d')
    expect(clock.now).toBe(Date.parse(timeAfter('5d')))
  })

  test('ends with a reset, and the clock stays at the time of the reset', async () => {
    const { gateway } = openWithDomain()
    timersOn(gateway.clock).setTimeout(() => gateway.reset(), 1000)
    await gateway.clock.advanceAsync('60d')
    expect([gateway.clock.now, gateway.leftovers()]).toEqual([NOW, []])
  })

  test('does not start if the time is set before it starts', async () => {
    const { gateway } = openWithDomain()
    const moveToNext = gateway.clock.advanceToNextAsync()
    const moveByHour = gateway.clock.advanceAsync('1h')
    gateway.clock.set(timeAfter('5d'))
    expect([await moveToNext, await moveByHour, gateway.clock.now]).toEqual([
      false,
      undefined,
      Date.parse(timeAfter('5d')),
    ])
  })

  test('throws if timers of 0 ms follow one another without end, and names the time', async () => {
    const clock = manualClock(NOW)
    const { setTimeout } = timersOn(clock)
    const turns = { left: 20_000 }
    void (async () => {
      while (turns.left-- > 0) await new Promise<void>((resolve) => setTimeout(resolve, 0))
    })()
    await expect(clock.advanceAsync('1s')).rejects.toThrow(
      `The clock is at ${SHOWN_START}: it stopped 10000 times at that time, and more events are due. ` +
        'Set timers less often, or advance the clock in smaller steps.',
    )
    turns.left = 0
  })
})

test('Gateways on one clock and timers have one order, by time; at one time gateways come first', async () => {
  // At a whole second, as events are.
  const start = Math.ceil(NOW / 1000) * 1000
  const clock = manualClock(start)
  const order: string[] = []
  const timers = timersOn(clock)
  for (const ms of [30_000, 10_000, 20_000]) timers.setTimeout(() => order.push(`timer ${clock.now - start}`), ms)
  for (const [seed, provisioningDelay] of [
    ['b', '20s'],
    ['a', '10s'],
  ] as const) {
    const gateway = createGateway({ clock, seed, provisioningDelay })
    gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: ECDSA })
    gateway.subscribe(({ at }) => order.push(`${seed} ${Date.parse(at) - start} at ${clock.now - start}`))
  }
  clock.advance('1m')
  expect(order).toEqual(['a 10000 at 10000', 'timer 10000', 'b 20000 at 20000', 'timer 20000', 'timer 30000'])
})
