import type { ASTNode, ParseError } from '@marcbachmann/cel-js'
import type * as v from 'valibot'
import type { CommonDialect } from '../schema/dialect.ts'
import { listForeignFields } from '../schema/documentation.ts'
import { type Problems, problem } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { quote } from '../schema/text.ts'
import { pick } from '../schema/values.ts'
import { parseCel } from './cel-parser.ts'
import { Compiler } from './compile.ts'
import { describePosition, excerpt, FilterError, VALUES } from './filter-error.ts'
import { type FilterableField, type Type, typeOf } from './types.ts'

export type { FilterableField }

/** A compiled list filter: returns whether an item, in the wire's form, is wanted at the time `now` (ms). */
export type Filter = (obj: object, now: number) => boolean

export const MAX_FILTER_LENGTH = 2048

/** The items that a filter chooses from. */
export interface Filtered {
  /** The schema of one item. */
  readonly item: v.GenericSchema
  /** The fields that filters can name where the dialect asks for that; absent for all. */
  readonly filterable?: readonly FilterableField[] | undefined
}

/**
 * Compiles a list filter: a subset of CEL (rules: filters#language). Its types are checked against the fields that items
 * have in the dialect. A filter outside the subset, or one that can never match, is reported as `filter_invalid`.
 */
export function compileFilter(
  source: string,
  { item, filterable }: Filtered,
  dialect: CommonDialect,
  problems: Problems,
): Filter | undefined {
  const term = catchFilterError(() => {
    if (source.length <= MAX_FILTER_LENGTH) {
      const named = dialect.filterFields === 'declared' ? filterable : undefined
      return new Compiler(itemType(item, dialect), named).condition(parse(source))
    }
    throw new FilterError(`it has ${source.length} characters; allowed are at most ${MAX_FILTER_LENGTH}`)
  })
  if (!('problem' in term)) return (obj, now) => term(obj, now) === true
  const refused = problem(general.filter_invalid, { received: quote(source), ...term })
  problems.add(() => ({ ...refused, field: 'filter' }))
  return undefined
}

/**
 * Compiles a filter that chooses items of a schema, such as `endpoint.proto == "tcp"`. The expression calls an item by `name`.
 * Valid CEL that is no filter chooses none.
 *
 * @example
 * ```ts
 * const filter = compileSelector('endpoint.proto == "tcp"', endpoint, 'endpoint')
 * ```
 * @returns the filter, or the problem of the CEL, as a fragment for a message
 */
export function compileSelector(source: string, item: v.GenericSchema, name: string): Filter | { problem: string } {
  const node = catchFilterError(() => parse(source))
  if ('problem' in node) return node
  const term = catchFilterError(() => new Compiler(typeOf(item), undefined, name).condition(node))
  return (obj, now) => !('problem' in term) && term(obj, now) === true
}

function catchFilterError<T extends object>(compile: () => T): T | { problem: string } {
  try {
    return compile()
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    return { problem: error.message }
  }
}

function itemType(item: v.GenericSchema, dialect: CommonDialect): Type {
  const type = typeOf(item)
  const foreign = listForeignFields(item, dialect)
  return { ...type, fields: pick(type.fields ?? {}, (name) => !foreign.includes(name)) }
}

function parse(source: string): ASTNode {
  try {
    return parseCel(source)
  } catch (error) {
    const { code, summary, range = { start: 0, end: 0 } } = error as ParseError // The parser throws nothing else.
    const place = describePosition(source, range.start)
    if (code === 'limit_exceeded') throw new FilterError(`${place}: more than the parser reads: ${summary}`)
    const closing = CLOSING[/^Expected (\w+)/.exec(summary)?.[1] ?? ''] ?? VALUES
    throw new FilterError(
      `${place}: ${excerpt(source, range.start, range.end)}; allowed there is ${closing}, or ${OPERATORS}`,
    )
  }
}

/** The tokens that the parser can expect besides a value, by its names for them. */
const CLOSING: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  IDENTIFIER: 'the name of a field or of a call',
}

const OPERATORS = 'an operator: && || < <= == != >= > in'
