import type { ASTNode } from '@marcbachmann/cel-js'
import { lookUp } from '../../../core/schema/values.ts'
import { TEXT } from '../environment.ts'
import { pathOfNode, walk } from '../expression.ts'
import { NAMESPACES } from '../functions.ts'
import { listNarrowest } from './addresses.ts'
import { hasItem, makeMap, readItem } from './items.ts'
import { limit, measure, Steps } from './limits.ts'
import { join, listItems, MACROS, requireBool } from './macros.ts'
import { areEqual, negate, OPERATORS, toInt } from './operators.ts'
import type { Overloads } from './overloads.ts'
import { noOverload, TYPES, typeOf } from './types.ts'
import { EvaluationProblem, readField, type Values } from './values.ts'

/** The inputs of an evaluation, and the variables of the macros that are running. */
export class Frame extends Steps {
  readonly slots: unknown[] = []
  patterns: Set<string> | undefined

  constructor(
    readonly values: Values,
    /** Receives the parts that decide a value, if the compiler tracks parts. */
    readonly decided?: Set<ASTNode>,
  ) {
    super()
  }

  /** Counts the steps of an operation in a macro. Operations on large values take more steps. */
  operate(...values: readonly unknown[]): void {
    this.step(Math.trunc(measure(...values) / SIZE_OF_STEP))
  }
}

/**
 * The number of characters and items that an operation reads per step, and the number of expression parts that an iteration evaluates per
 * step.
 */
const SIZE_OF_STEP = 4
const NODES_OF_STEP = 16

/** The functions that do not read the items of their lists. */
const SHALLOW = ['.size', 'dyn', 'size', 'type']
const DEEP = ['dyn', 'list', 'map']

function isAmong(value: unknown, list: unknown): boolean {
  return Array.isArray(list) && list.some((each) => areEqual(value, each))
}

function countNodes(tree: ASTNode): number {
  let count = 0
  walk(tree, () => {
    count += 1
  })
  return count
}

/** Returns the value of part of an expression. @throws EvaluationProblem, MissingFact */
export type Evaluate = (frame: Frame) => unknown

/** Compiles syntax trees to functions. */
export class Compiler {
  constructor(
    readonly overloads: Overloads,
    /** The paths of text variables that have nested variables, such as `req.url`. */
    readonly texts: ReadonlySet<string>,
    /** True if evaluations record which parts decide a value, for coverage. */
    readonly countsParts = false,
    /** The variables of the macros around a node. Their values are in the slots of a frame. */
    readonly locals: readonly string[] = [],
  ) {}

  compile(node: ASTNode): Evaluate {
    const value = this.compileOwner(node)
    const path = node.op === '.' ? this.#pathOf(node) : undefined
    return path !== undefined && this.texts.has(path) ? (frame) => readField(value(frame), TEXT) : value
  }

  /** Compiles a node whose value has fields. A string with fields is not replaced with its text here. */
  compileOwner(node: ASTNode): Evaluate {
    switch (node.op) {
      case 'value': {
        const { args } = node
        return typeof args === 'bigint' ? () => toInt(args) : () => args
      }
      case 'id':
        return this.#compileName(node.args)
      case '.':
        return this.#compileField(node)
      case '[]': {
        const [owner, key] = [this.compileOwner(node.args[0]), this.compile(node.args[1])]
        if (this.locals.length === 0) return (frame) => readItem(owner(frame), key(frame))
        return (frame) => {
          const [of, at] = [owner(frame), key(frame)]
          if (of instanceof Map && typeof at !== 'string') frame.step(of.size)
          return readItem(of, at)
        }
      }
      case 'call':
        return this.#compileCall(node.args[0], node.args[1])
      case 'rcall':
        return this.#compileMethod(node.args[0], node.args[1], node.args[2])
      case 'list': {
        const items = node.args.map((each) => this.compile(each))
        return (frame) => items.map((each) => each(frame))
      }
      case 'map': {
        const entries = node.args.map(([key, value]) => [this.compile(key), this.compile(value)] as const)
        return (frame) => makeMap(entries.map(([key, value]) => [key(frame), value(frame)] as const))
      }
      case '?:': {
        const condition = this.compile(node.args[0])
        const [yes, no] = [this.#compilePart(node.args[1]), this.#compilePart(node.args[2])]
        return (frame) => (requireBool(condition(frame), '?:') ? yes : no)(frame)
      }
      case '||':
      case '&&': {
        const decisive = node.op === '||'
        const [left, right] = [this.#compilePart(node.args[0], decisive), this.#compilePart(node.args[1], decisive)]
        return join(left, right, node.op)
      }
      case '!_': {
        const condition = this.compile(node.args)
        return (frame) => !requireBool(condition(frame), '!')
      }
      case '-_': {
        const { op, args } = node.args
        // The smallest integer is written as a literal that is too large, with a minus.
        const operand = op === 'value' && typeof args === 'bigint' ? () => args : this.compile(node.args)
        return (frame) => negate(operand(frame))
      }
      case '.?':
        throw noOverload(node.op)
      default: {
        if (node.op === 'in' && node.args[1].op === 'list' && this.countsParts)
          return this.#compileSearch(node.args[0], node.args[1].args)
        const [left, right] = [this.compile(node.args[0]), this.compile(node.args[1])]
        // The items of a list in the expression are few.
        const operate = node.op === 'in' && node.args[1].op === 'list' ? isAmong : OPERATORS[node.op]
        if (this.locals.length === 0) return (frame) => operate?.(left(frame), right(frame))
        return (frame) => {
          const [a, b] = [left(frame), right(frame)]
          frame.operate(a, b)
          return operate?.(a, b)
        }
      }
    }
  }

  /** Compiles part of a node. If `decisive` is given, only that value of the part determines the result. */
  #compilePart(node: ASTNode, decisive?: boolean): Evaluate {
    const evaluate = this.compile(node)
    if (!this.countsParts) return evaluate
    return (frame) => {
      const value = evaluate(frame)
      if (decisive === undefined || value === decisive) frame.decided?.add(node)
      return value
    }
  }

  /** Compiles the search for a value in a list, and records the items that are found. */
  #compileSearch(node: ASTNode, list: readonly ASTNode[]): Evaluate {
    const [value, items] = [this.compile(node), list.map((each) => this.compile(each))]
    return (frame) => {
      const wanted = value(frame)
      const values = items.map((each) => each(frame))
      if (this.locals.length > 0) frame.operate(wanted, values)
      const found = list.filter((_, at) => areEqual(wanted, values[at]))
      for (const each of found) frame.decided?.add(each)
      return found.length > 0
    }
  }

  #pathOf(node: ASTNode): string | undefined {
    const path = pathOfNode(node)
    return path === undefined || this.locals.includes(path.split('.', 1).join()) ? undefined : path
  }

  #compileName(name: string): Evaluate {
    const slot = this.locals.lastIndexOf(name)
    if (slot >= 0) return ({ slots }) => slots[slot]
    return ({ values }) => {
      const value = values.roots.get(name) ?? TYPES.get(name)
      if (value === undefined) throw new EvaluationProblem(`Unknown variable: ${name}`)
      return value
    }
  }

  #compileField(node: Extract<ASTNode, { op: '.' }>): Evaluate {
    const type = TYPES.get(this.#pathOf(node) ?? '')
    if (type) return () => type
    const [owner, name] = [this.compileOwner(node.args[0]), node.args[1]]
    return (frame) => readItem(owner(frame), name)
  }

  #compileCall(name: string, args: readonly ASTNode[]): Evaluate {
    const [first] = args
    if (name === 'has' && (first?.op === '.' || first?.op === '[]')) {
      const owner = this.compileOwner(first.args[0])
      const key = first.op === '.' ? first.args[1] : this.compile(first.args[1])
      return (frame) => hasItem(owner(frame), typeof key === 'string' ? key : key(frame))
    }
    const [address, list] = args
    if (this.countsParts && name === 'inCidrRanges' && address && list?.op === 'list')
      return this.#compileRanges(name, address, list)
    return this.#callOverload(name, args)
  }

  /** Compiles the search for an address in a list of ranges, and records the ranges that contain it. */
  #compileRanges(name: string, address: ASTNode, list: Extract<ASTNode, { op: 'list' }>): Evaluate {
    const find = this.#callOverload(name, [address, list])
    const tests = list.args.map((range) => {
      return { range, read: this.compile(range), test: this.#callOverload('inCidrRange', [address, range]) }
    })
    return (frame) => {
      const found = find(frame)
      const having = found ? tests.filter(({ test }) => test(frame)) : []
      for (const { range } of listNarrowest(having, ({ read }) => String(read(frame)))) frame.decided?.add(range)
      return found
    }
  }

  #compileMethod(name: string, receiver: ASTNode, args: readonly ASTNode[]): Evaluate {
    const [variable, ...bodies] = args
    if (receiver.op === 'id' && !this.locals.includes(receiver.args)) {
      if (Object.hasOwn(NAMESPACES, receiver.args)) return this.#callOverload(`${receiver.args}.${name}`, args)
    }
    const macro = lookUp(MACROS, name)
    if (!macro || variable?.op !== 'id' || bodies.length === 0)
      return this.#callOverload(`.${name}`, [receiver, ...args])
    const slot = this.locals.length
    const inner = new Compiler(this.overloads, this.texts, this.countsParts, [...this.locals, variable.args])
    const range = this.compile(receiver)
    const parts = bodies.map((each) => ({
      part: inner.compile(each),
      cost: 1 + Math.trunc(countNodes(each) / NODES_OF_STEP),
    }))
    return (frame) => {
      const items = listItems(range(frame), name)
      const [first, second] = parts.map(({ part, cost }) => (item: unknown) => {
        frame.step(cost)
        frame.slots[slot] = item
        return part(frame)
      })
      return first && macro(items, first, second)
    }
  }

  #callOverload(name: string, args: readonly ASTNode[]): Evaluate {
    const overloads = this.overloads.get(`${name}/${args.length}`) ?? []
    const read = args.map((each) => this.compile(each))
    const readsItems =
      !SHALLOW.includes(name) && overloads.some(({ types }) => types.some((each) => DEEP.includes(each)))
    const isInMacro = this.locals.length > 0
    // Outside of macros, a pattern that is no constant may be the visitor's.
    const isCounted = isInMacro || (/^\.?matches$/.test(name) && args[1]?.op !== 'value')
    return (frame) => {
      const values = read.map((each) => each(frame))
      if (isInMacro) frame.operate(...values)
      else if (readsItems) measure(...values)
      for (const { types, run, isOfVisit, charge } of overloads) {
        if (!types.every((type, at) => type === 'dyn' || type === typeOf(values[at]))) continue
        if (isCounted) charge?.(frame, ...values)
        // The types of the arguments are those of the signature.
        return limit(run(...((isOfVisit ? [frame.values, ...values] : values) as never[])))
      }
      throw noOverload(`${name}(${values.map(typeOf).join(', ')})`)
    }
  }
}
