import type { ASTNode } from '@marcbachmann/cel-js'
import { timeMs } from '../schema/time.ts'
import { call, method } from './calls.ts'
import { comparison, membership } from './comparisons.ts'
import { field, requireWhole } from './fields.ts'
import { type Compile, literal, mistyped, type Part, type Term, writtenValue } from './part.ts'
import { misplaced, VALUES } from './syntax.ts'
import { joined, named, type Type } from './types.ts'

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
