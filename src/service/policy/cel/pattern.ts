import { MatcherInput, RE2JS } from 're2js'
import type { Pattern, Replaced } from '../visit.ts'
import { PatternProblem, ReplacementProblem } from './values.ts'

/** Compiles an RE2 pattern. Results are cached. @throws PatternProblem */
export type CompilePattern = (source: string) => Pattern

/**
 * The maximum number of cached patterns and of instructions in their programs, because a `${…}` may create a new pattern for each request.
 * An instruction takes up to 1 KB.
 */
const MAX_KEPT = 1000
const MAX_KEPT_SIZE = 100_000

/** Returns a function that compiles patterns. The matching time is linear in the length of the text. */
export function createPatterns(): CompilePattern {
  const known = new Map<string, Pattern>()
  let size = 0
  return (source) => {
    const found = known.get(source)
    if (found) return found
    const pattern = compile(source)
    size += pattern.size
    if (known.size >= MAX_KEPT || size > MAX_KEPT_SIZE) {
      known.clear()
      size = pattern.size
    }
    known.set(source, pattern)
    return pattern
  }
}

function compile(source: string): Pattern {
  const compiled = compileRe2(source)
  return {
    size: compiled.programSize(),
    test: (text) => compiled.matcher(text).find(),
    replaceAll: (text, to, onRead) => replaceAll(compiled, text, to, onRead),
  }
}

/** The maximum number of matches to list per string. */
const MAX_MATCHES = 1000
/** The maximum length of a replacement's result, in characters. */
const MAX_LENGTH = 64 * 1024 * 1024

/** A text that reports how far a search reads, whenever it reads further than before. */
class ReadText extends String {
  /** The position up to which the current search has read. */
  reached = 0

  constructor(
    text: string,
    readonly onRead: (characters: number) => void,
  ) {
    super(text)
  }

  override charCodeAt(at: number): number {
    if (at >= this.reached) {
      this.onRead(at + 1 - this.reached)
      this.reached = at + 1
    }
    return super.charCodeAt(at)
  }
}

function replaceAll(compiled: RE2JS, text: string, to: string, onRead?: (characters: number) => void): Replaced {
  // Testing for a match is far quicker than finding its position.
  if (!onRead && !compiled.test(text)) return { text, matches: [], count: 0 }
  const read = onRead && new ReadText(text, onRead)
  const matcher = compiled.matcher(read ? MatcherInput.utf16(read) : text)
  const expand = readReplacement(to, compiled.namedGroups())
  const parts: string[] = []
  const matches: string[] = []
  let [count, at, length] = [0, 0, 0]
  while (matcher.find()) {
    const end = matcher.end()
    // An empty match right after another match does not count.
    if (end === at && matcher.start() > 0) continue
    const part = text.slice(at, matcher.start()) + expand((group) => matcher.group(group) ?? '', matcher.groupCount())
    at = end
    // The next search reads again what this one has read beyond its match.
    if (read) read.reached = end
    length += part.length
    if (length > MAX_LENGTH) throw new ReplacementProblem(`the new text is longer than ${MAX_LENGTH} characters`)
    parts.push(part)
    if (++count <= MAX_MATCHES) matches.push(matcher.group() ?? '')
  }
  return { text: parts.join('') + text.slice(at), matches, count }
}

/**
 * Returns the function that creates a replacement from the groups of a match (rules: traffic#replacements). `$1` and `${1}` stand for the
 * first group, `$name` and `${name}` for a named group, and `$$` for a dollar sign. A name extends as far as possible.
 */
function readReplacement(
  to: string,
  names: Readonly<Record<string, number>>,
): (groupOf: (group: number) => string, groups: number) => string {
  if (!to.includes('$')) return () => to
  const found = to.matchAll(/\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})|[^$]+|\$/gu)
  const parts = Array.from(found, ([part, plain, braced]) => {
    const name = plain ?? braced
    if (name === undefined) return part === '$$' ? '$' : part
    return /^(?:0|[1-9]\d{0,8})$/.test(name)
      ? Number(name)
      : (Object.entries(names).find(([each]) => each === name)?.[1] ?? '')
  })
  return (groupOf, groups) =>
    parts.map((part) => (typeof part === 'string' ? part : part <= groups ? groupOf(part) : '')).join('')
}

function compileRe2(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch {
    throw new PatternProblem('the pattern is not valid RE2')
  }
}
