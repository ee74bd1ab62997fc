/**
 * Says where a text stops being JSON (RFC 8259) and why, for people. Runtimes' own parsers say it in words that differ
 * and that repeat pieces of the text, which may hold a secret; this names one character at the most. The text is one
 * that `JSON.parse` has refused.
 */
export function jsonProblem(text: string): string {
  const open: Open[] = []
  let expected: Expected = 'value'
  for (let at = 0; ; ) {
    const step = next(text, afterSpace(text, at), expected, open)
    if (typeof step === 'string') return step
    at = step.at
    expected = step.expected
  }
}

type Open = '{' | '['
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma'

/** How people call what is expected; what follows a value depends on what it stands in. */
const CALLED: Readonly<Record<Exclude<Expected, 'comma'>, string>> = {
  value: 'a value',
  'first value': 'a value or "]"',
  name: 'a name in double quotes',
  'first name': 'a name in double quotes or "}"',
  colon: '":"',
}
const CLOSING = { '{': '}', '[': ']' } as const

/** One step over the text: where it goes on and what is expected there, or the problem. */
function next(text: string, at: number, expected: Expected, open: Open[]): { at: number; expected: Expected } | string {
  const char = text[at]
  const inside = open.at(-1)
  if (inside && char === CLOSING[inside] && (expected === 'comma' || expected.startsWith('first'))) {
    open.pop()
    return { at: at + 1, expected: 'comma' }
  }
  switch (expected) {
    case 'colon':
      return char === ':' ? { at: at + 1, expected: 'value' } : instead(text, at, CALLED.colon)
    case 'comma':
      if (!inside) return instead(text, at, 'the end of the body')
      if (char !== ',') return instead(text, at, `"," or "${CLOSING[inside]}"`)
      return { at: at + 1, expected: inside === '{' ? 'name' : 'value' }
    case 'name':
    case 'first name':
      return char === '"' ? ended(stringEnd(text, at), 'colon') : instead(text, at, CALLED[expected])
    default:
      if (char !== '{' && char !== '[') return ended(scalarEnd(text, at, CALLED[expected]), 'comma')
      open.push(char)
      return { at: at + 1, expected: char === '{' ? 'first name' : 'first value' }
  }
}

function ended(end: number | string, expected: Expected) {
  return typeof end === 'string' ? end : { at: end, expected }
}

function instead(text: string, at: number, wanted: string): string {
  return `${placeOf(text, at)} there is ${shown(text, at)} instead of ${wanted}`
}

/** Line and column, both from 1, and the position from 0. */
function placeOf(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return `at line ${line}, column ${at - before.lastIndexOf('\n')} (position ${at})`
}

function shown(text: string, at: number): string {
  const point = text.codePointAt(at)
  if (point === undefined) return 'the end'
  if (point === 0xfeff) return 'a byte order mark'
  const isPrintable = !/[\p{C}\p{Z}]/u.test(String.fromCodePoint(point))
  return isPrintable
    ? JSON.stringify(String.fromCodePoint(point))
    : `the character U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}

function afterSpace(text: string, at: number): number {
  let end = at
  while (text[end] === ' ' || text[end] === '\n' || text[end] === '\t' || text[end] === '\r') end++
  return end
}

/** Where a text, number or word ends, or the problem with it. */
function scalarEnd(text: string, at: number, wanted: string): number | string {
  if (text[at] === '"') return stringEnd(text, at)
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, at)) return at + word.length
  return numberEnd(text, at) ?? instead(text, at, wanted)
}

function stringEnd(text: string, start: number): number | string {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') return at + 1
    if (char < ' ') return instead(text, at, 'a text without control characters; write them as escapes')
    if (char !== '\\') continue
    const length = escapeLength(text, at)
    if (length === 0) return `${placeOf(text, at)} a text has an escape that JSON does not have`
    at += length - 1
  }
  return `${placeOf(text, start)} a text begins that does not end`
}

/** The length of the escape at a backslash, or 0 where it is none. */
function escapeLength(text: string, at: number): number {
  const next = text[at + 1]
  if (next === 'u') return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0
  return next !== undefined && '"\\/bfnrt'.includes(next) ? 2 : 0
}

function numberEnd(text: string, start: number): number | string | undefined {
  const afterDigits = (from: number) => {
    let end = from
    while (isDigit(text[end])) end++
    return end
  }
  let at = text[start] === '-' ? start + 1 : start
  if (!isDigit(text[at])) return at === start ? undefined : instead(text, at, 'a digit')
  at = text[at] === '0' ? at + 1 : afterDigits(at)
  if (text[at] === '.') {
    if (!isDigit(text[at + 1])) return instead(text, at + 1, 'a digit')
    at = afterDigits(at + 1)
  }
  if (text[at] === 'e' || text[at] === 'E') {
    const sign = text[at + 1] === '+' || text[at + 1] === '-' ? 1 : 0
    if (!isDigit(text[at + 1 + sign])) return instead(text, at + 1 + sign, 'a digit')
    at = afterDigits(at + 1 + sign)
  }
  return at
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9'
}
