import { cut } from '../../core/schema/text.ts'
import { NOT_ENFORCED } from '../../service/policy/action.ts'
import type { FileProblem } from '../../service/policy/files/check-file.ts'
import type { CoveredAction, CoveredPart, CoveredRule } from '../../testing/policy-tests/coverage.ts'
import type { PolicyTestResult } from '../../testing/policy-tests/run.ts'

/** The results of a file's tests, and the parts of its policy that the tests reached. */
export interface TestedFile {
  /** Both paths are relative to the working directory. */
  readonly file: string
  readonly policyFile: string
  readonly results: readonly PolicyTestResult[]
  readonly rules: readonly CoveredRule[]
  /** The warnings of `policy check` about the policy, except warnings already shown for an earlier file. */
  readonly warnings: readonly FileProblem[]
}

/** Returns the percentage of the outcomes of all rules and actions that tests reach, as an integer. */
export function percentOf(rules: readonly CoveredRule[]): number {
  const { all, reached } = countOutcomes(rules)
  return all === 0 ? 100 : Math.floor((reached * 100) / all)
}

/**
 * Counts the outcomes of rules, actions, and parts of expressions; the outcomes that tests reach; and among these, the outcomes that let a
 * rejected request pass.
 */
export function countOutcomes(rules: readonly CoveredRule[]) {
  const actions = rules.flatMap((rule) => rule.actions)
  const conditions = rules.flatMap((rule) => rule.conditions)
  const outcomes = actions.flatMap((action) => action.outcomes)
  const failures = conditions.flatMap(({ failure }) => failure ?? [])
  const all = [...outcomes, ...conditions, ...failures, ...[...conditions, ...actions].flatMap(({ parts }) => parts)]
  return {
    all: all.length,
    reached: all.filter(({ wasReached }) => wasReached).length,
    unenforced: outcomes.filter(({ name, wasReached }) => wasReached && name === NOT_ENFORCED).length,
  }
}

/**
 * Lists the parts of the policy that no test reached, by line: rules, outcomes of actions, parts of expressions, and the expressions and
 * actions of rules that applied.
 */
export function listUnreached(rules: readonly CoveredRule[]) {
  const found = rules.flatMap((rule) => {
    const name = `the rule ${rule.name ?? `${rule.phase}.${rule.index}`}`
    if (!rule.wasReached) return { line: rule.line, what: name }
    const conditions = rule.conditions.filter(({ wasReached }) => !wasReached)
    return [
      ...conditions.map(({ line, source }) => ({
        line,
        what: `the outcome "did not apply" of ${name}, with ${shorten(source)} false`,
      })),
      ...rule.conditions
        .filter(({ failure }) => failure?.wasReached === false)
        .map(({ line, source }) => ({ line, what: `the outcome "failed" of ${name}, where ${shorten(source)} fails` })),
      ...rule.conditions.flatMap(({ parts }) => listUnreachedParts(parts, name)),
      ...rule.actions.flatMap(listUnreachedOf),
    ]
  })
  return found.sort((a, b) => a.line - b.line)
}

function listUnreachedOf({ type, line, wasReached, outcomes, parts }: CoveredAction) {
  if (!wasReached) return [{ line, what: `the action ${type}` }]
  const missing = outcomes.filter((each) => !each.wasReached)
  return [
    ...missing.map(({ name }) => ({ line, what: `the outcome "${name}" of ${type}` })),
    ...listUnreachedParts(parts, type),
  ]
}

/** Lists the parts of expressions that did not decide anything. List items are grouped by line, because there can be many. */
function listUnreachedParts(parts: readonly CoveredPart[], owner: string) {
  const missing = parts.filter(({ wasReached }) => !wasReached)
  const items = missing.filter(({ of }) => of === 'in')
  const lines = [...new Set(items.map(({ line }) => line))]
  return [
    ...missing.filter(({ of }) => of !== 'in').map((part) => ({ line: part.line, what: describePart(part, owner) })),
    ...lines.map((line) => {
      const sources = items.filter((each) => each.line === line).map(({ source }) => source)
      return {
        line,
        what: `the list ${sources.length > 1 ? 'items' : 'item'} ${shorten(sources.join(', '))} in ${owner}`,
      }
    }),
  ]
}

function describePart({ of, source }: CoveredPart, owner: string): string {
  if (of === '?:') return `the branch ${shorten(source)} of ?: in ${owner}`
  return `the case where ${shorten(source)} is the first ${of === '||' ? 'true' : 'false'} operand of ${of} in ${owner}`
}

/** Returns the source of an expression on one line. */
const shorten = (source: string) => cut(source.trim().replace(/\s*\n\s*/g, ' '))
