export const RUNNERS = ['vitest', 'Jest', 'node:test'] as const

export type Runner = (typeof RUNNERS)[number]

/** The preferred maximum length of a line. */
export const WIDTH = 110

export const INDENT = '  '

/** A call in the source code of a test. */
export class Call {
  constructor(
    readonly callee: string,
    readonly args: readonly unknown[],
  ) {}
}

/** Escapes the characters that end a line, change its direction, or are invisible. */
export function escapeInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) => {
    const code = found.codePointAt(0)?.toString(16) ?? ''
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  })
}

/** Returns a string as the contents of a literal, with both kinds of quotes unescaped. */
function escapeText(text: string): string {
  return escapeInvisible(JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"'))
}

function quote(text: string): string {
  const inner = escapeText(text)
  return inner.includes("'") && !inner.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", "\\'")}'`
}

/** Formats values as source code. Strings from earlier responses are replaced with expressions. */
export class SourceWriter {
  /** The expressions, by the string that they evaluate to. */
  readonly known = new Map<string, string>()

  /** Formats a value as source code: on one line if it fits, otherwise on several indented lines. */
  write(value: unknown, room = Number.POSITIVE_INFINITY, indent = ''): string {
    if (typeof value === 'string') return this.#writeText(value)
    if (value instanceof Call) return this.#writeCall(value, room, indent)
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const isList = Array.isArray(value)
    const [start, space, end] = isList ? ['[', '', ']'] : ['{', ' ', '}']
    const members = Object.entries(value)
    if (members.length === 0) return start + end
    const keys = members.map(([name]) => (isList ? '' : `${toKey(name)}: `))
    const flat = members.map(([, each], at) => keys[at] + this.write(each)).join(', ')
    if (flat.length + 4 <= room) return start + space + flat + space + end
    const inner = indent + INDENT
    const lines = members.map(([, each], at) => {
      const key = keys[at] ?? ''
      return `${inner}${key}${this.write(each, WIDTH - inner.length - key.length - 1, inner)},\n`
    })
    return `${start}\n${lines.join('')}${indent}${end}`
  }

  /** Returns a line of the test's function, with the value after `before`. */
  writeLine(before: string, value: unknown, indent: string): string {
    return before + this.write(value, WIDTH - indent.length - before.length, indent)
  }

  #writeCall({ callee, args }: Call, room: number, indent: string): string {
    const flat = `${callee}(${args.map((each) => this.write(each)).join(', ')})`
    if (flat.length <= room) return flat
    const before = args.slice(0, -1).map((each) => `${this.write(each)}, `)
    // Only the last argument may span several lines.
    return `${callee}(${before.join('')}${this.write(args.at(-1), 0, indent)})`
  }

  #writeText(text: string): string {
    const whole = this.known.get(text)
    if (whole) return whole
    const found = [...this.known].filter(([each]) => text.includes(each)).sort(([a], [b]) => b.length - a.length)
    if (found.length === 0) return quote(text)
    let source = escapeText(text).replace(/[`$]/g, '\\$&')
    for (const [each, expression] of found) source = source.replaceAll(each, `\${${expression}}`)
    return `\`${source}\``
  }
}

function isIdentifier(name: string): boolean {
  return /^[a-z_]\w*$/i.test(name)
}

function toKey(name: string): string {
  // As a plain key, `__proto__` would set the prototype.
  if (name === '__proto__') return `['${name}']`
  return isIdentifier(name) ? name : quote(name)
}

/** The assertions for a test runner. */
export interface Checks {
  equal(actual: string, expected: string): string
  isNull(actual: string): string
  isNotNull(actual: string): string
  hasLength(actual: string, length: number): string
  rejects(promise: string): string
}

const withExpect: Checks = {
  equal: (actual, expected) => `expect(${actual}).toBe(${expected})`,
  isNull: (actual) => `expect(${actual}).toBeNull()`,
  isNotNull: (actual) => `expect(${actual}).not.toBeNull()`,
  hasLength: (actual, length) => `expect(${actual}).toHaveLength(${length})`,
  rejects: (promise) => `await expect(${promise}).rejects.toThrow()`,
}

const withAssert: Checks = {
  equal: (actual, expected) => `assert.equal(${actual}, ${expected})`,
  isNull: (actual) => `assert.equal(${actual}, null)`,
  isNotNull: (actual) => `assert.notEqual(${actual}, null)`,
  hasLength: (actual, length) => `assert.equal(${actual}.length, ${length})`,
  rejects: (promise) => `await assert.rejects(${promise})`,
}

export function checksOf(runner: Runner): Checks {
  return runner === 'node:test' ? withAssert : withExpect
}

/** Returns the call that sends a request, like `fetch`. */
export function createSend(name: string, method: string, path: string, body: unknown): Call {
  const init = {
    ...(method !== 'GET' && { method }),
    ...(body !== undefined && { body: new Call('JSON.stringify', [body]) }),
  }
  return new Call(name, Object.keys(init).length > 0 ? [path, init] : [path])
}

/** Returns the source code that accesses a member of a value. */
export function toPlace(place: string, name: string): string {
  if (/^\d+$/.test(name)) return `${place}[${name}]`
  return isIdentifier(name) ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`
}
