import type * as v from 'valibot'
import type { CommonDialect } from '../schema/dialect.ts'
import { foreignFieldsOf } from '../schema/documentation.ts'
import { type Problem, problem } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { quote } from '../schema/text.ts'
import { compileCondition } from './compile.ts'
import { Misplaced, parsed } from './syntax.ts'
import { type Type, typeOf } from './types.ts'

/** A compiled list filter: whether an item, in the wire's form, is wanted at the time `now` (ms). */
export type Filter = (obj: object, now: number) => boolean

export const LONGEST_FILTER = 2048

/**
 * Compiles a list filter: a subset of CEL (rules: filters#language), its types checked against the fields that
 * `item` has in the dialect.
 * What is outside the subset, and what can never match, is reported as `filter_invalid`.
 */
export function compileFilter(
  source: string,
  item: v.GenericSchema,
  dialect: CommonDialect,
  problems: Problem[],
): Filter | undefined {
  try {
    if (source.length > LONGEST_FILTER) {
      throw new Misplaced(`it has ${source.length} characters; allowed are at most ${LONGEST_FILTER}`)
    }
    const term = compileCondition(parsed(source), itemType(item, dialect))
    return (obj, now) => term(obj, now) === true
  } catch (error) {
    if (!(error instanceof Misplaced)) throw error
    const values = { received: quote(source), problem: error.message }
    problems.push({ ...problem(general.filter_invalid, values), field: 'filter' })
    return undefined
  }
}

function itemType(item: v.GenericSchema, dialect: CommonDialect): Type {
  const type = typeOf(item)
  if (type.kind !== 'object') return type
  const foreign = foreignFieldsOf(item, dialect)
  return {
    ...type,
    fields: Object.fromEntries(Object.entries(type.fields).filter(([name]) => !foreign.includes(name))),
  }
}
