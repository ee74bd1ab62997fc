import { errors } from '../control/access-errors.ts'
import { CONTROL_KEY_HEADER } from '../control/control.ts'
import { refuse } from '../schema/errors.ts'
import { quote } from '../schema/text.ts'
import { isOneOf } from './authenticate.ts'
import { isPreflight } from './cors.ts'
import { isLoopbackAddress } from './loopback.ts'
import type { HttpRequest } from './messages.ts'

/** Who may use the control API: whoever has the key, or without one, this machine by its own names. */
export interface ControlAccess {
  readonly key: string | undefined
  /** Further names of this machine, in lower case. */
  readonly allowHosts: readonly string[]
}

/** Refuses a request to the control API by whom it is not for (`control_key_…`, `control_forbidden`). */
export function requireAccess(request: HttpRequest, { key, allowHosts }: ControlAccess): void {
  if (key === undefined) requireLocal(request, allowHosts)
  // A browser asks first, and without the key, whether its page may send one.
  else if (!isPreflight(request)) requireKey(request, key)
}

function requireKey(request: HttpRequest, key: string): void {
  const received =
    request.header(CONTROL_KEY_HEADER.toLowerCase()) ||
    refuse(errors.control_key_missing, { header: CONTROL_KEY_HEADER })
  if (!isOneOf([key], received)) refuse(errors.control_key_invalid, { header: CONTROL_KEY_HEADER })
}

/** Refuses what comes from elsewhere: by its address, by the name that it asked for, or by the page that asks. */
function requireLocal(request: HttpRequest, allowHosts: readonly string[]): void {
  const { peer } = request
  const isOwn = (host: string | undefined) =>
    host !== undefined && (host === 'localhost' || isLoopbackAddress(host) || allowHosts.includes(host))
  if (peer !== undefined && !isLoopbackAddress(peer)) forbid('peer address', peer)
  const asked = request.header('host') ?? authority(request.url)
  if (!isOwn(hostOf(asked))) forbid('host', asked)
  const origin = request.header('origin')
  if (origin !== null && !isOwn(hostOf(webAuthority(origin)))) forbid('origin', origin)
  // Browsers call two loopback hosts two sites; without an origin there is only this header to go by.
  const site = request.header('sec-fetch-site')
  if (origin === null && site === 'cross-site') forbid('Sec-Fetch-Site', site)
}

function forbid(what: string, received: string | undefined): never {
  return refuse(errors.control_forbidden, { what, received: quote(received) })
}

/** What stands between the scheme and the path of an absolute URL. */
function authority(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
}

/** The same of a page's origin, which has nothing behind it. */
function webAuthority(origin: string): string | undefined {
  return /^https?:\/\/([^/?#]*)$/i.exec(origin)?.[1]
}

/** The name or the address, in lower case, that stands alone or before a port. */
function hostOf(authority: string | undefined): string | undefined {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([^[\]@/?#:\s]+))(?::\d*)?$/i.exec(authority ?? '')
  return (parts?.[1] ?? parts?.[2])?.toLowerCase()
}
