import { quote } from '../../core/schema/text.ts'
import type { HttpRequest } from './messages.ts'

/** The callers that the servers of a gateway answer, in addition to this machine and its pages. */
export interface KnownCallers {
  /** Names of this machine, in lower case. Pages of these hosts may call, too. */
  readonly allowHosts?: readonly string[] | undefined
  /** The origins of other pages that may call. */
  readonly cors?: readonly string[] | undefined
  /** Returns the base URL that was set or that the gateway is served at. Only requests to a server may name its host. */
  readonly ownUrl?: () => string | undefined
}

/** The part of a request by which a server does not know its caller. */
interface UnknownCaller {
  readonly what: string
  readonly received: string
  /** The options that allow others. */
  readonly others: string
}

/**
 * Returns what a request has of a caller that is not known: a `Host` that is no name of this machine, as after a DNS rebinding,
 * or the `Origin` of another site. All servers of a gateway use this check (rules: control-api#who-may-call).
 */
export function findUnknownCaller(request: HttpRequest, callers: KnownCallers): UnknownCaller | undefined {
  // At a server, a URL that is sent as to a proxy comes before Host (RFC 9112, section 3.2.2).
  const target = request.peer === undefined ? undefined : parseAuthority(request.url)
  const host = target ?? request.header('host') ?? parseAuthority(request.url)
  if (!isOwnHost(request, host, callers))
    return { what: 'host', received: quote(host), others: 'others with --allow-host or --base-url' }
  const origin = request.header('origin')
  if (origin === null || isKnownOrigin(origin, host, callers)) return undefined
  return { what: 'origin', received: quote(origin), others: 'others by --cors' }
}

function isOwnHost({ peer }: HttpRequest, host: string | undefined, { allowHosts = [], ownUrl }: KnownCallers) {
  const name = parseHost(host)
  if (name === undefined) return false
  if (isLocalName(name) || allowHosts.includes(name)) return true
  const url = peer === undefined ? undefined : ownUrl?.()
  return url !== undefined && name === parseHost(parseAuthority(url))
}

/** Returns whether the pages of an origin may call: those of this machine, of the server itself, and those of the options. */
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

/** Returns whether the host of a URL is this machine. */
export function isLocalUrl({ hostname }: URL): boolean {
  return isLocalName(hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** Returns whether a host is this machine. A name below `localhost` is not: an application under test can have it. */
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
/** The IPv6 hosts of this machine in the normal form of a URL: ::1, or an IPv4 address written as IPv6. */
const LOOPBACK_IPV6 = /^\[::(1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\]$/

/** Tells whether a text is an address by which a machine reaches itself: 127.0.0.0/8, ::1, or ::ffff:127.0.0.0/104. */
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
