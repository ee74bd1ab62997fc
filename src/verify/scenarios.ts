import { groupOf, type Operation } from '../core/operation/operation.ts'
import { dialectFamilies } from '../gateway/dialect-families.ts'
import { tableOf } from '../gateway/table.ts'
import { type DialectName, dialects } from '../service/resources/dialects.ts'
import { accountExamples } from './account-examples.ts'
import type { FamilyExample, Upload } from './example.ts'
import { changingSteps, type Groups } from './family-scenario.ts'
import { type FieldNotAsked, fieldsNotIn, isValueOf, refusedNeeds, withoutNeeds } from './left-out.ts'
import { type Permission, reasonAgainst } from './permissions.ts'
import type { Scenario } from './step.ts'
import { readingSteps, readsOfUnknownIds, stepMaker, versionSteps } from './steps.ts'
import { trafficExamples } from './traffic-examples.ts'

/** The requests that a run sends, and the operations that it omits. */
export interface RequestPlan {
  readonly scenarios: readonly Scenario[]
  /** The reasons why operations are omitted, by operation name. */
  readonly notAsked: ReadonlyMap<string, string>
  /** The fields of called operations that are not in any request. */
  readonly fieldsNotAsked: readonly FieldNotAsked[]
  /** All operations of the dialect, in table order. */
  readonly operations: readonly string[]
  /** The approximate number of requests, including requests that read the lists before and after the run. */
  readonly requests: number
}

export interface PlanOptions extends Permission {
  readonly dialect: DialectName
  readonly upload: Upload
  /** The families to call, by operation group, such as `ip_policies`. Default: all. */
  readonly families?: readonly string[] | undefined
}

/** Returns the operations of a dialect with all of its families. */
function operationsOf(dialect: DialectName): readonly Operation[] {
  return tableOf(dialects[dialect], dialectFamilies[dialect]).api.operations
}

/** The reason for omitting the families that `--only` excludes. */
export const NOT_CHOSEN = 'not among the --only families'

/** Returns the groups of a dialect's operations. They are the families that a run can call. */
export function operationGroups(dialect: DialectName): readonly string[] {
  return [...groupsOf(operationsOf(dialect)).keys()]
}

/** Derives the requests from the table of operations, with one scenario per family. */
export function planOf(options: PlanOptions): RequestPlan {
  const dialect = dialects[options.dialect]
  const operations = operationsOf(options.dialect)
  const examples: Readonly<Record<string, FamilyExample>> = { ...trafficExamples(options.upload), ...accountExamples }
  const groups = groupsOf(operations)
  const reasonFor = (group: string) => reasonAgainst(group, groups.get(group)?.[0]?.path ?? '', options)
  const permitted = operations.filter((operation) => reasonFor(groupOf(operation)) === undefined)
  const leftOut = new Map<string, ReadonlyMap<string, string>>()
  const scenarios: Scenario[] = []
  for (const [group, own] of groups) {
    if (options.families?.includes(group) === false) continue
    const list = own.find(({ query, ids }) => query && Object.keys(ids).length === 0)
    if (!list) {
      scenarios.push({ family: group, path: '', steps: own.flatMap(readsOfUnknownIds) })
      continue
    }
    const make = stepMaker(group, list.path)
    const found = reasonFor(group) === undefined ? examples[group] : undefined
    const needs = found && refusedNeeds(found, (each) => (groups.has(each) ? reasonFor(each) : NO_SUCH_FAMILY))
    if (needs) leftOut.set(group, needs)
    const isFirst = scenarios.every(({ path }) => path === '')
    const example = found && needs && withoutNeeds(found, needs.keys())
    const family = example && { make, path: list.path, groups, operations: permitted, example, dialect }
    scenarios.push({
      family: group,
      path: list.path,
      steps: [
        ...(isFirst ? versionSteps(make) : []),
        ...readingSteps(make, own),
        ...(family ? changingSteps(family) : []),
      ],
    })
  }
  const steps = scenarios.flatMap((each) => each.steps)
  const called = new Set(steps.map(({ operation }) => operation))
  const notAsked = operations.flatMap(({ name }) => {
    if (called.has(name)) return []
    const group = groupOf({ name })
    const isChosen = options.families?.includes(group) ?? true
    return [[name, isChosen ? (reasonFor(group) ?? NEEDS_OTHERS) : NOT_CHOSEN] as const]
  })
  const lists = scenarios.filter(({ path }) => path !== '').length
  return {
    scenarios,
    notAsked: new Map(notAsked),
    fieldsNotAsked: fieldsNotIn(steps, operations, dialect, (operation, field) => {
      const [group, needs = new Map()] = [groupOf(operation), leftOut.get(groupOf(operation))]
      return [...needs].find(([name]) => isValueOf(examples[group] ?? {}, field, name))?.[1]
    }),
    operations: operations.map(({ name }) => name),
    requests: Math.round(steps.length * (options.isReadOnly ? 1 : DELETIONS)) + lists * (options.isReadOnly ? 1 : 2),
  }
}

/**
 * The number of requests per step, including deletions. The resource of an additional creation is deleted immediately, and its deletion is
 * confirmed.
 */
const DELETIONS = 1.1

const NO_SUCH_FAMILY = 'the dialect has no such resources'
const NEEDS_OTHERS = 'it needs something that only an agent or another program creates'

function groupsOf(operations: readonly Operation[]): Groups {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const group = groupOf(operation)
    groups.set(group, [...(groups.get(group) ?? []), operation])
  }
  return groups
}
