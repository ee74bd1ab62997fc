/** The kinds of tokens that can begin a value: `s` is a string, and `v` is a number, `true`, `false`, or `null`. */
const VALUE = '{[sv'

const BLANKS = '[ \\n\\r\\t]*'
/** Matches a string, or its valid beginning if it ends early. The number of escapes is limited because the matcher is recursive. */
const TEXT = '("[ !#-[\\]-\\uffff]*(?:\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4})[ !#-[\\]-\\uffff]*){0,1000000})("?)'
const OTHER_SCALAR = '(?:-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null)'
const TOKEN = `${BLANKS}(?:([{}[\\],:])|${TEXT}|${OTHER_SCALAR})`

/** Returns the length of the longest prefix of a string that can be the beginning of valid JSON (RFC 8259). */
function measureValidBeginning(text: string): number {
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
    expected = findExpected(sign, kind === 's' && !expected.includes('v'), open.at(-1))
  }
  const blanks = new RegExp(BLANKS, 'y')
  blanks.lastIndex = at
  blanks.test(text)
  return blanks.lastIndex
}

/** Returns the kinds of tokens that can follow a token. */
function findExpected(sign: string | undefined, isName: boolean, closing: string | undefined): string {
  if (sign === '{') return 's}'
  if (sign === '[') return `${VALUE}]`
  if (sign === ',') return closing === '}' ? 's' : VALUE
  if (sign === ':') return VALUE
  if (isName) return ':'
  return closing === undefined ? '' : `,${closing}`
}

/**
 * For a string that `JSON.parse` rejected: describes the position at which it stops being JSON. The message of `JSON.parse` itself quotes
 * part of the string, which may contain a secret.
 */
export function locateJsonProblem(text: string): string {
  const stop = measureValidBeginning(text)
  const before = text.slice(0, stop)
  return `at line ${before.split('\n').length}, column ${stop - before.lastIndexOf('\n')} (position ${stop})`
}
