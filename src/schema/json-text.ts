/** The kinds of tokens that a value can begin with; `s` is a text and `v` a number, `true`, `false` or `null`. */
const VALUE = '{[sv'

const BLANKS = '[ \\n\\r\\t]*'
/** Matches the valid beginning of a text that ends too early. More escapes would overflow the stack of the matcher. */
const TEXT = '("[ !#-[\\]-\\uffff]*(?:\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4})[ !#-[\\]-\\uffff]*){0,1000000})("?)'
const OTHER_SCALAR = '(?:-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null)'
const TOKEN = `${BLANKS}(?:([{}[\\],:])|${TEXT}|${OTHER_SCALAR})`

/** Returns the length of the longest valid beginning of a text that should be JSON (RFC 8259). */
function validLength(text: string): number {
  const token = new RegExp(TOKEN, 'y')
  const open: string[] = []
  let expected = VALUE
  let at = 0
  for (;;) {
    const [, sign, string, quote] = token.exec(text) ?? []
    const kind = sign ?? (string === undefined ? 'v' : 's')
    if (token.lastIndex === 0 || !expected.includes(kind)) break
    if (quote === '') return token.lastIndex
    at = token.lastIndex
    if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']')
    if (sign === '}' || sign === ']') open.pop()
    expected = following(sign, kind === 's' && !expected.includes('v'), open.at(-1))
  }
  const blanks = new RegExp(BLANKS, 'y')
  blanks.lastIndex = at
  blanks.test(text)
  return blanks.lastIndex
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
  const stop = validLength(text)
  const before = text.slice(0, stop)
  return `at line ${before.split('\n').length}, column ${stop - before.lastIndexOf('\n')} (position ${stop})`
}
