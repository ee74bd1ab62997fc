import { RE2JS } from 're2js'
import type { Pattern } from '../../service/policy/visit.ts'
import { PatternProblem } from './values.ts'

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
    replaceAll: (text, to) => compiled.matcher(text).replaceAll(to),
    matches(text) {
      const matcher = compiled.matcher(text)
      const found: string[] = []
      while (matcher.find()) found.push(matcher.group() ?? '')
      return found
    },
  }
}

function compileRe2(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch {
    throw new PatternProblem('the pattern is not one of RE2')
  }
}
