import * as v from 'valibot'
import { switchOption } from '../core/schema/options.ts'
import type { InstallOptions } from '../gateway/http/install.ts'
import type { Gateway } from '../gateway/types.ts'
import type { ReplacedTimers } from './replaced-timers.ts'

/**
 * The `globals` option of the fixtures. If true, each test installs the gateway as the global `fetch`, and puts timers and `Date` on its
 * manual clock: `setTimeout`, `setInterval`, `performance.now`, `AbortSignal.timeout`, and Node's `timers/promises`. All of these are
 * restored when the test ends. On the system clock, it replaces only `fetch`. To set options for `gateway.install()`, pass an object.
 */
export type GlobalsOption = boolean | InstallOptions

/** `gateway.install` checks the options of an object. */
export const globalsOption = v.union(
  [switchOption, v.custom<InstallOptions>((value) => typeof value === 'object' && value !== null)],
  'true, false, or an object with gateway.install() options',
)

/**
 * Replaces the globals for a gateway. Returns the replaced timers, or undefined on the system clock. `readLastRequest` returns the request
 * whose response or failure was the most recent.
 */
export type ReplaceGlobals = (gateway: Gateway, readLastRequest: () => string | undefined) => ReplacedTimers | undefined

/** Loads the function that replaces the globals. Loading fake timers sets a real timer, which Workers do not allow. */
export async function loadGlobals(option: true | InstallOptions): Promise<ReplaceGlobals> {
  const { installGlobals } = await import('./install-globals.ts')
  return (gateway, readLastRequest) => installGlobals(gateway, option, readLastRequest)
}
