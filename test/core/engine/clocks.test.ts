import { createClock } from '@sinonjs/fake-timers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/core/engine/clock.ts'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import { createDomainReaders, ECDSA } from '../../support/provisioning.ts'

const NOW = Date.UTC(2026, 0, 1)
const SHOWN_NOW = '2026-01-01T00:00:00Z'
const POLICY = { certificate_management_policy: ECDSA } as const

afterEach(() => void vi.useRealTimers())

/** Opens a gateway with a managed domain that is created at the present time of its clock. */
function openWithManagedDomain(options: GatewayOptions = {}) {
  const gateway = createGateway({ seed: 'clocks', ...options })
  const { id, created_at } = gateway.reservedDomains.create({ domain: 'app.example.com', ...POLICY })
  return { gateway, id, created_at, ...createDomainReaders(gateway, id) }
}

describe('The system clock (rules: time#clocks)', () => {
  test('follows vi.setSystemTime with no set-up', () => {
    vi.useFakeTimers({ now: NOW })
    const { certificate, created_at } = openWithManagedDomain()
    expect(created_at).toBe(SHOWN_NOW)
    vi.setSystemTime(NOW + 29_999)
    expect(certificate()).toBeNull()
    vi.setSystemTime(NOW + 30_000)
    expect(certificate()).not.toBeNull()
  })

  test('follows vi.advanceTimersByTime, in a gateway that is older than the fake timers', () => {
    const gateway = createGateway({ seed: 'clocks' })
    vi.useFakeTimers({ now: NOW })
    const { id, created_at } = gateway.reservedDomains.create({ domain: 'app.example.com', ...POLICY })
    expect(created_at).toBe(SHOWN_NOW)
    vi.advanceTimersByTime(30_000)
    expect(gateway.tlsCertificates.list().tls_certificates).toMatchObject([{ issued_at: '2026-01-01T00:00:30Z' }])
    expect(createDomainReaders(gateway, id).job()).toBeNull()
  })

  test('sets no timer for what is due, so nothing keeps a process alive', () => {
    vi.useFakeTimers({ now: NOW })
    const { gateway } = openWithManagedDomain()
    gateway.provisioning.failAlways('INTERNAL_ERROR')
    vi.setSystemTime(NOW + 3_600_000)
    gateway.reservedDomains.list()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('lets settled() resolve when fake time reaches the event, and not before', async () => {
    vi.useFakeTimers({ now: NOW })
    const { gateway, id } = openWithManagedDomain()
    const results: unknown[] = []
    void gateway.provisioning.settled(id).then((domain) => results.push(domain.certificate?.id))
    await vi.advanceTimersByTimeAsync(29_999)
    expect(results).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(results).toEqual([gateway.reservedDomains.get(id).certificate?.id])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('waits by the timers and the date that were there when the wait began', async () => {
    vi.useFakeTimers({ now: NOW })
    const end = vi.fn()
    void Promise.resolve(systemClock.waitUntil?.(NOW + 1000)).then(end)
    const startTimer = vi.fn()
    vi.stubGlobal('Date', { now: () => 0 })
    vi.stubGlobal('setTimeout', startTimer)
    await vi.advanceTimersByTimeAsync(1000)
    vi.unstubAllGlobals()
    expect([end.mock.calls.length, startTimer.mock.calls.length]).toEqual([1, 0])
  })

  test('lets settled() wait longer than one host timer can', async () => {
    vi.useFakeTimers({ now: NOW })
    const { gateway, id } = openWithManagedDomain({ provisioningDelay: '60d' })
    const settled = vi.fn()
    void gateway.provisioning.settled(id).then(settled)
    await vi.advanceTimersByTimeAsync(60 * 86_400_000 - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledWith(expect.objectContaining({ id, certificate: expect.anything() }))
  })

  test('lets settled() reject when the domain is deleted while it waits', async () => {
    vi.useFakeTimers({ now: NOW })
    const { gateway, id } = openWithManagedDomain()
    const settled = expect(gateway.provisioning.settled(id)).rejects.toMatchObject({ key: 'not_found' })
    gateway.reservedDomains.delete(id)
    await vi.advanceTimersByTimeAsync(30_000)
    await settled
  })
})

describe('A clock that is an object (rules: time#clocks)', () => {
  test('with a function is called as a method, so that classes work', () => {
    class Ticks {
      #time = NOW
      now() {
        return this.#time
      }
    }
    expect(openWithManagedDomain({ clock: new Ticks() }).created_at).toBe(SHOWN_NOW)
  })

  test('with a number that the test moves is read at every call', () => {
    const clock = { now: NOW }
    const { certificate, gateway } = openWithManagedDomain({ clock })
    clock.now += 30_000
    expect(certificate()).not.toBeNull()
    expect(gateway.clock).toBe(clock)
  })

  test('can be the clock of @sinonjs/fake-timers, whose timers see the gateway at their own time', () => {
    const clock = createClock(NOW)
    const { certificate } = openWithManagedDomain({ clock })
    const results: boolean[] = []
    for (const at of [29_999, 30_000]) clock.setTimeout(() => results.push(certificate() !== null), at)
    clock.tick('01:00:00')
    expect(results).toEqual([false, true])
  })

  test('shows whole seconds, cut and not rounded (rules: time#timestamps)', () => {
    expect(openWithManagedDomain({ clock: { now: NOW + 999 } }).created_at).toBe(SHOWN_NOW)
  })

  test('with milliseconds has what is due at the next whole second, as timestamps show it (rules: time#whole-seconds)', () => {
    const clock = { now: NOW + 999 }
    const { certificate, job } = openWithManagedDomain({ clock })
    expect(job()?.started_at).toBe(SHOWN_NOW)
    clock.now = NOW + 30_999
    expect(certificate()).toBeNull()
    clock.now = NOW + 31_000
    expect(certificate()).not.toBeNull()
  })

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, Date.UTC(10_000, 0)])(
    'whose time is %s makes a call throw and change nothing, and works again with a valid time',
    (invalidTime) => {
      const clock = { now: NOW }
      const { gateway, certificate } = openWithManagedDomain({ clock })
      const before = gateway.snapshot()
      clock.now = invalidTime
      expect(() => gateway.reservedDomains.create({ domain: 'b.example.com' })).toThrow(
        new RangeError(`The clock's time is ${invalidTime}. Allowed: epoch milliseconds, up to the year 9999.`),
      )
      clock.now = NOW
      expect(gateway.snapshot()).toEqual(before)
      clock.now = NOW + 30_000
      expect(certificate()).not.toBeNull()
    },
  )

  test('at the end of the year 9999 still gives timestamps of the wire form (rules: time#timestamps)', () => {
    const { gateway, id, status } = openWithManagedDomain({
      clock: { now: Date.UTC(9999, 11, 31) },
      provisioningDelay: 0,
    })
    const wireForm = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(status()).toEqual({ renews_at: wireForm, provisioning_job: null })
    expect(gateway.provisioning.timeline(id)).toMatchObject([{ at: wireForm }, { at: wireForm }])
  })
})
