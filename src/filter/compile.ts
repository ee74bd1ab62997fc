import type { ASTNode } from '@marcbachmann/cel-js'
import { durationMs, TIME_ALLOWED, timeMs } from '../schema/time.ts'
import { misplaced, VALUES } from './misplaced.ts'
import { canEqual, isOrdered, isWhole, joined, nameOf, type Type, typeOf } from './types.ts'

/** The value of a part, for an item at the time `now`. Times are numbers of ms; what is absent is null. */
type Term = (obj: object, now: number) => unknown

/** A compiled part of a filter. */
interface Part {
  readonly node: ASTNode
  readonly type: Type
  readonly term: Term
  /** True if the value is written out in the filter; then its term ignores the item. */
  readonly isLiteral?: boolean
}

/** As deep as the parser reads parentheses. */
const DEEPEST = 250

const CONDITION: Type = { kind: 'condition', nullable: false }
const NUMBER: Type = { kind: 'number', nullable: false }
const TIME: Type = { kind: 'time', nullable: false }

const TIMES = 'a time: timestamp("2026-01-01T00:00:00Z"), timestamp(time.now) or a field that holds one'
const CALLS = 'size(), timestamp(), .size(), .startsWith(), .endsWith(), .contains(), .add() or .subtract()'

/** The constructs of CEL that are not in the subset, by their nodes; all others are arithmetic. */
const UNSUPPORTED: Readonly<Record<string, string>> = { '?:': 'a choice', '[]': 'an index', map: 'a map' }

type Test = (a: unknown, b: unknown) => boolean

const EQUALITY: Readonly<Record<string, Test>> = { '==': equal, '!=': (a, b) => !equal(a, b) }

const ORDER: Readonly<Record<string, Test>> = {
  '<': precedes,
  '<=': (a, b) => precedes(a, b) || equal(a, b),
  '>': (a, b) => precedes(b, a),
  '>=': (a, b) => precedes(b, a) || equal(a, b),
}

const TEXT_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
}

/** Null equals "" and whatever is absent; lists are equal if their items are. */
function equal(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return (a ?? '') === (b ?? '')
  return a.length === b.length && a.every((item, index) => equal(item, b[index]))
}

/** What is absent precedes nothing, and nothing precedes it. */
function precedes(a: unknown, b: unknown): boolean {
  return a !== null && b !== null && (a as number | string) < (b as number | string) // Only these types are ordered.
}

/** Compiles filters over items of one type. Throws a `Misplaced` if a part is not supported or mistyped. */
export class Compiler {
  readonly #item: Type
  #depth = 0

  constructor(item: Type) {
    this.#item = item
  }

  /** Compiles a part that must be true or false. */
  condition(node: ASTNode): Term {
    const part = this.#part(node)
    if (part.type.kind !== 'condition') mistyped(part, 'a condition, such as obj.id == "…"')
    return part.term
  }

  #part(node: ASTNode): Part {
    if (++this.#depth > DEEPEST) misplaced(node, `nested deeper than ${DEEPEST} levels`, 'no more nesting')
    const part = this.#compiled(node)
    this.#depth--
    return part
  }

  #compiled(node: ASTNode): Part {
    switch (node.op) {
      case 'value':
        return literal(node, node.args)
      case 'list':
        return list(
          node,
          node.args.map((each) => this.#part(each)),
        )
      case 'id':
      case '.':
        return this.#field(node)
      case '-_':
        return negative(node, this.#part(node.args))
      case '!_': {
        const term = this.condition(node.args)
        return { node, type: CONDITION, term: (obj, now) => term(obj, now) !== true }
      }
      case '&&':
      case '||':
        return this.#chain(node, node.op)
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return comparison(node, this.#part(node.args[0]), this.#part(node.args[1]))
      case 'in':
        return membership(node, this.#part(node.args[0]), this.#part(node.args[1]))
      case 'call':
        return this.#call(node, node.args[0], node.args[1])
      case 'rcall':
        return this.#method(node, node.args[0], this.#part(node.args[1]), node.args[2])
      default:
        return misplaced(node, UNSUPPORTED[node.op] ?? 'arithmetic', VALUES)
    }
  }

  /** Compiles `a && b && c` as one part, so that a long chain is not deep. */
  #chain(node: ASTNode, operator: '&&' | '||'): Part {
    const operands: ASTNode[] = []
    let first = node
    for (; first.op === operator; first = first.args[0]) operands.unshift(first.args[1])
    const terms = [first, ...operands].map((each) => this.condition(each))
    const isEnd = operator === '||'
    return {
      node,
      type: CONDITION,
      term: (obj, now) => terms.some((term) => (term(obj, now) === true) === isEnd) === isEnd,
    }
  }

  /** Compiles `obj`, or a path into it, which the listed items must have. */
  #field(node: ASTNode): Part {
    const names: string[] = []
    let root = node
    for (; root.op === '.'; root = root.args[0]) names.unshift(root.args[1])
    if (root.op !== 'id') return misplaced(node, 'a field of no item', VALUES)
    if (root.args === 'time') return misplaced(node, undefined, 'timestamp(time.now)')
    if (root.args !== 'obj') return misplaced(node, 'an unknown name', fieldsOf('obj', this.#item))
    let [type, path] = [this.#item, 'obj']
    for (const name of names) {
      type = fieldType(node, type, path, name)
      path = `${path}.${name}`
    }
    const term: Term = (obj) => names.reduce<unknown>((value, name) => fieldValue(value, name), obj)
    return { node, type, term }
  }

  /** Compiles `size(x)`, `timestamp("…")` or `timestamp(time.now)`. */
  #call(node: ASTNode, name: string, [argument, ...others]: readonly ASTNode[]): Part {
    if (argument && others.length === 0) {
      if (name === 'size') return size(node, this.#part(argument))
      if (name === 'timestamp') return isNow(argument) ? now(node) : timestamp(node, this.#part(argument))
    }
    return misplaced(node, 'a call that is not supported', CALLS)
  }

  /** Compiles `x.size()`, `text.startsWith("…")` and its like, or `time.add("7d")`. */
  #method(node: ASTNode, name: string, target: Part, [argument, ...others]: readonly ASTNode[]): Part {
    if (name === 'size' && !argument) return size(node, target)
    if (argument && others.length === 0) {
      const test = Object.hasOwn(TEXT_TESTS, name) && TEXT_TESTS[name]
      if (test) return textTest(node, test, target, this.#part(argument))
      if (name === 'add') return moved(node, target, argument, 1)
      if (name === 'subtract') return moved(node, target, argument, -1)
    }
    return misplaced(node, 'a call that is not supported', CALLS)
  }
}

function mistyped({ node, type }: Part, allowed: string): never {
  return misplaced(node, type.kind === 'null' ? undefined : nameOf(type), allowed)
}

function literal(node: ASTNode, value: unknown): Part {
  const part = (type: Type, written = value): Part => ({ node, type, term: () => written, isLiteral: true })
  if (value === null) return part({ kind: 'null', nullable: true })
  if (typeof value === 'boolean') return part(CONDITION)
  if (typeof value === 'string') return part({ kind: 'text', nullable: false, holdsTime: timeMs(value) !== undefined })
  if (typeof value === 'number') return part(NUMBER)
  if (typeof value !== 'bigint') return misplaced(node, 'bytes or an unsigned number', VALUES)
  if (Number.isSafeInteger(Number(value))) return part(NUMBER, Number(value))
  return misplaced(node, 'which is too large', `a number up to ${Number.MAX_SAFE_INTEGER}`)
}

function negative(node: ASTNode, { isLiteral, type, term, ...part }: Part): Part {
  if (type.kind !== 'number') return mistyped({ type, term, ...part }, 'a number')
  return isLiteral ? literal(node, -Number(term({}, 0))) : misplaced(node, 'arithmetic', VALUES)
}

function list(node: ASTNode, parts: readonly Part[]): Part {
  let item: Type | undefined
  for (const part of parts) {
    requireWhole(part)
    const before: Type | undefined = item
    item = before ? joined(before, part.type) : part.type
    if (before && !item) mistyped(part, `${nameOf(before)}, like the items before it`)
  }
  const type: Type = { kind: 'list', nullable: false, item }
  return { node, type, term: (obj, now) => parts.map(({ term }) => term(obj, now)) }
}

/** Refuses an object or a map, which are always fields, in favour of the fields in it. */
function requireWhole({ node, type }: Part): void {
  if (!isWhole(type)) misplaced(node, nameOf(type), fieldsOf(node.input.slice(node.range.start, node.range.end), type))
}

function fieldsOf(path: string, { kind, fields = {} }: Type): string {
  if (kind !== 'object') return `one of its values: ${path}.…`
  const paths = Object.keys(fields).map((name) => `${path}.${name}`)
  return paths.join(', ') || path
}

function fieldType(node: ASTNode, type: Type, path: string, name: string): Type {
  if (type.kind === 'map' && type.item) return type.item
  if (type.kind !== 'object') return misplaced(node, `a field of ${nameOf(type)}`, path)
  const { fields = {}, nullable } = type
  const schema = Object.hasOwn(fields, name) ? fields[name] : undefined
  return schema ? typeOf(schema, nullable) : misplaced(node, 'an unknown field', fieldsOf(path, type))
}

function fieldValue(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return null
  return (object as Record<string, unknown>)[name] // As just checked.
}

/** Compares two parts. A text that holds a time is compared with a time as that time. */
function comparison(node: ASTNode, left: Part, right: Part): Part {
  const [a, b] = [besideTime(left, right), besideTime(right, left)]
  const order = ORDER[node.op]
  const canMatch = order ? isOrdered(a.type) && a.type.kind === b.type.kind : canEqual(a.type, b.type)
  if (!canMatch) incomparable(left, right, order ? isOrdered : isWhole)
  const test = order ?? (EQUALITY[node.op] as Test) // It is one or the other.
  return { node, type: CONDITION, term: (obj, now) => test(a.term(obj, now), b.term(obj, now)) }
}

/** Refuses the part of a pair that fits no such comparison, else the literal one. */
function incomparable(left: Part, right: Part, fits: (type: Type) => boolean): never {
  const wrong = [left, right].find(({ type }) => !fits(type)) ?? (left.isLiteral && !right.isLiteral ? left : right)
  requireWhole(wrong)
  const { type } = wrong === left ? right : left
  return mistyped(wrong, fits(type) ? inWords(type) : 'a text, a number or a time')
}

function inWords(type: Type): string {
  if (type.kind === 'time') return TIMES
  return type.holdsTime ? 'a text or a time' : nameOf(type)
}

function besideTime(part: Part, other: Type | Part): Part {
  const { kind } = 'node' in other ? other.type : other
  return kind === 'time' && part.type.holdsTime ? asTime(part.node, part) : part
}

/** Returns whether a list has an item, or a map a key. */
function membership(node: ASTNode, needle: Part, haystack: Part): Part {
  const { kind, item } = haystack.type
  if (kind === 'map') {
    if (needle.type.kind !== 'text') mistyped(needle, 'a text')
    const term: Term = (obj, now) => {
      const key = needle.term(obj, now)
      return typeof key === 'string' && Object.hasOwn(haystack.term(obj, now) ?? {}, key)
    }
    return { node, type: CONDITION, term }
  }
  if (kind !== 'list') return mistyped(haystack, 'a list or a map')
  requireWhole(needle)
  const sought = item ? besideTime(needle, item) : needle
  if (item && !canEqual(sought.type, item)) mistyped(needle, inWords(item))
  const term: Term = (obj, now) => {
    const value = sought.term(obj, now)
    const items = haystack.term(obj, now)
    return Array.isArray(items) && items.some((each) => equal(value, each))
  }
  return { node, type: CONDITION, term }
}

function size(node: ASTNode, part: Part): Part {
  if (!['text', 'list', 'map'].includes(part.type.kind)) mistyped(part, 'a text, a list or a map')
  const term: Term = (obj, now) => {
    const value = part.term(obj, now)
    return typeof value === 'string' ? [...value].length : Object.keys(value ?? {}).length
  }
  return { node, type: NUMBER, term }
}

function textTest(node: ASTNode, test: (text: string, part: string) => boolean, target: Part, part: Part): Part {
  for (const each of [target, part]) if (each.type.kind !== 'text') mistyped(each, 'a text')
  const term: Term = (obj, now) => {
    const [text, wanted] = [target.term(obj, now), part.term(obj, now)]
    return typeof text === 'string' && typeof wanted === 'string' && test(text, wanted)
  }
  return { node, type: CONDITION, term }
}

function isNow({ op, args }: ASTNode): boolean {
  return op === '.' && args[1] === 'now' && args[0].op === 'id' && args[0].args === 'time'
}

function now(node: ASTNode): Part {
  return { node, type: TIME, term: (_obj, now) => now }
}

function timestamp(node: ASTNode, part: Part): Part {
  if (part.type.kind === 'time') return part
  return part.type.holdsTime
    ? asTime(node, part)
    : mistyped(part, `${TIME_ALLOWED}, time.now or a field that holds a time`)
}

/** Returns a text that holds a time as that time. */
function asTime(node: ASTNode, { type, term, isLiteral }: Part): Part {
  const time = (text: unknown) => timeMs(text) ?? null
  const written = isLiteral && time(term({}, 0))
  return {
    node,
    type: { ...TIME, nullable: type.nullable },
    term: isLiteral ? () => written : (obj, now) => time(term(obj, now)),
  }
}

function moved(node: ASTNode, { type, term, ...part }: Part, duration: ASTNode, sign: 1 | -1): Part {
  if (type.kind !== 'time') mistyped({ type, term, ...part }, TIMES)
  const ms = typeof duration.args === 'string' ? durationMs(duration.args) : undefined
  if (ms === undefined) {
    return misplaced(duration, 'no duration', 'a whole number with ms, s, m, h or d in quotes, such as "7d"')
  }
  return {
    node,
    type,
    term(obj, now) {
      const time = term(obj, now)
      return typeof time === 'number' ? time + sign * ms : null
    },
  }
}
