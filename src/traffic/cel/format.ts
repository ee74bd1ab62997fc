import { EvaluationProblem, readField } from './values.ts'

/** Puts values in the places of a text that begin with a percent sign, as the strings extension of CEL does. */
export function format(text: string, values: readonly unknown[]): string {
  let next = 0
  return text.replace(/%(%|(?:\.(\d+))?([a-zA-Z]))/g, (_, all: string, digits: string | undefined, letter: string) => {
    if (all === '%') return '%'
    if (next >= values.length) throw new EvaluationProblem(`the text has more places than the ${values.length} values`)
    return formatOne(values[next++], letter, digits === undefined ? 6 : Number(digits))
  })
}

function formatOne(value: unknown, letter: string, digits: number): string {
  switch (letter) {
    case 's':
      return toText(value)
    case 'd':
      return toInteger(value, letter).toString()
    case 'f':
      return toNumber(value).toFixed(Math.min(digits, 100))
    case 'e':
      return toNumber(value)
        .toExponential(Math.min(digits, 100))
        .replace(/e([+-])(\d)$/, 'e$10$2')
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : toInteger(value, letter).toString(2)
    case 'o':
      return toInteger(value, letter).toString(8)
    case 'x':
    case 'X': {
      const hex = typeof value === 'string' ? toHex(value) : toInteger(value, letter).toString(16)
      return letter === 'X' ? hex.toUpperCase() : hex
    }
    default:
      throw new EvaluationProblem(`%${letter} is not known`)
  }
}

function toInteger(value: unknown, letter: string): bigint {
  if (typeof value === 'bigint') return value
  throw new EvaluationProblem(`%${letter} needs an integer`)
}

function toNumber(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  throw new EvaluationProblem('%f needs a number')
}

function toHex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns a value as a text, as `${…}` and `%s` show it. */
export function toText(value: unknown): string {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$/, 'Z')
  if (Array.isArray(value)) return `[${value.map(toText).join(', ')}]`
  const text = readField(value, '_text')
  if (typeof text === 'string') return text
  if (value instanceof Map)
    return `{${[...value].map(([name, each]) => `${toText(name)}: ${toText(each)}`).join(', ')}}`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${name}: ${toText(each)}`)
    .join(', ')}}`
}
