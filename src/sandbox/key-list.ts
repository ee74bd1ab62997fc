import { refuse } from '../core/schema/errors.ts'
import { isOneOf } from '../core/schema/secret-texts.ts'
import { errors } from './errors.ts'
import { computeDigest, type SentKeys } from './keys.ts'

/** The permissions of a key: requests to the API, requests to the controls, or read-only requests to both. */
export const SCOPES = ['api', 'control', 'read'] as const

export type KeyScope = (typeof SCOPES)[number]

/** A key as its sandbox stores it. */
export interface StoredKey {
  readonly name: string
  readonly scopes: readonly KeyScope[]
  readonly digest: string
  readonly created: number
  /** The expiry in ms since the Unix epoch, or null if the key does not expire. */
  readonly expires: number | null
}

/** Returns the keys that are still valid. */
export function filterValid(keys: readonly StoredKey[], now: number): StoredKey[] {
  return keys.filter(({ expires }) => expires === null || expires > now)
}

/** The permissions that a request's keys grant. */
export interface Grant {
  readonly api: boolean
  readonly control: boolean
  /** The expiry of the control key in ms since the Unix epoch, or null if the key does not expire. */
  readonly until: number | null
}

/**
 * Returns the permissions of a request, or undefined if it has none of the sandbox's keys.
 * @throws Refusal `key_scope_missing` for a change with read-only keys.
 */
export function getGrant(keys: readonly StoredKey[], sent: SentKeys, method: string, now: number): Grant | undefined {
  const valid = filterValid(keys, now)
  const found = { api: findKey(valid, sent.api), control: findKey(valid, sent.control) }
  if (!found.api && !found.control) return undefined
  const isReading = method === 'GET' || method === 'HEAD'
  const allows = (key: StoredKey | undefined, scope: KeyScope) =>
    key !== undefined && (key.scopes.includes(scope) || (isReading && key.scopes.includes('read')))
  const until = found.control?.expires ?? null
  const grant = { api: allows(found.api, 'api'), control: allows(found.control, 'control'), until }
  const key = found.control ?? found.api
  const readsOnly = !isReading && !grant.api && !grant.control && key?.scopes.includes('read')
  if (key && readsOnly) refuse(errors.key_scope_missing, { name: key.name, scopes: key.scopes, method })
  return grant
}

function findKey(keys: readonly StoredKey[], sent: string | undefined): StoredKey | undefined {
  if (sent === undefined) return undefined
  const sentDigest = computeDigest(sent)
  return keys.find((each) => isOneOf([each.digest], sentDigest))
}
