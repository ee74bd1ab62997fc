import type { ASTNode } from '@marcbachmann/cel-js'
import { lazy } from '../../../core/schema/values.ts'
import { Compiler, type Evaluate, Frame } from '../cel/evaluate.ts'
import { OF_VISIT } from '../cel/functions.ts'
import { MACROS } from '../cel/macros.ts'
import { createOverloads, type Overloads } from '../cel/overloads.ts'
import { Duration, Timestamp } from '../cel/time.ts'
import { NO_OVERLOAD } from '../cel/types.ts'
import { walk } from '../expression.ts'
import { NAMESPACES } from '../functions.ts'

/** An operation that fails with every value of its variables. */
interface Failure {
  readonly node: ASTNode
  /** The reason, such as `the time zone is unknown`. */
  readonly message: string
}

/** The maximum number of operations to try in a policy, and of characters or items in a constant. */
const MAX_OPERATIONS = 1000
const MAX_SIZE = 1000

/** A number greater than any index in a policy. */
const MANY = 10_000

/** Sample values for operands that are known only at run time. If an operation fails with all of them, its constant is the cause. */
const SAMPLES: readonly unknown[] = [
  ...['203.0.113.9', 'text '.repeat(MANY / 5)],
  ...[0n, 1n, -1n, 2_000_000_000n],
  ...[1.5, true],
  ...[new Duration(1n), Timestamp.fromMs(1_767_225_600_000)],
  Array.from({ length: MANY }, () => 'text'),
]

/** Compiles a single operation whose operands already have values. */
class Operation extends Compiler {
  constructor(
    overloads: Overloads,
    readonly operands: readonly ASTNode[],
  ) {
    super(overloads, new Set())
  }

  override compileOwner(node: ASTNode): Evaluate {
    const slot = this.operands.indexOf(node)
    return slot < 0 ? super.compileOwner(node) : ({ slots }) => slots[slot]
  }
}

/** Evaluates the constants in the expressions of a policy. */
export class Constants {
  readonly #values = new Map<ASTNode, unknown>()
  // The check of an expression reports invalid patterns.
  readonly #overloads = lazy(() =>
    createOverloads(() => ({
      size: 0,
      test: () => true,
      replaceAll: (text) => ({ text, matches: [], count: 0 }),
    })),
  )
  #left = MAX_OPERATIONS

  /** Lists the operations of an expression that fail because of their constants. */
  listFailures(tree: ASTNode): readonly Failure[] {
    const nodes: ASTNode[] = []
    walk(tree, (node, parent) => {
      // The operand of `has` may be missing.
      if (parent?.op !== 'call' || parent.args[0] !== 'has') nodes.push(node)
    })
    // Descendants come after their node, so reverse the order.
    return nodes.reverse().flatMap((node) => this.#findFailure(node) ?? [])
  }

  #findFailure(node: ASTNode): Failure | undefined {
    if (node.op === 'value') this.#values.set(node, node.args)
    const operands = operandsOf(node)?.flatMap(listItems) ?? []
    const unknown = operands.filter((each) => !this.#values.has(each))
    if (!isTold(node, operands, unknown) || this.#left-- <= 0) return undefined
    const choices = operands.map((each) => (unknown.includes(each) ? SAMPLES : [this.#values.get(each)]))
    const result = tryAll(new Operation(this.#overloads(), operands).compile(node), choices)
    if ('message' in result) return { node, message: result.message }
    if (unknown.length === 0 && isSmall(result.value)) this.#values.set(node, result.value)
    return undefined
  }
}

/** Returns the operands of an operation that a constant can cause to fail, or undefined for all other nodes. */
function operandsOf(node: ASTNode): readonly ASTNode[] | undefined {
  switch (node.op) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '[]':
      return node.args
    case '.':
      return [node.args[0]]
    case '-_':
      return [node.args]
    case 'list':
    case 'map':
      return node.args.flat()
    case 'call':
      return OF_VISIT.includes(node.args[0]) ? undefined : node.args[1]
    case 'rcall': {
      const [name, owner, args] = node.args
      if (owner.op !== 'id' || !Object.hasOwn(NAMESPACES, owner.args))
        return Object.hasOwn(MACROS, name) ? undefined : [owner, ...args]
      const isOfVisit = OF_VISIT.includes(`${owner.args}.${name}`) && name !== 'int'
      return isOfVisit ? undefined : args
    }
    default:
      return undefined
  }
}

/** Returns the items of a list literal in the operation, or other operands unchanged. */
function listItems(node: ASTNode): readonly ASTNode[] {
  return node.op === 'list' ? node.args.flatMap(listItems) : [node]
}

/** Returns whether the constants of an operation determine whether it fails. */
function isTold(node: ASTNode, operands: readonly ASTNode[], unknown: readonly ASTNode[]): boolean {
  if (unknown.length === 0) return operands.length > 0
  // A negative index is invalid in every list. Other indices and keys depend on the request.
  if (node.op === '[]') return unknown.length === 1 && node.args[1].op === '-_'
  const isFormat = node.op === 'rcall' && node.args[0] === 'format' && unknown.includes(node.args[1])
  return node.op !== 'list' && node.op !== 'map' && !isFormat && unknown.length < Math.min(3, operands.length)
}

/** Evaluates an operation with each combination of its operands' values until it does not fail. */
function tryAll(evaluate: Evaluate, choices: readonly (readonly unknown[])[]) {
  let message: string | undefined
  for (const values of listProducts(choices)) {
    const frame = new Frame({ roots: new Map(), secret: () => '', randomInteger: () => 0 })
    frame.slots.push(...values)
    try {
      return { value: evaluate(frame) }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      // An error about a sample's type says nothing about the constant.
      if (!error.message.startsWith(NO_OVERLOAD)) message ??= error.message
    }
  }
  return message === undefined ? { value: SAMPLES } : { message: message.charAt(0).toLowerCase() + message.slice(1) }
}

/** Lists all combinations of one item from each list. */
export function* listProducts([first, ...others]: readonly (readonly unknown[])[]): Generator<readonly unknown[]> {
  if (!first) yield []
  else for (const rest of listProducts(others)) for (const each of first) yield [each, ...rest]
}

/** Returns whether a value is so small that operations on it take negligible time. */
function isSmall(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= MAX_SIZE && value.every(isSmall)
  return !(typeof value === 'string' || value instanceof Uint8Array) || value.length <= MAX_SIZE
}
