import * as v from 'valibot'
import { test as base, expect, type TestAPI, vi } from 'vitest'
import { type Clock, systemClock } from '../core/engine/clock.ts'
import { type ManualClock, manualClock } from '../core/engine/manual-clock.ts'
import { requireFunction } from '../core/schema/arguments.ts'
import { oneOfThese, optionsOf, readOptions, type SchemasOf, switchOption } from '../core/schema/options.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { Gateway } from '../gateway/types.ts'
import type { GatewayOptions } from '../generated/options.ts'
import { addReport, connect, createForTest, requireStrict, START } from './fixture.ts'
import { type GlobalsOption, globalsOption, loadGlobals } from './globals.ts'
import { type GatewayMatchers, matchers } from './matchers.ts'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters must be those of vitest's own declaration.
  interface Assertion<T = any> extends GatewayMatchers<void, T> {}
  interface AsymmetricMatchersContaining extends GatewayMatchers {}
}

// Bun's own runner gives files that import vitest a module without fixtures.
if (typeof base.extend !== 'function')
  throw new Error(
    'fauxgate/vitest found no test.extend in vitest. `bun test` replaces vitest with its own runner: run `bun --bun x vitest run`, ' +
      'or use testWithGateway from fauxgate/testing with the test of "bun:test".',
  )
expect.extend(matchers)

/** The options of {@link testUsing}. Defined here because {@link test} needs them. */
const usingOptions = optionsOf({
  globals: v.optional(globalsOption, false),
  clock: v.optional(oneOfThese(['manual', 'system']), 'manual'),
} satisfies SchemasOf<UsingOptions>)

/** The fixtures of {@link test} and {@link testOnSystemClock}. */
export interface GatewayFixtures<C extends Clock = ManualClock, G extends Gateway<C> = Gateway<C>> {
  /** Options for this test's gateway. Override them for a file, a `describe` block, or one test. Default: none. */
  gatewayOptions: GatewayOptions<C>
  /**
   * Makes a passing test fail if it left something unused: a fault that no request triggered, a scripted outcome that no
   * attempt consumed, a request to an unknown path, or a request without a response. Default: true.
   */
  strict: boolean
  /** This test's own gateway, created when the test first uses it, and uninstalled when the test ends. */
  gateway: G
}

/**
 * Vitest's `test` with a fresh `gateway` for each test. Its manual clock starts at 2026-01-01T00:00:00Z. Its seed is the test's full name,
 * so that a test sees the same IDs in every run. Use `gatewayOptions` to change the clock or the seed. Tests share nothing, so they can run
 * concurrently. The error of a failing test also reports what happened in the gateway.
 *
 * @example
 * ```ts
 * import { expect } from 'vitest'
 * import { test } from 'fauxgate/vitest' // the standard dialect; for ngrok's API, see testUsing
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
export const test: TestAPI<GatewayFixtures> = testUsing((options) => createGateway(options))

/**
 * Like {@link test}, with gateways on the system clock. They follow `vi.useFakeTimers()`, as do the waits of `settled()`, `delivered()`,
 * and delayed responses.
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
export const testOnSystemClock: TestAPI<GatewayFixtures<Clock>> = testUsing((options) => createGateway(options), {
  clock: 'system',
})

/** The options of {@link testUsing}. */
export interface UsingOptions {
  /**
   * If true, each test installs the gateway as the global `fetch`, and puts timers and `Date` on its manual clock. They are restored when
   * the test ends. To set options for `gateway.install()`, pass an object. Default: false.
   */
  readonly globals?: GlobalsOption
  /** The clock of the gateways, unless `gatewayOptions` sets one. The system clock follows `vi.useFakeTimers()`. Default: `manual`. */
  readonly clock?: 'manual' | 'system'
}

/** The options of {@link testUsing} for gateways on the system clock. */
export interface UsingSystemClock extends UsingOptions {
  /** The system clock, which follows `vi.useFakeTimers()`. */
  readonly clock: 'system'
}

/**
 * Returns a `test` like {@link test}, with gateways that a function creates: `createNgrok` from `fauxgate/ngrok`, or a
 * function that adds your own families.
 *
 * @example
 * ```ts
 * import { expect } from 'vitest'
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { testUsing } from 'fauxgate/vitest'
 *
 * const test = testUsing(createNgrok)
 *
 * test('an office has a policy', ({ gateway }) => {
 *   expect(gateway.ipPolicies.create({ description: 'the office' }).description).toBe('the office')
 * })
 * ```
 */
export function testUsing<G extends Gateway>(
  create: (options: GatewayOptions<Clock>) => G,
  options: UsingSystemClock,
): TestAPI<GatewayFixtures<Clock, G>>
/**
 * Returns vitest's `test` with gateways on a manual clock. With `{ globals: true }`, the code under test doesn't need parameters: the
 * gateway handles its global `fetch`, and its timers and dates follow the gateway's clock.
 *
 * @example
 * ```ts
 * import { expect } from 'vitest'
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { testUsing } from 'fauxgate/vitest'
 *
 * const test = testUsing(createNgrok, { globals: true })
 *
 * test('waits on the clock of the gateway', async ({ gateway }) => {
 *   const later = new Promise((resolve) => setTimeout(() => resolve(new Date().toISOString()), 5_000))
 *   await gateway.clock.advanceAsync('5s')
 *   expect(await later).toBe('2026-01-01T00:00:05.000Z')
 * })
 * ```
 * @throws TypeError for an unknown option, or for a value that is not allowed
 */
export function testUsing<G extends Gateway<ManualClock>>(
  create: (options: GatewayOptions<ManualClock>) => G,
  options?: UsingOptions & { readonly clock?: 'manual' },
): TestAPI<GatewayFixtures<ManualClock, G>>
export function testUsing<C extends Clock, G extends Gateway<C>>(
  create: (options: GatewayOptions<C>) => G,
  options: UsingOptions = {},
): TestAPI<GatewayFixtures<C, G>> {
  requireFunction('create', create)
  const { globals, clock } = readOptions(usingOptions, options)
  const clockOfTest = (): Clock => (clock === 'system' ? systemClock : manualClock(START))
  return testWith(clockOfTest as () => C, create, globals) // The overloads say which clock the gateway has.
}

/** The `strict` option. On unless a test turns it off. */
const strictOption = v.optional(switchOption, true)

function testWith<C extends Clock, G extends Gateway<C>>(
  clockOfTest: () => C,
  create: (options: GatewayOptions<C>) => G,
  globals: GlobalsOption,
): TestAPI<GatewayFixtures<C, G>> {
  return base.extend<GatewayFixtures<C, G>>({
    gatewayOptions: {},
    strict: true,
    gateway: [
      async ({ gatewayOptions, strict, task, onTestFinished, onTestFailed }, use) => {
        const isStrict = readOptions(strictOption, strict, { whole: 'strict' })
        const gateway = createForTest(create, gatewayOptions, () => ({ clock: clockOfTest(), seed: fullName(task) }))
        // Vitest reads the globals at its first fake timer call, and would mistake the replaced ones for the real ones.
        if (globals !== false) vi.isFakeTimers()
        const connection = connect(gateway, globals ? await loadGlobals(globals) : undefined)
        onTestFinished(() => {
          const { state } = task.result ?? {}
          if (isStrict && !task.fails && state !== 'fail' && state !== 'skip') requireStrict(gateway, connection)
        })
        const before = task.result?.errors?.length ?? 0
        onTestFailed(async () => {
          await connection.traffic.awaitServed()
          addReport(task.result?.errors?.slice(before).at(-1), gateway, connection)
        })
        // A hook instead of code after `use`: a test that times out ends before `use` resolves.
        onTestFinished(connection.end)
        await use(gateway)
        // Fixtures that use the gateway may still send requests until here.
        await connection.closeServers()
      },
      // Replaces the globals even in a test that does not use its gateway.
      { auto: globals !== false },
    ],
  })
}

/** A test or a suite. Only vitest 4.1 and later provides the full name of a test. */
interface Named {
  readonly name: string
  readonly suite?: Named | undefined
}

function fullName({ name, suite }: Named): string {
  return suite ? `${fullName(suite)} > ${name}` : name
}

/** An alias of {@link test}. */
export const it: TestAPI<GatewayFixtures> = test
