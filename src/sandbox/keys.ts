import { sha256 } from '@noble/hashes/sha2.js'
import { CONTROL_KEY_HEADER } from '../control/control.ts'
import { freshSecret } from '../engine/random.ts'
import { isOneOf } from '../http/access.ts'
import { utf8Bytes } from '../schema/platform.ts'

/** The keys of a sandbox. They are shown once; the sandbox stores their digests alone. */
export interface Keys {
  readonly api_key: string
  readonly control_key: string
}

export type KeyDigests = { readonly [Name in keyof Keys]: string }

/** A header of a request by its lower-case name, or null. */
export type Header = (name: string) => string | null

export function freshKeys(name: string): Keys {
  return { api_key: `fgapi_${name}_${freshSecret()}`, control_key: `fgctl_${freshSecret()}` }
}

/** Returns the sandbox that the API key of an `Authorization` header names. The key itself is not checked. */
export function sandboxOf(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^Bearer +fgapi_([a-z0-9-]+)_/i.exec(authorization)?.[1]
}

export function digestsOf({ api_key, control_key }: Keys): KeyDigests {
  return { api_key: digestOf(api_key), control_key: digestOf(control_key) }
}

/** Returns the SHA-256 of a key in hexadecimal digits. A key has 256 random bits, so it needs no salt. */
export function digestOf(key: string): string {
  return [...sha256(utf8Bytes(key))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const BEARER = /^Bearer +(\S.*)$/i
const CONTROL_KEY = CONTROL_KEY_HEADER.toLowerCase()

/**
 * Returns headers with the keys of the gateway in place of those of its sandbox (rules: sandboxes#keys). Nobody sees the
 * gateway's keys, so it stays the same when the sandbox gets new ones.
 */
export function withGatewayKeys(header: Header, digests: KeyDigests, keys: Keys): Header {
  const isValid = (name: keyof Keys, key: string) => isOneOf([digests[name]], digestOf(key))
  return (name) => {
    const value = header(name)
    if (name === CONTROL_KEY) return value && isValid('control_key', value) ? keys.control_key : value
    const key = name === 'authorization' && value ? BEARER.exec(value)?.[1] : undefined
    return key && isValid('api_key', key) ? `Bearer ${keys.api_key}` : value
  }
}
