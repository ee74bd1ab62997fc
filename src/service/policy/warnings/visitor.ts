import type { ASTNode } from '@marcbachmann/cel-js'
import type { Variables } from '../action.ts'
import { findBelow } from '../environment.ts'
import { pathOfNode } from '../expression.ts'
import { NAMESPACES } from '../functions.ts'
import { RequestParts } from './request-parts.ts'
import type { Stored } from './stored.ts'
import {
  describe,
  describeCall,
  FAILED,
  fail,
  HIGH,
  isSent,
  isTold,
  isUnsafe,
  MACROS,
  MAX_CHOICES,
  MAX_DEPTH,
  MAX_STEPS,
  measure,
  OF_INTEGER,
  SENT,
  SIZE_OF_STEP,
  type Subject,
  sourceOf,
  TEXT_TESTS,
  toMacroValue,
  toValue,
  Unknown,
  type Value,
  type VisitorKind,
} from './symbolic.ts'
import { matchesLarge } from './try-pattern.ts'

/** A visitor, and the facts known about the policy. */
export interface Given {
  readonly variables: Variables
  /** The stored values, if their missing parts count as parts that the visitor may lack. */
  readonly stored?: Stored
  readonly visitor?: VisitorKind
  readonly subject?: Pick<Subject, 'key' | 'base'>
  /** The results, as bits, of the tests that the policy does not determine. */
  readonly choice?: number
  /** The keys of these tests, in bit order. */
  readonly choices?: string[]
}

/** Evaluates conditions for a visitor as far as the policy determines them. `choice` sets the results of all other tests. */
export class Evaluation {
  readonly #parts: RequestParts
  /** The values that the visitor's value is compared with. */
  readonly compared = new Set<string>()
  #steps = 0
  #depth = 0
  readonly #locals = new Map<string, Value>()

  constructor(readonly given: Given) {
    this.#parts = new RequestParts(given.variables, given.visitor, given.subject, given.stored)
  }

  /** The parts of the request that the conditions read. */
  get subjects(): ReadonlyMap<string, Subject> {
    return this.#parts.subjects
  }

  /** Returns whether a condition is true, or undefined if it fails. */
  run(tree: ASTNode): boolean | undefined {
    this.#parts.test = tree
    const truth = this.#truth(this.#evaluate(tree))
    return this.#steps > MAX_STEPS ? false : truth
  }

  #truth(value: Value): boolean | undefined {
    if (value === FAILED) return undefined
    if (value === SENT) return this.given.visitor === 'right'
    if (typeof value === 'boolean') return value
    const key = describe(value)
    const { choices = [], choice = 0 } = this.given
    const known = choices.indexOf(key)
    const at = known < 0 ? choices.push(key) - 1 : known
    return ((choice >> (at % MAX_CHOICES)) & 1) === 1
  }

  #evaluate(node: ASTNode): Value {
    this.#steps += this.#depth < MAX_DEPTH ? 1 : MAX_STEPS
    if (this.#steps > MAX_STEPS) return FAILED
    this.#depth += 1
    const value = this.#evaluateNode(node)
    this.#depth -= 1
    return this.#count(value) ? value : FAILED
  }

  /** Counts the steps needed to read a value. Returns false if there are no steps left. */
  #count(value: Value): boolean {
    this.#steps += Math.trunc(measure(value, MAX_STEPS * SIZE_OF_STEP) / SIZE_OF_STEP)
    return this.#steps <= MAX_STEPS
  }

  #evaluateNode(node: ASTNode): Value {
    switch (node.op) {
      case 'value': {
        const { args } = node
        return typeof args === 'string' || typeof args === 'bigint' || typeof args === 'boolean'
          ? args
          : new Unknown(sourceOf(node))
      }
      case 'id':
        return this.#locals.get(node.args) ?? new Unknown(node.args)
      case 'list':
        return fail(node.args.map((each) => this.#evaluate(each)))
      case '&&':
      case '||': {
        const [left, right] = node.args.map((each) => {
          if (this.#locals.size === 0) this.#parts.test = each
          return this.#truth(this.#evaluate(each))
        })
        const end = node.op === '||'
        return left === end || right === end ? end : toValue(left === undefined ? left : right)
      }
      case '!_': {
        const truth = this.#truth(this.#evaluate(node.args))
        return toValue(truth === undefined ? truth : !truth)
      }
      case '?:': {
        const [condition, yes, no] = node.args
        const truth = this.#truth(this.#evaluate(condition))
        const [ifTrue, ifFalse] = [yes, no].map((each) => this.#evaluate(each))
        return (truth === undefined ? undefined : truth ? ifTrue : ifFalse) ?? FAILED
      }
      case '==':
      case '!=': {
        const [left, right] = node.args.map((each) => this.#evaluate(each))
        const isEqual = this.#isEqual(left ?? FAILED, right ?? FAILED)
        return toValue(isEqual === undefined ? isEqual : isEqual === (node.op === '=='))
      }
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#compare(node.op, this.#evaluate(node.args[0]), this.#evaluate(node.args[1]))
      case 'in':
        return this.#isIn(this.#evaluate(node.args[0]), this.#evaluate(node.args[1]))
      case '+':
      case '-':
      case '*':
      case '/':
      case '%': {
        const values = node.args.map((each) => this.#evaluate(each))
        return this.#apply(node, node.op, values)
      }
      case '.':
        return this.#access(node, node.args[0], node.args[1])
      case '[]':
        return this.#access(node, node.args[0], this.#evaluate(node.args[1]))
      case 'call':
        return this.#call(node, node.args[0], node.args[1])
      case 'rcall': {
        const [name, owner, args] = node.args
        const [item, ...bodies] = args
        if (MACROS.includes(name) && item?.op === 'id' && bodies[0]) return this.#macro(node, item.args, bodies[0])
        const isNamespace = owner.op === 'id' && Object.hasOwn(NAMESPACES, owner.args)
        return this.#apply(
          node,
          isNamespace ? `${owner.args}.${name}` : name,
          (isNamespace ? args : [owner, ...args]).map((each) => this.#evaluate(each)),
        )
      }
      default:
        return new Unknown(sourceOf(node))
    }
  }

  #isEqual(left: Value, right: Value): boolean | undefined {
    if (left === FAILED || right === FAILED || !this.#count(left) || !this.#count(right)) return undefined
    if (typeof left === 'boolean' || typeof right === 'boolean') return this.#truth(left) === this.#truth(right)
    if (isSent(left) || isSent(right)) {
      const other = isSent(left) ? right : left
      this.compared.add(describe(other))
      const isEmpty = other === '' || (Array.isArray(other) && other.length === 0)
      // No test expects an empty string.
      return this.given.visitor === (isEmpty ? 'empty' : 'right')
    }
    if (isTold(left) && isTold(right)) return describe(left) === describe(right)
    return this.#truth(new Unknown([describe(left), describe(right)].sort().join(' == ')))
  }

  #compare(op: '<' | '<=' | '>' | '>=', left: Value, right: Value): Value {
    if (left === FAILED || right === FAILED) return FAILED
    if (op === '>' || op === '>=') return this.#compare(op === '>' ? '<' : '<=', right, left)
    // A wrong value is less than all others.
    const isHigh = this.given.visitor !== undefined && HIGH.includes(this.given.visitor)
    if (isSent(left)) return !isHigh
    if (isSent(right)) return isHigh
    if (typeof left === 'bigint' && typeof right === 'bigint') return op === '<' ? left < right : left <= right
    return new Unknown(`${describe(left)} ${op} ${describe(right)}`)
  }

  #isIn(item: Value, of: Value): Value {
    if (item === FAILED || of === FAILED) return FAILED
    const known = of instanceof Unknown ? this.#parts.hasItem(of, item) : undefined
    if (known !== undefined) return known
    if (of === SENT) return this.given.visitor === 'right'
    if (!Array.isArray(of))
      return item === SENT ? this.given.visitor === 'right' : new Unknown(`${describe(item)} in ${describe(of)}`)
    return toValue(of.map((each) => this.#isEqual(item, each)).some((each) => each === true))
  }

  /** Reads a field or item. */
  #access(node: ASTNode & { readonly op: '.' | '[]' }, ownerNode: ASTNode, name: Value): Value {
    const path = pathOfNode(node)
    if (path !== undefined && findBelow(this.given.variables, path.split('.'))) return this.#parts.variable(path)
    const owner = this.#evaluate(ownerNode)
    if (owner === FAILED || name === FAILED) return FAILED
    // Only the first item of a list of values matters.
    if (Array.isArray(owner))
      return owner[0] === SENT || typeof name !== 'bigint' ? (owner[0] ?? FAILED) : (owner[Number(name)] ?? FAILED)
    return owner instanceof Unknown ? this.#parts.item(node, owner, name) : owner
  }

  #call(node: ASTNode, name: string, args: readonly ASTNode[]): Value {
    const [first] = args
    if (name === 'has' && (first?.op === '.' || first?.op === '[]')) {
      const key = first.args[1]
      return this.#isIn(typeof key === 'string' ? key : this.#evaluate(key), this.#evaluate(first.args[0]))
    }
    const values = args.map((each) => this.#evaluate(each))
    return this.#parts.call(node, name, args, values[0]) ?? this.#apply(node, name, values)
  }

  /** Returns the value of a function, or of a macro over all items. An unknown list is treated as having one item. */
  #macro(node: Extract<ASTNode, { op: 'rcall' }>, variable: string, body: ASTNode): Value {
    const [name, owner] = node.args
    const source = sourceOf(node)
    const range = this.#parts.items(this.#evaluate(owner), { source, guard: name === 'all' ? source : `!${source}` })
    if (range === FAILED) return FAILED
    const items = Array.isArray(range) ? range : [range instanceof Unknown ? new Unknown(`${range.key}[*]`) : range]
    const before = this.#locals.get(variable)
    const values = items.map((item) => {
      this.#locals.set(variable, item)
      return this.#evaluate(body)
    })
    if (before === undefined) this.#locals.delete(variable)
    else this.#locals.set(variable, before)
    if (name === 'map') return fail(values)
    if (name === 'sortBy') return values.includes(FAILED) ? FAILED : items
    const truths = values.map((each) => this.#truth(each))
    return toMacroValue(name, items, truths)
  }

  #apply(node: ASTNode, name: string, values: readonly Value[]): Value {
    if (values.includes(FAILED)) return FAILED
    const first = name === 'size' ? this.#parts.items(values[0] ?? FAILED) : values[0]
    if (name === 'size' && this.given.visitor === 'empty' && first !== undefined && isSent(first)) return 0n
    if (name === 'size' && (typeof first === 'string' || Array.isArray(first))) return BigInt(first.length)
    const size = name === 'size' && first instanceof Unknown ? this.#parts.sizeOf(first) : undefined
    if (size !== undefined) return size
    if (name === 'join' && Array.isArray(first) && first.length === 0) return ''
    // If the visitor sends part of a string, the string contains that part.
    if (TEXT_TESTS.includes(name) && first instanceof Unknown && first.key === this.given.subject?.base)
      return this.given.visitor !== 'without'
    // An empty string contains no other string.
    if (first === '' && typeof values[1] === 'string' && TEXT_TESTS.includes(name) && name !== 'matches')
      return values[1] === ''
    if (values.some(isSent)) return this.#isFailure(name, values) ? FAILED : (this.#matchNumber(name, values) ?? SENT)
    return new Unknown(describeCall(node, name, values))
  }

  /** Returns whether a function or an operator fails for the visitor's value. */
  #isFailure(name: string, values: readonly Value[]): boolean {
    const { visitor } = this.given
    return visitor === 'large' ? OF_INTEGER.includes(name) : visitor === 'unreadable' && isUnsafe(name, values)
  }

  /** For a visitor whose number is too large, returns whether a pattern matches the value. Otherwise, returns undefined. */
  #matchNumber(name: string, [of, pattern]: readonly Value[]): boolean | undefined {
    const { visitor } = this.given
    if (visitor !== 'large' || name !== 'matches' || of !== SENT || typeof pattern !== 'string') return undefined
    return matchesLarge(pattern)
  }
}
