import { checkPolicy } from '../index.ts'
import type { PolicyOptions } from '../options.ts'
import type { PlacedPolicyProblem } from '../problem.ts'
import { type FoundPolicy, findPolicies } from './find.ts'
import { linesWithoutSecrets } from './source-lines.ts'

/** A problem in a file, with the place of its policy in the file, such as `endpoints[0].traffic_policy`. */
export interface FileProblem extends PlacedPolicyProblem {
  readonly policy: string
  /** The line of the file without the policy's secrets and without what surrounds the policy; empty if it cannot be shown. */
  readonly source: string
}

/** The problems of the traffic policies in a file, by line. */
export interface CheckedFile {
  /** The names of the policies in the file. The name of a file that is itself a policy is empty. */
  readonly policies: readonly string[]
  readonly problems: readonly FileProblem[]
  /** True if the file has templates instead of values, and was not checked. */
  readonly isTemplate: boolean
}

/** Checks all traffic policies in the text of a file. Options override what the file says about protocol and place. */
export function checkPolicyFile(text: string, options: PolicyOptions = {}): CheckedFile {
  const { policies, problems, isTemplate } = findPolicies(text)
  const found = policies.flatMap((each) => {
    const { name, protocol, place, indent, isScattered } = each
    const known = { ...(protocol && { protocol }), ...(place && { place }), ...options }
    const own = checkPolicy(each.text, known)
    const lines = own.length === 0 || isScattered ? [] : linesWithoutSecrets(each.text)
    return own.map((problem) => {
      const line = lines[problem.line - 1]
      return { ...inFile(problem, each), policy: name, source: line === undefined ? '' : ' '.repeat(indent) + line }
    })
  })
  const all = [...problems.map((problem) => ({ ...problem, policy: '', source: '' })), ...found]
  return {
    policies: policies.map(({ name }) => name),
    problems: all.sort((a, b) => a.line - b.line || a.column - b.column),
    isTemplate,
  }
}

/** Returns a problem of a policy at its place in the file. */
function inFile(problem: PlacedPolicyProblem, { linesBefore, indent, isScattered }: FoundPolicy): PlacedPolicyProblem {
  const { line, column, endLine, endColumn } = problem
  const [start, last, end] = isScattered ? [indent + 1, 1, indent + 2] : [column + indent, endLine, endColumn + indent]
  const first = isScattered ? 1 : line
  return { ...problem, line: first + linesBefore, column: start, endLine: last + linesBefore, endColumn: end }
}
