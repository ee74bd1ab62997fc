import { POLICY_SECRETS } from '../resources/policy-secrets.ts'
import type { PolicyPath } from './problem.ts'
import { readText } from './text.ts'

/**
 * Returns the text of a policy with each secret replaced. Everything else, including the line breaks, is unchanged. Returns undefined for a
 * string that cannot be read and may contain secrets.
 */
export function replaceSecrets(text: string, replace: (secret: string) => string): string | undefined {
  const names = [...POLICY_SECRETS]
  if (!names.some((name) => text.includes(name)) && !text.includes('\\u')) return text
  const read = readText(text)
  if (read.problem) return undefined
  let masked = text
  // From the end, so that the places before stay right.
  const spans = findSecrets(read.value).map((path) => read.locate(path))
  for (const { start, end } of spans.sort((a, b) => b.start - a.start))
    masked = masked.slice(0, start) + replace(masked.slice(start, end)) + masked.slice(end)
  return masked
}

/** Returns a policy as the journal, commits, and snapshots show it, without the secrets in its text. */
export function hideSecretsOfPolicy(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return replaceSecrets(value, (secret) => (secret.endsWith('\n') ? '"[redacted]"\n' : '"[redacted]"')) ?? '[redacted]'
}

/** Returns the paths of strings and numbers with secret names, in actions of any type because the type may be misspelled. */
function findSecrets(value: unknown, path: PolicyPath = [], isSecret = false): readonly PolicyPath[] {
  if (typeof value !== 'object' || value === null) return isSecret ? [path] : []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, each]) =>
    findSecrets(each, [...path, key], isSecret || POLICY_SECRETS.has(String(key))),
  )
}
