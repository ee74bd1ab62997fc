import { afterEach, describe, expect, test, vi } from 'vitest'
import { durationText } from '../../src/core/schema/time.ts'
import type { UsedControls } from '../../src/generated/controls.ts'
import { createGateway, type GatewayOptions, type ManualClock } from '../../src/index.ts'
import { timersOn } from '../../src/testing/clock.ts'
import { type Answer, controlClient, outcome, readResponse } from '../support/client.ts'
import { CLOCK_START } from '../support/clock.ts'
import { collectCommits } from '../support/gateway.ts'
import { memoryStore } from '../support/memory-store.ts'
import { dueAfter, ECDSA, openManual, openWithDomain, timeAfter } from '../support/provisioning.ts'

const NOW = CLOCK_START
const DAY = 86_400_000
const FIRST_ATTEMPT = dueAfter('30s')

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Fakes only the host's stopwatch. Returns the function that advances it. */
function fakeHostTime() {
  vi.useFakeTimers({ now: 0, toFake: ['performance'] })
  return (ms: number) => void vi.advanceTimersByTime(ms)
}

/** Moves a clock over HTTP. */
async function move(gateway: ReturnType<typeof openManual>, json: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(json) }
  return readResponse(await gateway.fetch('http://localhost/_fauxgate/clock', init))
}

/** Opens a gateway whose only job fails after 30 s, 90 s, 3.5 min, 7.5 min …. Each attempt takes `msEach`. */
function openWithSlowEvents(msEach: number) {
  const work = fakeHostTime()
  const { gateway, id } = openWithDomain()
  gateway.provisioning.failAlways('INTERNAL_ERROR')
  gateway.subscribe(() => work(msEach))
  const attempts = () => gateway.provisioning.timeline(id).filter(({ transition }) => transition === 'failed').length
  return { gateway, attempts }
}

describe('A clock move over HTTP that has worked for 10 s', () => {
  test.each([
    ['advance', { advance: '1d' }],
    ['to', { to: timeAfter('1d') }],
  ])('by %s stops at an event, says how far it got, and leaves the clock there', async (_name, json) => {
    const { gateway, attempts } = openWithSlowEvents(3000)
    const answer = await move(gateway, json)
    expect(outcome(answer)).toBe('504 ERR_GATEWAY_90422')
    expect(answer.body.msg).toContain(`The clock is at ${dueAfter('7m', '30s')}, and ${timeAfter('1d')} was requested.`)
    expect(answer.body.msg).toContain('Everything due by then has happened')
    expect(answer.body.details.operation_id).toBe(answer.headers.get('service-operation-id'))
    expect([gateway.clock.now, attempts()]).toEqual([Date.parse(dueAfter('450s')), 4])
  })

  test('is among the used controls with the part that happened, so that a copied test makes it', async () => {
    const { gateway, attempts } = openWithSlowEvents(3000)
    const send = controlClient(gateway)
    expect(outcome(await send('POST', '/clock', { advance: '1d', remember: true }))).toBe('504 ERR_GATEWAY_90422')
    const { controls } = (await send('GET', '/controls')).body as UsedControls
    const advance = durationText(Date.parse(dueAfter('450s')) - NOW)
    expect(controls.at(-1)).toMatchObject({ path: '/_fauxgate/clock', body: { advance, remember: true } })
    const other = openWithSlowEvents(0)
    expect((await controlClient(other.gateway)('POST', '/clock', controls.at(-1)?.body)).status).toBe(200)
    expect([other.gateway.clock.now, other.attempts()]).toEqual([gateway.clock.now, attempts()])
  })

  test('can be continued by another move, which has its own 10 s', async () => {
    const { gateway, attempts } = openWithSlowEvents(3000)
    const to = timeAfter('2h')
    const results: unknown[] = []
    for (let i = 0; i < 3; i++) results.push([outcome(await move(gateway, { to })), attempts()])
    expect(results).toEqual([
      ['504 ERR_GATEWAY_90422', 4],
      ['200', 7],
      ['200', 7],
    ])
    expect(gateway.clock.now).toBe(Date.parse(to))
  })

  /** Opens a gateway with jobs that are due at once, on a host where each reading of the time takes 90 ms. */
  function openWithEventsDue(count: number, options: Partial<GatewayOptions> = {}) {
    let looks = 0
    vi.spyOn(performance, 'now').mockImplementation(() => 90 * looks++)
    const gateway = openManual(options)
    for (let i = 0; i < count; i++) {
      gateway.reservedDomains.create({ domain: `d${i}.example.com`, certificate_management_policy: ECDSA })
    }
    const commits = collectCommits(gateway)
    return { gateway, commits }
  }

  test('stops among many events of one time, each with its own commit, and the next moves continue with them', async () => {
    const { gateway, commits } = openWithEventsDue(250)
    const to = timeAfter('1m')
    const results: unknown[] = []
    const messages: string[] = []
    for (let i = 0; i < 3; i++) {
      const answer = await move(gateway, i === 1 ? { next: true } : { to })
      if (answer.status !== 200) messages.push(answer.body.msg)
      results.push([outcome(answer), gateway.clock.now, commits.length])
    }
    expect(results).toEqual([
      ['504 ERR_GATEWAY_90422', Date.parse(FIRST_ATTEMPT), expect.any(Number)],
      ['504 ERR_GATEWAY_90422', Date.parse(FIRST_ATTEMPT), expect.any(Number)],
      ['200', Date.parse(to), 250],
    ])
    const counts = results.map((each) => (each as number[])[2] as number)
    expect(counts.every((count, i) => count > (counts[i - 1] ?? 0))).toBe(true)
    expect(messages[0]).toContain(`The clock is at ${FIRST_ATTEMPT}, and ${to} was requested.`)
    expect(messages[0]).toContain('have not happened yet')
    expect(new Set(commits.map(({ at }) => at))).toEqual(new Set([FIRST_ATTEMPT]))
    expect(gateway.nextDueAt()).toBeGreaterThan(NOW + 60 * DAY)
  })

  test('leaves what is due at the requested time to any other call, which handles all of it', async () => {
    const { gateway, commits } = openWithEventsDue(250)
    expect(outcome(await move(gateway, { to: FIRST_ATTEMPT }))).toBe('504 ERR_GATEWAY_90422')
    expect(commits.length).toBeLessThan(250)
    expect(gateway.clock.nextDueAt()).toBe(Date.parse(FIRST_ATTEMPT))
    const { reserved_domains } = gateway.reservedDomains.list({ filter: 'obj.certificate == null' })
    expect([reserved_domains, commits.length]).toEqual([[], 250])
  })

  test('keeps what has happened in the store, and a gateway that continues from there handles the rest', async () => {
    const store = memoryStore()
    const { gateway } = openWithEventsDue(250, { store })
    expect(outcome(await move(gateway, { advance: '1h' }))).toBe('504 ERR_GATEWAY_90422')
    const newGateway = openManual({ store: memoryStore(store.commits) })
    expect(newGateway.clock.now).toBe(Date.parse(FIRST_ATTEMPT))
    expect(newGateway.nextDueAt()).toBe(Date.parse(FIRST_ATTEMPT))
    expect(newGateway.snapshot()).toEqual(gateway.snapshot())
  })

  test('stops among timers on the clock, too', async () => {
    const work = fakeHostTime()
    const gateway = openManual()
    timersOn(gateway.clock).setInterval(() => work(1), 1)
    const answer = await move(gateway, { advance: '1d' })
    expect(outcome(answer)).toBe('504 ERR_GATEWAY_90422')
    const workedMs = gateway.clock.now - NOW
    expect(workedMs).toBeGreaterThanOrEqual(10_000)
    expect(workedMs).toBeLessThan(10_200)
  })

  test('stops, whichever gateway on the clock has worked', async () => {
    const { gateway, attempts } = openWithSlowEvents(3000)
    const other = createGateway({ clock: gateway.clock, seed: 'other' })
    expect(outcome(await move(other as typeof gateway, { advance: '1d' }))).toBe('504 ERR_GATEWAY_90422')
    expect([gateway.clock.now, attempts()]).toEqual([Date.parse(dueAfter('450s')), 4])
  })

  test('is stopped over HTTP only: in the process there is no limit', () => {
    const { gateway, attempts } = openWithSlowEvents(3000)
    gateway.clock.advance('1d')
    expect([gateway.clock.now, attempts()]).toEqual([NOW + DAY, 28])
  })
})

describe('A clock move over HTTP', () => {
  /** Returns everything that happens on a clock until a day has passed, by timers and by events. */
  async function recordMove(go: (gateway: ReturnType<typeof openManual>) => unknown) {
    const { gateway, id } = openWithDomain({ provisioningDelay: '7s' })
    gateway.provisioning.script(['INTERNAL_ERROR', 'DNS_ERROR', 'success'])
    const { clock } = gateway
    const timers = timersOn(clock)
    const results: unknown[] = []
    const note = (what: string) => results.push([what, clock.now - NOW, gateway.provisioning.timeline(id).length])
    timers.setInterval(() => note('minute'), 60_000)
    for (const at of [0, 1, 6999, 7000, 7001, 67_000, 3_667_000, DAY]) timers.setTimeout(() => note('timer'), at)
    timers.setTimeout(() => timers.setTimeout(() => note('inner'), 500), 7000)
    await go(gateway)
    return { results, state: gateway.snapshot() }
  }

  test('fires the timers on the clock like a move in the process, each among the events of its time', async () => {
    const direct = await recordMove((gateway) => gateway.clock.advance('1d'))
    expect(direct.results.length).toBeGreaterThan(1440)
    expect(await recordMove((gateway) => move(gateway, { advance: '1d' }))).toEqual(direct)
    expect(await recordMove((gateway) => move(gateway, { to: new Date(NOW + DAY) }))).toEqual(direct)
  })

  /** Opens a gateway on a custom manual clock that records its moves. Each move takes `msEach`. */
  function openWithOwnClock(msEach: number) {
    const work = fakeHostTime()
    const moves: number[] = []
    const clock = {
      now: NOW,
      advance: () => undefined,
      advanceTo(time: number) {
        moves.push(time - clock.now)
        clock.now = time
        work(msEach)
      },
      advanceToNext: () => moves.push(-1) > 0,
      set: () => undefined,
      reset: () => undefined,
    }
    return { gateway: createGateway({ clock: clock as unknown as ManualClock, seed: 'own' }), moves }
  }

  test('advances a custom clock to its next event, if the clock does not tell the time of that event', async () => {
    const { gateway, moves } = openWithOwnClock(0)
    expect((await move(gateway, { next: true })).status).toBe(200)
    expect(moves).toEqual([-1])
  })

  test('by 0 ms runs everything that is due by now', async () => {
    const { gateway, moves } = openWithOwnClock(0)
    expect((await move(gateway, { advance: 0 })).status).toBe(200)
    expect(moves).toEqual([0])
  })
})
