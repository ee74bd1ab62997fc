import { formatCount } from '../../../core/schema/text.ts'
import { checkPolicy } from '../index.ts'
import type { PolicyOptions } from '../options.ts'
import type { PlacedPolicyProblem } from '../problem.ts'
import { replaceSecrets } from '../secrets.ts'
import { checkWithWarnings } from '../warnings/index.ts'
import { findPolicies } from './find.ts'
import { type FoundPolicy, moveLines, problemAt, type Slice } from './found.ts'
import { UNKNOWN } from './interpolations.ts'

/** A problem in a file, with the location of the policy in the file, such as `endpoints[0].traffic_policy`. */
export interface FileProblem extends PlacedPolicyProblem {
  readonly policy: string
  /** The line of the file, without the policy's secrets and without the text around the policy. Empty if it cannot be shown. */
  readonly source: string
}

/** The problems of the traffic policies in a file, by line. */
export interface CheckedFile {
  /** The names of the policies in the file. If the file itself is a policy, its name is empty. */
  readonly policies: readonly string[]
  readonly problems: readonly FileProblem[]
  /** The lines of the first template expression or Terraform value in each part of the file. These are not checked. */
  readonly computedLines: readonly number[]
}

/** The number of problems after which no further policies of a file are checked. */
const MAX_PROBLEMS_OF_FILE = 1_000

/** Checks all traffic policies in the text of a file. Options override the protocol and the place given in the file. */
export function checkPolicyFile(text: string, options: PolicyOptions = {}): CheckedFile {
  const { policies, problems, computedLines } = findPolicies(text)
  const all: FileProblem[] = problems.map((problem) => ({ ...problem, policy: '', source: '' }))
  for (const [index, each] of policies.entries()) {
    if (all.length >= MAX_PROBLEMS_OF_FILE) {
      const unchecked = formatCount(policies.length - index, 'more policy', 'more policies')
      const message = `The file has ${formatCount(all.length, 'problem')} before this line. Not checked: ${unchecked}.`
      const rest = problemAt(message, each.slice().linesBefore + 1, 1)
      all.push({ ...rest, rule: 'too-many-problems', hint: 'Fix these problems first.', policy: '', source: '' })
      break
    }
    all.push(...checkFound(each, options))
  }
  return {
    policies: policies.map(({ name }) => name),
    problems: all.sort((a, b) => a.line - b.line || a.column - b.column),
    computedLines,
  }
}

/** Checks a policy in a file. Its problems are located by their positions in the file. */
export function checkFound(
  { name, protocol, place, others = [], value, isTemplate, missing, slice }: FoundPolicy,
  options: PolicyOptions,
): readonly FileProblem[] {
  const uses = [{ ...(protocol && { protocol }), ...(place && { place }) }, ...others].map((use) => ({
    ...use,
    ...options,
  }))
  // Most policies have no problems, and need no places.
  if (typeof value === 'object' && uses.every((known) => checkWithWarnings(value, known).length === 0)) return []
  const sliced = slice()
  // The problems of an unknown value are unknown.
  const unknown = isTemplate ? sliced.text.split('\n').map((text) => text.includes(UNKNOWN)) : []
  const isKnown = ({ line, endLine }: PlacedPolicyProblem) => !unknown.slice(line - 1, endLine).includes(true)
  const all = uses.flatMap((known) => checkPolicy(sliced.text, known)).filter(isKnown)
  const keyOf = ({ line, column, message }: PlacedPolicyProblem) => `${line} ${column} ${message}`
  const problems = [...new Map(all.map((each) => [keyOf(each), each])).values()]
  const lines = problems.length === 0 || sliced.isScattered ? [] : linesWithoutSecrets(sliced.text)
  return problems.map((problem) => {
    const line = lines[problem.line - 1]
    const source =
      line === undefined ? '' : ' '.repeat(sliced.indent) + (sliced.isEscaped ? line.replaceAll('${', '$$${') : line)
    return { ...inFile(problem, sliced), policy: name, source, ...(missing !== undefined && { message: missing }) }
  })
}

/** Returns a policy's problem at its position in the file. */
function inFile(
  problem: PlacedPolicyProblem,
  { text, linesBefore, indent, isScattered, isEscaped }: Slice,
): PlacedPolicyProblem {
  const { line, column, endLine, endColumn } = problem
  const lines = isEscaped ? text.split('\n') : []
  const shift = (at: number, to: number) => to + indent + (lines[at - 1] ?? '').slice(0, to - 1).split('${').length - 1
  const [start, last, end] = isScattered
    ? [indent + 1, 1, indent + 2]
    : [shift(line, column), endLine, shift(endLine, endColumn)]
  const first = isScattered ? 1 : line
  // The lines of a string that is not contiguous are not those of the file.
  const message = isScattered
    ? problem.message.replaceAll(/ in line \d+/g, '$& of the string')
    : moveLines(problem.message, linesBefore)
  return { ...problem, message, line: first + linesBefore, column: start, endLine: last + linesBefore, endColumn: end }
}

/**
 * Returns the lines of a policy's text with its secrets replaced with `*`, because more people read the output of a check than the file. If
 * the text cannot be read and may contain secrets, returns no lines.
 */
function linesWithoutSecrets(text: string): readonly string[] {
  return replaceSecrets(text, (secret) => secret.replace(/[^\r\n]/g, '*'))?.split(/\r\n?|\n/) ?? []
}
