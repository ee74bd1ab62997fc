import type { SandboxEnvironment } from './environment.ts'
import { sandboxOf } from './keys.ts'

/** What the paths of all sandboxes begin with, and what the account's calls are. */
export const SANDBOXES_PATH = '/s'

/** Where a request goes to: into a sandbox, or to the account's calls. */
export type Address = InSandbox | OfAccount

/** What is no sandbox's. */
export interface OfAccount {
  readonly name: undefined
  readonly path: string
  readonly query: string
}

/** A place in a sandbox. */
export interface InSandbox {
  /** As it was sent: it may be no name that a sandbox can have. */
  readonly name: string
  /** The sandbox's public URL, without a trailing slash. */
  readonly base: string
  /** What is asked for below that, with the query. */
  readonly below: string
}

/** What can follow a sandbox's name in a path and is the account's, not the sandbox's. */
export const OF_ACCOUNT: ReadonlySet<string> = new Set(['', '/fork', '/keys'])

/** A name as a host name can have it as one label, and nothing else is the same: no case, no encoding, no dots. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

/** Whether a text is a name that a sandbox can have (rules: sandboxes#names). */
export function isSandboxName(text: string): boolean {
  return NAME.test(text)
}

const PARTS = /^([a-z]+:)\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i

/**
 * Where a request leads. A name is taken as it stands in the URL: nothing is decoded, and its case is left alone in a path.
 * What is below no sandbox is asked of the one whose API key it has: some clients leave out the path of their base URL.
 */
export function addressOf(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  env: Pick<SandboxEnvironment, 'PUBLIC_URL' | 'WILDCARD_HOST'>,
): Address {
  const [, protocol = '', host = '', path = '', query = ''] = PARTS.exec(url) ?? []
  const wildcard = env.WILDCARD_HOST?.toLowerCase()
  const label = wildcard && labelBefore(wildcard, host)
  if (label) return { name: label, base: `${publicProtocol(env, protocol)}//${host}`, below: oneSlash(path) + query }
  const home = homeOf(url, env)
  if (!path.startsWith(`${SANDBOXES_PATH}/`)) {
    const own = path === '/' || path === SANDBOXES_PATH ? undefined : sandboxOf(headers.get('authorization'))
    if (own === undefined) return { name: undefined, path, query: query.slice(1) }
    return { name: own, base: `${home}${SANDBOXES_PATH}/${own}`, below: oneSlash(path) + query }
  }
  const start = SANDBOXES_PATH.length + 1
  const end = path.indexOf('/', start)
  const name = end === -1 ? path.slice(start) : path.slice(start, end)
  const rest = end === -1 ? '' : path.slice(end)
  if (OF_ACCOUNT.has(rest)) return { name: undefined, path, query: query.slice(1) }
  return { name, base: `${home}${SANDBOXES_PATH}/${name}`, below: oneSlash(rest) + query }
}

/** The public URL of the Worker, without a trailing slash. */
export function homeOf(url: string, { PUBLIC_URL }: Pick<SandboxEnvironment, 'PUBLIC_URL'>): string {
  if (PUBLIC_URL) return PUBLIC_URL.replace(/\/+$/, '')
  const [, protocol = '', host = ''] = PARTS.exec(url) ?? []
  return `${protocol}//${host}`
}

/** What a host name has before another one and a dot. A port is not looked at. */
function labelBefore(wildcard: string, host: string): string | undefined {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return name.endsWith(`.${wildcard}`) ? name.slice(0, -wildcard.length - 1) : undefined
}

function publicProtocol({ PUBLIC_URL }: Pick<SandboxEnvironment, 'PUBLIC_URL'>, protocol: string): string {
  return (PUBLIC_URL && /^https?:/i.exec(PUBLIC_URL)?.[0]) || protocol
}

/** Clients put a path behind the base URL that they were given, which may end in a slash. */
function oneSlash(path: string): string {
  return path.startsWith('//') ? path.slice(1) : path || '/'
}
