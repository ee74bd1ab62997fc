import { REDACTED } from '../../core/schema/secret-texts.ts'
import { isObject, mapValues } from '../../core/schema/values.ts'

/** The fields of actions whose values are secret. Actions of any type may have these, because a type may be misspelt. */
export const POLICY_SECRETS: ReadonlySet<string> = new Set([
  'api_keys',
  'client_secret',
  'credentials',
  'secret',
  'server_private_key',
])

/** The deepest config that is searched for secrets. Deeper ones are rejected. */
const MAX_DEPTH = 128

/** Returns the config of an action, at any depth, without its secrets. */
export function hidePolicySecrets(value: unknown, depth = 0): unknown {
  if (depth === MAX_DEPTH) return REDACTED
  if (Array.isArray(value)) return value.map((each) => hidePolicySecrets(each, depth + 1))
  if (!isObject(value)) return value
  return mapValues(value, (each, name) =>
    POLICY_SECRETS.has(name) ? each && REDACTED : hidePolicySecrets(each, depth + 1),
  )
}
