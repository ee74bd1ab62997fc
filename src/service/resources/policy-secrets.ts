import { REDACTED } from '../../core/schema/secret-texts.ts'
import { isObject, mapValues } from '../../core/schema/values.ts'

/** The action fields whose values are secret, regardless of the action's type, because the type may be misspelled. */
export const POLICY_SECRETS: ReadonlySet<string> = new Set([
  'api_keys',
  'client_secret',
  'credentials',
  'secret',
  'server_private_key',
])

/** The maximum depth to search a config for secrets. Deeper configs are rejected. */
const MAX_DEPTH = 128

/** Returns an action's config without its secrets, at any depth. */
export function hidePolicySecrets(value: unknown, depth = 0): unknown {
  if (depth === MAX_DEPTH) return REDACTED
  if (Array.isArray(value)) return value.map((each) => hidePolicySecrets(each, depth + 1))
  if (!isObject(value)) return value
  return mapValues(value, (each, name) =>
    POLICY_SECRETS.has(name) ? each && REDACTED : hidePolicySecrets(each, depth + 1),
  )
}
