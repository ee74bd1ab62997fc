import type { ManualClock } from '../../core/engine/manual-clock.ts'
import { describeThrown } from '../../core/schema/text.ts'
import type { Gateway } from '../../gateway/types.ts'
import type { GatewayOptions } from '../../generated/options.ts'
import { SurvivalError } from './survival-error.ts'
import type { CodeUnderTest, ScheduleOptions, SurvivalResult, SurvivesOptions, TriedSchedule } from './types.ts'

/**
 * Creates the gateway for a run. For a generic function such as `createNgrok`, the compiler knows only that the gateway has
 * some clock.
 */
type CreateForRun = (options: GatewayOptions<ManualClock>) => Gateway

/** The gateway of a run, with a manual clock. */
type GatewayOf<Create extends CreateForRun> =
  ReturnType<Create> extends Gateway<ManualClock> ? ReturnType<Create> : ReturnType<Create> & Gateway<ManualClock>

/**
 * Options whose `create` has its own type. The compiler infers nothing from a generic function such as `createNgrok` if
 * `create` may be undefined.
 */
type WithCreate<Options, Create> = Omit<Options, 'create'> & {
  /** Creates the gateway for each run: see {@link ScheduleOptions}. */
  readonly create: Create
}

/**
 * Finds the failure that breaks your code. Runs an async function against a fresh gateway: once without failures, then once for each single
 * failure at each request, then for each pair, and so on. Throws an error with the smallest schedule of failures after which the function
 * leaves different resources, hangs, or otherwise breaks. Timers and dates are replaced during the search, so no run waits. Nothing is
 * random, so the same code produces the same result.
 *
 * @example
 * ```ts
 * import { createNgrok } from 'fauxgate/ngrok'
 * import { survives } from 'fauxgate/testing'
 *
 * const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
 * const reserve = ({ url }) => fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body: '{}' })
 * await survives(reserve, { create: createNgrok }) // throws: the code does not survive one fault …
 * ```
 * @throws SurvivalError with the smallest failing schedule; its message explains what happened. TypeError for an unknown option or a value
 * that is not allowed.
 */
export function survives<T, Create extends CreateForRun>(
  code: CodeUnderTest<T, GatewayOf<Create>>,
  options: WithCreate<SurvivesOptions<T, GatewayOf<Create>>, Create>,
): Promise<SurvivalResult>
/** Finds the failure that breaks your code. By default, `createGateway` creates the gateways. */
export function survives<T>(code: CodeUnderTest<T>, options?: SurvivesOptions<T>): Promise<SurvivalResult>
export async function survives(code: unknown, options: unknown = {}): Promise<SurvivalResult> {
  const caller = new Error()
  Error.captureStackTrace?.(caller, survives)
  const { search } = await import('./search.ts')
  try {
    return await search(...withoutTypes(code, options))
  } catch (error) {
    throw error instanceof Error ? startingAt(error, caller) : error
  }
}

/**
 * Yields each schedule after trying it, fewest failures first, starting with the run without failures. Use it to write your own loop
 * instead of calling {@link survives}. It continues after failing schedules. Between schedules, the real timers and dates are in place.
 *
 * @example
 * ```ts
 * import { schedules } from 'fauxgate/testing'
 *
 * for await (const { verdict, replay } of schedules(provision, { faults: 1 })) console.log(replay, verdict)
 * ```
 */
export function schedules<T, Create extends CreateForRun>(
  code: CodeUnderTest<T, GatewayOf<Create>>,
  options: WithCreate<ScheduleOptions<T, GatewayOf<Create>>, Create>,
): AsyncGenerator<TriedSchedule, SurvivalResult>
/** Yields each schedule after trying it. By default, `createGateway` creates the gateways. */
export function schedules<T>(
  code: CodeUnderTest<T>,
  options?: ScheduleOptions<T>,
): AsyncGenerator<TriedSchedule, SurvivalResult>
export async function* schedules(code: unknown, options: unknown = {}): AsyncGenerator<TriedSchedule, SurvivalResult> {
  const { iterate } = await import('./search.ts')
  return yield* iterate(...withoutTypes(code, options))
}

// The search only passes on values and gateways. Only the caller's functions know their types.
const withoutTypes = (...passed: [code: unknown, options: unknown]) => passed as [never, never]

/**
 * Makes test runners point to the call instead of this package's files. Any error but a SurvivalError also keeps its own location, which
 * may be in the caller's function, such as `setup`.
 */
function startingAt<E extends Error>(error: E, call: Error): E {
  const framesOf = ({ stack = '' }: Error) => /\n {4}at .*/s.exec(stack)?.[0] ?? ''
  const own = error instanceof SurvivalError ? '' : framesOf(error)
  // A signal's abort reason may be frozen. It then stays unchanged.
  Reflect.set(error, 'stack', `${describeThrown(error)}${framesOf(call)}${own}`)
  return error
}
