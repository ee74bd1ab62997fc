import { CONTROL_KEY_HEADER } from '../../control/address.ts'
import { accessErrors } from '../../control/control.ts'
import type { Engine } from '../../core/engine/engine.ts'
import type { KeyRules, KeyState, RequestRules } from '../../core/operation/family.ts'
import type { Operation } from '../../core/operation/operation.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { isOneOf } from '../../core/schema/secret-texts.ts'
import { quote } from '../../core/schema/text.ts'
import { dialectNames, dialects } from '../../service/resources/dialects.ts'
import { findUnknownCaller, isLoopbackAddress, type KnownCallers } from './callers.ts'
import { isPreflight } from './cors.ts'
import type { HttpRequest } from './messages.ts'

/** A function that returns whether an API key is valid, or throws a more specific error. */
export type KeyCheck = (key: string) => boolean

/**
 * Creates the function that checks API keys (rules: requests#api-key): first against the `keys` option, then by the families with key
 * rules. Without the `keys` option, a key that no family knows is valid.
 */
export function createKeyCheck(
  keys: readonly string[] | undefined,
  rules: readonly KeyRules[],
  state: () => KeyState,
): KeyCheck {
  return (key) => {
    if (keys && isOneOf(keys, key)) return true
    for (const { isValidKey } of rules) {
      const isValid = isValidKey(key, state())
      if (isValid !== undefined) return isValid
    }
    if (keys === undefined) return true
    for (const { refuseUnknown } of rules) refuseUnknown?.(key)
    return false
  }
}

export interface CallerChecks {
  readonly controlApi: { requireAccess(request: HttpRequest): void }
  readonly dialect: CommonDialect
  readonly isValidKey: KeyCheck
}

/** Checks whether the caller may call an operation, in the documented order (rules: requests#order-of-checks). */
export function requireCaller(request: HttpRequest, { controlApi, dialect, isValidKey }: CallerChecks): void {
  if (request.isInspector) {
    controlApi.requireAccess(request)
  } else {
    authenticate(request, isValidKey)
    checkVersion(request, dialect)
  }
}

export interface RequestChecks {
  readonly engine: Engine
  readonly requestRules: readonly RequestRules[]
}

/** Applies the families' rules to a request. Returns the function that applies their rules to the body. */
export function requirePermitted(
  { isInspector, peer, address = peer }: HttpRequest,
  operation: Operation,
  { engine, requestRules }: RequestChecks,
): (body: unknown) => void {
  if (isInspector) return () => undefined
  // A dual-stack socket reports IPv4 addresses in this form.
  const checked = { operation, options: engine.context.options, address: address?.replace(/^::ffff:(?=\d+\.)/, '') }
  for (const rules of requestRules) rules.requirePermitted?.(checked, engine.state.records)
  return (body) => {
    for (const rules of requestRules) rules.requirePermittedBody?.(checked, body)
  }
}

/** Checks the API key of a request (rules: requests#api-key). */
function authenticate(request: HttpRequest, isValid: KeyCheck): void {
  const header = request.header('authorization') ?? refuse(general.auth_missing, {})
  const key = BEARER.exec(header)?.[1] ?? refuse(general.auth_unparsable, {})
  if (!isValid(key)) refuse(general.auth_invalid, {})
}

const BEARER = /^Bearer +(\S.*)$/i

/** Checks the API version (rules: requests#version). */
function checkVersion(request: HttpRequest, { versionHeader: header }: CommonDialect): void {
  const version =
    request.header(header.toLowerCase()) ??
    refuse(general.version_missing, { header, hint: describeOtherDialect(findOtherVersionHeader(request)) })
  if (version !== '2') refuse(general.version_unsupported, { header, received: quote(version) })
}

/** Returns the function that creates a gateway of a built-in dialect. */
const creatorOf = (name: string) =>
  name === 'ngrok' ? 'createNgrok() from fauxgate/ngrok' : 'createGateway() from fauxgate'

/** Returns a hint for a client of another dialect: the server's flag, and the library's function. */
function describeOtherDialect(sent: string | undefined): string | undefined {
  if (sent === undefined) return undefined
  const name = dialectNames.find((each) => dialects[each].versionHeader.toLowerCase() === sent.toLowerCase())
  if (!name) return `The request has ${sent}: does the gateway's \`dialect\` match the client's?`
  return `The request has ${sent}, as sent by clients of the "${name}" dialect. For them, use "fauxgate serve --dialect ${name}" or ${creatorOf(name)}.`
}

/** Returns the name of the request's version header from another dialect or service, if any. */
function findOtherVersionHeader({ rawHeaders = [] }: HttpRequest): string | undefined {
  return rawHeaders.find((name, index) => index % 2 === 0 && /^(?!x-)[a-z]+-version$/i.test(name))
}

/** Who may use the control API: clients with its key or, if there is no key, this machine. */
export interface ControlAccess extends KnownCallers {
  readonly key?: string | undefined
}

/** Throws an error for a request from a client that may not use the control API (`control_key_…`, `caller_forbidden`). */
export function requireAccess(request: HttpRequest, access: ControlAccess): void {
  const { key } = access
  if (key === undefined) requireLocal(request, access)
  // A browser sends a preflight first, without the key.
  else if (!isPreflight(request)) requireKey(request, key)
}

function requireKey(request: HttpRequest, key: string): void {
  const received =
    request.header(CONTROL_KEY_HEADER.toLowerCase()) ||
    refuse(accessErrors.control_key_missing, { header: CONTROL_KEY_HEADER })
  if (!isOneOf([key], received)) refuse(accessErrors.control_key_invalid, { header: CONTROL_KEY_HEADER })
}

/** Rejects a request that doesn't come from this machine, judging by its address, its `Host`, or the page that sent it. */
function requireLocal(request: HttpRequest, callers: KnownCallers): void {
  const { peer } = request
  const others = 'any other host only with a control key (--control-key)'
  if (peer !== undefined && !isLoopbackAddress(peer))
    refuse(general.caller_forbidden, { what: 'peer address', received: quote(peer), others })
  const unknown = findUnknownCaller(request, callers)
  if (unknown) refuse(general.caller_forbidden, unknown)
  // Browsers treat two loopback hosts as two sites. Without an origin, only this header says whether another site sent it.
  const site = request.header('sec-fetch-site')
  if (request.header('origin') === null && site === 'cross-site')
    refuse(general.caller_forbidden, { what: 'Sec-Fetch-Site', received: quote(site), others })
}
