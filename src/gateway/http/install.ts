import * as v from 'valibot'
import type { OtherRequests } from '../../control/journal/other-requests.ts'
import { atCaller } from '../../core/schema/caller-stack.ts'
import { oneOfThese, optionsOf, readOptions, type SchemasOf, switchOption } from '../../core/schema/options.ts'
import { type Fetch, isRequest } from './fetch.ts'
import { followRedirects } from './follow-redirects.ts'
import { isBelow } from './url.ts'

/** The options for `gateway.install()`. */
export interface InstallOptions {
  /**
   * The handling of requests to other hosts: `refuse` rejects them, and `pass` sends them to the network. Default: `refuse` in the fixtures;
   * otherwise `pass`, with a warning for the first such request.
   */
  readonly others?: 'pass' | 'refuse'
  /** True to also respond to visitor requests for public endpoints and reserved domains, like `gateway.traffic.fetch`. Default: false. */
  readonly traffic?: boolean
  /**
   * True to also respond to requests for the local API of ngrok's agent, at `http://127.0.0.1:4040` and `http://localhost:4040`, like
   * `gateway.agent.fetch`. Default: false.
   */
  readonly agent?: boolean
}

const installOptions = optionsOf({
  others: v.optional(oneOfThese(['pass', 'refuse'])),
  traffic: v.optional(switchOption),
  agent: v.optional(switchOption),
} satisfies SchemasOf<InstallOptions>)

/** A gateway that handles the global `fetch`. To restore `fetch`, call `uninstall` or leave the `using` block. */
export interface Installed {
  /** Restores the previous global `fetch`. A second call does nothing. */
  uninstall(): void
  [Symbol.dispose](): void
}

/** The parts of a gateway that handle the global `fetch`. */
interface Installable {
  readonly fetch: Fetch
  readonly baseUrl: () => string
  readonly otherRequests: OtherRequests
  readonly traffic: {
    readonly fetch: Fetch
    /** Returns whether a URL belongs to one of the gateway's endpoints or domains. */
    takes(url: string): Promise<boolean>
  }
  readonly agent: { readonly fetch: Fetch }
}

interface Installation extends Pick<Installable, 'fetch' | 'baseUrl'> {
  readonly traffic: Installable['traffic'] | undefined
  readonly agent: Installable['agent'] | undefined
  readonly before: GlobalFetch
  isInstalled: boolean
}

/** The global `fetch`. An installation that replaces it adds itself as a property. */
type GlobalFetch = (Fetch & { readonly fauxgate?: Installation }) | undefined

/**
 * Replaces the global `fetch`, so that a gateway handles requests under its base URL. Several gateways can be installed at the same time,
 * each for its own base URL, and can be uninstalled in any order.
 *
 * @throws Error if another gateway is installed for that base URL, or for one below or above it
 */
export function installFetch(
  { fetch, baseUrl, otherRequests, traffic, agent: ownAgent }: Installable,
  options: InstallOptions = {},
): Installed {
  const { others, traffic: hasTraffic, agent: hasAgent } = readOptions(installOptions, options)
  // Some environments lack `fetch`.
  const before = globalThis.fetch as GlobalFetch
  requireFree(fetch, baseUrl(), before)
  const parts = { traffic: hasTraffic ? traffic : undefined, agent: hasAgent ? ownAgent : undefined }
  const installation: Installation = { fetch, baseUrl, ...parts, before, isInstalled: true }
  const fetchByInstallation: Fetch = (input, init) => {
    const url = isRequest(input) ? input.url : String(input)
    const installations = listInstallations(installed)
    const gateway = installations.find((each) => isBelow(url, each.baseUrl()))
    if (gateway) return gateway.fetch(input, init)
    const [agent] = installations.flatMap((each) => each.agent ?? [])
    if (agent && AGENT_URLS.some((each) => isBelow(url, each))) return agent.fetch(input, init)
    const visited = installations.flatMap((each) => each.traffic ?? [])
    if (visited.length === 0) return fetchOther(url, input, init)
    return findTaker(visited, url).then((taker) =>
      taker ? followRedirects(taker.fetch, fetchNext, input, init) : fetchOther(url, input, init),
    )
  }
  // A redirect can lead to any host, which may have another gateway.
  const fetchNext = (_url: string, request: Request): Promise<Response> => fetchByInstallation(request)
  const fetchOther = (url: string, ...[input, init]: Parameters<Fetch>): Promise<Response> => {
    const isRefused = installation.isInstalled && others === 'refuse'
    // An earlier installation decides about the request and records it.
    if (before && !isRefused && (before.fauxgate || !installation.isInstalled)) return before(input, init)
    const method = (init?.method ?? (isRequest(input) ? input.method : 'GET')).toUpperCase()
    const { request, hint } = otherRequests.add(method, url, before && !isRefused ? 'passed' : 'rejected')
    if (before && !isRefused) {
      if (others === undefined) otherRequests.warnOnce(`${request} goes to the network. ${hint} ${OTHERS_HINT}`)
      return before(input, init)
    }
    const why = before ? 'other requests are rejected' : 'there is no other fetch'
    return Promise.reject(
      atCaller(new TypeError(`${request} is not under ${listUrls(installed)}, and ${why}. ${hint}`)),
    )
  }
  const installed = Object.assign(fetchByInstallation, { fauxgate: installation })
  replaceGlobalFetch(installed)
  otherRequests.wasInstalled = true
  const uninstall = () => {
    installation.isInstalled = false
    let last: GlobalFetch = globalThis.fetch
    while (last?.fauxgate?.isInstalled === false) last = last.fauxgate.before
    replaceGlobalFetch(last)
  }
  // Contexts of node:vm, such as Jest's, may lack the symbol. Compilers that support `using` then fall back to this symbol.
  const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')
  return { uninstall, [dispose]: uninstall }
}

/** The addresses at which ngrok's agent serves its API. */
export const AGENT_URLS = ['http://127.0.0.1:4040', 'http://localhost:4040']

const OTHERS_HINT =
  "gateway.install({ others: 'refuse' }) rejects such requests, and { others: 'pass' } sends them silently."

/** Returns the global `fetch` from before any gateway was installed. */
export function findNetworkFetch(): Fetch {
  let found: GlobalFetch = globalThis.fetch
  while (found?.fauxgate) found = found.fauxgate.before
  return found ?? (() => Promise.reject(new TypeError('This environment has no fetch.')))
}

function listInstallations(fetch: GlobalFetch): Installation[] {
  const installation = fetch?.fauxgate
  if (!installation) return []
  const rest = listInstallations(installation.before)
  return installation.isInstalled ? [installation, ...rest] : rest
}

async function findTaker(visited: readonly Installable['traffic'][], url: string) {
  for (const each of visited) if (await each.takes(url)) return each
  return undefined
}

function listUrls(fetch: GlobalFetch): string {
  return listInstallations(fetch)
    .map(({ baseUrl }) => baseUrl())
    .join(' or ')
}

/** Throws if another gateway is installed for the URL, because each would receive requests from the other's tests. */
function requireFree(fetch: Fetch, url: string, before: GlobalFetch): void {
  const others = listInstallations(before).filter((each) => each.fetch !== fetch)
  const taken = others.map(({ baseUrl }) => baseUrl()).find((other) => isBelow(url, other) || isBelow(other, url))
  if (taken === undefined) return
  throw atCaller(
    new Error(
      `Another gateway is already installed at ${taken}. Uninstall it first, for example in afterEach; tests that run ` +
        'concurrently need a baseUrl for each gateway, or gateway.fetch.',
    ),
  )
}

function replaceGlobalFetch(fetch: GlobalFetch): void {
  if (fetch)
    globalThis.fetch = fetch as typeof globalThis.fetch // A gateway's fetch takes the same arguments.
  else Reflect.deleteProperty(globalThis, 'fetch')
}
