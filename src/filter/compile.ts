import type { ASTNode } from '@marcbachmann/cel-js'
import { durationMs, timeMs } from '../schema/time.ts'
import { misplaced, VALUES } from './syntax.ts'
import { admitsNull, canEqual, joined, named, type Type, typeOf } from './types.ts'

/** The value of a part of a filter, for an item at the time `now`. Times are numbers of ms; what is absent is null. */
export type Term = (obj: object, now: number) => unknown

/** A part of a filter, compiled: where it stands, what it can be, and its value. */
export interface Part {
  readonly node: ASTNode
  readonly type: Type
  readonly term: Term
  /** Whether the value is written out in the filter. */
  readonly isLiteral?: boolean
  /** The dotted path of a field, such as `obj.domain`. */
  readonly path?: string
}

/** Compiles a part of a filter that belongs to another. */
export type Compile = (node: ASTNode) => Part

/** A part whose value is written out in the filter. */
export function literal(node: ASTNode, type: Type, value: unknown): Part {
  return { node, type, term: () => value, isLiteral: true }
}

/** The value of a part that is a {@link literal}. */
export function writtenValue({ term }: Part): unknown {
  return term({}, 0)
}

/** How messages say what a time is written as. */
export const TIMES = 'a time: timestamp("2026-01-01T00:00:00Z"), timestamp(time.now) or a field that holds one'

/** A text that holds a time, as that time. */
export function asTime(part: Part): Part {
  const { node, type, term, isLiteral } = part
  const time: Type = { kind: 'time', nullable: type.nullable }
  if (isLiteral) return literal(node, time, timeMs(writtenValue(part)))
  // The type says that it holds a text.
  return { node, type: time, term: (obj, now) => timeOfField(term(obj, now) as string | null) }
}

/** The time of a field, whose text is always the wire's own. */
function timeOfField(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}

/** Whether a part is a text that holds a time. */
export function holdsTime({ type }: Part): boolean {
  return type.kind === 'text' && type.holdsTime
}

/** Refuses a part for its type. */
export function mistyped({ node, type }: Part, allowed: string): never {
  return misplaced(node, type.kind === 'null' ? undefined : named(type), allowed)
}

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

const CALLS = 'size(), timestamp(), .size(), .startsWith(), .endsWith(), .contains(), .add() or .subtract()'

/** `size(x)`, `timestamp("…")` or `timestamp(time.now)`. */
export function call(node: ASTNode, name: string, args: readonly ASTNode[], sub: Compile): Part {
  if (name === 'size') return size(node, sub(only(node, args, 'size(x)')))
  if (name === 'timestamp') return timestamp(node, only(node, args, 'timestamp("…")'), sub)
  return misplaced(node, 'a call that is not supported', CALLS)
}

const TEXT_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
}

/** `x.size()`, `text.startsWith("…")` and its like, or `time.add("7d")`. */
export function method(node: ASTNode, name: string, target: Part, args: readonly ASTNode[], sub: Compile): Part {
  if (name === 'size') return args.length === 0 ? size(node, target) : wrongCount(node, args, 'x.size()')
  if (name === 'add') return shifted(node, target, only(node, args, 'time.add("7d")'), 1)
  if (name === 'subtract') return shifted(node, target, only(node, args, 'time.subtract("7d")'), -1)
  const test = Object.hasOwn(TEXT_TESTS, name) ? TEXT_TESTS[name] : undefined
  if (!test) return misplaced(node, 'a call that is not supported', CALLS)
  const part = sub(only(node, args, `text.${name}("…")`))
  for (const each of [target, part]) if (each.type.kind !== 'text') mistyped(each, 'a text')
  return {
    node,
    type: { kind: 'boolean', nullable: false },
    term(obj, now) {
      const [text, wanted] = [target.term(obj, now), part.term(obj, now)]
      return typeof text === 'string' && typeof wanted === 'string' && test(text, wanted)
    },
  }
}

/** The argument of a call that has one. */
function only(node: ASTNode, args: readonly ASTNode[], form: string): ASTNode {
  const [first] = args
  return first && args.length === 1 ? first : wrongCount(node, args, form)
}

function wrongCount(node: ASTNode, { length }: readonly ASTNode[], form: string): never {
  return misplaced(node, `a call with ${length} ${length === 1 ? 'argument' : 'arguments'}`, form)
}

function size(node: ASTNode, part: Part): Part {
  const { kind } = part.type
  if (kind !== 'text' && kind !== 'list' && kind !== 'map') mistyped(part, 'a text, a list or a map')
  return { node, type: { kind: 'number', nullable: false }, term: (obj, now) => sizeOf(part.term(obj, now)) }
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? codePoints(value) : Object.keys(value ?? {}).length
}

/** Without a pair of surrogates, the units are the characters. */
function codePoints(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length
}

function timestamp(node: ASTNode, argument: ASTNode, sub: Compile): Part {
  if (isNow(argument)) return { node, type: { kind: 'time', nullable: false }, term: (_obj, now) => now }
  const part = sub(argument)
  if (part.type.kind === 'time') return part
  return holdsTime(part)
    ? { ...asTime(part), node }
    : mistyped(part, 'an RFC 3339 time such as "2026-01-01T00:00:00Z", time.now or a field that holds a time')
}

function isNow({ op, args }: ASTNode): boolean {
  return op === '.' && args[1] === 'now' && args[0].op === 'id' && args[0].args === 'time'
}

function shifted(node: ASTNode, target: Part, duration: ASTNode, sign: 1 | -1): Part {
  const { type, term } = target
  if (type.kind !== 'time') mistyped(target, target.path && holdsTime(target) ? `timestamp(${target.path})` : TIMES)
  const ms = typeof duration.args === 'string' ? durationMs(duration.args) : undefined
  if (ms === undefined) {
    return misplaced(duration, 'no duration', 'a whole number with ms, s, m, h or d in quotes, such as "7d"')
  }
  return {
    node,
    type,
    term(obj, now) {
      const time = term(obj, now) as number | null // Its type is a time.
      return time === null ? null : time + sign * ms
    },
  }
}

/** `obj`, or a path into it, which the listed items must have. */
export function field(node: ASTNode, item: Type): Part {
  const names: string[] = []
  let root = node
  for (; root.op === '.'; root = root.args[0]) names.unshift(root.args[1])
  if (root.op !== 'id') return misplaced(node, 'a field of no item', VALUES)
  if (root.args === 'time') return misplaced(node, undefined, 'timestamp(time.now)')
  if (root.args !== 'obj') return misplaced(node, 'an unknown name', below('obj', item))
  let [type, path] = [item, 'obj']
  for (const name of names) {
    type = fieldOf(node, type, path, name)
    path = `${path}.${name}`
  }
  return { node, type, term: termOf(names), path }
}

function fieldOf(node: ASTNode, type: Type, path: string, name: string): Type {
  if (type.kind === 'map') return type.value
  if (type.kind !== 'object') return misplaced(node, `a field of ${named(type)}`, path)
  const { fields, nullable } = type
  if (!Object.hasOwn(fields, name)) return misplaced(node, 'an unknown field', below(path, type))
  return typeOf(fields[name] as (typeof fields)[string], nullable) // Its own name.
}

/** Whether a part is compared as a whole, as objects and maps are not. */
export function isWhole({ type: { kind } }: Part): boolean {
  return kind !== 'object' && kind !== 'map'
}

/** Refuses an object or a map, which are always fields, in favour of what it holds. */
export function requireWhole(part: Part): void {
  if (!isWhole(part)) mistyped(part, below(part.path as string, part.type)) // A field has a path.
}

function below(path: string, type: Type): string {
  if (type.kind !== 'object') return `one of its values: ${path}.…`
  const paths = Object.keys(type.fields).map((name) => `${path}.${name}`)
  return paths.join(', ') || path
}

function termOf(names: readonly string[]): Term {
  return (obj) => {
    let value: unknown = obj
    for (const name of names) value = ownOf(value as Record<string, unknown> | null, name) // Only an object has names below it.
    return value
  }
}

function ownOf(object: Record<string, unknown> | null, name: string): unknown {
  return object !== null && Object.hasOwn(object, name) ? object[name] : null
}

/** As deep as the parser reads parentheses. */
const DEEPEST = 250

/** Compiles a whole filter over items of a type. Throws a `Misplaced` where a part is not supported or mistyped. */
export function compileCondition(node: ASTNode, item: Type): Term {
  return condition(node, compilerAt(0, item))
}

function compilerAt(depth: number, item: Type): Compile {
  return (node) => {
    if (depth === DEEPEST) misplaced(node, `nested deeper than ${DEEPEST} levels`, 'no more nesting')
    return compile(node, item, compilerAt(depth + 1, item))
  }
}

function compile(node: ASTNode, item: Type, sub: Compile): Part {
  switch (node.op) {
    case 'value':
      return written(node, node.args)
    case 'list':
      return list(node, node.args.map(sub))
    case 'id':
    case '.':
      return field(node, item)
    case '-_':
      return negative(node, sub(node.args))
    case '!_':
      return boolean(node, not(condition(node.args, sub)))
    case '&&':
      return boolean(node, all(chain(node, '&&').map((each) => condition(each, sub))))
    case '||':
      return boolean(node, any(chain(node, '||').map((each) => condition(each, sub))))
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return boolean(node, comparison(node.op, sub(node.args[0]), sub(node.args[1])))
    case 'in':
      return boolean(node, membership(sub(node.args[0]), sub(node.args[1])))
    case 'call':
      return call(node, node.args[0], node.args[1], sub)
    case 'rcall':
      return method(node, node.args[0], sub(node.args[1]), node.args[2], sub)
    default:
      return misplaced(node, UNSUPPORTED[node.op] ?? 'arithmetic', VALUES)
  }
}

/** How messages call what is not in the subset, where it is not arithmetic. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  '?:': 'a choice',
  '[]': 'an index',
  map: 'a map',
}

function boolean(node: ASTNode, term: Term): Part {
  return { node, type: { kind: 'boolean', nullable: false }, term }
}

/** Compiles a part that must be true or false. */
function condition(node: ASTNode, sub: Compile): Term {
  const part = sub(node)
  if (part.type.kind !== 'boolean') mistyped(part, 'a condition, such as obj.id == "…"')
  return part.term
}

/** The operands of `a && b && c`, so that a long chain is no deep one. */
function chain(node: ASTNode, operator: '&&' | '||'): ASTNode[] {
  const operands: ASTNode[] = []
  let first = node
  for (; first.op === operator; first = first.args[0]) operands.push(first.args[1])
  return [first, ...operands.reverse()]
}

function not(term: Term): Term {
  return (obj, now) => term(obj, now) !== true
}

function all(terms: readonly Term[]): Term {
  return (obj, now) => terms.every((term) => term(obj, now) === true)
}

function any(terms: readonly Term[]): Term {
  return (obj, now) => terms.some((term) => term(obj, now) === true)
}

function written(node: ASTNode, value: unknown): Part {
  if (value === null) return literal(node, { kind: 'null', nullable: true }, null)
  if (typeof value === 'boolean') return literal(node, { kind: 'boolean', nullable: false }, value)
  if (typeof value === 'string') {
    return literal(node, { kind: 'text', nullable: false, holdsTime: timeMs(value) !== undefined }, value)
  }
  if (typeof value === 'number') return literal(node, { kind: 'number', nullable: false }, value)
  if (typeof value !== 'bigint')
    return misplaced(node, value instanceof Uint8Array ? 'bytes' : 'an unsigned number', VALUES)
  if (!Number.isSafeInteger(Number(value))) {
    return misplaced(node, 'which is too large', `a number up to ${Number.MAX_SAFE_INTEGER}`)
  }
  return literal(node, { kind: 'number', nullable: false }, Number(value))
}

function negative(node: ASTNode, part: Part): Part {
  if (part.type.kind !== 'number') return mistyped(part, 'a number')
  if (!part.isLiteral) return misplaced(node, 'arithmetic', VALUES)
  return literal(node, part.type, -Number(writtenValue(part)))
}

function list(node: ASTNode, items: readonly Part[]): Part {
  let item: Type | undefined
  for (const part of items) {
    requireWhole(part)
    const before: Type | undefined = item
    item = before ? joined(before, part.type) : part.type
    if (before && !item) mistyped(part, `${named(before)}, like the items before it`)
  }
  const type: Type = { kind: 'list', nullable: false, item }
  if (items.every(({ isLiteral }) => isLiteral)) return literal(node, type, items.map(writtenValue))
  return { node, type, term: (obj, now) => items.map(({ term }) => term(obj, now)) }
}
