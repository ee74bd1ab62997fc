import type { ASTNode } from '@marcbachmann/cel-js'
import { refusePart, VALUES } from './filter-error.ts'
import {
  CONDITION,
  createComparison,
  createList,
  createLiteral,
  createMembership,
  createNegation,
  createNow,
  createShiftedTime,
  createSize,
  createTextTest,
  createTimestamp,
  describeFields,
  findFieldType,
  isNow,
  type Part,
  readField,
  refuseType,
  TEXT_TESTS,
  type Term,
} from './parts.ts'
import type { FilterableField, Type } from './types.ts'

/** The maximum nesting, the same as the parser's for parentheses. */
const MAX_DEPTH = 250

const CALLS = 'size(), timestamp(), .size(), .startsWith(), .endsWith(), .contains(), .add() or .subtract()'

/** The constructs of CEL that are not in the subset, by their operators. Operators that are not listed are arithmetic. */
const UNSUPPORTED: Readonly<Record<string, string>> = { '?:': 'a choice', '[]': 'an index', map: 'a map' }

type DeclaredFields = ReadonlyMap<string, Exclude<FilterableField, string>>

/** Compiles filters over items of one type. Throws a `FilterError` for a part that is not supported or has the wrong type. */
export class Compiler {
  /** The fields that filters can name, by name; undefined if filters can name all fields. */
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

  compileCondition(node: ASTNode): Term {
    const part = this.#compile(node)
    if (part.type.kind !== 'condition') refuseType(part, 'a condition, such as obj.id == "…"')
    return part.term
  }

  #compile(node: ASTNode): Part {
    if (++this.#depth > MAX_DEPTH) refusePart(node, `nested deeper than ${MAX_DEPTH} levels`, 'no more nesting')
    const part = this.#compileNode(node)
    this.#depth--
    return part
  }

  #compileNode(node: ASTNode): Part {
    switch (node.op) {
      case 'value':
        return createLiteral(node, node.args)
      case 'list': {
        const items = node.args.map((each) => this.#compile(each))
        return createList(node, items)
      }
      case 'id':
      case '.':
        return this.#compileField(node)
      case '-_':
        return createNegation(node, this.#compile(node.args))
      case '!_': {
        const term = this.compileCondition(node.args)
        return { node, type: CONDITION, term: (obj, now) => term(obj, now) !== true }
      }
      case '&&':
      case '||':
        return this.#compileChain(node, node.op)
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return createComparison(node, this.#compile(node.args[0]), this.#compile(node.args[1]))
      case 'in':
        return createMembership(node, this.#compile(node.args[0]), this.#compile(node.args[1]))
      case 'call':
        return this.#compileCall(node, node.args[0], node.args[1])
      case 'rcall':
        return this.#compileMethod(node, node.args[0], this.#compile(node.args[1]), node.args[2])
      default:
        return refusePart(node, UNSUPPORTED[node.op] ?? 'arithmetic', VALUES)
    }
  }

  /** Compiles a chain such as `a && b && c` as one part, so that a long chain does not exceed the maximum nesting. */
  #compileChain(node: ASTNode, operator: '&&' | '||'): Part {
    const operands: ASTNode[] = []
    let first = node
    for (; first.op === operator; first = first.args[0]) operands.unshift(first.args[1])
    const terms = [first, ...operands].map((each) => this.compileCondition(each))
    const isEnd = operator === '||'
    return {
      node,
      type: CONDITION,
      term: (obj, now) => terms.some((term) => (term(obj, now) === true) === isEnd) === isEnd,
    }
  }

  /** Compiles `obj`, or a field such as `obj.id`. */
  #compileField(node: ASTNode): Part {
    const names: string[] = []
    let root = node
    for (; root.op === '.'; root = root.args[0]) names.unshift(root.args[1])
    if (root.op !== 'id') return refusePart(node, 'a field of no item', VALUES)
    if (root.args === 'time') return refusePart(node, undefined, 'timestamp(time.now)')
    if (root.args !== this.name) return refusePart(node, 'an unknown name', describeFields(this.name, this.item))
    return this.#declared
      ? this.#compileDeclaredField(node, names.join('.'), this.#declared)
      : this.#compilePath(node, names)
  }

  #compilePath(node: ASTNode, names: readonly string[]): Part {
    let [type, path] = [this.item, this.name]
    for (const name of names) {
      type = findFieldType(node, type, path, name)
      path = `${path}.${name}`
    }
    const term: Term = (obj) => names.reduce<unknown>((value, name) => readField(value, name), obj)
    return { node, type, term }
  }

  #compileDeclaredField(node: ASTNode, name: string, all: DeclaredFields): Part {
    const field = all.get(name)
    const names = () => [...all.keys()].map((each) => `${this.name}.${each}`).join(', ')
    if (!field) return refusePart(node, 'a field that filters cannot name', names())
    const { path = name, words } = field
    if (path === null) return { node, type: { kind: 'text', nullable: true }, term: () => null }
    const found = this.#compilePath(node, path.split('.'))
    // A reference is compared as its id.
    const part = found.type.fields?.id ? this.#compilePath(node, [...path.split('.'), 'id']) : found
    const { kind } = part.type
    return { ...part, words, type: kind === 'list' ? { ...part.type, takesEmpty: true } : part.type }
  }

  /** Compiles `size(x)`, `timestamp("…")` or `timestamp(time.now)`. */
  #compileCall(node: ASTNode, name: string, [argument, ...others]: readonly ASTNode[]): Part {
    if (argument && others.length === 0) {
      if (name === 'size') return createSize(node, this.#compile(argument))
      if (name === 'timestamp')
        return isNow(argument)
          ? createNow(node)
          : createTimestamp(node, this.#compile(argument), this.#declared !== undefined)
    }
    return refusePart(node, 'a call that is not supported', CALLS)
  }

  /** Compiles `x.size()`, `text.startsWith("…")` and its like, or `time.add("7d")`. */
  #compileMethod(node: ASTNode, name: string, target: Part, [argument, ...others]: readonly ASTNode[]): Part {
    if (name === 'size' && !argument) return createSize(node, target)
    if (argument && others.length === 0) {
      const test = Object.hasOwn(TEXT_TESTS, name) && TEXT_TESTS[name]
      if (test && this.#declared && isOwnId(target.node)) refusePart(node, 'a part of an id', 'obj.id == "…"')
      if (test) return createTextTest(node, test, target, this.#compile(argument))
      if (name === 'add') return createShiftedTime(node, target, argument, 1)
      if (name === 'subtract') return createShiftedTime(node, target, argument, -1)
    }
    return refusePart(node, 'a call that is not supported', CALLS)
  }
}

function isOwnId({ op, args }: ASTNode): boolean {
  return op === '.' && args[1] === 'id' && args[0].op === 'id'
}
