const BRACKET = /\s*([[{\]}])/y
const SEPARATOR = /\s*([:,])/y
const STRING = /\s*("[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-f]{4})[^"\\]*)*)("?)/iy
const LITERAL = /\s*(?:-?\d[\d.eE+-]*|true|false|null)(?=[\s,\]}])/y

/**
 * What the beginning of a JSON text says: its value as far as it goes, with the last text in it marked as cut. Undefined
 * where it is not the beginning of JSON.
 */
export function jsonBeginning(text: string): unknown {
  const { end, cut, closing } = wholePart(text)
  try {
    return JSON.parse(text.slice(0, end) + cut + closing)
  } catch {
    return undefined
  }
}

/** Where the last whole value of a beginning ends, the text that is cut behind it, and the brackets still to close. */
function wholePart(text: string): { end: number; cut: string; closing: string } {
  const open: string[] = []
  let at = 0
  let end = 0
  let isKey = false
  const next = (token: RegExp) => {
    token.lastIndex = at
    const found = token.exec(text)
    if (found) at = token.lastIndex
    return found
  }
  for (;;) {
    const bracket = next(BRACKET)?.[1]
    const separator = bracket ? undefined : next(SEPARATOR)?.[1]
    if (bracket) {
      if (bracket === '{' || bracket === '[') open.push(bracket === '{' ? '}' : ']')
      else if (open.pop() !== bracket) break
      isKey = bracket === '{'
      end = at
    } else if (separator) {
      isKey = separator === ',' && open.at(-1) === '}'
    } else {
      const before = at
      const string = next(STRING)
      if (string && !string[2]) {
        const cut = isKey ? '' : `${text.slice(end, before)}${string[1]}…"`
        return { end, cut, closing: open.reverse().join('') }
      }
      if (!string && !next(LITERAL)) break
      if (!isKey) end = at
    }
  }
  return { end, cut: '', closing: open.reverse().join('') }
}
