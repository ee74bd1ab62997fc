import { examinePolicy } from './check.ts'
import type { CheckedExpression } from './expression.ts'
import type { PolicyOptions } from './options.ts'
import type { PolicyPath } from './problem.ts'

/** An expression of a policy, with its place. */
export interface PolicyExpression extends CheckedExpression {
  /** The place of the text that has the expression. */
  readonly path: PolicyPath
  /** The character at which the expression begins in that text: 0, or after a `${`. */
  readonly offset: number
  /** The part of the rule that has it: a condition, a `${…}` in a config, or a field that is an expression. */
  readonly kind: 'condition' | 'interpolation' | 'field'
}

/** Lists all CEL expressions of a parsed policy, with their syntax trees, types and places. */
export function listExpressions(policy: unknown, options: PolicyOptions = {}): readonly PolicyExpression[] {
  return examinePolicy(policy, options).expressions
}
