import type { PolicyOptions } from './options.ts'
import type { PlacedPolicyProblem, PolicyProblem } from './problem.ts'

export type { PolicyOptions, PolicyPlace, PolicyProtocol } from './options.ts'
export type { PlacedPolicyProblem, PolicyPath, PolicyProblem } from './problem.ts'

/**
 * Checks the text of a traffic policy, in JSON or YAML, as the service does.
 *
 * @returns all problems, in the order of the text
 */
export function checkPolicy(_text: string, _options: PolicyOptions = {}): readonly PlacedPolicyProblem[] {
  return []
}

/** Checks a parsed policy. Returns all problems, by path. */
export function checkPolicyValue(_policy: unknown, _options: PolicyOptions = {}): readonly PolicyProblem[] {
  return []
}
