import type { ASTNode } from '@marcbachmann/cel-js'
import { durationMs, TIME_ALLOWED, timeMs } from '../schema/time.ts'
import { refusePart, VALUES } from './filter-error.ts'
import { canEqual, describeType, findType, isOrdered, isWhole, mergeTypes, type Type } from './types.ts'

/** A function that returns the value of a part, for an item and the time `now`. Times are in ms. An absent value is null. */
export type Term = (obj: object, now: number) => unknown

export interface Part {
  readonly node: ASTNode
  readonly type: Type
  readonly term: Term
  /** True if the filter has the value itself. Its term then ignores the item. */
  readonly isLiteral?: boolean
  /** The other words for the values of a field. */
  readonly words?: Readonly<Record<string, string>> | undefined
}

export const CONDITION: Type = { kind: 'condition', nullable: false }
const NUMBER: Type = { kind: 'number', nullable: false }
const TIME: Type = { kind: 'time', nullable: false }

const TIMES = 'a time: timestamp("2026-01-01T00:00:00Z"), timestamp(time.now) or a field that holds one'

type Test = (a: unknown, b: unknown) => boolean

const EQUALITY: Readonly<Record<string, Test>> = { '==': areEqual, '!=': (a, b) => !areEqual(a, b) }

const ORDER: Readonly<Record<string, Test>> = {
  '<': precedes,
  '<=': (a, b) => precedes(a, b) || areEqual(a, b),
  '>': (a, b) => precedes(b, a),
  '>=': (a, b) => precedes(b, a) || areEqual(a, b),
}

export const TEXT_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
}

/** Returns whether two values are equal. Null equals "", an empty list and an absent value. Lists are equal if their items are. */
function areEqual(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return toComparable(a) === toComparable(b)
  return a.length === b.length && a.every((item, index) => areEqual(item, b[index]))
}

function toComparable(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? '' : (value ?? '')
}

/** Returns whether a value is less than another. An absent value is neither less nor greater than any. */
function precedes(a: unknown, b: unknown): boolean {
  return a !== null && b !== null && (a as number | string) < (b as number | string) // Only these types are ordered.
}

export function refuseType({ node, type }: Part, allowed: string): never {
  return refusePart(node, type.kind === 'null' ? undefined : describeType(type), allowed)
}

export function createLiteral(node: ASTNode, value: unknown): Part {
  const part = (type: Type, written = value): Part => ({ node, type, term: () => written, isLiteral: true })
  if (value === null) return part({ kind: 'null', nullable: true })
  if (typeof value === 'boolean') return part(CONDITION)
  if (typeof value === 'string') {
    return part({ kind: 'text', nullable: false, isTime: timeMs(value) !== undefined, isEmpty: value === '' })
  }
  if (typeof value === 'number') return part(NUMBER)
  if (typeof value !== 'bigint') return refusePart(node, 'bytes or an unsigned number', VALUES)
  if (Number.isSafeInteger(Number(value))) return part(NUMBER, Number(value))
  return refusePart(node, 'which is too large', `a number up to ${Number.MAX_SAFE_INTEGER}`)
}

export function createNegation(node: ASTNode, part: Part): Part {
  if (part.type.kind !== 'number') return refuseType(part, 'a number')
  return part.isLiteral ? createLiteral(node, -Number(part.term({}, 0))) : refusePart(node, 'arithmetic', VALUES)
}

export function createList(node: ASTNode, parts: readonly Part[]): Part {
  let item: Type | undefined
  for (const part of parts) {
    requireWhole(part)
    const before: Type | undefined = item
    item = before ? mergeTypes(before, part.type) : part.type
    if (before && !item) refuseType(part, `${describeType(before)}, like the items before it`)
  }
  const type: Type = { kind: 'list', nullable: false, item }
  return { node, type, term: (obj, now) => parts.map(({ term }) => term(obj, now)) }
}

/** Refuses an object or a map, which cannot be compared. The message lists its fields. */
function requireWhole({ node, type }: Part): void {
  if (!isWhole(type))
    refusePart(node, describeType(type), describeFields(node.input.slice(node.range.start, node.range.end), type))
}

export function describeFields(path: string, { kind, fields = {} }: Type): string {
  if (kind !== 'object') return `one of its values: ${path}.…`
  const paths = Object.keys(fields).map((name) => `${path}.${name}`)
  return paths.join(', ') || path
}

export function findFieldType(node: ASTNode, type: Type, path: string, name: string): Type {
  if (type.kind === 'map' && type.item) return type.item
  if (type.kind === 'list' && type.item && name === '0') return type.item
  if (type.kind !== 'object') return refusePart(node, `a field of ${describeType(type)}`, path)
  const { fields = {}, nullable } = type
  const schema = Object.hasOwn(fields, name) ? fields[name] : undefined
  return schema ? findType(schema, nullable) : refusePart(node, 'an unknown field', describeFields(path, type))
}

export function readField(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return null
  return Reflect.get(object, name)
}

/** Makes the comparison of two parts. Beside a time, a text that is a time counts as that time. */
export function createComparison(node: ASTNode, left: Part, right: Part): Part {
  const [a, b] = [
    readTimeBeside(translateWords(right, left), right.type),
    readTimeBeside(translateWords(left, right), left.type),
  ]
  const order = ORDER[node.op]
  const canMatch = order ? isOrdered(a.type) && a.type.kind === b.type.kind : canEqual(a.type, b.type)
  if (!canMatch) refuseComparison(left, right, order ? isOrdered : isWhole)
  const test = order ?? (EQUALITY[node.op] as Test) // It is one or the other.
  return { node, type: CONDITION, term: (obj, now) => test(a.term(obj, now), b.term(obj, now)) }
}

/** Refuses the one of two parts that cannot be compared this way. If both can, refuses the literal. */
function refuseComparison(left: Part, right: Part, fits: (type: Type) => boolean): never {
  const wrong = [left, right].find(({ type }) => !fits(type)) ?? (left.isLiteral && !right.isLiteral ? left : right)
  requireWhole(wrong)
  const { type } = wrong === left ? right : left
  return refuseType(wrong, fits(type) ? describeComparable(type) : 'a text, a number or a time')
}

function describeComparable(type: Type): string {
  if (type.kind === 'time') return TIMES
  return type.isTime ? 'a text or a time' : describeType(type)
}

/** Translates the value of a part from other words to the values of the field that it is compared with. */
function translateWords({ words }: Part, part: Part): Part {
  if (!words) return part
  const translate = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(translate)
    return typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : value
  }
  return { ...part, term: (obj, now) => translate(part.term(obj, now)) }
}

function readTimeBeside(part: Part, { kind }: Type): Part {
  return kind === 'time' && part.type.isTime ? readAsTime(part.node, part) : part
}

export function createMembership(node: ASTNode, needle: Part, haystack: Part): Part {
  const { kind, item } = haystack.type
  if (kind === 'map') {
    if (needle.type.kind !== 'text') refuseType(needle, 'a text')
    const term: Term = (obj, now) => {
      const key = needle.term(obj, now)
      return typeof key === 'string' && Object.hasOwn(haystack.term(obj, now) ?? {}, key)
    }
    return { node, type: CONDITION, term }
  }
  if (kind !== 'list') return refuseType(haystack, 'a list or a map')
  requireWhole(needle)
  const listed = translateWords(needle, haystack)
  const sought = item ? readTimeBeside(needle, item) : needle
  if (item && !canEqual(sought.type, item)) refuseType(needle, describeComparable(item))
  const term: Term = (obj, now) => {
    const value = sought.term(obj, now)
    const items = listed.term(obj, now)
    return Array.isArray(items) && items.some((each) => areEqual(value, each))
  }
  return { node, type: CONDITION, term }
}

export function createSize(node: ASTNode, part: Part): Part {
  if (!['text', 'list', 'map'].includes(part.type.kind)) refuseType(part, 'a text, a list or a map')
  const term: Term = (obj, now) => {
    const value = part.term(obj, now)
    return typeof value === 'string' ? [...value].length : Object.keys(value ?? {}).length
  }
  return { node, type: NUMBER, term }
}

export function createTextTest(
  node: ASTNode,
  test: (text: string, part: string) => boolean,
  target: Part,
  part: Part,
): Part {
  for (const each of [target, part]) if (each.type.kind !== 'text') refuseType(each, 'a text')
  const term: Term = (obj, now) => {
    const [text, wanted] = [target.term(obj, now), part.term(obj, now)]
    return typeof text === 'string' && typeof wanted === 'string' && test(text, wanted)
  }
  return { node, type: CONDITION, term }
}

export function isNow({ op, args }: ASTNode): boolean {
  return op === '.' && args[1] === 'now' && args[0].op === 'id' && args[0].args === 'time'
}

export function createNow(node: ASTNode): Part {
  return { node, type: TIME, term: (_obj, now) => now }
}

/** Makes the time of a text. With `takesDays`, a day such as "2026-01-01Z" is the time at which it begins. */
export function createTimestamp(node: ASTNode, part: Part, takesDays = false): Part {
  if (part.type.kind === 'time') return part
  const [, day] = (takesDays && part.isLiteral && /^(\d{4}-\d\d-\d\d)Z$/.exec(String(part.term({}, 0)))) || []
  if (day !== undefined) return createTimestamp(node, createLiteral(part.node, `${day}T00:00:00Z`))
  return part.type.isTime
    ? readAsTime(node, part)
    : refuseType(part, `${TIME_ALLOWED}, time.now or a field that holds a time`)
}

function readAsTime(node: ASTNode, { type, term, isLiteral }: Part): Part {
  const time = (text: unknown) => timeMs(text) ?? null
  const written = isLiteral && time(term({}, 0))
  return {
    node,
    type: { ...TIME, nullable: type.nullable },
    term: isLiteral ? () => written : (obj, now) => time(term(obj, now)),
  }
}

export function createShiftedTime(node: ASTNode, part: Part, duration: ASTNode, sign: 1 | -1): Part {
  if (part.type.kind !== 'time') refuseType(part, TIMES)
  const ms = typeof duration.args === 'string' ? durationMs(duration.args) : undefined
  if (ms === undefined) {
    return refusePart(duration, 'no duration', 'a whole number with ms, s, m, h or d in quotes, such as "7d"')
  }
  const term: Term = (obj, now) => {
    const time = part.term(obj, now)
    return typeof time === 'number' ? time + sign * ms : null
  }
  return { node, type: part.type, term }
}
