import { RE2JS } from 're2js'
import type { Pattern, Replaced } from '../../service/policy/visit.ts'
import { PatternProblem, ReplacementProblem } from './values.ts'

/** Compiles a pattern in the syntax of RE2, each once. @throws PatternProblem */
export type CompilePattern = (source: string) => Pattern

/** The most patterns that are kept: a `${…}` may make a new one for each request. */
const MAX_KEPT = 1000

/** Returns a function that compiles patterns. No text takes longer than its length allows. */
export function createPatterns(): CompilePattern {
  const known = new Map<string, Pattern>()
  return (source) => {
    const found = known.get(source)
    if (found) return found
    const pattern = compile(source)
    if (known.size >= MAX_KEPT) known.clear()
    known.set(source, pattern)
    return pattern
  }
}

function compile(source: string): Pattern {
  const compiled = compileRe2(source)
  return {
    test: (text) => compiled.matcher(text).find(),
    replaceAll: (text, to) => replaceAll(compiled, text, to),
  }
}

/** The most matches of one text that are listed. */
const MAX_MATCHES = 1000
/** The longest text that a replacement may make, in characters. */
const MAX_LENGTH = 64 * 1024 * 1024

function replaceAll(compiled: RE2JS, text: string, to: string): Replaced {
  // To tell whether there is a match takes far less time than to find where.
  if (!compiled.test(text)) return { text, matches: [], count: 0 }
  const matcher = compiled.matcher(text)
  const expand = readReplacement(to, matcher.groupCount())
  const parts: string[] = []
  const matches: string[] = []
  let [count, at, length] = [0, 0, 0]
  while (matcher.find()) {
    const part = text.slice(at, matcher.start()) + expand((index) => matcher.group(index) ?? '')
    at = matcher.end()
    length += part.length
    if (length > MAX_LENGTH) throw new ReplacementProblem(`the new text has more than ${MAX_LENGTH} characters`)
    parts.push(part)
    if (++count <= MAX_MATCHES) matches.push(matcher.group() ?? '')
  }
  return { text: parts.join('') + text.slice(at), matches, count }
}

/** Returns what makes a replacement from the groups of a match. `$1` is a group that the pattern has, and `$$` a dollar sign. */
function readReplacement(to: string, groups: number): (groupOf: (index: number) => string) => string {
  if (!to.includes('$')) return () => to
  const parts = to.split(/(\$\$|\$[1-9]\d?)/)
  return (groupOf) =>
    parts
      .map((part, place) => {
        if (place % 2 === 0) return part
        if (part === '$$') return '$'
        const [both, one] = [Number(part.slice(1)), Number(part[1])]
        if (both <= groups) return groupOf(both)
        return one <= groups ? groupOf(one) + part.slice(2) : part
      })
      .join('')
}

function compileRe2(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch {
    throw new PatternProblem('the pattern is not one of RE2')
  }
}
