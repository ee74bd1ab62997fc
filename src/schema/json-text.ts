/** A value begins with one of these; `s` is a text and `v` a number, `true`, `false` or `null`. */
const VALUE = '{[sv'

interface ReadPart {
  /** The index at which the text stops being JSON (RFC 8259), or its length. */
  readonly stop: number
  /** The index at which its last whole value ends. */
  readonly end: number
  /** The text that breaks off after that value; empty if none does. */
  readonly cut: string
  /** The brackets that close those still open. */
  readonly closing: string
}

const BLANKS = '[ \\n\\r\\t]*'
/** Matches the correct beginning of a text that breaks off. With more escapes, the matching would overflow the stack. */
const TEXT = '("[ !#-[\\]-\\uffff]*(?:\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4})[ !#-[\\]-\\uffff]*){0,1000000})("?)'
const OTHER_SCALAR = '(?:-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null)'
const TOKEN = `${BLANKS}(?:([{}[\\],:])|${TEXT}|${OTHER_SCALAR})`

function readPart(text: string): ReadPart {
  const token = new RegExp(TOKEN, 'y')
  const open: string[] = []
  let expected = VALUE
  let end = 0
  let at = 0
  for (;;) {
    const [, sign, string, quote] = token.exec(text) ?? []
    const kind = sign ?? (string === undefined ? 'v' : 's')
    if (token.lastIndex === 0 || !expected.includes(kind)) break
    const isName = kind === 's' && !expected.includes('v')
    if (string !== undefined && quote === '') {
      const cut = isName ? '' : text.slice(end, token.lastIndex)
      return { stop: token.lastIndex, end, cut, closing: open.reverse().join('') }
    }
    if (sign === ',') end = at
    at = token.lastIndex
    if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']')
    if (sign === '}' || sign === ']') open.pop()
    // A number at the end of a text may go on.
    if (kind !== 'v' && sign !== ',' && sign !== ':' && !isName) end = at
    expected = following(sign, isName, open.at(-1))
  }
  const blanks = new RegExp(BLANKS, 'y')
  blanks.lastIndex = at
  blanks.test(text)
  return { stop: blanks.lastIndex, end, cut: '', closing: open.reverse().join('') }
}

function following(sign: string | undefined, isName: boolean, closing: string | undefined): string {
  if (sign === '{') return 's}'
  if (sign === '[') return `${VALUE}]`
  if (sign === ',') return closing === '}' ? 's' : VALUE
  if (sign === ':') return VALUE
  if (isName) return ':'
  return closing === undefined ? '' : `,${closing}`
}

/**
 * Returns the place at which a text that `JSON.parse` refused stops being JSON. The parser's own message repeats a part of
 * the text, which may hold a secret.
 */
export function jsonProblem(text: string): string {
  const { stop } = readPart(text)
  const before = text.slice(0, stop)
  return `at line ${before.split('\n').length}, column ${stop - before.lastIndexOf('\n')} (position ${stop})`
}

/** Returns the value of the beginning of a JSON text. A string that was cut ends with "…". */
export function jsonBeginning(text: string): unknown {
  const { end, cut, closing } = readPart(text)
  try {
    return JSON.parse(text.slice(0, end) + (cut && `${cut}…"`) + closing)
  } catch {
    return undefined
  }
}
