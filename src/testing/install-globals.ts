import { isManual } from '../core/engine/clock.ts'
import type { ManualClock } from '../core/engine/manual-clock.ts'
import type { InstallOptions } from '../gateway/http/install.ts'
import type { Gateway } from '../gateway/types.ts'
import { fakeTimersOn } from './fake-timers.ts'
import { ReplacedGlobals } from './replaced-globals.ts'
import { type ReplacedTimers, replaceTimers } from './replaced-timers.ts'

/**
 * Installs a gateway as the global `fetch`, and puts the timers and dates of the host on its clock if that is manual. Returns
 * these timers; undefined on the system clock.
 * @throws Error if the timers are faked already, or if another gateway is installed for the same base URL
 */
export function installGlobals(gateway: Gateway, option: true | InstallOptions): ReplacedTimers | undefined {
  const { clock } = gateway
  const hasTimers = isManual(clock) && typeof clock.attach === 'function'
  if (hasTimers) requireRealTimers()
  gateway.install(option === true ? {} : option)
  if (!hasTimers) return undefined
  const globals = new ReplacedGlobals('The option globals')
  const start = clock.now
  const { fake, setInterval, drop } = fakeTimersOn(clock as ManualClock) // The check above found the members of a manual clock.
  const countSignals = replaceTimers(globals, { fake, setTimeout: fake.setTimeout, setInterval })
  const countTimers = () => Math.max(0, fake.countTimers() - countSignals())
  let left: number | undefined
  return {
    restore() {
      left ??= countTimers()
      globals.restore()
      // The clock may be that of the next test too.
      drop()
    },
    count: () => left ?? countTimers(),
    hasMoved: () => clock.now !== start,
  }
}

/** @throws Error if timers are faked already: restoring them would bring the fake ones back */
function requireRealTimers(): void {
  const { setTimeout } = globalThis
  if (!('clock' in setTimeout || '_isMockFunction' in setTimeout)) return
  throw new Error(
    "The option globals puts timers on the gateway's clock, but found fake ones. Remove fake timers, such as those of " +
      'vi.useFakeTimers() or jest.useFakeTimers(), or give the gateway the system clock, which follows them.',
  )
}
