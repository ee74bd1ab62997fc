import { test as base, expect, type TestAPI } from 'vitest'
import { type Clock, systemClock } from '../engine/clock.ts'
import { type ManualClock, manualClock } from '../engine/manual-clock.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import type { GatewayOptions } from '../gateway/gateway-options.ts'
import { explain, installedForNow, requireStrict } from './failure.ts'
import { type GatewayMatchers, matchers } from './matchers.ts'
import { START } from './test-with-gateway.ts'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters must be those of vitest's own declaration.
  interface Assertion<T = any> extends GatewayMatchers<void, T> {}
  interface AsymmetricMatchersContaining extends GatewayMatchers {}
}

expect.extend(matchers)

/** What {@link test} hands to a test, and {@link testOnSystemClock}, whose clock cannot be moved. */
export interface GatewayFixtures<C extends Clock = ManualClock> {
  /** The options of this test's gateway. Override them for a file, a `describe` or one test. Default: none. */
  gatewayOptions: GatewayOptions<C>
  /**
   * Whether a test that passed must have met all that it put on order, faults and outcomes, and must have asked for no
   * path or method that the API does not have. Default: true.
   */
  strict: boolean
  /** A gateway of this test's own, made when the test first asks for it. Where it is installed, its end takes it out. */
  gateway: Gateway<C>
}

/**
 * vitest's `test` with a fresh `gateway` for each test. Its clock is a manual one that starts at 2026-01-01T00:00:00Z,
 * and its seed is the full name of the test, so that every run of a test sees the same ids; `gatewayOptions` changes
 * both. Tests share nothing, so they can run concurrently. When a test fails, its error says what happened at the
 * gateway.
 *
 * @example
 * ```ts
 * import { expect } from 'vitest'
 * import { test } from 'fauxgate/vitest'
 *
 * test.override('gatewayOptions', { provisioningDelay: '5s' }) // for this file; inside a describe, for that
 *
 * test('a domain gets its certificate', ({ gateway }) => {
 *   const { id } = gateway.reservedDomains.create({
 *     domain: 'app.example.com',
 *     certificate_management_policy: { authority: 'letsencrypt' },
 *   })
 *   gateway.clock.advance('5s')
 *   expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
 * })
 * ```
 */
export const test: TestAPI<GatewayFixtures> = testWith(() => manualClock(START))

/**
 * The same as {@link test}, with gateways on the system clock: they follow `vi.useFakeTimers()`, waits for `settled()`,
 * `delivered()` and delayed answers included.
 *
 * @example
 * ```ts
 * import { afterEach, expect, vi } from 'vitest'
 * import { testOnSystemClock as test } from 'fauxgate/vitest'
 *
 * afterEach(() => void vi.useRealTimers())
 *
 * test('a domain gets its certificate', async ({ gateway }) => {
 *   vi.useFakeTimers()
 *   const { id } = gateway.reservedDomains.create({
 *     domain: 'app.example.com',
 *     certificate_management_policy: { authority: 'letsencrypt' },
 *   })
 *   await vi.advanceTimersByTimeAsync(30_000)
 *   expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
 * })
 * ```
 */
export const testOnSystemClock: TestAPI<GatewayFixtures<Clock>> = testWith(() => systemClock)

function testWith<C extends Clock>(clockOfTest: () => C): TestAPI<GatewayFixtures<C>> {
  return base.extend<GatewayFixtures<C>>({
    gatewayOptions: {},
    strict: true,
    gateway: async ({ gatewayOptions, strict, task, onTestFinished, onTestFailed }, use) => {
      const { clock = clockOfTest(), seed = fullName(task) } = gatewayOptions
      const gateway = createGateway({ ...gatewayOptions, clock, seed })
      onTestFinished(() => {
        const { state } = task.result ?? {}
        if (strict && !task.fails && state !== 'fail' && state !== 'skip') requireStrict(gateway)
      })
      const before = task.result?.errors?.length ?? 0
      onTestFailed(() => explain(task.result?.errors?.slice(before).at(-1), gateway))
      const uninstall = installedForNow(gateway)
      await use(gateway)
      uninstall()
    },
  })
}

/** A test or a suite, as far as its name goes. Only vitest from 4.1 on knows a test's full name itself. */
interface Named {
  readonly name: string
  readonly suite?: Named | undefined
}

function fullName({ name, suite }: Named): string {
  return suite ? `${fullName(suite)} > ${name}` : name
}

/** The same as {@link test}. */
export const it: TestAPI<GatewayFixtures> = test
