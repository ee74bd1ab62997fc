import { isManual } from '../core/engine/clock.ts'
import type { ManualClock } from '../core/engine/manual-clock.ts'
import type { InstallOptions } from '../gateway/http/install.ts'
import type { Gateway } from '../gateway/types.ts'
import { fakeTimersOn } from './fake-timers.ts'
import { watchLocalTimes } from './local-times.ts'
import { ReplacedGlobals } from './replaced-globals.ts'
import {
  keepsProcessAlive,
  type ReplacedTimers,
  replaceTimers,
  type TimerHandle,
  type WaitingTimer,
} from './replaced-timers.ts'

/**
 * Installs a gateway as the global `fetch` and, if its clock is manual, puts the host's timers and dates on it. Returns
 * these timers, or undefined on the system clock.
 * @throws Error if the timers are already faked, or if another gateway is installed for the same base URL
 */
export function installGlobals(
  gateway: Gateway,
  option: true | InstallOptions,
  readLastRequest: () => string | undefined,
): ReplacedTimers | undefined {
  const { clock } = gateway
  const hasTimers = isManual(clock) && typeof clock.attach === 'function'
  if (hasTimers) requireRealTimers()
  gateway.install(option === true ? {} : option)
  if (!hasTimers) return undefined
  const globals = new ReplacedGlobals('The globals option')
  const start = clock.now
  const { fake, setInterval, drop } = fakeTimersOn(clock as ManualClock) // The check above found the members of a manual clock.
  /** The timers that the code set, each with its handle and the request after which it was set. */
  const own = new WeakMap<object, { readonly handle: TimerHandle; readonly setAfter: string | undefined }>()
  const noting =
    <Args extends unknown[]>(set: (...args: Args) => TimerHandle) =>
    (...args: Args) => {
      const handle = set(...args)
      const timer = fake.timers?.get(Number(handle))
      if (timer) own.set(timer, { handle, setAfter: readLastRequest() })
      return handle
    }
  const { dates, times } = watchLocalTimes(fake.Date)
  replaceTimers(globals, {
    fake,
    setTimeout: noting(fake.setTimeout),
    setInterval: noting(setInterval),
    setSignalTimer: fake.setTimeout,
    dates,
  })
  const listWaiting = () => {
    const waiting = [...(fake.timers?.values() ?? [])].flatMap((timer): WaitingTimer[] => {
      const { handle, setAfter } = own.get(timer) ?? {}
      return handle !== undefined && keepsProcessAlive(handle) ? [{ at: timer.callAt ?? clock.now, setAfter }] : []
    })
    return waiting.sort((one, other) => one.at - other.at)
  }
  let left: readonly WaitingTimer[] | undefined
  const freeze = () => {
    left ??= listWaiting()
  }
  return {
    freeze,
    restore() {
      freeze()
      globals.restore()
      // The next test may use the same clock.
      drop()
    },
    waiting: () => left ?? listWaiting(),
    localTimes: times,
    hasMoved: () => clock.now !== start,
  }
}

/** @throws Error if timers are already faked, because restoring would bring back the fake ones */
function requireRealTimers(): void {
  const { setTimeout } = globalThis
  if (!('clock' in setTimeout || '_isMockFunction' in setTimeout)) return
  throw new Error(
    "The globals option puts timers on the gateway's clock, but fake timers are already installed, for example by " +
      'vi.useFakeTimers() or jest.useFakeTimers(). Remove them, or give the gateway the system clock, which follows fake timers.',
  )
}
