import type { CommonDialect } from '../schema/dialect.ts'
import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { quote } from '../schema/text.ts'
import type { HttpRequest } from './messages.ts'

/** Checks the API key (rules: requests#api-key). Without `keys`, any non-empty key will do. */
export function authenticate(request: HttpRequest, keys: readonly string[] | undefined): void {
  const header = request.header('authorization') ?? refuse(general.auth_missing, {})
  if (!BEARER.test(header)) refuse(general.auth_unparsable, {})
  if (keys && !isOneOf(keys, BEARER.exec(header)?.[1] ?? '')) refuse(general.auth_invalid, {})
}

const BEARER = /^Bearer +(\S.*)$/i

/** Checks the API version (rules: requests#version). */
export function checkVersion(request: HttpRequest, { versionHeader }: CommonDialect): void {
  const version =
    request.header(versionHeader.toLowerCase()) ?? refuse(general.version_missing, { header: versionHeader })
  if (version !== '2') refuse(general.version_unsupported, { header: versionHeader, received: quote(version) })
}

/** Compares with every key, each in a time that depends only on the received key's length. */
export function isOneOf(keys: readonly string[], received: string): boolean {
  let found = false
  for (const key of keys) found = isEqual(received, key) || found
  return found
}

function isEqual(received: string, key: string): boolean {
  let difference = received.length ^ key.length
  for (let i = 0; i < received.length; i++) difference |= received.charCodeAt(i) ^ key.charCodeAt(i % key.length)
  return difference === 0
}
