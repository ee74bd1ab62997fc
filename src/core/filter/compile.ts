import type { ASTNode } from '@marcbachmann/cel-js'
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
  type Evaluate,
  type FilterExpression,
  fieldOf,
  findFieldType,
  isNow,
  refuseType,
  TEXT_TESTS,
} from './expressions.ts'
import { refuseNode, VALUE_ALLOWED } from './filter-error.ts'
import type { FilterableField, Type } from './types.ts'

const CALL_ALLOWED = 'size(), timestamp(), .size(), .startsWith(), .endsWith(), .contains(), .add(), or .subtract()'

/** The CEL constructs outside the subset, by operator. Unlisted operators are arithmetic. */
const UNSUPPORTED: Readonly<Record<string, string>> = { '?:': 'a choice', '[]': 'an index', map: 'a map' }

type DeclaredFields = ReadonlyMap<string, Exclude<FilterableField, string>>

/** Compiles filters for one type of item. Throws a `FilterError` for an expression that isn't supported or has the wrong type. */
export class Compiler {
  /** The fields that filters can use, by name, or undefined if all fields are allowed. */
  readonly #declaredFields: DeclaredFields | undefined

  constructor(
    readonly itemType: Type,
    filterable?: readonly FilterableField[],
    /** The name that filters use for an item. */
    readonly itemName = 'obj',
  ) {
    const declared = filterable?.map((each) => (typeof each === 'string' ? { name: each } : each))
    this.#declaredFields = declared && new Map(declared.map((each) => [each.name, each]))
  }

  compileCondition(node: ASTNode): Evaluate {
    const condition = this.#compile(node)
    if (condition.type.kind !== 'condition') refuseType(condition, 'a condition, such as obj.id == "…"')
    return condition.evaluate
  }

  #compile(node: ASTNode): FilterExpression {
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
        const condition = this.compileCondition(node.args)
        return { node, type: CONDITION, evaluate: (obj, now) => condition(obj, now) !== true }
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
        return refuseNode(node, UNSUPPORTED[node.op] ?? 'arithmetic', VALUE_ALLOWED)
    }
  }

  /** Compiles a chain such as `a && b && c` as one expression, so that long chains don't exceed the maximum nesting. */
  #compileChain(node: ASTNode, operator: '&&' | '||'): FilterExpression {
    const rest: ASTNode[] = []
    let first = node
    for (; first.op === operator; first = first.args[0]) rest.unshift(first.args[1])
    const conditions = [first, ...rest].map((each) => this.compileCondition(each))
    // One operand with this value decides the whole chain.
    const decisive = operator === '||'
    return {
      node,
      type: CONDITION,
      evaluate: (obj, now) => conditions.some((condition) => (condition(obj, now) === true) === decisive) === decisive,
    }
  }

  /** Compiles `obj`, or a field such as `obj.id`. */
  #compileField(node: ASTNode): FilterExpression {
    const names: string[] = []
    let root = node
    for (; root.op === '.'; root = root.args[0]) names.unshift(root.args[1])
    if (root.op !== 'id') return refuseNode(node, 'not a field of an item', VALUE_ALLOWED)
    if (root.args === 'time') return refuseNode(node, undefined, 'timestamp(time.now)')
    if (root.args !== this.itemName) return refuseNode(node, 'an unknown name', this.#describeFields())
    return this.#declaredFields
      ? this.#compileDeclaredField(node, names.join('.'), this.#declaredFields)
      : this.#compilePath(node, names)
  }

  #describeFields(): string {
    if (!this.#declaredFields) return describeFields(this.itemName, this.itemType)
    return [...this.#declaredFields.keys()].map((each) => `${this.itemName}.${each}`).join(', ')
  }

  #compilePath(node: ASTNode, names: readonly string[]): FilterExpression {
    let [type, path] = [this.itemType, this.itemName]
    for (const name of names) {
      type = findFieldType(node, type, path, name)
      path = `${path}.${name}`
    }
    const evaluate: Evaluate = (obj) => names.reduce<unknown>((value, name) => fieldOf(value, name), obj)
    return { node, type, evaluate }
  }

  #compileDeclaredField(node: ASTNode, name: string, fields: DeclaredFields): FilterExpression {
    const declared = fields.get(name)
    if (!declared) return refuseNode(node, 'a field that filters cannot use', this.#describeFields())
    const { path = name, words } = declared
    if (path === null) return { node, type: { kind: 'text', nullable: true }, evaluate: () => null }
    const found = this.#compilePath(node, path.split('.'))
    // References are compared by id.
    const field = found.type.fields?.id ? this.#compilePath(node, [...path.split('.'), 'id']) : found
    const { type } = field
    return { ...field, words, type: type.kind === 'list' ? { ...type, takesEmpty: true } : type }
  }

  /** Compiles `size(x)`, `timestamp("…")` or `timestamp(time.now)`. */
  #compileCall(node: ASTNode, name: string, [argument, ...others]: readonly ASTNode[]): FilterExpression {
    if (argument && others.length === 0) {
      if (name === 'size') return createSize(node, this.#compile(argument))
      if (name === 'timestamp')
        return isNow(argument)
          ? createNow(node)
          : createTimestamp(node, this.#compile(argument), this.#declaredFields !== undefined)
    }
    return refuseNode(node, 'an unsupported call', CALL_ALLOWED)
  }

  /** Compiles `x.size()`, `text.startsWith("…")` and similar calls, or `time.add("7d")`. */
  #compileMethod(
    node: ASTNode,
    name: string,
    target: FilterExpression,
    [argument, ...others]: readonly ASTNode[],
  ): FilterExpression {
    if (name === 'size' && !argument) return createSize(node, target)
    if (argument && others.length === 0) {
      const test = Object.hasOwn(TEXT_TESTS, name) && TEXT_TESTS[name]
      if (test && this.#declaredFields && isOwnId(target.node)) refuseNode(node, 'part of an ID', 'obj.id == "…"')
      if (test) return createTextTest(node, test, target, this.#compile(argument))
      if (name === 'add') return createShiftedTime(node, target, argument, 1)
      if (name === 'subtract') return createShiftedTime(node, target, argument, -1)
    }
    return refuseNode(node, 'an unsupported call', CALL_ALLOWED)
  }
}

function isOwnId({ op, args }: ASTNode): boolean {
  return op === '.' && args[1] === 'id' && args[0].op === 'id'
}
