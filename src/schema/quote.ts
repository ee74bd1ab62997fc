import { counted } from './counted.ts'
import { withoutPrivateKeys } from './private-key-text.ts'

const LONGEST = 80

/**
 * Shows a received value inside a message: as JSON, cut after 80 characters, and without private keys. Never throws,
 * whatever the value is.
 */
export function quote(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return cut(JSON.stringify(cut(withoutPrivateKeys(value))))
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}

/** Like {@link quote} for a value that is secret (rules: secrets#messages): only its type is described. */
export function quoteSecret(value: unknown): string {
  if (typeof value === 'string') return `a string of ${counted(value.length, 'character')}`
  return typeof value === 'number' ? 'a number' : quote(value)
}

/** Shows a received method or path as it is, where that is a word of common characters and not too long. */
export function quoteWord(text: string): string {
  return text.length <= LONGEST && /^[\w/.~%-]+$/.test(text) ? text : quote(text)
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
