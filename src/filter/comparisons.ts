import { isWhole, requireWhole } from './fields.ts'
import { asTime, holdsTime, mistyped, type Part, type Term, TIMES } from './part.ts'
import { admitsNull, canEqual, named, type Type } from './types.ts'

/** The operators that compare two values. */
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

type Test = (a: unknown, b: unknown) => boolean

const TESTS: Readonly<Record<Comparison, Test>> = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': precedes,
  '<=': (a, b) => precedes(a, b) || equal(a, b),
  '>': (a, b) => precedes(b, a),
  '>=': (a, b) => precedes(b, a) || equal(a, b),
}

/** Null equals "" and whatever is absent; lists are equal when their items are. */
function equal(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return (a ?? '') === (b ?? '')
  return a.length === b.length && a.every((item, index) => equal(item, b[index]))
}

/** What is absent precedes nothing, and nothing precedes it. */
function precedes(a: unknown, b: unknown): boolean {
  // The types that can be compared so are those of numbers and texts.
  return a !== null && b !== null && (a as number | string) < (b as number | string)
}

/** A comparison of two parts. A text that holds a time is compared with a time as that time. */
export function comparison(operator: Comparison, left: Part, right: Part): Term {
  const [a, b] = [besideTime(left, right), besideTime(right, left)]
  const isOrder = operator !== '==' && operator !== '!='
  const canMatch = isOrder ? isOrdered(a) && a.type.kind === b.type.kind : canEqual(a.type, b.type)
  if (!canMatch) incomparable(left, right, isOrder)
  const test = TESTS[operator]
  return (obj, now) => test(a.term(obj, now), b.term(obj, now))
}

/** A part as a time, where it holds one and the other part is one. */
function besideTime(part: Part, other: Part): Part {
  return other.type.kind === 'time' && holdsTime(part) ? asTime(part) : part
}

function isOrdered({ type: { kind } }: Part): boolean {
  return kind === 'text' || kind === 'number' || kind === 'time'
}

/** Refuses the part of a pair that is to blame: one that can stand in no such comparison, else the written one. */
function incomparable(left: Part, right: Part, isOrder: boolean): never {
  const fits = isOrder ? isOrdered : isWhole
  const blamed = [left, right].find((part) => !fits(part)) ?? (left.isLiteral && !right.isLiteral ? left : right)
  const other = blamed === left ? right : left
  if (!isOrder) requireWhole(blamed)
  if (isOrder && !isOrdered(other)) return mistyped(blamed, 'a text, a number or a time')
  return mistyped(blamed, isOrder ? inWords(other.type) : orNull(other.type))
}

function inWords(type: Type): string {
  if (type.kind === 'time') return TIMES
  return type.kind === 'text' && type.holdsTime ? 'a text or a time' : named(type)
}

function orNull(type: Type): string {
  return admitsNull(type) && type.kind !== 'null' ? `${inWords(type)}, or null` : inWords(type)
}

/** Whether a list has an item, or a map a key. */
export function membership(needle: Part, haystack: Part): Term {
  if (haystack.type.kind === 'map') return isKey(needle, haystack)
  if (haystack.type.kind !== 'list') return mistyped(haystack, 'a list or a map')
  const { item } = haystack.type
  const sought = item?.kind === 'time' && holdsTime(needle) ? asTime(needle) : needle
  requireWhole(needle)
  if (item && !canEqual(sought.type, item)) mistyped(needle, orNull(item))
  return (obj, now) => {
    const value = sought.term(obj, now)
    const items = haystack.term(obj, now)
    return Array.isArray(items) && items.some((each) => equal(value, each))
  }
}

function isKey(needle: Part, map: Part): Term {
  if (needle.type.kind !== 'text') mistyped(needle, 'a text')
  return (obj, now) => {
    const key = needle.term(obj, now)
    const entries = map.term(obj, now)
    return typeof key === 'string' && typeof entries === 'object' && entries !== null && Object.hasOwn(entries, key)
  }
}
