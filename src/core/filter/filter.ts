import type { ASTNode, ParseError } from '@marcbachmann/cel-js'
import type * as v from 'valibot'
import type { CommonDialect } from '../schema/dialect.ts'
import { type Problems, problem } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { listForeignFields } from '../schema/schema-parts.ts'
import { quote } from '../schema/text.ts'
import { omit } from '../schema/values.ts'
import { parseCel } from './cel-parser.ts'
import { Compiler } from './compile.ts'
import { cutExcerpt, describePosition, FilterError, VALUE_ALLOWED } from './filter-error.ts'
import { type FilterableField, findType, type Type } from './types.ts'

export type { FilterableField }

/** A compiled filter: a function that returns whether an item in a response matches at the time `now`, in ms. */
export type Filter = (obj: object, now: number) => boolean

export const MAX_FILTER_LENGTH = 2048

/** The information about a list's items that a filter needs. */
export interface Filtered {
  /** The schema of one item. */
  readonly item: v.GenericSchema
  /** The fields that filters can use in dialects that restrict them; absent if all fields are allowed. */
  readonly filterable?: readonly FilterableField[] | undefined
}

/**
 * Compiles a filter written in a subset of CEL (see rules: filters#language), and checks its types against the fields that items have in
 * the dialect. Adds the problem `filter_invalid` if the filter is not in the subset, or if it can never match.
 */
export function compileFilter(
  source: string,
  { item, filterable }: Filtered,
  dialect: CommonDialect,
  problems: Problems,
): Filter | undefined {
  const compiled = catchFilterError(() => {
    requireLength(source)
    const named = dialect.filterFields === 'declared' ? filterable : undefined
    return new Compiler(findItemType(item, dialect), named).compileCondition(parse(source))
  })
  if (!('problem' in compiled)) return (obj, now) => compiled(obj, now) === true
  const refused = problem(general.filter_invalid, { received: quote(source), ...compiled })
  problems.add(() => ({ ...refused, field: 'filter' }))
  return undefined
}

/**
 * Compiles a filter, such as `endpoint.proto == "tcp"`, for items of a schema. `name` is the name of an item in the expression. Valid CEL
 * that is not a filter matches no item.
 *
 * @example
 * ```ts
 * const filter = compileSelector('endpoint.proto == "tcp"', endpoint, 'endpoint')
 * ```
 * @returns the filter, or the problem with the CEL, as a fragment for a message
 */
export function compileSelector(source: string, item: v.GenericSchema, name: string): Filter | { problem: string } {
  const node = catchFilterError(() => parse(source))
  if ('problem' in node) return node
  const compiled = catchFilterError(() => new Compiler(findType(item), undefined, name).compileCondition(node))
  return (obj, now) => !('problem' in compiled) && compiled(obj, now) === true
}

function requireLength(source: string): void {
  const length = source.length > MAX_FILTER_LENGTH ? [...source].length : 0
  if (length > MAX_FILTER_LENGTH) {
    throw new FilterError(`it is ${length} characters long; the maximum is ${MAX_FILTER_LENGTH}`)
  }
}

function catchFilterError<T extends object>(compile: () => T): T | { problem: string } {
  try {
    return compile()
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    return { problem: error.message }
  }
}

function findItemType(item: v.GenericSchema, dialect: CommonDialect): Type {
  const type = findType(item)
  const foreign = listForeignFields(item, dialect)
  return { ...type, fields: omit(type.fields ?? {}, foreign) }
}

function parse(source: string): ASTNode {
  try {
    return parseCel(source)
  } catch (error) {
    const { code, summary, range = { start: 0, end: 0 } } = error as ParseError // The parser throws no other errors.
    const place = describePosition(source, range.start)
    if (code === 'limit_exceeded') throw new FilterError(`${place}: too complex for the parser: ${summary}`)
    const closing = EXPECTED_TOKENS[/^Expected (\w+)/.exec(summary)?.[1] ?? ''] ?? VALUE_ALLOWED
    throw new FilterError(
      `${place}: ${cutExcerpt(source, range.start, range.end)}; expected ${closing}, or ${OPERATORS}`,
    )
  }
}

/** The tokens that the parser can expect apart from a value, by the parser's names. */
const EXPECTED_TOKENS: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  IDENTIFIER: 'a field name or a call',
}

const OPERATORS = 'an operator: && || < <= == != >= > in'
