import type { ASTNode } from '@marcbachmann/cel-js'
import type { Variables } from '../action.ts'
import { findBelow } from '../environment.ts'
import { pathOfNode } from '../expression.ts'

/** A value that may be missing from a request: a header, a cookie, a parameter, or part of another value. */
export interface Subject {
  readonly key: string
  /** Its first access, and the test that is true without the value. */
  readonly source: string
  readonly guard: string
  /** The part of the condition that accesses it. */
  readonly test: ASTNode
  /** The name of a header, cookie, or parameter, or undefined for other values. */
  readonly name?: string
  /** The key of the text that the value is part of. */
  readonly base?: string
  /** True if the conditions test only whether the value exists. */
  readonly isTested?: true
}

/**
 * A kind of visitor for whom conditions are tested, by the visitor's value: none, a value that no condition names, an empty value, a value
 * that satisfies each comparison, or a value above all others. Functions that need a number, a time, or a length fail for unreadable
 * values, and integer conversions fail for large values.
 */
export type VisitorKind = 'without' | 'wrong' | 'empty' | 'right' | 'high' | 'unreadable' | 'large'

/** The kinds of visitors to try with a value above all others. */
export const HIGH: readonly VisitorKind[] = ['right', 'high', 'large']

/** The maximum number of tests whose results vary independently. */
export const MAX_CHOICES = 4
/** The maximum number of steps per evaluation. */
export const MAX_STEPS = 2_000
/** The number of characters and items of values that an evaluation reads per step. */
export const SIZE_OF_STEP = 100
/** The maximum nesting of operations. Deeper operations could overflow the call stack. */
export const MAX_DEPTH = 500

/** A value that the policy does not determine. Values with the same key are equal. */
export class Unknown {
  constructor(readonly key: string) {}
}

export const FAILED: unique symbol = Symbol('failed')
/** Marks the visitor's value, and values derived from it. */
export const SENT: unique symbol = Symbol('sent')
export type Value = string | bigint | boolean | Unknown | typeof FAILED | typeof SENT | readonly Value[]

/** The lists of values that functions read, by the ending of the function name. */
export const LISTS: Readonly<Record<string, string>> = {
  ReqHeader: 'req.headers',
  ResHeader: 'res.headers',
  QueryParam: 'req.url.query_params',
  ReqCookie: 'req.cookies',
  ResCookie: 'res.cookies',
}
/** Every request has a host. */
export const HOST = 'req.headers.host'
export const MACROS: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map', 'sortBy']
export const TEXT_TESTS: readonly string[] = ['contains', 'endsWith', 'matches', 'startsWith']
/** The strings for headers and the query. They are empty if the request does not set them. */
export const OPTIONAL: readonly string[] = [
  'req.content_type',
  'req.content_type.raw',
  'req.location',
  'req.url.query',
  'req.url.user_password',
  'req.user_agent',
]
/** The functions that fail for strings that are too short, or that are not a number, a time, or an address. */
const PARTIAL =
  /^(?:base64\.decode|bool|charAt|decodeBase64|decodeJson|double|duration|inCidrRanges?|int|json\.decode|lists\.range|parseUrl|slice|substring|timestamp|uint|unescapeUrl|url\.parse|url\.unescape)$/
/** The functions that fail for numbers that are too large. */
export const OF_INTEGER: readonly string[] = ['int', 'uint']
/** The methods that accept a time zone. */
const OF_ZONE = /^get(?:Date|DayOf\w+|FullYear|Hours|Milliseconds|Minutes|Month|Seconds)$/

/** Returns whether a function or an operator fails for some client values. */
export function isUnsafe(name: string, [, second, third]: readonly Value[]): boolean {
  if (name === '/' || name === '%') return second !== undefined && isSent(second)
  if (name === 'indexOf' || name === 'lastIndexOf') return third !== undefined
  return PARTIAL.test(name) || (OF_ZONE.test(name) && second !== undefined)
}

export function toValue(truth: boolean | undefined): Value {
  return truth ?? FAILED
}

export function fail(values: readonly Value[]): Value {
  return values.includes(FAILED) ? FAILED : values
}

export function isSent(value: Value): boolean {
  return value === SENT || (Array.isArray(value) && value.some(isSent))
}

export function isTold(value: Value): boolean {
  return Array.isArray(value) ? value.every(isTold) : !(value instanceof Unknown)
}

/** Returns the number of characters and items in a value, or a number greater than `most` if it exceeds `most`. */
export function measure(value: Value, most: number): number {
  if (typeof value === 'string') return value.length
  if (value instanceof Unknown) return value.key.length
  if (!Array.isArray(value)) return 0
  let size = value.length
  for (const each of value) {
    if (size > most) return size
    size += measure(each, most - size)
  }
  return size
}

export function describe(value: Value): string {
  if (value instanceof Unknown) return value.key
  if (Array.isArray(value)) return `[${value.map(describe).join()}]`
  return typeof value === 'string' ? `'${value}'` : String(value)
}

export function describeCall({ op }: ASTNode, name: string, values: readonly Value[]): string {
  const [owner, ...others] = values.map(describe)
  return op === 'rcall' && !name.includes('.')
    ? `${owner}.${name}(${others.join()})`
    : `${name}(${values.map(describe).join()})`
}

/** Returns the value of a macro, given the result of its test for each item. */
export function toMacroValue(name: string, items: readonly Value[], truths: readonly (boolean | undefined)[]): Value {
  if (name === 'exists' || name === 'all') {
    const end = name === 'exists'
    return truths.includes(end) ? end : toValue(truths.includes(undefined) ? undefined : !end)
  }
  if (truths.includes(undefined)) return FAILED
  const left = items.filter((_, at) => truths[at])
  return name === 'filter' ? left : left.length === 1
}

export function keyOf(owner: Unknown, name: Value): string {
  return typeof name === 'string' && /^[a-z_]\w*$/i.test(name)
    ? `${owner.key}.${name}`
    : `${owner.key}[${describe(name)}]`
}

export function sourceOf({ input, range }: ASTNode): string {
  return input.slice(range.start, range.end)
}

/** Returns whether a field or item always exists if its owner does. */
export function isThere(node: ASTNode, owner: ASTNode, key: Value, variables: Variables): boolean {
  const path = pathOfNode(node)
  const of = path ?? pathOfNode(owner)
  // A field of an item, such as the value of a cookie, always exists. Results of actions are lists with one item.
  if (of === undefined ? node.op === '.' && owner.op === '[]' : /^(?:vars|actions)\b/.test(of)) return true
  let root = node
  while (root.op === '.' || root.op === '[]') root = root.args[0]
  // A macro's item always exists too.
  if (root.op === 'id' && !Object.hasOwn(variables, root.args)) return true
  if (findBelow(variables, path?.split('.') ?? ['']) !== undefined) return true
  // A split string has at least one part, and a path begins with a slash.
  const parts = /^req\.url\.path\.split\(['"]\/['"]\)$/.test(sourceOf(owner)) ? 2 : 1
  return owner.op === 'rcall' && owner.args[0] === 'split' && typeof key === 'bigint' && key < parts
}
