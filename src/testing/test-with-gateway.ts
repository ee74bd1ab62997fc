import * as v from 'valibot'
import type { Clock } from '../engine/clock.ts'
import { type ManualClock, manualClock } from '../engine/manual-clock.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import type { GatewayOptions } from '../generated/options.ts'
import { optionsOf, readOptions, type SchemasOf, switchOption } from '../schema/options.ts'
import { quote } from '../schema/text.ts'
import { isObject } from '../schema/values.ts'
import { explain, installedForNow, requireStrict, type Shown, START } from './fixture.ts'

/** The options of {@link testWithGateway}. */
export interface TestOptions<C extends Clock = ManualClock> {
  /** Options of each test's gateway. To set a clock, pass a function, so that each test has its own clock. */
  readonly gatewayOptions?: GatewayOptions<C> | (() => GatewayOptions<C>)
  /**
   * Makes a passing test fail if it left something unused: a fault that no request triggered, a scripted outcome that no
   * attempt consumed, or a request to an unknown path or method. Default: true.
   */
  readonly strict?: boolean
}

/** `createGateway` checks the options of the gateway. */
const testOptions = optionsOf({
  gatewayOptions: v.optional(
    v.custom<NonNullable<TestOptions['gatewayOptions']>>(
      (value) => typeof value === 'function' || isObject(value),
      'an object, or a function that returns one',
    ),
  ),
  strict: v.optional(switchOption),
} satisfies SchemasOf<TestOptions>)

/** The function of a test. It receives the gateway, then the arguments of the runner, such as node:test's context. */
export type TestWork<C extends Clock = ManualClock> = (
  fixtures: { readonly gateway: Gateway<C> },
  // biome-ignore lint/suspicious/noExplicitAny: each runner passes something else.
  ...context: any[]
) => unknown

/** A function that defines a test, with options and a timeout where the runner takes them. */
export interface DefineTest<C extends Clock = ManualClock> {
  (name: string, work: TestWork<C>, ...rest: readonly unknown[]): unknown
  (name: string, options: object, work: TestWork<C>): unknown
}

const VARIANTS = ['only', 'skip', 'ignore', 'concurrent'] as const

/** A runner's `test` whose tests have a gateway, with the variants of it that define tests too, such as `only`. */
export type TestWithGateway<T, C extends Clock = ManualClock> = DefineTest<C> & {
  readonly [Variant in Extract<keyof T, (typeof VARIANTS)[number]>]: DefineTest<C>
}

/**
 * Wraps the `test` of any runner, such as Jest, node:test, Bun or Deno, so that each test has a fresh `gateway`. For
 * vitest, use `fauxgate/vitest`. The gateway's clock is a manual clock that starts at 2026-01-01T00:00:00Z, and its seed
 * is the test's name. The error of a failing test also reports what happened at the gateway. A passing test also fails if
 * it left something unused, as in {@link assertStrict}.
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
 * @throws TypeError if `test` is not a function, and for an unknown option.
 */
export function testWithGateway<T extends (...args: never[]) => unknown, C extends Clock = ManualClock>(
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
  // At access, since some runners throw at an access to `only` in CI.
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
    // The function among the arguments is the test's.
    return test(
      ...args.map((arg) => (typeof arg === 'function' ? withGateway(name, arg as TestWork<C>, options) : arg)),
    )
  }
}

/** The function of a test without parameters, which a runner could take for callbacks. */
function withGateway<C extends Clock>(name: string, work: TestWork<C>, { gatewayOptions, strict }: TestOptions<C>) {
  return async (...context: unknown[]) => {
    const own = typeof gatewayOptions === 'function' ? gatewayOptions() : gatewayOptions
    // Without another clock, C is the manual one's.
    const clock = own?.clock ?? (manualClock(START) as Clock as C)
    const gateway = createGateway({ ...own, seed: own?.seed ?? name, clock })
    const uninstall = installedForNow(gateway)
    // A test that runs into its time-out ends before its promise does.
    atEndOf(context[0], uninstall)
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

/** What the runners pass to a test: vitest a function for its end, node:test one for what comes after it. */
interface RunnerContext {
  onTestFinished?: (work: () => void) => void
  after?: (work: () => void) => void
}

function atEndOf(context: unknown, work: () => void): void {
  if ((typeof context !== 'object' && typeof context !== 'function') || context === null) return
  const { onTestFinished, after } = context as RunnerContext // Each is checked before it is called.
  if (typeof onTestFinished === 'function') onTestFinished.call(context, work)
  else if (typeof after === 'function') after.call(context, work)
}

/** Not by its class: the error may come from another context of node:vm than this. */
function isShown(error: unknown): error is Shown {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
}
