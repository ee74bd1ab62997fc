import * as v from 'valibot'
import type { Clock } from '../engine/clock.ts'
import { type ManualClock, manualClock } from '../engine/manual-clock.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import type { GatewayOptions } from '../gateway/gateway-options.ts'
import { optionsOf, readOptions, type SchemasOf, switchOption } from '../schema/options.ts'
import { quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'
import { explain, installedForNow, requireStrict, type Shown } from './failure.ts'

/** How the tests of {@link testWithGateway} are run. */
export interface TestOptions<C extends Clock = ManualClock> {
  /** The options of each test's gateway; a function where they name a clock, so that each test has its own. */
  readonly gatewayOptions?: GatewayOptions<C> | (() => GatewayOptions<C>)
  /**
   * Whether a test that passed must have met all that it put on order, faults and outcomes, and must have asked for no
   * path or method that the API does not have. Default: true.
   */
  readonly strict?: boolean
}

/** Those of the gateway are looked at when one is made. */
const testOptions = optionsOf({
  gatewayOptions: v.optional(
    v.custom<NonNullable<TestOptions['gatewayOptions']>>(
      (value) => typeof value === 'function' || isObject(value),
      'an object, or a function that answers one',
    ),
  ),
  strict: v.optional(switchOption),
} satisfies SchemasOf<TestOptions>)

/** A test: what it is handed first, and behind it what the runner hands over, such as node:test's context. */
export type TestWork<C extends Clock = ManualClock> = (
  fixtures: { readonly gateway: Gateway<C> },
  // biome-ignore lint/suspicious/noExplicitAny: each runner hands over something else.
  ...context: any[]
) => unknown

/** Defines a test, with its options and its timeout where the runner takes them. */
export interface DefineTest<C extends Clock = ManualClock> {
  (name: string, work: TestWork<C>, ...rest: readonly unknown[]): unknown
  (name: string, options: object, work: TestWork<C>): unknown
}

/** The variants of a runner's `test` that define tests too. */
const VARIANTS = ['only', 'skip', 'ignore', 'concurrent'] as const

/** A runner's `test` whose tests have a gateway: itself, and those of its variants that define tests too. */
export type TestWithGateway<T, C extends Clock = ManualClock> = DefineTest<C> & {
  readonly [Variant in Extract<keyof T, (typeof VARIANTS)[number]>]: DefineTest<C>
}

/** Where the clock of a test's gateway starts. */
export const START = '2026-01-01T00:00:00Z'

/**
 * The `test` of any runner, such as Jest, node:test, Bun or Deno, with a fresh `gateway` for each test: what `fauxgate/vitest`
 * has for vitest. Its clock is a manual one that starts at 2026-01-01T00:00:00Z, and its seed is the test's name. When a
 * test fails, its error says what happened at the gateway; a test that passes must have met what it ordered.
 *
 * @example
 * ```ts
 * import { test as base } from 'node:test'
 * import { testWithGateway } from 'fauxgate/testing'
 *
 * const test = testWithGateway(base)
 *
 * test('a domain gets its certificate', ({ gateway }) => {
 *   const { id } = gateway.reservedDomains.create({
 *     domain: 'app.example.com',
 *     certificate_management_policy: { authority: 'letsencrypt' },
 *   })
 *   gateway.clock.advance('30s')
 *   if (!gateway.reservedDomains.get(id).certificate) throw new Error('There is no certificate.')
 * })
 * ```
 * @throws TypeError for what is no runner's function, or an unknown option.
 */
export function testWithGateway<T extends (...given: never[]) => unknown, C extends Clock = ManualClock>(
  test: T,
  options: TestOptions<C> = {},
): TestWithGateway<T, C> {
  readOptions(testOptions, options)
  if (typeof test !== 'function') {
    throw new TypeError(
      `testWithGateway received ${quote(test)}. Allowed: the function of a runner that defines a test.`,
    )
  }
  const define = defining(test, options)
  const runner: object = test
  // When they are asked for: there are runners that refuse to be asked for `only` in CI.
  for (const variant of VARIANTS) {
    if (!(variant in runner)) continue
    const get = () => defining(Reflect.get(runner, variant), options)
    Object.defineProperty(define, variant, { get })
  }
  return define as TestWithGateway<T, C> // It has the variants that the runner has.
}

// biome-ignore lint/complexity/noBannedTypes: each runner takes other arguments.
function defining<C extends Clock>(test: Function, options: TestOptions<C>): (...args: unknown[]) => unknown {
  return (...args) => {
    const name = String(args.find((arg) => typeof arg === 'string') ?? '')
    // The function among them is the test's.
    const own = args.map((arg) => (typeof arg === 'function' ? withGateway(name, arg as TestWork<C>, options) : arg))
    return test(...own)
  }
}

/** The function of a test as a runner wants it: of no parameters that it could take for callbacks. */
function withGateway<C extends Clock>(name: string, work: TestWork<C>, { gatewayOptions, strict }: TestOptions<C>) {
  return async (...context: unknown[]) => {
    const {
      clock,
      seed = name,
      ...given
    } = typeof gatewayOptions === 'function' ? gatewayOptions() : (gatewayOptions ?? {})
    // Without another clock, C is the manual one's.
    const gateway = createGateway({ ...given, seed, clock: clock ?? (manualClock(START) as Clock as C) })
    const uninstall = installedForNow(gateway)
    try {
      await work({ gateway }, ...context)
      if (strict ?? true) requireStrict(gateway)
    } catch (error) {
      if (isShown(error)) explain(error, gateway)
      throw error
    } finally {
      uninstall()
    }
  }
}

/** Not by its class: the error may come from another context of node:vm than this. */
function isShown(error: unknown): error is Shown {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
}
