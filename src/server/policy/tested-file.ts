import { relative } from 'node:path'
import { cut } from '../../core/schema/text.ts'
import { NOT_ENFORCED } from '../../service/policy/action.ts'
import type { FileProblem } from '../../service/policy/files/check-file.ts'
import type { CoveredAction, CoveredRule } from '../../testing/policy-tests/coverage.ts'
import type { PolicyTestResult } from '../../testing/policy-tests/run.ts'

/** The results of the tests of a file, and what they reached of its policy. */
export interface TestedFile {
  readonly file: string
  readonly policyFile: string
  readonly results: readonly PolicyTestResult[]
  readonly rules: readonly CoveredRule[]
  /** The warnings of `policy check` about the policy, without those of a file before. */
  readonly warnings: readonly FileProblem[]
}

/** Returns the share of the outcomes of all rules and actions that tests reach, in whole percent. */
export function percentOf(rules: readonly CoveredRule[]): number {
  const { all, reached } = countOutcomes(rules)
  return all === 0 ? 100 : Math.floor((reached * 100) / all)
}

/** Counts the outcomes of rules and their actions, those that tests reach, and those of these that let a rejected request pass. */
export function countOutcomes(rules: readonly CoveredRule[]) {
  const outcomes = rules.flatMap(({ actions }) => actions).flatMap((action) => action.outcomes)
  const reached = outcomes.filter(({ wasReached }) => wasReached)
  const conditions = rules.flatMap((rule) => rule.conditions)
  return {
    all: outcomes.length + conditions.length,
    reached: reached.length + conditions.filter(({ wasReached }) => wasReached).length,
    unenforced: reached.filter(({ name }) => name === NOT_ENFORCED).length,
  }
}

/** Lists what no test reached, by line: rules, expressions and actions of rules that applied, and outcomes of actions that ran. */
export function listUnreached(rules: readonly CoveredRule[]) {
  const found = rules.flatMap((rule) => {
    const name = `the rule ${rule.name ?? `${rule.phase}.${rule.index}`}`
    if (!rule.wasReached) return { line: rule.line, what: name }
    const conditions = rule.conditions.filter(({ wasReached }) => !wasReached)
    return [
      ...conditions.map(({ line, source }) => ({
        line,
        what: `the outcome "did not apply" of ${name}, with ${cut(source)} as false`,
      })),
      ...rule.actions.flatMap(listUnreachedOf),
    ]
  })
  return found.sort((a, b) => a.line - b.line)
}

function listUnreachedOf({ type, line, wasReached, outcomes }: CoveredAction) {
  if (!wasReached) return [{ line, what: `the action ${type}` }]
  const missing = outcomes.filter((each) => !each.wasReached)
  return missing.map(({ name }) => ({ line, what: `the outcome "${name}" of ${type}` }))
}

/** Returns a path as seen from the working directory. */
export const shown = (file: string) => relative('', file) || file
