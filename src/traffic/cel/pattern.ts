import { RE2JS } from 're2js'
import type { Pattern } from '../../service/policy/visit.ts'
import { EvaluationProblem } from './values.ts'

/** Compiles a pattern in the syntax of RE2. No text takes longer than its length allows. @throws EvaluationProblem */
export function compilePattern(source: string): Pattern {
  const compiled = compile(source)
  return {
    test: (text) => compiled.matcher(text).find(),
    replaceAll: (text, to) => compiled.matcher(text).replaceAll(toReplacement(to)),
    matches(text) {
      const matcher = compiled.matcher(text)
      const found: string[] = []
      while (matcher.find()) found.push(matcher.group() ?? '')
      return found
    },
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch {
    throw new EvaluationProblem('the pattern is not one of RE2')
  }
}

/** Returns a replacement as the library writes it: a backslash is itself, and a dollar sign before no group is itself. */
function toReplacement(to: string): string {
  return to.replaceAll('\\', '\\\\').replace(/\$(?!\d|\{)/g, '\\$')
}
