import { promisify } from 'node:util'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { timersOn } from '../../src/testing/clock.ts'
import { CLOCK_START } from '../support/clock.ts'
import { timeAfter } from '../support/provisioning.ts'

const NOW = CLOCK_START

/** Creates a manual clock, and timers on this clock. */
function createTimers() {
  const clock = manualClock(NOW)
  return { clock, timers: timersOn(clock) }
}

describe('Timers on a manual clock', () => {
  test('have the types of the platform', () => {
    const { timers } = createTimers()
    expectTypeOf(timers.setTimeout).toEqualTypeOf<typeof setTimeout>()
    expectTypeOf(timers.clearInterval).toEqualTypeOf<typeof clearInterval>()
    expectTypeOf(timers.setImmediate).toEqualTypeOf<typeof setImmediate>()
    expectTypeOf(timers.Date).toEqualTypeOf<DateConstructor>()
    void new Promise<void>((resolve) => timers.setTimeout(resolve, 5))
  })

  test('show its time after any move', () => {
    const { clock, timers } = createTimers()
    const readDates = () => [timers.Date.now(), new timers.Date().getTime()]
    for (const move of [() => clock.advance('1h'), () => clock.set(timeAfter('9d')), () => clock.reset()]) {
      move()
      expect(readDates()).toEqual([clock.now, clock.now])
    }
  })

  test('can be called without their object', () => {
    const { clock, timers } = createTimers()
    const { setTimeout, clearTimeout, setImmediate } = timers
    const fired: string[] = []
    clearTimeout(setTimeout(() => fired.push('cleared'), 1))
    setTimeout((...args: string[]) => fired.push(...args), 1, 'with', 'arguments')
    setImmediate(() => fired.push('at once'))
    clock.advance(1)
    expect(fired).toEqual(['at once', 'with', 'arguments'])
  })

  test('also cancel a timer of the platform, without a warning', async () => {
    const warn = vi.spyOn(console, 'warn')
    let hasFired = false
    const immediate = setImmediate(() => {
      hasFired = true
    })
    createTimers().timers.clearImmediate(immediate)
    await new Promise((resolve) => setImmediate(resolve))
    expect([hasFired, warn.mock.calls]).toEqual([false, []])
  })

  test("have AbortSignal.timeout on the clock's time", async () => {
    const { clock, timers } = createTimers()
    const signal = timers.AbortSignal.timeout(5000)
    expect(signal).toBeInstanceOf(timers.AbortSignal)
    expect(signal).toBeInstanceOf(AbortSignal)
    clock.advance(4999)
    expect(signal.aborted).toBe(false)
    clock.advance(1)
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(timers.AbortSignal.abort('now').reason).toBe('now')
    expect(timers.AbortSignal.any([signal]).aborted).toBe(true)
  })

  test('let a request of the gateway end at its timeout', async () => {
    const gateway = createGateway({ clock: manualClock(NOW) })
    const { AbortSignal } = timersOn(gateway.clock)
    gateway.faults.add({ latency: '30s' })
    const headers = { authorization: 'Bearer k', 'service-version': '2' }
    const response = gateway.fetch(`${gateway.url}/reserved_addrs`, { headers, signal: AbortSignal.timeout(5000) })
    gateway.clock.advance('5s')
    await expect(response).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('work with promisify', async () => {
    const { clock, timers } = createTimers()
    const sleep = promisify(timers.setTimeout)
    const callback = vi.fn()
    void sleep(1000, 'value').then(callback)
    await clock.advanceAsync(999)
    expect(callback).not.toHaveBeenCalled()
    await clock.advanceAsync(1)
    expect(callback).toHaveBeenCalledWith('value')
  })

  test('repeat no faster than every ms', () => {
    const { clock, timers } = createTimers()
    let fired = 0
    for (const ms of [0, -5, undefined, Number.NaN]) timers.setInterval(() => fired++, ms)
    clock.advance(10)
    expect(fired).toBe(40)
  })

  test('keep their remaining time when the time is set', () => {
    const { clock, timers } = createTimers()
    const fired: number[] = []
    timers.setTimeout(() => fired.push(clock.now), 1000)
    clock.advance(400)
    clock.set(timeAfter('30d'))
    clock.advance(599)
    expect(fired).toEqual([])
    clock.advance(1)
    expect(fired).toEqual([clock.now])
    expect(timers.performance.now()).toBe(1000)
  })

  test('need a manual clock', () => {
    const error = new TypeError('timersOn received an object. Allowed: a manual clock, such as one from manualClock().')
    expect(() => timersOn(createGateway().clock as never)).toThrow(error)
  })

  test('of two calls are two sets, which fire in one order', () => {
    const clock = manualClock(NOW)
    const [a, b] = [timersOn(clock), timersOn(clock)]
    const fired: string[] = []
    for (const ms of [10, 30]) a.setTimeout(() => fired.push(`a ${clock.now - NOW}`), ms)
    b.setTimeout(() => fired.push(`b ${clock.now - NOW}`), 20)
    expect([a.count(), b.count()]).toEqual([2, 1])
    clock.advance('1s')
    expect(fired).toEqual(['a 10', 'b 20', 'a 30'])
  })

  test('can move the clock themselves, and it does not go back', () => {
    const { clock, timers } = createTimers()
    const fired: number[] = []
    timers.setTimeout(() => clock.advance('1m'), 1000)
    for (const ms of [1000, 2000, 61_001]) timers.setTimeout(() => fired.push(clock.now - NOW), ms)
    clock.advance('5s')
    expect([fired, clock.now]).toEqual([[1000, 2000], NOW + 61_000])
  })

  test('that are created later count from the time of the clock', () => {
    const clock = manualClock(NOW)
    clock.advance('1d')
    const timers = timersOn(clock)
    const callback = vi.fn()
    timers.setTimeout(callback, 10)
    clock.advance(9)
    expect([callback.mock.calls.length, timers.performance.now()]).toEqual([0, 9])
    clock.advance(1)
    expect(callback).toHaveBeenCalledOnce()
  })
})
