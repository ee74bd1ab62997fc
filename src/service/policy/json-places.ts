import type { PolicyPath } from './problem.ts'

/** Returns where the value of a path stands in a JSON text, or the nearest value above it. */
export function locateInJson(text: string, path: PolicyPath): { start: number; end: number } {
  let at = skipSpace(text, 0)
  for (const step of path) {
    const below = findBelow(text, at, step)
    if (below === undefined) break
    at = below
  }
  const end = text.charAt(at) === '{' || text.charAt(at) === '[' ? at + 1 : skipValue(text, at)
  return { start: at, end: Math.max(at + 1, end) }
}

/** Returns where a member of an object or an array begins. */
function findBelow(text: string, start: number, step: string | number): number | undefined {
  const isObject = text.charAt(start) === '{'
  if (!isObject && text.charAt(start) !== '[') return undefined
  let found: number | undefined
  let index = 0
  for (let at = skipSpace(text, start + 1); at < text.length && !/[\]}]/.test(text.charAt(at)); index++) {
    let key: string | number = index
    if (isObject) {
      const end = skipValue(text, at)
      key = JSON.parse(text.slice(at, end))
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    // Of members with one name, the last counts.
    if (key === step) found = at
    if (found !== undefined && !isObject) break
    at = skipSpace(text, skipValue(text, at))
    if (text.charAt(at) === ',') at = skipSpace(text, at + 1)
  }
  return found
}

/** Returns where a value ends. The text is valid JSON. */
function skipValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const letter = text.charAt(at)
    if (letter === '"') {
      while (text.charAt(++at) !== '"') if (text.charAt(at) === '\\') at++
      if (depth === 0) return at + 1
    } else if (letter === '{' || letter === '[') depth++
    else if (letter === '}' || letter === ']') {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (letter === ',' || /\s/.test(letter))) return at
  }
  return text.length
}

function skipSpace(text: string, at: number): number {
  let next = at
  while (next < text.length && /\s/.test(text.charAt(next))) next++
  return next
}
