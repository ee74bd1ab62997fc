import { splitUrl as splitGatewayUrl } from '../gateway/http/url.ts'
import type { SandboxEnvironment } from './environment.ts'
import { readSandboxName } from './keys.ts'

export const SANDBOXES_PATH = '/s'

/** The path of the audit log. No sandbox can have this name. */
export const AUDIT_PATH = `${SANDBOXES_PATH}/_audit`

export const METRICS_PATH = '/metrics'

/** The target of a request: a path in a sandbox, or a call of the account. */
export type Address = SandboxAddress | AccountAddress

export interface AccountAddress {
  readonly name: undefined
  readonly path: string
  readonly query: string
}

export interface SandboxAddress {
  /** The name that the client sent. It may be invalid. */
  readonly name: string
  /** The sandbox's public URL, without a trailing slash. */
  readonly base: string
  /** The path below the URL of the sandbox, with the query, as sent. The gateway reads it. */
  readonly below: string
  /** The path as the gateway of the sandbox reads it. Everything that looks at the path uses this one. */
  readonly path: string
}

const SANDBOX_PATH = new RegExp(`^${SANDBOXES_PATH}/([^/]*)(.*)$`, 's')

/** The paths below a sandbox's name that belong to the account. */
const ACCOUNT_PATHS = /^(?:\/fork|\/keys(?:\/[^/]+)?)?$/

type AddressVariables = Pick<SandboxEnvironment, 'PUBLIC_URL' | 'WILDCARD_HOST'>

/**
 * Returns the target of a request. The name is taken from the URL verbatim, without decoding. If the path names no sandbox,
 * the API key does, because some clients drop the path of their base URL.
 */
export function parseAddress({ url, headers }: Pick<Request, 'url' | 'headers'>, env: AddressVariables): Address {
  const { protocol, host, path, query } = splitUrl(url)
  const label = findLabel(env.WILDCARD_HOST, host)
  if (label) {
    const base = `${/^https?:/i.exec(env.PUBLIC_URL ?? '')?.[0] ?? protocol}//${host}`
    return createSandboxAddress(label, base, withOneSlash(path) + query)
  }
  const sandboxAddress = (name: string, below: string) =>
    createSandboxAddress(name, `${getHomeUrl(url, env)}${SANDBOXES_PATH}/${name}`, withOneSlash(below) + query)
  const accountAddress = { name: undefined, path, query: query.slice(1) }
  const [, nameInPath, below = ''] = SANDBOX_PATH.exec(path) ?? []
  if (nameInPath !== undefined) return ACCOUNT_PATHS.test(below) ? accountAddress : sandboxAddress(nameInPath, below)
  const nameOfKey = path === '/' || path === SANDBOXES_PATH ? undefined : readSandboxName(headers.get('authorization'))
  return nameOfKey === undefined ? accountAddress : sandboxAddress(nameOfKey, path)
}

function createSandboxAddress(name: string, base: string, below: string): SandboxAddress {
  return { name, base, below, path: splitGatewayUrl(below, base).path }
}

/** Returns the public URL of the Worker, without a trailing slash. */
export function getHomeUrl(url: string, { PUBLIC_URL }: AddressVariables): string {
  const { protocol, host } = splitUrl(url)
  return PUBLIC_URL ? PUBLIC_URL.replace(/\/+$/, '') : `${protocol}//${host}`
}

/** Splits a URL. The platform resolves dot segments only on the way to an object, so both sides must read the resolved path. */
function splitUrl(url: string) {
  const [, protocol = '', host = '', query = ''] = /^([a-z]+:)\/\/([^/?#]*)[^?#]*(\?[^#]*)?/i.exec(url) ?? []
  return { protocol, host, path: new URL(url).pathname, query }
}

/** Returns the label in front of the wildcard host, or undefined for any other host. A port is ignored. */
function findLabel(wildcard: string | undefined, host: string): string | undefined {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return wildcard && name.endsWith(`.${wildcard.toLowerCase()}`) ? name.slice(0, -wildcard.length - 1) : undefined
}

/** Returns a path with one slash at its beginning. Clients append a path to a base URL that may end in a slash. */
function withOneSlash(path: string): string {
  return path.startsWith('//') ? path.slice(1) : path || '/'
}
