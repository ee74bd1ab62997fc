import { escapedForPattern } from './texts.ts'

/** An id of the service inside a text. */
export const ID_IN_TEXT = /(?<![0-9A-Za-z_])[a-z][a-z0-9]*_[0-9A-Za-z]{20,64}(?![0-9A-Za-z_])/g

/** Returns all ids in a text. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(ID_IN_TEXT)].map(([id]) => id)
}

/** Returns a pattern of texts that have ids of the same kinds where this text has its ids. Each is a group. */
export function patternWithIds(text: string): { readonly pattern: RegExp; readonly ids: readonly string[] } {
  const ids = idsIn(text)
  const parts = text.split(ID_IN_TEXT).map(escapedForPattern)
  const groups = ids.map((id) => `(${id.slice(0, id.indexOf('_'))}_[0-9A-Za-z]+)`)
  return { pattern: new RegExp(`^${parts.map((part, at) => part + (groups[at] ?? '')).join('')}$`, 's'), ids }
}
