/** A CEL expression in a string: `${…}`. */
export interface Interpolation {
  readonly source: string
  /** The position of the expression in the text, after `${`. */
  readonly offset: number
}

/** Finds the expressions in a string. `unclosed` is the position of a `${` without a matching `}`. */
export function findInterpolations(text: string): {
  readonly found: readonly Interpolation[]
  readonly unclosed?: number
} {
  const found: Interpolation[] = []
  for (let start = text.indexOf('${'); start >= 0; ) {
    const end = findEnd(text, start + 2)
    if (end < 0) return { found, unclosed: start }
    found.push({ source: text.slice(start + 2, end), offset: start + 2 })
    start = text.indexOf('${', end + 1)
  }
  return { found }
}

/** Returns a string with each expression replaced with a space. */
export function blankInterpolations(text: string): string {
  let [blank, end] = ['', 0]
  for (const { source, offset } of findInterpolations(text).found) {
    blank += `${text.slice(end, offset - 2)} `
    end = offset + source.length + 1
  }
  return blank + text.slice(end)
}

/** Matches a string in an expression, either raw, where backslashes do not escape, or not. The closing quote may be missing. */
export const LITERAL = /[bB]?[rR]("""|'''|"|')(?:(?!\1).)*(?:\1|$)|("""|'''|"|')(?:\\.|(?!\2)[^\\])*(?:\2|\\?$)/gs

/** Returns the position of the `}` that ends an expression. Braces in strings do not count. */
function findEnd(text: string, start: number): number {
  const next = new RegExp(`${LITERAL.source}|[{}]`, 'gs')
  next.lastIndex = start
  for (let depth = 0, found = next.exec(text); found; found = next.exec(text)) {
    if (found[0] === '{') depth++
    else if (found[0] === '}' && depth-- === 0) return found.index
  }
  return -1
}
