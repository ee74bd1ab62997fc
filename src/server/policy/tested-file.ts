import { relative } from 'node:path'
import type { CoveredRule } from '../../testing/policy-tests/coverage.ts'
import type { PolicyTestResult } from '../../testing/policy-tests/run.ts'

/** The results of the tests of a file, and what they reached of its policy. */
export interface TestedFile {
  readonly file: string
  readonly policyFile: string
  readonly results: readonly PolicyTestResult[]
  readonly rules: readonly CoveredRule[]
}

/** Returns the share of rules that tests reach, in whole percent. */
export function percentOf(rules: readonly CoveredRule[]): number {
  const reached = rules.filter(({ wasReached }) => wasReached).length
  return rules.length === 0 ? 100 : Math.floor((reached * 100) / rules.length)
}

/** Returns a path as seen from the working directory. */
export const shown = (file: string) => relative('', file) || file
