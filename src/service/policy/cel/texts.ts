import { format } from './format.ts'
import { requireCharacters } from './limits.ts'
import { EvaluationProblem } from './values.ts'

// JavaScript counts code units, and CEL counts code points: `[...text]` has them.

/** Returns an index in a list of code points. @throws EvaluationProblem if it is out of range */
function toIndex(index: bigint, length: number): number {
  if (index >= 0n && index <= length) return Number(index)
  throw new EvaluationProblem(`index out of range: ${index}`)
}

function charAt(text: string, index: bigint): string {
  const letters = [...text]
  return letters[toIndex(index, letters.length)] ?? ''
}

/** Returns the position, in code points, where `find` finds a string in another. */
function findText(text: string, sought: string, from: bigint, find: 'indexOf' | 'lastIndexOf'): bigint {
  const letters = [...text]
  const start = letters.slice(0, toIndex(from, letters.length)).join('').length
  const found = text[find](sought, start)
  return found < 0 ? -1n : sizeOfText(text.slice(0, found))
}

/** Returns the length of a string in code points. */
export function sizeOfText(text: string): bigint {
  return BigInt([...text].length)
}

function substring(text: string, start: bigint, end?: bigint): string {
  const letters = [...text]
  const [from, to] = [toIndex(start, letters.length), end === undefined ? undefined : toIndex(end, letters.length)]
  if (to !== undefined && to < from) throw new EvaluationProblem(`invalid substring range: ${from} to ${to}`)
  return letters.slice(from, to).join('')
}

/** Splits a string. As documented by the service, any parts beyond the limit are omitted. */
function split(text: string, separator = ' ', most = -1n): readonly string[] {
  const parts = separator === '' ? [...text] : text.split(separator)
  return most < 0n ? parts : parts.slice(0, Number(most))
}

function join(list: readonly unknown[], separator = ''): string {
  if (list.every((each) => typeof each === 'string')) {
    requireCharacters(separator.length * (list.length - 1))
    return list.join(separator)
  }
  throw new EvaluationProblem('join needs a list of strings')
}

/** Replaces the first occurrences of a string. A negative count replaces all of them. */
function replace(text: string, from: string, to: string, count = -1n): string {
  let [done, length] = [0n, 0]
  return text.replaceAll(from === '' ? /(?:)/gu : from, (found) => {
    if (count >= 0n && done++ >= count) return found
    length += to.length
    requireCharacters(length)
    return to
  })
}

const BLANK = /\p{White_Space}/u

function trim(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANK.test(text.charAt(start))) start++
  while (end > start && BLANK.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/**
 * Changes the case of each code point on its own, as Go does. A code point that JavaScript converts to several is left unchanged, except
 * for İ.
 */
function toCase(text: string, change: (letter: string) => string): string {
  return Array.from(text, (letter) => {
    const [changed = letter, ...more] = change(letter)
    return more.length === 0 || letter === 'İ' ? changed : letter
  }).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

const lower = (letter: string) => letter.toLowerCase()
const upper = (letter: string) => letter.toUpperCase()

/** The string functions, by signature. */
export const TEXTS = {
  'string.charAt(int)': charAt,
  'string.contains(string)': (text: string, part: string) => text.includes(part),
  'string.endsWith(string)': (text: string, end: string) => text.endsWith(end),
  'string.format(list)': format,
  'string.indexOf(string)': (text: string, sought: string) => findText(text, sought, 0n, 'indexOf'),
  'string.indexOf(string, int)': (text: string, sought: string, from: bigint) =>
    findText(text, sought, from, 'indexOf'),
  'string.lastIndexOf(string)': (text: string, sought: string) =>
    findText(text, sought, sizeOfText(text), 'lastIndexOf'),
  'string.lastIndexOf(string, int)': (text: string, sought: string, from: bigint) =>
    findText(text, sought, from, 'lastIndexOf'),
  'list.join()': join,
  'list.join(string)': join,
  'string.lower()': (text: string) => toCase(text, lower),
  'string.lowerAscii()': (text: string) => text.replace(/[A-Z]+/g, lower),
  'string.replace(string, string)': replace,
  'string.replace(string, string, int)': replace,
  'string.reverse()': (text: string) => [...text].reverse().join(''),
  'string.split()': split,
  'string.split(string)': split,
  'string.split(string, int)': split,
  'string.startsWith(string)': (text: string, start: string) => text.startsWith(start),
  'string.substring(int)': substring,
  'string.substring(int, int)': substring,
  'string.trim()': trim,
  'string.upper()': (text: string) => toCase(text, upper),
  'string.upperAscii()': (text: string) => text.replace(/[a-z]+/g, upper),
  'strings.quote(string)': (text: string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
    `"${text.replace(/[\x07-\x0d\\"]/g, (letter) => ESCAPES[letter] ?? letter)}"`,
}
