import type { ASTNode } from '@marcbachmann/cel-js'
import { durationMs, TIME_ALLOWED, timeMs } from '../schema/time.ts'
import { lookUp } from '../schema/values.ts'
import { refuseNode, VALUE_ALLOWED } from './filter-error.ts'
import { canEqual, describeType, findType, isComparable, isOrdered, mergeTypes, type Type } from './types.ts'

/** A function that returns the value of an expression for an item, at the time `now`, in ms. An absent value is null. */
export type Evaluate = (obj: object, now: number) => unknown

/** A compiled part of a filter. */
export interface FilterExpression {
  readonly node: ASTNode
  readonly type: Type
  readonly evaluate: Evaluate
  /** True for a literal, whose value doesn't depend on the item or the time. */
  readonly isLiteral?: boolean
  /** For a field: the aliases for its values in filters. */
  readonly words?: Readonly<Record<string, string>> | undefined
}

export const CONDITION: Type = { kind: 'condition', nullable: false }
const NUMBER: Type = { kind: 'number', nullable: false }
const TIME: Type = { kind: 'time', nullable: false }

const TIME_EXPRESSION_ALLOWED =
  'a time: timestamp("2026-01-01T00:00:00Z"), timestamp(time.now), or a field that contains a time'

type Comparison = (a: unknown, b: unknown) => boolean

const EQUALITY: Readonly<Record<string, Comparison>> = { '==': areEqual, '!=': (a, b) => !areEqual(a, b) }

const ORDER: Readonly<Record<string, Comparison>> = {
  '<': precedes,
  '<=': (a, b) => precedes(a, b) || areEqual(a, b),
  '>': (a, b) => precedes(b, a),
  '>=': (a, b) => precedes(b, a) || areEqual(a, b),
}

type TextTest = (text: string, sought: string) => boolean

export const TEXT_TESTS: Readonly<Record<string, TextTest>> = {
  startsWith: (text, sought) => text.startsWith(sought),
  endsWith: (text, sought) => text.endsWith(sought),
  contains: (text, sought) => text.includes(sought),
}

/** Returns whether two values are equal. Null equals "", an empty list, and an absent value. Lists are equal if their items are equal. */
function areEqual(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return toComparable(a) === toComparable(b)
  return a.length === b.length && a.every((item, index) => areEqual(item, b[index]))
}

function toComparable(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? '' : (value ?? '')
}

/** Returns whether a value is less than another. An absent value is neither less nor greater than any other value. */
function precedes(a: unknown, b: unknown): boolean {
  return a !== null && b !== null && (a as bigint | number | string) < (b as bigint | number | string) // Only these types are ordered.
}

/** Returns a time in nanoseconds, as in CEL, since RFC 3339 allows fractions of a millisecond, or null if it is not a time. */
function toNanoseconds(value: unknown): bigint | null {
  const ms = timeMs(value)
  if (ms === undefined) return null
  const [, digits = ''] = (typeof value === 'string' && /\.\d{3}(\d{1,6})/.exec(value)) || []
  return BigInt(Math.floor(ms)) * NANOSECONDS_PER_MS + BigInt(digits.padEnd(6, '0'))
}

const NANOSECONDS_PER_MS = 1_000_000n

export function refuseType({ node, type }: FilterExpression, allowed: string): never {
  return refuseNode(node, type.kind === 'null' ? undefined : describeType(type), allowed)
}

export function createLiteral(node: ASTNode, value: unknown): FilterExpression {
  const literal = (type: Type, written = value): FilterExpression => ({
    node,
    type,
    evaluate: () => written,
    isLiteral: true,
  })
  if (value === null) return literal({ kind: 'null', nullable: true })
  if (typeof value === 'boolean') return literal(CONDITION)
  if (typeof value === 'string') {
    return literal({ kind: 'text', nullable: false, isTime: timeMs(value) !== undefined, isEmpty: value === '' })
  }
  if (typeof value === 'number') return literal(NUMBER)
  if (typeof value !== 'bigint') return refuseNode(node, 'bytes or an unsigned number', VALUE_ALLOWED)
  if (Number.isSafeInteger(Number(value))) return literal(NUMBER, Number(value))
  return refuseNode(node, 'a number that is too large', `a number up to ${Number.MAX_SAFE_INTEGER}`)
}

export function createNegation(node: ASTNode, operand: FilterExpression): FilterExpression {
  if (operand.type.kind !== 'number') return refuseType(operand, 'a number')
  return operand.isLiteral
    ? createLiteral(node, -Number(operand.evaluate({}, 0)))
    : refuseNode(node, 'arithmetic', VALUE_ALLOWED)
}

export function createList(node: ASTNode, items: readonly FilterExpression[]): FilterExpression {
  let itemType: Type | undefined
  for (const item of items) {
    requireComparable(item)
    const before: Type | undefined = itemType
    itemType = before ? mergeTypes(before, item.type) : item.type
    if (before && !itemType) refuseType(item, `${describeType(before)}, like the preceding items`)
  }
  const type: Type = { kind: 'list', nullable: false, item: itemType }
  return { node, type, evaluate: (obj, now) => items.map(({ evaluate }) => evaluate(obj, now)) }
}

/** Rejects an object or a map, because neither can be compared. The message lists the fields. */
function requireComparable({ node, type }: FilterExpression): void {
  if (!isComparable(type))
    refuseNode(node, describeType(type), describeFields(node.input.slice(node.range.start, node.range.end), type))
}

export function describeFields(path: string, { kind, fields = {} }: Type): string {
  if (kind !== 'object') return `one of its values: ${path}.…`
  const paths = Object.keys(fields).map((name) => `${path}.${name}`)
  return paths.join(', ') || path
}

export function findFieldType(node: ASTNode, type: Type, path: string, name: string): Type {
  if (type.kind === 'map' && type.item) return type.item
  if (type.kind === 'list' && type.item && name === '0') return type.item
  if (type.kind !== 'object') return refuseNode(node, `a field of ${describeType(type)}`, path)
  const { fields = {}, nullable } = type
  const schema = lookUp(fields, name)
  return schema ? findType(schema, nullable) : refuseNode(node, 'an unknown field', describeFields(path, type))
}

export function fieldOf(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return null
  return Reflect.get(object, name)
}

export function createComparison(node: ASTNode, left: FilterExpression, right: FilterExpression): FilterExpression {
  const [a, b] = [
    readTimeFor(translateWords(left, right), right.type),
    readTimeFor(translateWords(right, left), left.type),
  ]
  const order = ORDER[node.op]
  const canMatch = order ? isOrdered(a.type) && a.type.kind === b.type.kind : canEqual(a.type, b.type)
  if (!canMatch) refuseComparison(left, right, order ? isOrdered : isComparable)
  const compare = order ?? (EQUALITY[node.op] as Comparison) // The operand is one of the two.
  return { node, type: CONDITION, evaluate: (obj, now) => compare(a.evaluate(obj, now), b.evaluate(obj, now)) }
}

/** Rejects the operand whose type can't be compared this way. If both can, rejects the literal. */
function refuseComparison(left: FilterExpression, right: FilterExpression, fits: (type: Type) => boolean): never {
  const wrong = [left, right].find(({ type }) => !fits(type)) ?? (left.isLiteral && !right.isLiteral ? left : right)
  requireComparable(wrong)
  const { type } = wrong === left ? right : left
  return refuseType(wrong, fits(type) ? describeComparable(type) : 'a string, a number, or a time')
}

function describeComparable(type: Type): string {
  if (type.kind === 'time') return TIME_EXPRESSION_ALLOWED
  return type.isTime ? 'a string or a time' : describeType(type)
}

/** Makes an operand return the values of the field that it is compared with, instead of the field's aliases. */
function translateWords(operand: FilterExpression, { words }: FilterExpression): FilterExpression {
  if (!words) return operand
  const translate = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(translate)
    return typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : value
  }
  return { ...operand, evaluate: (obj, now) => translate(operand.evaluate(obj, now)) }
}

/** Reads a string that is an RFC 3339 time as a time if it is compared with one. */
function readTimeFor(operand: FilterExpression, { kind }: Type): FilterExpression {
  return kind === 'time' && operand.type.isTime ? readAsTime(operand.node, operand) : operand
}

export function createMembership(
  node: ASTNode,
  needle: FilterExpression,
  haystack: FilterExpression,
): FilterExpression {
  const { kind, item } = haystack.type
  if (kind === 'map') {
    if (needle.type.kind !== 'text') refuseType(needle, 'a string')
    const evaluate: Evaluate = (obj, now) => {
      const key = needle.evaluate(obj, now)
      return typeof key === 'string' && Object.hasOwn(haystack.evaluate(obj, now) ?? {}, key)
    }
    return { node, type: CONDITION, evaluate }
  }
  if (kind !== 'list') return refuseType(haystack, 'a list or a map')
  requireComparable(needle)
  const list = translateWords(haystack, needle)
  const sought = item ? readTimeFor(needle, item) : needle
  const hasTimes = needle.type.kind === 'time' && item?.isTime === true
  if (item && !hasTimes && !canEqual(sought.type, item)) refuseType(needle, describeComparable(item))
  const evaluate: Evaluate = (obj, now) => {
    const value = sought.evaluate(obj, now)
    const items = list.evaluate(obj, now)
    return Array.isArray(items) && items.some((each) => areEqual(value, hasTimes ? toNanoseconds(each) : each))
  }
  return { node, type: CONDITION, evaluate }
}

export function createSize(node: ASTNode, operand: FilterExpression): FilterExpression {
  if (!['text', 'list', 'map'].includes(operand.type.kind)) refuseType(operand, 'a string, a list, or a map')
  const evaluate: Evaluate = (obj, now) => {
    const value = operand.evaluate(obj, now)
    return typeof value === 'string' ? [...value].length : Object.keys(value ?? {}).length
  }
  return { node, type: NUMBER, evaluate }
}

export function createTextTest(
  node: ASTNode,
  test: TextTest,
  target: FilterExpression,
  sought: FilterExpression,
): FilterExpression {
  for (const each of [target, sought]) if (each.type.kind !== 'text') refuseType(each, 'a string')
  const evaluate: Evaluate = (obj, now) => {
    const [text, part] = [target.evaluate(obj, now), sought.evaluate(obj, now)]
    return typeof text === 'string' && typeof part === 'string' && test(text, part)
  }
  return { node, type: CONDITION, evaluate }
}

export function isNow({ op, args }: ASTNode): boolean {
  return op === '.' && args[1] === 'now' && args[0].op === 'id' && args[0].args === 'time'
}

export function createNow(node: ASTNode): FilterExpression {
  return { node, type: TIME, evaluate: (_obj, now) => toNanoseconds(now) }
}

/** Parses the time in a string. With `takesDays`, a day such as "2026-01-01Z" means the start of that day. */
export function createTimestamp(node: ASTNode, operand: FilterExpression, takesDays = false): FilterExpression {
  if (operand.type.kind === 'time') return operand
  const [, day] = (takesDays && operand.isLiteral && /^(\d{4}-\d\d-\d\d)Z$/.exec(String(operand.evaluate({}, 0)))) || []
  if (day !== undefined) return createTimestamp(node, createLiteral(operand.node, `${day}T00:00:00Z`))
  return operand.type.isTime
    ? readAsTime(node, operand)
    : refuseType(operand, `${TIME_ALLOWED}, time.now, or a field that contains a time`)
}

function readAsTime(node: ASTNode, { type, evaluate, isLiteral }: FilterExpression): FilterExpression {
  const written = isLiteral && toNanoseconds(evaluate({}, 0))
  return {
    node,
    type: { ...TIME, nullable: type.nullable },
    evaluate: isLiteral ? () => written : (obj, now) => toNanoseconds(evaluate(obj, now)),
  }
}

export function createShiftedTime(
  node: ASTNode,
  time: FilterExpression,
  duration: ASTNode,
  sign: 1 | -1,
): FilterExpression {
  if (time.type.kind !== 'time') refuseType(time, TIME_EXPRESSION_ALLOWED)
  const durationInMs = typeof duration.args === 'string' ? durationMs(duration.args) : undefined
  if (durationInMs === undefined) {
    return refuseNode(
      duration,
      'not a duration',
      'a whole number followed by a unit (ms, s, m, h, or d), in quotes, such as "7d"',
    )
  }
  const shift = BigInt(sign * durationInMs) * NANOSECONDS_PER_MS
  const evaluate: Evaluate = (obj, now) => {
    const nanoseconds = time.evaluate(obj, now)
    return typeof nanoseconds === 'bigint' ? nanoseconds + shift : null
  }
  return { node, type: time.type, evaluate }
}
