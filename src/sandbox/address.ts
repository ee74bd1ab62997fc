import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { createPlace, type Place, splitName } from '../gateway/http/place.ts'
import { parseUrl } from '../gateway/http/url.ts'
import type { SandboxEnvironment } from './environment.ts'
import { readSandboxName } from './keys.ts'

export const SANDBOXES_PATH = '/s'

/** The path of the audit log. Sandboxes cannot have this name. */
export const AUDIT_PATH = `${SANDBOXES_PATH}/_audit`

export const METRICS_PATH = '/metrics'

/** The target of a request: a path in a sandbox, or an account call. */
export type Address = SandboxAddress | AccountAddress

export interface AccountAddress {
  readonly name: undefined
  readonly path: string
  readonly query: string
}

/** A place in a sandbox. Its base is the sandbox's public URL. */
export type SandboxAddress = Place

/** The paths below a sandbox's name that belong to the account. */
const ACCOUNT_PATHS = /^(?:\/fork|\/keys(?:\/[^/]+)?)?$/

type AddressVariables = Pick<SandboxEnvironment, 'PUBLIC_URL' | 'WILDCARD_HOST'>

/**
 * Returns the target of a request. The name is taken from the URL verbatim, without decoding. If the path does not name a sandbox, the API
 * key determines the sandbox, because some clients drop the path of their base URL.
 */
export function parseAddress({ url, headers }: Pick<Request, 'url' | 'headers'>, env: AddressVariables): Address {
  const { protocol, host, path, query } = splitUrl(url)
  const label = findLabel(env.WILDCARD_HOST, host)
  if (label) {
    const base = `${/^https?:/i.exec(env.PUBLIC_URL ?? '')?.[0] ?? protocol}//${host}`
    return createPlace(label, base, path, query)
  }
  const sandboxAddress = (name: string, below: string) =>
    createPlace(name, `${getHomeUrl(url, env)}${SANDBOXES_PATH}/${name}`, below, query)
  const accountAddress = { name: undefined, path, query: query.slice(1) }
  const split = splitName(SANDBOXES_PATH, path)
  if (split) return ACCOUNT_PATHS.test(split.below) ? accountAddress : sandboxAddress(split.name, split.below)
  const nameOfKey = path === '/' || path === SANDBOXES_PATH ? undefined : readSandboxName(headers.get('authorization'))
  return nameOfKey === undefined ? accountAddress : sandboxAddress(nameOfKey, path)
}

/** Returns the public URL of the Worker, without a trailing slash. */
export function getHomeUrl(url: string, { PUBLIC_URL }: AddressVariables): string {
  const { protocol, host } = splitUrl(url)
  return PUBLIC_URL ? PUBLIC_URL.replace(/\/+$/, '') : `${protocol}//${host}`
}

/** Splits a URL. The platform resolves dot segments only when it calls an object, so both sides must read the resolved path. */
function splitUrl(url: string) {
  const [, protocol = '', host = '', query = ''] = /^([a-z]+:)\/\/([^/?#]*)[^?#]*(\?[^#]*)?/i.exec(url) ?? []
  // workerd accepts any Host header, and the URL then contains that host.
  const { pathname: path } =
    parseUrl(url) ?? refuse(general.request_malformed, { problem: 'The Host header is not a host' })
  return { protocol, host, path, query }
}

/** Returns the label before the wildcard host, or undefined for any other host. Ignores the port. */
function findLabel(wildcard: string | undefined, host: string): string | undefined {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return wildcard && name.endsWith(`.${wildcard.toLowerCase()}`) ? name.slice(0, -wildcard.length - 1) : undefined
}
