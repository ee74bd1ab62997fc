import * as v from 'valibot'
import { oneOfTexts, optionsOf, readOptions, type SchemasOf } from '../contract/options.ts'
import { type Fetch, isRequest } from './fetch.ts'
import { isBelow } from './url.ts'

/** What happens to requests that are not for the gateway while it is installed. */
export interface InstallOptions {
  /** `pass` hands them to the `fetch` that was there before (the default); `refuse` rejects them. */
  readonly others?: 'pass' | 'refuse'
}

const installOptions = optionsOf({
  others: v.optional(oneOfTexts('pass', 'refuse')),
} satisfies SchemasOf<InstallOptions>)

/** An installed gateway. Dispose of it, or leave the block of `using`, to take it out again. */
export interface Installed {
  /** Takes the gateway out again; once more does nothing. */
  uninstall(): void
  [Symbol.dispose](): void
}

/**
 * Lets the global `fetch` answer for a gateway's base URL. Installations nest and can be taken out in any order: one
 * that is out hands on to what was there before it.
 */
export function installFetch(fetch: Fetch, baseUrl: () => string, options: InstallOptions = {}): Installed {
  const { others = 'pass' } = readOptions(installOptions, options)
  const before = globalThis.fetch
  let isIn = true
  const installed: Fetch = (input, init) => {
    const url = isRequest(input) ? input.url : String(input)
    if (isIn && isBelow(url, baseUrl())) return fetch(input, init)
    if (!isIn || others === 'pass') return before(input, init)
    return Promise.reject(new TypeError(`${url} is not below ${baseUrl()}, and other requests are refused.`))
  }
  globalThis.fetch = installed as typeof globalThis.fetch
  const uninstall = () => {
    isIn = false
    if (globalThis.fetch === installed) globalThis.fetch = before
  }
  return { uninstall, [Symbol.dispose]: uninstall }
}
