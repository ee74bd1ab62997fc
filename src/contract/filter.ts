import { type ASTNode, parse } from '@marcbachmann/cel-js'
import type * as v from 'valibot'
import { durationMs } from './duration.ts'
import { type Problem, problem } from './errors.ts'
import { quote } from './quote.ts'

/** A compiled list filter: whether an item, in the wire's form, is wanted at the time `now` (ms). */
export type Filter = (obj: object, now: number) => boolean

/** A part of a filter. Times are numbers of ms, so that they compare as such. */
type Term = (obj: object, now: number) => unknown

const LONGEST = 2048

/** Thrown inside the compiler: what is not in the subset. */
class Unsupported extends Error {}

/**
 * Compiles a list filter: the subset of CEL that decisions.md names under "Lists", over the fields of `item`. What is
 * outside the subset is reported as `filter_invalid`. An absent field equals null and "".
 */
export function compileFilter(source: string, item: v.GenericSchema, problems: Problem[]): Filter | undefined {
  try {
    if (source.length > LONGEST) throw new Unsupported(`it is longer than ${LONGEST} characters`)
    const term = condition(parse(source).ast, (node) => compile(node, item))
    return (obj, now) => term(obj, now) === true
  } catch (error) {
    const reason =
      error instanceof Unsupported ? error.message : String((error as { summary?: string }).summary ?? error)
    problems.push({ ...problem('filter_invalid', { received: quote(source), problem: reason }), field: 'filter' })
    return undefined
  }
}

function compile(node: ASTNode, item: v.GenericSchema): Term {
  const sub = (inner: ASTNode) => compile(inner, item)
  switch (node.op) {
    case 'value':
      return literal(node.args)
    case 'list':
      return list(node.args.map(sub))
    case '.':
      return fieldOf(node, item)
    case '!_':
      return not(condition(node.args, sub))
    case '-_':
      return negative(node.args)
    case '&&':
      return both(condition(node.args[0], sub), condition(node.args[1], sub))
    case '||':
      return either(condition(node.args[0], sub), condition(node.args[1], sub))
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(node.op, sub(node.args[0]), sub(node.args[1]))
    case 'in':
      return membership(sub(node.args[0]), sub(node.args[1]))
    case 'call':
      return call(node.args[0], node.args[1], sub)
    case 'rcall':
      return method(node.args[0], sub(node.args[1]), node.args[2], sub)
    default:
      throw new Unsupported(`${describe(node)} is not supported`)
  }
}

const CONDITIONS: ReadonlySet<string> = new Set(['!_', '&&', '||', '==', '!=', '<', '<=', '>', '>=', 'in'])

/** Compiles a part that must be true or false. */
function condition(node: ASTNode, sub: Compile): Term {
  const isCondition =
    CONDITIONS.has(node.op) ||
    (node.op === 'value' && typeof node.args === 'boolean') ||
    (node.op === 'rcall' && Object.hasOwn(METHODS, node.args[0]))
  const term = sub(node)
  if (!isCondition) throw new Unsupported(`${describe(node)} is not a condition`)
  return term
}

function describe(node: ASTNode): string {
  if (node.op === 'id') return `the name ${quote(node.args)}`
  return `"${node.input.slice(node.range.start, node.range.end).slice(0, 40)}"`
}

function literal(value: unknown): Term {
  const plain = typeof value === 'bigint' ? Number(value) : value
  if (typeof plain === 'object' && plain !== null)
    throw new Unsupported('only text, numbers, booleans and null are supported')
  return () => plain
}

function negative(node: ASTNode): Term {
  if (node.op !== 'value' || typeof literal(node.args)({}, 0) !== 'number')
    throw new Unsupported('arithmetic is not supported')
  const number = -Number(node.args)
  return () => number
}

function list(items: readonly Term[]): Term {
  return (obj, now) => items.map((item) => item(obj, now))
}

function not(term: Term): Term {
  return (obj, now) => term(obj, now) !== true
}

function both(left: Term, right: Term): Term {
  return (obj, now) => left(obj, now) === true && right(obj, now) === true
}

function either(left: Term, right: Term): Term {
  return (obj, now) => left(obj, now) === true || right(obj, now) === true
}

/** `obj.a.b`, a path into the item that must exist in its schema; `time.now` is handled by `timestamp`. */
function fieldOf(node: ASTNode, item: v.GenericSchema): Term {
  const path: string[] = []
  let inner = node
  for (; inner.op === '.'; inner = inner.args[0]) path.unshift(inner.args[1])
  if (inner.op !== 'id' || inner.args !== 'obj') throw new Unsupported(`${describe(node)} is not a field of obj`)
  requireField(path, item)
  return (obj) =>
    path.reduce<unknown>((value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : null), obj)
}

/** Refuses a path that the listed items cannot have. */
function requireField(path: readonly string[], item: v.GenericSchema): void {
  let fields = entriesOf(item)
  for (const [depth, name] of path.entries()) {
    if (!fields) return
    if (!Object.hasOwn(fields, name)) {
      const known = Object.keys(fields).map((field) => ['obj', ...path.slice(0, depth), field].join('.'))
      throw new Unsupported(
        `${['obj', ...path.slice(0, depth + 1)].join('.')} is not a field; allowed are ${known.join(', ')}`,
      )
    }
    fields = entriesOf(fields[name] as v.GenericSchema)
  }
}

/** The fields of an object schema, or undefined where any key can stand (a map). */
function entriesOf(schema: v.GenericSchema): Record<string, v.GenericSchema> | undefined {
  const { wrapped, entries, type } = schema as {
    wrapped?: v.GenericSchema
    entries?: Record<string, v.GenericSchema>
    type: string
  }
  if (wrapped) return entriesOf(wrapped)
  return entries ?? (type === 'record' ? undefined : {})
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

function comparison(operator: Comparison, left: Term, right: Term): Term {
  return (obj, now) => compare(operator, left(obj, now), right(obj, now))
}

function compare(operator: Comparison, a: unknown, b: unknown): boolean {
  const [left, right] = alike(a, b)
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return false
  const [x, y] = [left as number, right as number]
  return operator === '<' ? x < y : operator === '<=' ? x <= y : operator === '>' ? x > y : x >= y
}

/** Brings a timestamp text beside a time to a time, and an absent text beside "" to "". */
function alike(a: unknown, b: unknown): [unknown, unknown] {
  if (a instanceof Time) return [a.ms, timeOf(b)]
  if (b instanceof Time) return [timeOf(a), b.ms]
  if (a === null && b === '') return ['', '']
  if (a === '' && b === null) return [null, null]
  return [a, b]
}

/** A point in time inside a filter. */
class Time {
  constructor(readonly ms: number) {}
}

function timeOf(value: unknown): unknown {
  if (value instanceof Time) return value.ms
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

function membership(needle: Term, haystack: Term): Term {
  return (obj, now) => {
    const value = needle(obj, now)
    const within = haystack(obj, now)
    if (Array.isArray(within)) return within.some((item) => compare('==', value, item))
    return isRecord(within) && typeof value === 'string' && Object.hasOwn(within, value)
  }
}

type Compile = (node: ASTNode) => Term

function call(name: string, args: readonly ASTNode[], sub: Compile): Term {
  const only = args.length === 1 ? (args[0] as ASTNode) : undefined
  if (name === 'size' && only) return size(sub(only))
  if (name === 'timestamp' && only) return timestampTerm(only, sub)
  throw new Unsupported(`${name}() with ${args.length} arguments is not supported`)
}

function size(term: Term): Term {
  return (obj, now) => {
    const value = term(obj, now)
    if (typeof value === 'string') return [...value].length
    if (Array.isArray(value)) return value.length
    return isRecord(value) ? Object.keys(value).length : 0
  }
}

/** `timestamp("…")`, `timestamp(time.now)` or `timestamp(obj.created_at)`. */
function timestampTerm(node: ASTNode, sub: Compile): Term {
  if (node.op === '.' && node.args[1] === 'now' && node.args[0].op === 'id' && node.args[0].args === 'time') {
    return (_obj, now) => new Time(now)
  }
  if (node.op === 'value') {
    const ms = typeof node.args === 'string' ? timeOf(node.args) : null
    if (ms === null) throw new Unsupported(`timestamp(${quote(node.args)}) is not an RFC 3339 time`)
    return () => new Time(ms as number)
  }
  const inner = sub(node)
  return (obj, now) => {
    const ms = timeOf(inner(obj, now))
    return ms === null ? null : new Time(ms as number)
  }
}

const METHODS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
}

function method(name: string, target: Term, args: readonly ASTNode[], sub: Compile): Term {
  const only = args.length === 1 ? (args[0] as ASTNode) : undefined
  if (name === 'size' && args.length === 0) return size(target)
  if ((name === 'add' || name === 'subtract') && only) return shifted(target, only, name === 'add' ? 1 : -1)
  const test = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (!test || !only) throw new Unsupported(`.${name}() with ${args.length} arguments is not supported`)
  const part = sub(only)
  return (obj, now) => {
    const [text, wanted] = [target(obj, now), part(obj, now)]
    return typeof text === 'string' && typeof wanted === 'string' && test(text, wanted)
  }
}

function shifted(target: Term, duration: ASTNode, sign: 1 | -1): Term {
  const ms = duration.op === 'value' && typeof duration.args === 'string' ? durationMs(duration.args) : undefined
  if (ms === undefined)
    throw new Unsupported(`${describe(duration)} is not a duration such as "7d", "24h", "30m" or "10s"`)
  return (obj, now) => {
    const time = target(obj, now)
    return time instanceof Time ? new Time(time.ms + sign * ms) : null
  }
}
