import { bytesToHex } from '@noble/hashes/utils.js'
import { utf8Bytes } from '../../../core/schema/platform.ts'
import { numberOf } from './operators.ts'
import { typeOf } from './types.ts'
import { EvaluationProblem, entriesOf, readField } from './values.ts'

/** Replaces the placeholders in a string, which begin with a percent sign, like CEL's strings extension. */
export function format(text: string, values: readonly unknown[]): string {
  let next = 0
  return text.replace(/%(%|(?:\.(\d+))?([a-zA-Z]))/g, (_, all: string, digits: string | undefined, letter: string) => {
    if (all === '%') return '%'
    if (next >= values.length)
      throw new EvaluationProblem(`the string has more placeholders than the ${values.length} values`)
    return formatOne(values[next++], letter, digits === undefined ? 6 : Number(digits))
  })
}

function formatOne(value: unknown, letter: string, digits: number): string {
  switch (letter) {
    case 's':
      return toText(value)
    case 'd':
      return String(typeof value === 'number' && !Number.isFinite(value) ? value : toInteger(value, letter))
    case 'f':
      return toFixed(toNumber(value), Math.min(digits, 100))
    case 'e':
      return toNumber(value)
        .toExponential(Math.min(digits, 100))
        .replace(/e([+-])(\d)$/, 'e$10$2')
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : toInteger(value, letter).toString(2)
    case 'o':
      return toInteger(value, letter).toString(8)
    case 'x':
      return toHex(value, letter)
    case 'X':
      return toHex(value, letter).toUpperCase()
    default:
      throw new EvaluationProblem(`%${letter} is not supported`)
  }
}

function toInteger(value: unknown, letter: string): bigint {
  const number = numberOf(value)
  if (typeof number === 'bigint') return number
  throw new EvaluationProblem(`%${letter} needs an integer`)
}

function toNumber(value: unknown): number {
  const number = numberOf(value)
  if (number !== undefined) return Number(number)
  throw new EvaluationProblem('%f needs a number')
}

/** Formats a number with a fixed number of decimal places. Unlike JavaScript, rounds half to even. */
function toFixed(value: number, digits: number): string {
  const [text, exact] = [value.toFixed(digits), value.toFixed(100)]
  const isTie = Number.isFinite(value) && /^50*$/.test(exact.slice(exact.indexOf('.') + 1 + digits))
  return isTie && /[13579]$/.test(text) ? exact.slice(0, text.length) : text
}

function toHex(value: unknown, letter: string): string {
  if (typeof value === 'string') return bytesToHex(utf8Bytes(value))
  return value instanceof Uint8Array ? bytesToHex(value) : toInteger(value, letter).toString(16)
}

/** Formats a value as `${…}` and `%s` do. */
export function toText(value: unknown): string {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (Array.isArray(value)) return `[${value.map(toText).join(', ')}]`
  if (typeOf(value) !== 'map') return String(value)
  const text = readField(value, '_text')
  if (typeof text === 'string') return text
  const entries = entriesOf(value).map(([name, each]) => `${toText(name)}: ${toText(each)}`)
  return `{${entries.sort().join(', ')}}`
}
