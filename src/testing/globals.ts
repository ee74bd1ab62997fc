import * as v from 'valibot'
import { isManual } from '../core/engine/clock.ts'
import type { ManualClock } from '../core/engine/manual-clock.ts'
import { switchOption } from '../core/schema/options.ts'
import type { InstallOptions } from '../gateway/http/install.ts'
import type { Gateway } from '../gateway/types.ts'
import { fakeTimersOn } from './fake-timers.ts'
import { ReplacedGlobals } from './replaced-globals.ts'
import { replaceTimers } from './replaced-timers.ts'

/**
 * The option `globals` of the fixtures. True installs the gateway as the global `fetch` in each test, and puts timers and
 * `Date` on its manual clock: `setTimeout`, `setInterval`, `performance.now`, `AbortSignal.timeout`, and Node's
 * `timers/promises`. The end of the test restores all of them. On the system clock, it replaces only `fetch`. An object sets
 * the options of `gateway.install()`.
 */
export type GlobalsOption = boolean | InstallOptions

/** `gateway.install` checks the options of an object. */
export const globalsOption = v.union(
  [switchOption, v.custom<InstallOptions>((value) => typeof value === 'object' && value !== null)],
  'true, false, or an object with options of gateway.install()',
)

/** The timers of a test that are on the gateway's clock, until `restore`. */
export interface ReplacedTimers {
  restore(): void
  /** The number of timers that wait for the clock, or that waited when they were restored. */
  count(): number
  /** Returns true if the clock has moved since the timers were replaced. */
  hasMoved(): boolean
}

/**
 * Installs a gateway as the global `fetch`, and puts the timers and dates of the host on its clock if that is manual. Returns
 * these timers; undefined on the system clock.
 * @throws Error if the timers are faked already, or if another gateway is installed for the same base URL
 */
export function installGlobals(gateway: Gateway, option: GlobalsOption): ReplacedTimers | undefined {
  if (option === false) return undefined
  const { clock } = gateway
  const hasTimers = isManual(clock) && typeof clock.attach === 'function'
  if (hasTimers) requireRealTimers()
  gateway.install(option === true ? {} : option)
  if (!hasTimers) return undefined
  const globals = new ReplacedGlobals('The option globals')
  const start = clock.now
  const { fake, setInterval, drop } = fakeTimersOn(clock as ManualClock) // The check above found the members of a manual clock.
  replaceTimers(globals, { fake, setTimeout: fake.setTimeout, setInterval })
  let left: number | undefined
  return {
    restore() {
      left ??= fake.countTimers()
      globals.restore()
      // The clock may be that of the next test too.
      drop()
    },
    count: () => left ?? fake.countTimers(),
    hasMoved: () => clock.now !== start,
  }
}

/** @throws Error if timers are faked already: restoring them would bring the fake ones back */
function requireRealTimers(): void {
  const { setTimeout } = globalThis
  if (!('clock' in setTimeout || '_isMockFunction' in setTimeout)) return
  throw new Error(
    "The option globals puts timers on the gateway's clock, and finds fake ones. Leave out fake timers, such as those of " +
      'vi.useFakeTimers() or jest.useFakeTimers(), or give the gateway the system clock, which follows them.',
  )
}
