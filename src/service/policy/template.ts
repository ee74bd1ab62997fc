/** A CEL expression in a text: `${…}`. */
export interface Interpolation {
  readonly source: string
  /** The character at which the expression begins in the text, after `${`. */
  readonly offset: number
}

/** Finds the expressions in a text. `unclosed` is where a `${` without its `}` begins. */
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

/** Returns where the `}` is that ends an expression. Braces in texts do not count. */
function findEnd(text: string, start: number): number {
  let [depth, quote] = [0, '']
  for (let at = start; at < text.length; at++) {
    const letter = text.charAt(at)
    if (quote !== '') {
      if (letter === '\\') at++
      else if (letter === quote) quote = ''
    } else if (letter === '"' || letter === "'") quote = letter
    else if (letter === '{') depth++
    else if (letter === '}' && depth-- === 0) return at
  }
  return -1
}
