import { quote } from '../../core/schema/text.ts'
import type { HttpRequest } from './messages.ts'

/** The callers that a gateway's servers accept in addition to this machine and its pages. */
export interface KnownCallers {
  /** Names of this machine, in lowercase. Pages from these hosts are also accepted. */
  readonly allowHosts?: readonly string[] | undefined
  /** The origins of other accepted pages. */
  readonly cors?: readonly string[] | undefined
  /** Returns the base URL: either the configured URL or the server's URL. Only requests to a server may use its host. */
  readonly ownUrl?: () => string | undefined
}

/** The part of a request that identifies an unknown caller. */
interface UnknownCaller {
  readonly what: string
  readonly received: string
  /** The options that allow other callers. */
  readonly others: string
}

/**
 * Returns the part of a request that shows that its caller is unknown: a `Host` that is not a name of this machine, as with DNS rebinding,
 * or the `Origin` of another site. All servers of a gateway use this check (rules: control-api#callers).
 */
export function findUnknownCaller(request: HttpRequest, callers: KnownCallers): UnknownCaller | undefined {
  // On a server, a URL in proxy form takes precedence over Host (RFC 9112, section 3.2.2).
  const target = request.peer === undefined ? undefined : parseAuthority(request.url)
  const host = target ?? request.header('host') ?? parseAuthority(request.url)
  if (!isOwnHost(request, host, callers))
    return { what: 'host', received: quote(host), others: 'others with --allow-host or --base-url' }
  const origin = request.header('origin')
  if (origin === null || isKnownOrigin(origin, host, callers)) return undefined
  return { what: 'origin', received: quote(origin), others: 'others with --cors' }
}

function isOwnHost({ peer }: HttpRequest, host: string | undefined, { allowHosts = [], ownUrl }: KnownCallers) {
  const name = parseHost(host)
  if (name === undefined) return false
  if (isLocalName(name) || allowHosts.includes(name)) return true
  const url = peer === undefined ? undefined : ownUrl?.()
  return url !== undefined && name === parseHost(parseAuthority(url))
}

/** Returns whether pages from an origin may call. This machine, the server itself, and the origins in the options may. */
function isKnownOrigin(
  origin: string,
  host: string | undefined,
  { allowHosts = [], cors = [] }: KnownCallers,
): boolean {
  if (cors.includes('*') || cors.includes(origin)) return true
  const authority = parseOrigin(origin)
  const name = parseHost(authority)
  return name !== undefined && (isLocalName(name) || allowHosts.includes(name) || authority === host)
}

/** Returns whether a URL's host is this machine. */
export function isLocalUrl({ hostname }: URL): boolean {
  return isLocalName(hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** Returns whether a host is this machine. A name below `localhost` doesn't count, because it may be an application under test. */
function isLocalName(name: string): boolean {
  return name === 'localhost' || isLoopbackAddress(name)
}

function parseAuthority(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
}

function parseOrigin(origin: string): string | undefined {
  return /^https?:\/\/([^/?#]*)$/i.exec(origin)?.[1]
}

function parseHost(authority: string | undefined): string | undefined {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([^[\]@/?#:\s]+))(?::\d*)?$/i.exec(authority ?? '')
  return (parts?.[1] ?? parts?.[2])?.toLowerCase()
}

const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const LOOPBACK_IPV4 = new RegExp(`^127(\\.${OCTET}){3}$`)
/** The IPv6 hosts of this machine in the normalized form of a URL: ::1, or an IPv4-mapped IPv6 address. */
const LOOPBACK_IPV6 = /^\[::(1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\]$/

/** Returns whether a string is a loopback address: 127.0.0.0/8, ::1, or ::ffff:127.0.0.0/104. */
export function isLoopbackAddress(text: string): boolean {
  return (
    LOOPBACK_IPV4.test(text) || (/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) && LOOPBACK_IPV6.test(normalizeIpv6(text)))
  )
}

function normalizeIpv6(text: string): string {
  try {
    return new URL(`http://[${text}]`).hostname
  } catch {
    return ''
  }
}
