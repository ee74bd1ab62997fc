import type { ASTNode } from '@marcbachmann/cel-js'
import { refusePart, VALUES } from './filter-error.ts'
import {
  CONDITION,
  compare,
  describeFields,
  fieldType,
  fieldValue,
  isNow,
  list,
  literal,
  membership,
  negate,
  now,
  type Part,
  refuseType,
  shiftTime,
  size,
  TEXT_TESTS,
  type Term,
  textTest,
  timestamp,
} from './parts.ts'
import type { FilterableField, Type } from './types.ts'

/** The maximum nesting, the same as the parser's for parentheses. */
const MAX_DEPTH = 250

const CALLS = 'size(), timestamp(), .size(), .startsWith(), .endsWith(), .contains(), .add() or .subtract()'

/** The constructs of CEL that are not in the subset, by their nodes; all others are arithmetic. */
const UNSUPPORTED: Readonly<Record<string, string>> = { '?:': 'a choice', '[]': 'an index', map: 'a map' }

type DeclaredFields = ReadonlyMap<string, Exclude<FilterableField, string>>

/** Compiles filters over items of one type. Throws a `FilterError` for a part that is not supported or has the wrong type. */
export class Compiler {
  /** The fields that filters can name, by the name; undefined for all. */
  readonly #declared: DeclaredFields | undefined
  #depth = 0

  constructor(
    readonly item: Type,
    filterable?: readonly FilterableField[],
    /** The name of an item in expressions. */
    readonly name = 'obj',
  ) {
    const declared = filterable?.map((each) => (typeof each === 'string' ? { name: each } : each))
    this.#declared = declared && new Map(declared.map((each) => [each.name, each]))
  }

  condition(node: ASTNode): Term {
    const part = this.#part(node)
    if (part.type.kind !== 'condition') refuseType(part, 'a condition, such as obj.id == "…"')
    return part.term
  }

  #part(node: ASTNode): Part {
    if (++this.#depth > MAX_DEPTH) refusePart(node, `nested deeper than ${MAX_DEPTH} levels`, 'no more nesting')
    const part = this.#compiled(node)
    this.#depth--
    return part
  }

  #compiled(node: ASTNode): Part {
    switch (node.op) {
      case 'value':
        return literal(node, node.args)
      case 'list': {
        const items = node.args.map((each) => this.#part(each))
        return list(node, items)
      }
      case 'id':
      case '.':
        return this.#field(node)
      case '-_':
        return negate(node, this.#part(node.args))
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
        return compare(node, this.#part(node.args[0]), this.#part(node.args[1]))
      case 'in':
        return membership(node, this.#part(node.args[0]), this.#part(node.args[1]))
      case 'call':
        return this.#call(node, node.args[0], node.args[1])
      case 'rcall':
        return this.#method(node, node.args[0], this.#part(node.args[1]), node.args[2])
      default:
        return refusePart(node, UNSUPPORTED[node.op] ?? 'arithmetic', VALUES)
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
    if (root.op !== 'id') return refusePart(node, 'a field of no item', VALUES)
    if (root.args === 'time') return refusePart(node, undefined, 'timestamp(time.now)')
    if (root.args !== this.name) return refusePart(node, 'an unknown name', describeFields(this.name, this.item))
    return this.#declared ? this.#declaredField(node, names.join('.'), this.#declared) : this.#at(node, names)
  }

  #at(node: ASTNode, names: readonly string[]): Part {
    let [type, path] = [this.item, this.name]
    for (const name of names) {
      type = fieldType(node, type, path, name)
      path = `${path}.${name}`
    }
    const term: Term = (obj) => names.reduce<unknown>((value, name) => fieldValue(value, name), obj)
    return { node, type, term }
  }

  #declaredField(node: ASTNode, name: string, all: DeclaredFields): Part {
    const field = all.get(name)
    const names = () => [...all.keys()].map((each) => `${this.name}.${each}`).join(', ')
    if (!field) return refusePart(node, 'a field that filters cannot name', names())
    const { path = name, words } = field
    if (path === null) return { node, type: { kind: 'text', nullable: true }, term: () => null }
    const found = this.#at(node, path.split('.'))
    // A reference is compared as its id.
    const part = found.type.fields?.id ? this.#at(node, [...path.split('.'), 'id']) : found
    const { kind } = part.type
    return { ...part, words, type: kind === 'list' ? { ...part.type, admitsEmpty: true } : part.type }
  }

  /** Compiles `size(x)`, `timestamp("…")` or `timestamp(time.now)`. */
  #call(node: ASTNode, name: string, [argument, ...others]: readonly ASTNode[]): Part {
    if (argument && others.length === 0) {
      if (name === 'size') return size(node, this.#part(argument))
      if (name === 'timestamp')
        return isNow(argument) ? now(node) : timestamp(node, this.#part(argument), this.#declared !== undefined)
    }
    return refusePart(node, 'a call that is not supported', CALLS)
  }

  /** Compiles `x.size()`, `text.startsWith("…")` and its like, or `time.add("7d")`. */
  #method(node: ASTNode, name: string, target: Part, [argument, ...others]: readonly ASTNode[]): Part {
    if (name === 'size' && !argument) return size(node, target)
    if (argument && others.length === 0) {
      const test = Object.hasOwn(TEXT_TESTS, name) && TEXT_TESTS[name]
      if (test && this.#declared && isOwnId(target.node)) refusePart(node, 'a part of an id', 'obj.id == "…"')
      if (test) return textTest(node, test, target, this.#part(argument))
      if (name === 'add') return shiftTime(node, target, argument, 1)
      if (name === 'subtract') return shiftTime(node, target, argument, -1)
    }
    return refusePart(node, 'a call that is not supported', CALLS)
  }
}

function isOwnId({ op, args }: ASTNode): boolean {
  return op === '.' && args[1] === 'id' && args[0].op === 'id'
}
