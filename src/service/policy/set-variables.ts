import { isObject } from '../../core/schema/values.ts'
import type { Field } from './action.ts'
import { checkCelText } from './cel-fields.ts'
import type { Place } from './place.ts'
import type { PolicyPath } from './problem.ts'

/** Checks the variables of `set-vars`, and declares each for what follows it. */
export function checkVariables(
  { maxDepth }: Extract<Field, { kind: 'variables' }>,
  value: unknown,
  path: PolicyPath,
  place: Place,
): undefined {
  const { reporter, declared } = place
  if (!Array.isArray(value))
    return reporter.reportValue(2252, path, value, 'a list of maps, each with one name and its value')
  if (value.length === 0) return reporter.report(2223, path, 'is empty. At least one variable is required')
  for (const [index, each] of value.entries()) {
    const at = [...path, index]
    const [first, ...others] = isObject(each) ? Object.entries(each) : []
    if (!first || others.length > 0) {
      reporter.reportValue(2252, at, each, 'a map with one name and its value')
      continue
    }
    const [name, content] = first
    if (measureDepth(content, maxDepth + 1) > maxDepth)
      reporter.report(2250, [...at, name], `is nested deeper than ${maxDepth} levels`)
    else checkCelText(content, [...at, name], place)
    declared.add(name)
  }
}

function measureDepth(value: unknown, limit: number): number {
  if (limit === 0 || typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map((each) => measureDepth(each, limit - 1)))
}
