import * as v from 'valibot'
import { type Clock, systemClock } from '../core/engine/clock.ts'
import { type ManualClock, manualClock } from '../core/engine/manual-clock.ts'
import { atCaller } from '../core/schema/caller-stack.ts'
import { oneOfThese, optionsOf, readOptions, type SchemasOf, switchOption } from '../core/schema/options.ts'
import { printError } from '../core/schema/print.ts'
import { quote, toError } from '../core/schema/text.ts'
import { isObject } from '../core/schema/values.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { Gateway } from '../gateway/types.ts'
import type { GatewayOptions } from '../generated/options.ts'
import { addReport, connect, createForTest, type ErrorWithText, requireStrict, START, timeoutError } from './fixture.ts'
import { type GlobalsOption, globalsOption, loadGlobals } from './globals.ts'
import { type CallPlace, callFrom, findCaller } from './test-place.ts'
import { watchUncaught } from './uncaught.ts'

/** The options of {@link testWithGateway}. */
export interface TestOptions<C extends Clock = ManualClock, G extends Gateway<C> = Gateway<C>> {
  /** Creates each test's gateway, such as `createNgrok` from `fauxgate/ngrok`. Default: `createGateway`. */
  readonly create?: (options: GatewayOptions<C>) => G
  /** Options for each test's gateway. To set a clock, pass a function, so that each test has its own clock. */
  readonly gatewayOptions?: GatewayOptions<C> | (() => GatewayOptions<C>)
  /**
   * Makes a passing test fail if it left something unused: a fault that no request triggered, a scripted outcome that no
   * attempt consumed, a request to an unknown path, or a request without a response. Default: true.
   */
  readonly strict?: boolean
  /**
   * If true, each test installs the gateway as the global `fetch`, and puts timers and `Date` on its manual clock. They are restored when
   * the test ends. To set options for `gateway.install()`, pass an object. Default: false.
   */
  readonly globals?: GlobalsOption
  /** The clock of the gateways, unless `gatewayOptions` sets one. The system clock follows fake timers. Default: `manual`. */
  readonly clock?: 'manual' | 'system'
}

/** The options of {@link testWithGateway} for gateways on the system clock. */
export interface TestOptionsOnSystemClock<G extends Gateway = Gateway> extends TestOptions<Clock, G> {
  /** The system clock, which follows the runner's fake timers. */
  readonly clock: 'system'
}

/** `createGateway` checks the options of the gateway. */
const testOptions = optionsOf({
  create: v.optional(
    v.custom<NonNullable<TestOptions['create']>>((value) => typeof value === 'function', 'a function'),
  ),
  gatewayOptions: v.optional(
    v.custom<NonNullable<TestOptions['gatewayOptions']>>(
      (value) => typeof value === 'function' || isObject(value),
      'an object, or a function that returns one',
    ),
  ),
  strict: v.optional(switchOption),
  globals: v.optional(globalsOption),
  clock: v.optional(oneOfThese(['manual', 'system'])),
} satisfies SchemasOf<TestOptions>)

/** A test function. It receives the gateway, then the runner's arguments, such as node:test's context. */
export type TestWork<C extends Clock = ManualClock, G extends Gateway<C> = Gateway<C>> = (
  fixtures: { readonly gateway: G },
  // biome-ignore lint/suspicious/noExplicitAny: each runner passes different arguments.
  ...context: any[]
) => unknown

/** A function that defines a test, with options and a timeout if the runner supports them. */
export interface DefineTest<C extends Clock = ManualClock, G extends Gateway<C> = Gateway<C>> {
  (name: string, work: TestWork<C, G>, ...rest: readonly unknown[]): unknown
  (name: string, options: object, work: TestWork<C, G>): unknown
}

const VARIANTS = ['only', 'skip', 'ignore', 'concurrent'] as const

/** A runner's `test` function whose tests have a gateway, including its variants, such as `only`. */
export type TestWithGateway<T, C extends Clock = ManualClock, G extends Gateway<C> = Gateway<C>> = DefineTest<C, G> & {
  readonly [Variant in Extract<keyof T, (typeof VARIANTS)[number]>]: DefineTest<C, G>
}

/**
 * Wraps the `test` of any runner, such as Jest, node:test, Bun, or Deno, so that each test has a fresh `gateway`. For vitest, use
 * `fauxgate/vitest`. The gateway's manual clock starts at 2026-01-01T00:00:00Z. Its seed is the test's name. The error of a failing test
 * also reports what happened in the gateway. A passing test also fails if it left something unused; see {@link assertStrict}.
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
 * @throws TypeError if `test` is not a function, or for an unknown option.
 */
export function testWithGateway<T extends (...args: never[]) => unknown, G extends Gateway = Gateway>(
  test: T,
  options: TestOptionsOnSystemClock<G>,
): TestWithGateway<T, Clock, G>
/**
 * Wraps the `test` of any runner, so that each test has a fresh gateway on a manual clock or on the clock in
 * `gatewayOptions`.
 */
export function testWithGateway<
  T extends (...args: never[]) => unknown,
  C extends Clock = ManualClock,
  G extends Gateway<C> = Gateway<C>,
>(test: T, options?: TestOptions<C, G>): TestWithGateway<T, C, G>
export function testWithGateway<
  T extends (...args: never[]) => unknown,
  C extends Clock = ManualClock,
  G extends Gateway<C> = Gateway<C>,
>(test: T, options: TestOptions<C, G> = {}): TestWithGateway<T, C, G> {
  readOptions(testOptions, options)
  if (typeof test !== 'function') {
    throw atCaller(
      new TypeError(`testWithGateway received ${quote(test)}. Allowed: the function of a runner that defines a test.`),
    )
  }
  const afterEach = findAfterEach()
  const define = createDefine(test, options, afterEach)
  const runner: object = test
  // With getters, because some runners throw in CI when `only` is read.
  for (const variant of VARIANTS) {
    if (!(variant in runner)) continue
    // Up to Jest 29, hooks run while other concurrent tests still run. From Jest 30 on, concurrent tests have no hooks.
    const hook = variant === 'concurrent' ? noHook : afterEach
    const get = () => createDefine(Reflect.get(runner, variant), options, hook)
    Object.defineProperty(define, variant, { get })
  }
  return define as TestWithGateway<T, C, G> // The loop above added the variants.
}

/** Returns a function that defines tests with a runner's function. */
function createDefine<C extends Clock, G extends Gateway<C>>(
  // biome-ignore lint/complexity/noBannedTypes: each runner takes different arguments.
  test: Function,
  options: TestOptions<C, G>,
  afterEach: EndHook,
) {
  return function define(...args: unknown[]): unknown {
    const name = String(args.find((arg) => typeof arg === 'string') ?? '')
    const place = findCaller(define)
    // The test's function is the only function among the arguments.
    const wrapped = args.map((arg) =>
      typeof arg === 'function' ? withGateway({ name, place }, arg as TestWork<C, G>, options, afterEach) : arg,
    )
    return callFrom(place, test as (...args: unknown[]) => unknown, wrapped) // Each runner takes different arguments.
  }
}

/** Wraps the function of a test. The result declares no parameters because a runner could mistake one for a callback. */
function withGateway<C extends Clock, G extends Gateway<C>>(
  { name, place }: { readonly name: string; readonly place: CallPlace | undefined },
  work: TestWork<C, G>,
  // Without the `create` option, G is the result of createGateway.
  { create = (each) => createGateway(each) as G, gatewayOptions = {}, strict, globals, clock }: TestOptions<C, G>,
  afterEach: EndHook,
) {
  return async (...context: unknown[]) => {
    const options = typeof gatewayOptions === 'function' ? gatewayOptions() : gatewayOptions
    const clockOfTest: Clock = clock === 'system' ? systemClock : manualClock(START)
    // C is the type of the `clock` option.
    const gateway = createForTest(create, options, () => ({ clock: clockOfTest as C, seed: name }))
    const connection = connect(gateway, globals ? await loadGlobals(globals) : undefined)
    const addReportTo = (error: unknown) => isErrorWithText(error) && addReport(error, gateway, connection)
    const unwatch = watchUncaught(addReportTo)
    const end = () => {
      connection.end()
      unwatch()
    }
    let isOver = false
    // A test that times out, or throws an uncaught error, ends before its promise settles.
    const runEndHook = findEndHook(context[0]) ?? findEndHookOfBun() ?? afterEach
    const endUnfinished = () => {
      end()
      void connection.closeServers()
      if (isOver) return
      isOver = true
      reportUnfinished(timeoutError(gateway, connection, place?.source), context[0])
    }
    runEndHook(endUnfinished)
    const unwatchExit = watchExit(endUnfinished, context[0])
    try {
      await work({ gateway }, ...context)
      if (strict ?? true) requireStrict(gateway, connection)
    } catch (thrown) {
      // Some clients throw the body of a response, to which no report can be added.
      const error = isObject(thrown) && typeof thrown.msg === 'string' ? toError(thrown) : thrown
      await connection.traffic.awaitServed()
      addReportTo(error)
      throw error
    } finally {
      isOver = true
      unwatchExit()
      end()
      await connection.closeServers()
    }
  }
}

/** A Node process. It calls these listeners when only a promise is waiting. */
interface ExitTarget {
  prependOnceListener?(type: 'beforeExit', work: () => void): void
  off?(type: 'beforeExit', work: () => void): void
}

/**
 * Up to Node 22, node:test cancels a test that waits for the gateway's clock, because nothing else keeps the process alive. It does not run
 * the test's hooks.
 */
function watchExit(work: () => void, context: unknown): () => void {
  const { process }: { readonly process?: ExitTarget } = 'diagnostic' in Object(context) ? globalThis : {}
  process?.prependOnceListener?.('beforeExit', work)
  return () => process?.off?.('beforeExit', work)
}

/** Reports on a test that its runner has ended: node:test shows diagnostics; most other runners show errors from hooks. */
function reportUnfinished(error: Error, context: unknown): void {
  const { diagnostic } = (context ?? {}) as { diagnostic?: (text: string) => void } // Checked before the call.
  const text = error.stack ?? error.message
  // One line at a time: the TAP reporter writes the end of a line as "\\n".
  if (typeof diagnostic === 'function') for (const line of text.split('\n')) diagnostic.call(context, line)
  // Without a global `expect`, the runner is Mocha or Bun. After a throw, Mocha would skip all other tests, and Bun would show this line.
  else if (!findEndHook(context) && !('expect' in globalThis)) printError(text)
  else throw error
}

/** A function that registers work for the end of a test. */
type EndHook = (work: () => void) => void

const noHook: EndHook = () => undefined

/** Returns the function of the runner's context that runs work at the end of a test: `onTestFinished` (vitest) or `after` (node:test). */
function findEndHook(context: unknown): EndHook | undefined {
  if ((typeof context !== 'object' && typeof context !== 'function') || context === null) return undefined
  const { onTestFinished, after }: { onTestFinished?: EndHook; after?: EndHook } = context
  const hook = onTestFinished ?? after
  return typeof hook === 'function' ? (work) => hook.call(context, work) : undefined
}

/** The globals of Bun that give access to its test module without an import. Since Bun 1.3.3, the module has `onTestFinished`. */
interface BunHost {
  readonly Bun?: unknown
  readonly process?: { getBuiltinModule?(name: 'bun:test'): { readonly onTestFinished?: EndHook } | undefined }
}

/** Returns Bun's `onTestFinished`, which is not allowed in a concurrent test. */
function findEndHookOfBun(): EndHook | undefined {
  const { Bun, process }: BunHost = globalThis
  const onTestFinished = Bun ? process?.getBuiltinModule?.('bun:test')?.onTestFinished : undefined
  if (!onTestFinished) return undefined
  return (work) => {
    try {
      onTestFinished(work)
    } catch {
      // In a concurrent test, Bun has no hook for the end of the test.
    }
  }
}

/** Returns the hook of Jest, Mocha, and Jasmine: the global `afterEach`. They run one test at a time and have no other hook. */
function findAfterEach(): EndHook {
  const { afterEach } = globalThis as { afterEach?: EndHook } // Checked before the call.
  if (typeof afterEach !== 'function') return noHook
  let works: (() => void)[] = []
  afterEach(() => {
    const all = works
    works = []
    for (const work of all) work()
  })
  return (work) => works.push(work)
}

/** Returns true for a value with a message. It does not use `instanceof` because the error may come from another node:vm context. */
function isErrorWithText(error: unknown): error is ErrorWithText {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
}
