import type { Operation } from '../core/operation/operation.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { isObject } from '../core/schema/values.ts'
import { fieldsOf } from './bodies.ts'
import type { FamilyExample } from './example.ts'
import { tryParseJson } from './exchange.ts'
import type { Step } from './step.ts'

/** A field of an operation that no request in a run contains, and why. */
export interface FieldNotAsked {
  readonly operation: string
  readonly field: string
  readonly reason: string
}

/** Returns the resources that a family needs but that must not be created, and why. */
export function refusedNeeds(
  { needs = {} }: FamilyExample,
  reasonFor: (family: string) => string | undefined,
): ReadonlyMap<string, string> {
  const refused = Object.entries(needs).flatMap(([name, { family }]) => {
    const reason = reasonFor(family)
    return reason === undefined ? [] : [[name, reason] as const]
  })
  return new Map(refused)
}

/** Returns an example without the values and bodies that refer to certain resources. */
export function withoutNeeds(example: FamilyExample, names: Iterable<string>): FamilyExample {
  const left = [...names]
  if (left.length === 0) return example
  const isNamed = (value: unknown) => left.some((name) => JSON.stringify(value).includes(`{${name}}`))
  const free = <T>(all: Readonly<Record<string, T>> = {}) =>
    Object.fromEntries(Object.entries(all).filter(([, value]) => !isNamed(value)))
  const { needs = {}, values = {}, ...rest } = example
  const known = Object.entries(values).map(([field, value]) => [field, isNamed(value) ? [null] : value])
  return {
    ...rest,
    needs: Object.fromEntries(Object.entries(needs).filter(([name]) => !left.includes(name))),
    values: Object.fromEntries(known),
    creations: free(example.creations),
    changes: free(example.changes),
  }
}

/** Returns the fields of the steps' operations that are not in any of the bodies. */
export function fieldsNotIn(
  steps: readonly Step[],
  operations: readonly Operation[],
  dialect: CommonDialect,
  reasonFor: (operation: Operation, field: string) => string | undefined,
): readonly FieldNotAsked[] {
  const sent = new Map<string, Set<string>>()
  for (const { operation, body = '' } of steps) {
    const parsed = tryParseJson(body)
    if (!isObject(parsed)) continue
    const fields = sent.get(operation) ?? new Set()
    for (const [field, value] of Object.entries(parsed)) if (value !== null) fields.add(field)
    sent.set(operation, fields)
  }
  return operations.flatMap((operation) => {
    const known = sent.get(operation.name)
    if (!known) return []
    return Object.keys(fieldsOf(operation, dialect))
      .filter((field) => !known.has(field))
      .map((field) => ({
        operation: operation.name,
        field,
        reason: reasonFor(operation, field) ?? 'none of its values is known',
      }))
  })
}

/** Returns true if a field's value in an example is a resource of another family. */
export function isValueOf({ values = {} }: FamilyExample, field: string, name: string): boolean {
  return JSON.stringify(values[field] ?? null).includes(`{${name}}`)
}

/** Lists uncalled fields as human-readable lines, grouped by reason. */
export function fieldLines(fields: readonly FieldNotAsked[]): string[] {
  const reasons = [...new Set(fields.map(({ reason }) => reason))]
  const linesOf = (reason: string) => {
    const own = fields.filter((each) => each.reason === reason)
    return [`  ${reason}:`, `    ${own.map(({ operation, field }) => `${operation} ${field}`).join(', ')}`]
  }
  return fields.length === 0 ? [] : ['', 'Fields not called:', ...reasons.flatMap(linesOf)]
}
