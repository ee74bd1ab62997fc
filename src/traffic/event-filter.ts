import type { FilterMatcher } from '../core/operation/events.ts'
import { createExpressions } from '../service/policy/cel/expression.ts'
import { toCelValue } from '../service/policy/cel/types.ts'
import { EvaluationProblem } from '../service/policy/cel/values.ts'

/** Creates the function that evaluates event filters, with the same limits on steps and patterns as for policies. */
export function createFilterMatcher(): FilterMatcher {
  const expressions = createExpressions()
  return (filter, ev) => {
    const { evaluate } = expressions.compile(filter, { phase: 'on_tcp_connect', hasTls: false })
    try {
      const roots = new Map([['ev', toCelValue(ev)]])
      return evaluate({ roots, secret: notInFilters, randomInteger: notInFilters }) === true
    } catch {
      return false
    }
  }
}

function notInFilters(): never {
  throw new EvaluationProblem('A filter can read only the event.')
}
