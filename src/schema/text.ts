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

/** A number with its noun, as messages say it: `1 fault`, `2 faults`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** The names of the fields, and the places in lists, that lead to a value. */
export type Path = readonly (string | number)[]

/** How messages call a body as a whole. */
export const THE_BODY = 'the body'

/** The segments of a path that are shown, and the characters of each. */
const MOST_SEGMENTS = 12
const LONGEST_SEGMENT = 64

/** How messages and `details` name a field; keys that a client made up are cut, and quoted where they are no names. */
export function fieldPath(path: Path, whole = THE_BODY): string {
  if (path.length === 0) return whole
  const shown = path.slice(0, MOST_SEGMENTS).map(segment)
  return `${shown.join('.')}${path.length > MOST_SEGMENTS ? '.…' : ''}`
}

function segment(key: string | number): string {
  const text = withoutPrivateKeys(String(key))
  const cut = text.length > LONGEST_SEGMENT ? `${text.slice(0, LONGEST_SEGMENT)}…` : text
  return /^[\w$…-]+$/.test(cut) ? cut : JSON.stringify(cut)
}
