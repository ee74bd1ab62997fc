import { relative } from 'node:path'
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

/** Returns the share of the outcomes of all actions that tests reach, in whole percent. */
export function percentOf(rules: readonly CoveredRule[]): number {
  const { all, reached } = countOutcomes(rules)
  return all === 0 ? 100 : Math.floor((reached * 100) / all)
}

/** Counts the outcomes of the actions of rules, those that tests reach, and those of these that let a rejected request pass. */
export function countOutcomes(rules: readonly CoveredRule[]) {
  const outcomes = rules.flatMap(({ actions }) => actions).flatMap((action) => action.outcomes)
  const reached = outcomes.filter(({ wasReached }) => wasReached)
  return {
    all: outcomes.length,
    reached: reached.length,
    unenforced: reached.filter(({ name }) => name === NOT_ENFORCED).length,
  }
}

/** Lists what no test reached, by line: rules, actions of rules that applied, and outcomes of actions that ran. */
export function listUnreached(rules: readonly CoveredRule[]) {
  const found = rules.flatMap((rule) =>
    rule.wasReached
      ? rule.actions.flatMap(listUnreachedOf)
      : { line: rule.line, what: `the rule ${rule.name ?? `${rule.phase}.${rule.index}`}` },
  )
  return found.sort((a, b) => a.line - b.line)
}

function listUnreachedOf({ type, line, wasReached, outcomes }: CoveredAction) {
  if (!wasReached) return [{ line, what: `the action ${type}` }]
  const missing = outcomes.filter((each) => !each.wasReached)
  return missing.map(({ name }) => ({ line, what: `the outcome "${name}" of ${type}` }))
}

/** Returns a path as seen from the working directory. */
export const shown = (file: string) => relative('', file) || file
