import { withoutPrivateKeys } from './private-key-text.ts'

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
