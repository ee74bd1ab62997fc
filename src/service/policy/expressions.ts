import { isObject } from '../../core/schema/values.ts'
import type { Field } from './action.ts'
import { ACTIONS } from './actions/index.ts'
import { type CheckedExpression, checkExpression } from './expression.ts'
import type { PolicyOptions } from './options.ts'
import { phasesOf } from './phases.ts'
import type { PolicyPath } from './problem.ts'
import { findInterpolations } from './template.ts'

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
export function listExpressions(
  policy: unknown,
  { protocol = 'https', place }: PolicyOptions = {},
): readonly PolicyExpression[] {
  const phases = phasesOf(protocol, place)
  const hasTls = protocol === 'https' || protocol === 'tls'
  const found: PolicyExpression[] = []
  for (const [key, phase] of Object.entries(phases)) {
    const scope = { phase, hasTls, ...(place === 'module' && { isModule: true }) }
    const add = (source: string, path: PolicyPath, kind: PolicyExpression['kind'], offset = 0, isRetry = false) =>
      found.push({ ...checkExpression(source, { ...scope, ...(isRetry && { isRetry }) }), path, offset, kind })
    const addField = (field: Field, value: unknown, path: PolicyPath): void => {
      if (typeof value === 'string') {
        if (field.kind === 'expression' && !value.includes('${')) add(value, path, 'field', 0, field.scope === 'retry')
        else if (field.takesCel || field.kind === 'expression') {
          for (const { source, offset } of findInterpolations(value).found) add(source, path, 'interpolation', offset)
        }
      } else if (typeof value === 'object' && value !== null) {
        for (const [name, each] of Object.entries(value)) {
          const isOne = field.kind === 'list' && field.takesOne && !Array.isArray(value)
          addField(fieldBelow(isOne ? field.item : field, name), each, [
            ...path,
            Array.isArray(value) ? Number(name) : name,
          ])
        }
      }
    }
    for (const [index, rule] of entriesOf(isObject(policy) ? policy[key] : undefined)) {
      if (!isObject(rule)) continue
      for (const [at, each] of entriesOf(rule.expressions)) {
        if (typeof each === 'string') add(each, [key, index, 'expressions', at], 'condition')
      }
      for (const [at, each] of entriesOf(rule.actions)) {
        const action = isObject(each) ? ACTIONS.find(({ type }) => type === each.type) : undefined
        if (!action || !isObject(each)) continue
        const config: Field = { kind: 'object', fields: action.config, about: '' }
        addField(config, each.config, [key, index, 'actions', at, 'config'])
      }
    }
  }
  return found
}

function entriesOf(list: unknown): readonly (readonly [number, unknown])[] {
  return Array.isArray(list) ? [...list.entries()] : []
}

const UNKNOWN: Field = { kind: 'any', about: '' }

function fieldBelow(field: Field, name: string): Field {
  if (field.kind === 'list') return field.item
  if (field.kind === 'map') return field.value
  if (field.kind === 'object') return (Object.hasOwn(field.fields, name) ? field.fields[name] : undefined) ?? UNKNOWN
  return field
}
