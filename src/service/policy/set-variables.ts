import { isObject } from '../../core/schema/values.ts'
import type { Field } from './action.ts'
import { checkCelText } from './cel-fields.ts'
import type { Place } from './place.ts'
import type { PolicyPath } from './problem.ts'

/** Checks the variables of `set-vars`, and declares each for everything after it. */
export function checkVariables(
  { maxDepth }: Extract<Field, { kind: 'variables' }>,
  value: unknown,
  path: PolicyPath,
  place: Place,
): undefined {
  const { reporter, declared } = place
  const refuse = (at: PolicyPath, received: unknown, allowed: string): undefined => {
    // Later expressions name the variables of a map that lacks its hyphens, which is one mistake.
    const names = isObject(received) ? Object.keys(received) : []
    for (const name of names) declared.add(name)
    reporter.reportValue(
      2252,
      at,
      received,
      allowed,
      names.length > 0 ? { hint: 'Write a list with one map for each name, such as [{ a: 1 }, { b: 2 }].' } : {},
    )
  }
  if (!Array.isArray(value)) return refuse(path, value, 'a list of maps, each with one name and its value')
  if (value.length === 0) return reporter.report(2223, path, 'is empty. At least one variable is required')
  for (const [index, each] of value.entries()) {
    const at = [...path, index]
    const [first, ...others] = isObject(each) ? Object.entries(each) : []
    if (!first || others.length > 0) {
      refuse(at, each, 'a map with one name and its value')
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
