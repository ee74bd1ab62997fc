import type { ASTNode } from '@marcbachmann/cel-js'
import { durationMs } from '../schema/duration.ts'
import { asTime, type Compile, holdsTime, mistyped, type Part, TIMES } from './part.ts'
import { misplaced } from './syntax.ts'

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
