import { cut } from '../../core/schema/text.ts'

/** The maximum repetition count. RE2 rejects larger counts, and nested counts whose product is larger. */
const MAX_REPEAT = 1000
/** The maximum nesting of groups. */
const MAX_DEPTH = 1000

/**
 * Returns why a string is not an RE2 pattern, or undefined if it is one. RE2 supports neither lookaround nor backreferences.
 * Reads each character once, so the time is linear in the length.
 */
export function patternProblem(pattern: string): string | undefined {
  const read = readPattern(pattern)
  return typeof read === 'string' ? read : undefined
}

/** Returns the numbers and names of the groups in a pattern, with 0 for the whole match, or undefined for an invalid pattern. */
export function groupsOf(pattern: string): ReadonlySet<string> | undefined {
  const read = readPattern(pattern)
  return typeof read === 'string' ? undefined : new Set([...read.numbers, ...read.names])
}

/** Returns the approximate number of RE2 instructions for a pattern, or undefined for an invalid pattern. */
export function sizeOfPattern(pattern: string): number | undefined {
  const read = readPattern(pattern)
  return typeof read === 'string' ? undefined : read.size
}

function readPattern(pattern: string): PatternReader | string {
  const reader = new PatternReader(pattern)
  try {
    reader.read()
    return reader
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}

class PatternError extends Error {}

/** An open group or an item, with the largest repetition in it and its number of instructions. */
interface Group {
  repeat: number
  size: number
}

class PatternReader {
  #at = 0
  readonly #groups: Group[] = [{ repeat: 1, size: 0 }]
  readonly names = new Set<string>()
  readonly numbers = ['0']

  get size(): number {
    return this.#groups.reduce((sum, { size }) => sum + size, 0)
  }

  /** The Unicode properties known to exist. */
  readonly #properties = new Set<string>()

  constructor(readonly pattern: string) {}

  read(): void {
    // The operand of a repetition: nothing, an item with the largest repetition in it, or a repetition.
    let last: Group | 'nothing' | 'repetition' = 'nothing'
    while (this.#at < this.pattern.length) {
      const letter = this.pattern.charAt(this.#at)
      if (letter === '(') {
        last = this.#open()
      } else if (letter === ')') {
        const group = this.#groups.pop()
        if (!group || this.#groups.length === 0) fail('a ) has no (')
        this.#at++
        last = { ...group, size: group.size + 2 }
        this.#grow(last.size)
      } else if (letter === '|') {
        this.#at++
        this.#grow(1)
        last = 'nothing'
      } else if ('*+?'.includes(letter) || (letter === '{' && this.#matchCount())) {
        if (last === 'repetition') fail(`${this.#show(2, -1)} repeats a repetition`)
        if (last === 'nothing') fail(`${letter} has nothing to repeat`)
        this.#repeat(last)
        last = 'repetition'
      } else {
        const start = this.#at
        if (letter === '[') this.#readClass()
        else if (letter === '\\') this.#readEscape()
        else this.#at++
        // Of several literal characters, only the last one can be repeated.
        this.#grow(this.pattern.startsWith('\\Q', start) ? this.#at - start : 1)
        last = { repeat: 1, size: 1 }
      }
    }
    if (this.#groups.length > 1) fail('a ( has no matching )')
  }

  /** Opens a group, or sets flags. */
  #open(): 'nothing' {
    const rest = this.pattern.slice(this.#at, this.#at + 80)
    const [flags] = /^\(\?[imsU]*(?:-[imsU]+)?[:)]/.exec(rest) ?? []
    const [named, name = ''] = /^\(\?P?<([A-Za-z0-9_]+)>/.exec(rest) ?? []
    if (/^\(\?<?[=!]/.test(rest)) fail(`RE2 does not support lookaround, such as ${this.#show(4)}`)
    if (rest.startsWith('(?') && !flags && !named) fail(`${this.#show(4)} does not begin an RE2 group`)
    if (named && this.names.has(name)) fail(`the group name ${cut(name, 20)} is used twice`)
    if (named) this.names.add(name)
    if (!flags) this.numbers.push(`${this.numbers.length}`)
    this.#at += (flags ?? named ?? '(').length
    if (flags?.endsWith(')')) return 'nothing'
    if (this.#groups.push({ repeat: 1, size: 0 }) > MAX_DEPTH) fail('it is nested too deeply')
    return 'nothing'
  }

  #matchCount(): RegExpExecArray | null {
    return /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(this.pattern.slice(this.#at, this.#at + 24))
  }

  /** Counts instructions. */
  #grow(size: number): void {
    const group = this.#groups.at(-1)
    if (group) group.size += size
  }

  #repeat({ repeat, size }: Group): void {
    const count = this.pattern.charAt(this.#at) === '{' ? this.#matchCount() : null
    const [text = '', min = '1', comma, max = ''] = count ?? []
    const most = Math.max(Number(min), Number(max === '' ? min : max))
    if (most > MAX_REPEAT) fail(`the count ${text} is not allowed. The maximum is ${MAX_REPEAT}`)
    if (max !== '' && Number(max) < Number(min)) fail(`the count ${text} has a minimum above its maximum`)
    const product = repeat * Math.max(1, most)
    if (product > MAX_REPEAT) fail(`the count ${text} is too large inside another repetition`)
    const group = this.#groups.at(-1)
    if (group) group.repeat = Math.max(group.repeat, product)
    // What is repeated is written out. Each repetition that may be missing has an instruction of its own, and so has one without an end.
    this.#grow(size * (Math.max(1, most) - 1) + (count && comma === undefined ? 0 : 1 + most - Number(min)))
    this.#at += Math.max(1, text.length)
    if (this.pattern.charAt(this.#at) === '?') this.#at++
  }

  #readClass(): void {
    const start = this.#at
    this.#at += this.pattern.charAt(start + 1) === '^' ? 2 : 1
    for (let isFirst = true; isFirst || this.pattern.charAt(this.#at) !== ']'; isFirst = false) {
      if (this.#at >= this.pattern.length) failOpen(this.pattern, start)
      const low = this.#readMember()
      const isRange = this.pattern.charAt(this.#at) === '-' && this.pattern.charAt(this.#at + 1) !== ']'
      if (!isRange || low === undefined) continue
      const from = this.#at
      this.#at++
      if (this.#at >= this.pattern.length) failOpen(this.pattern, start)
      const high = this.#readMember()
      if (high === undefined || high < low)
        fail(
          `the range ${cut(this.pattern.slice(Math.max(start, from - 1), this.#at), 20)} is invalid: it must go from one character to a later character`,
        )
    }
    this.#at++
  }

  /** Reads a member of a character class. Returns its code, or undefined if it matches several characters. */
  #readMember(): number | undefined {
    const [name] = /^\[:\^?\w*:\]/.exec(this.pattern.slice(this.#at, this.#at + 16)) ?? []
    if (name !== undefined) {
      if (
        !/^\[:\^?(alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]$/.test(name)
      )
        fail(`there is no character class ${name}`)
      this.#at += name.length
      return undefined
    }
    if (this.pattern.charAt(this.#at) === '\\') return this.#readEscape(true)
    const code = this.pattern.codePointAt(this.#at) ?? 0
    this.#at += code > 0xffff ? 2 : 1
    return code
  }

  /** Reads an escape. Returns its code, or undefined if it matches several characters or a position. */
  #readEscape(isInClass = false): number | undefined {
    const rest = this.pattern.slice(this.#at, this.#at + 60)
    if (rest === '\\') fail('it ends with a backslash')
    if (/^\\[1-9]/.test(rest) && !/^\\[1-7][0-7]/.test(rest))
      fail(`RE2 does not support backreferences, such as ${this.#show(2)}`)
    if (!isInClass && rest.startsWith('\\Q')) {
      const end = this.pattern.indexOf('\\E', this.#at)
      this.#at = end < 0 ? this.pattern.length : end + 2
      return undefined
    }
    const [property, name = ''] = /^\\[pP](?:\{\^?(\w+)\}|([A-Z]))/.exec(rest) ?? []
    if (property !== undefined) this.#requireProperty(name || property.slice(-1))
    const [several] =
      property === undefined ? ((isInClass ? /^\\[dDsSwW]/ : /^\\[dDsSwWbBAz]/).exec(rest) ?? []) : [property]
    const [single, hex, long] =
      /^\\(?:x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]{1,6})\}|[0-7]{1,3}|[afnrtv]|[ -/:-@[-`{-~])/.exec(rest) ?? []
    const found = several ?? single
    if (found === undefined) fail(`${this.#show(2)} does not exist in RE2`)
    this.#at += found.length
    if (several !== undefined) return undefined
    const code = hex ?? long
    if (long !== undefined && Number.parseInt(long, 16) > 0x10ffff) fail(`${found} is not a Unicode character`)
    if (code !== undefined) return Number.parseInt(code, 16)
    const plain: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }
    const text = found.slice(1)
    return /^[0-7]/.test(text) ? Number.parseInt(text, 8) : (plain[text] ?? text.codePointAt(0))
  }

  #requireProperty(name: string): void {
    if (this.#properties.has(name)) return
    if (!isProperty(name)) fail(`there is no property ${cut(name, 20)}`)
    this.#properties.add(name)
  }

  #show(length: number, shift = 0): string {
    return this.pattern.slice(Math.max(0, this.#at + shift), this.#at + shift + length)
  }
}

/** Returns whether Unicode has a category or script with a name. */
function isProperty(name: string): boolean {
  if (name === 'Any') return true
  try {
    return new RegExp(name.length <= 2 ? `\\p{gc=${name}}` : `\\p{Script=${name}}`, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function fail(reason: string): never {
  throw new PatternError(reason)
}

function failOpen(pattern: string, start: number): never {
  fail(`a [ has no matching ]: ${cut(pattern.slice(start), 20)}`)
}
