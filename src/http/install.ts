import * as v from 'valibot'
import type { OtherRequests } from '../journal/other-requests.ts'
import { oneOfThese, optionsOf, readOptions, type SchemasOf } from '../schema/options.ts'
import { type Fetch, isRequest } from './fetch.ts'
import { isBelow } from './url.ts'

/** Options of `gateway.install()`. */
export interface InstallOptions {
  /**
   * The treatment of requests for other hosts: `refuse` rejects them, and `pass` sends them to the network. Default in
   * the fixtures: `refuse`. Default without a fixture: `pass`, with a warning for the first such request.
   */
  readonly others?: 'pass' | 'refuse'
}

const installOptions = optionsOf({
  others: v.optional(oneOfThese(['pass', 'refuse'])),
} satisfies SchemasOf<InstallOptions>)

/** A gateway that answers the global `fetch`. Call `uninstall`, or leave the block of `using`, to restore `fetch`. */
export interface Installed {
  /** Restores the global `fetch` of before. A second call does nothing. */
  uninstall(): void
  [Symbol.dispose](): void
}

interface Installation {
  readonly fetch: Fetch
  readonly baseUrl: () => string
  readonly before: GlobalFetch
  isIn: boolean
}

/** The global `fetch`. That of an installation has it as a property. */
type GlobalFetch = (Fetch & { readonly fauxgate?: Installation }) | undefined

/**
 * Lets the global `fetch` answer for a gateway's base URL. Several gateways are installed at once, each for a base URL of
 * its own, and can be taken out in any order.
 *
 * @throws Error if another gateway is installed for that base URL, one below it or one above it
 */
export function installFetch(
  fetch: Fetch,
  baseUrl: () => string,
  noted: OtherRequests,
  options: InstallOptions = {},
): Installed {
  const { others } = readOptions(installOptions, options)
  // Some environments have no `fetch`.
  const before = globalThis.fetch as GlobalFetch
  requireFree(fetch, baseUrl(), before)
  const installation: Installation = { fetch, baseUrl, before, isIn: true }
  const answer: Fetch = (input, init) => {
    const url = isRequest(input) ? input.url : String(input)
    const { fetch: answering } = chainFrom(installed).find((each) => isBelow(url, each.baseUrl())) ?? {}
    if (answering) return answering(input, init)
    const isRefused = installation.isIn && others === 'refuse'
    // An earlier installation decides about the request and records it.
    if (before && !isRefused && (before.fauxgate || !installation.isIn)) return before(input, init)
    const method = (init?.method ?? (isRequest(input) ? input.method : 'GET')).toUpperCase()
    const { request, hint } = noted.add(method, url, before && !isRefused ? 'passed' : 'refused')
    if (before && !isRefused) {
      if (others === undefined) noted.warnOnce(`${request} goes to the network. ${hint} ${CHOICE}`)
      return before(input, init)
    }
    const why = before ? 'other requests are refused' : 'there is no other fetch'
    return Promise.reject(new TypeError(`${request} is not below ${urlsFrom(installed)}, and ${why}. ${hint}`))
  }
  const installed = Object.assign(answer, { fauxgate: installation })
  replace(installed)
  const uninstall = () => {
    installation.isIn = false
    let last: GlobalFetch = globalThis.fetch
    while (last?.fauxgate?.isIn === false) last = last.fauxgate.before
    replace(last)
  }
  // Contexts of node:vm, such as Jest's, may lack the symbol; what compiles `using` for them takes this one.
  const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')
  return { uninstall, [dispose]: uninstall }
}

const CHOICE =
  "gateway.install({ others: 'refuse' }) refuses such requests, and { others: 'pass' } sends them in silence."

function chainFrom(fetch: GlobalFetch): Installation[] {
  const installation = fetch?.fauxgate
  if (!installation) return []
  const rest = chainFrom(installation.before)
  return installation.isIn ? [installation, ...rest] : rest
}

function urlsFrom(fetch: GlobalFetch): string {
  return chainFrom(fetch)
    .map(({ baseUrl }) => baseUrl())
    .join(' or ')
}

/** There is one global fetch: two gateways for one URL would get one another's requests. */
function requireFree(fetch: Fetch, url: string, before: GlobalFetch): void {
  const others = chainFrom(before).filter((each) => each.fetch !== fetch)
  const taken = others.map(({ baseUrl }) => baseUrl()).find((other) => isBelow(url, other) || isBelow(other, url))
  if (taken === undefined) return
  throw new Error(
    `Another gateway is installed at ${taken} already. Uninstall it first, in afterEach for one; tests that run ` +
      'concurrently need a baseUrl for each gateway, or gateway.fetch.',
  )
}

function replace(fetch: GlobalFetch): void {
  if (fetch)
    globalThis.fetch = fetch as typeof globalThis.fetch // A gateway's fetch takes the same arguments.
  else Reflect.deleteProperty(globalThis, 'fetch')
}
