import type { ASTNode } from '@marcbachmann/cel-js'
import type { Variables } from '../action.ts'
import { NAMESPACES } from '../functions.ts'
import {
  describe,
  FAILED,
  fail,
  HOST,
  isSent,
  isThere,
  isTold,
  keyOf,
  LISTS,
  MACROS,
  PARTIAL,
  SENT,
  sourceOf,
  TEXT_TESTS,
  toValue,
  Unknown,
  type Value,
} from './symbolic.ts'

/** A value that a request may not have: a header, a cookie, a parameter, or a part of another value. */
export interface Subject {
  readonly key: string
  /** Its first access, and the test that is true without it. */
  readonly source: string
  readonly guard: string
  /** The part of the condition that has the access. */
  readonly test: ASTNode
  /** The name of a header, a cookie or a parameter; undefined for all others. */
  readonly name?: string
  /** The key of the text that it is a part of. */
  readonly base?: string
  /** True if the conditions only test whether it is there. */
  readonly isTested?: true
}

/**
 * A visitor: one without the value, one with a value that no condition names, one with a value that each comparison wants, or
 * one whose value is no number, no time and no JSON.
 */
export type Visitor = 'without' | 'wrong' | 'right' | 'unreadable'

/** The most tests that are true or false independently of each other. */
export const MAX_CHOICES = 4
/** The most steps of one evaluation. */
const MAX_STEPS = 2_000
/** Evaluates conditions for a visitor, as far as the policy tells: all other tests are true or false by `choice`. */
export class Evaluation {
  readonly subjects = new Map<string, Subject>()
  /** The values that the one of the visitor is compared with. */
  readonly compared = new Set<string>()
  #steps = 0
  #test: ASTNode | undefined
  readonly #locals = new Map<string, Value>()

  constructor(
    readonly variables: Variables,
    readonly visitor?: Visitor,
    readonly subject?: Pick<Subject, 'key' | 'base'>,
    /** Bit by bit, whether the tests are true of which the policy does not tell. */
    readonly choice = 0,
    /** The keys of these tests, in the order of the bits. */
    readonly choices: string[] = [],
  ) {}

  /** Returns whether a condition is true; undefined if it fails. */
  run(tree: ASTNode): boolean | undefined {
    this.#test = tree
    const truth = this.#truth(this.#evaluate(tree))
    return this.#steps > MAX_STEPS ? false : truth
  }

  #truth(value: Value): boolean | undefined {
    if (value === FAILED) return undefined
    if (value === SENT) return this.visitor === 'right'
    if (typeof value === 'boolean') return value
    const key = describe(value)
    const known = this.choices.indexOf(key)
    const at = known < 0 ? this.choices.push(key) - 1 : known
    return ((this.choice >> (at % MAX_CHOICES)) & 1) === 1
  }

  #evaluate(node: ASTNode): Value {
    this.#steps += 1
    if (this.#steps > MAX_STEPS) return FAILED
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
          if (this.#locals.size === 0) this.#test = each
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
      case '.':
        return this.#access(node, node.args[0], node.args[1])
      case '[]':
        return this.#access(node, node.args[0], this.#evaluate(node.args[1]))
      case 'call':
        return this.#call(node, node.args[0], node.args[1])
      case 'rcall': {
        const [name, owner, args] = node.args
        const [item, ...bodies] = args
        if (MACROS.includes(name) && item?.op === 'id' && bodies[0])
          return this.#macro(name, owner, item.args, bodies[0])
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
    if (left === FAILED || right === FAILED) return undefined
    if (typeof left === 'boolean' || typeof right === 'boolean') return this.#truth(left) === this.#truth(right)
    if (isSent(left) || isSent(right)) {
      const other = isSent(left) ? right : left
      this.compared.add(describe(other))
      // No test names the empty text as the value that it wants.
      return this.visitor === 'right' && other !== '' && !(Array.isArray(other) && other.length === 0)
    }
    if (isTold(left) && isTold(right)) return describe(left) === describe(right)
    return this.#truth(new Unknown([describe(left), describe(right)].sort().join(' == ')))
  }

  #compare(op: '<' | '<=' | '>' | '>=', left: Value, right: Value): Value {
    if (left === FAILED || right === FAILED) return FAILED
    if (op === '>' || op === '>=') return this.#compare(op === '>' ? '<' : '<=', right, left)
    // A wrong value is less than all others.
    if (isSent(left)) return this.visitor !== 'right'
    if (isSent(right)) return this.visitor === 'right'
    if (typeof left === 'bigint' && typeof right === 'bigint') return op === '<' ? left < right : left <= right
    return new Unknown(`${describe(left)} ${op} ${describe(right)}`)
  }

  #has(key: string): Value {
    return this.subject?.key === key ? this.visitor !== 'without' : new Unknown(`has ${key}`)
  }

  #isIn(item: Value, of: Value): Value {
    if (item === FAILED || of === FAILED) return FAILED
    if (of instanceof Unknown) {
      const key = keyOf(of, item)
      const isName = Object.values(LISTS).includes(of.key)
      const source = `${of.key}[${describe(item)}]`
      if (isName) this.#note(key, { source, guard: `!has(${source})`, name: describe(item), isTested: true })
      if (isName || this.subject?.key === key) return this.#has(key)
    }
    if (of === SENT) return this.visitor === 'right'
    if (!Array.isArray(of))
      return item === SENT ? this.visitor === 'right' : new Unknown(`${describe(item)} in ${describe(of)}`)
    return toValue(of.map((each) => this.#isEqual(item, each)).some((each) => each === true))
  }

  /** Reads a field or an item. */
  #access(node: ASTNode & { readonly op: '.' | '[]' }, ownerNode: ASTNode, name: Value): Value {
    const owner = this.#evaluate(ownerNode)
    if (owner === FAILED || name === FAILED) return FAILED
    // Only the first item of a list of values matters.
    if (Array.isArray(owner))
      return owner[0] === SENT || typeof name !== 'bigint' ? (owner[0] ?? FAILED) : (owner[Number(name)] ?? FAILED)
    if (!(owner instanceof Unknown)) return owner
    const key = keyOf(owner, name)
    const source = sourceOf(node)
    if (Object.values(LISTS).includes(owner.key))
      return key === HOST
        ? new Unknown(key)
        : this.#read(key, { source, guard: `!has(${source})`, name: describe(name) }, true)
    const isListed = owner.key === HOST || this.subjects.get(owner.key)?.name !== undefined
    if (isListed || isThere(node, ownerNode, name, this.variables)) return new Unknown(key)
    const size = `size(${sourceOf(ownerNode)})`
    const guard = typeof name === 'bigint' ? `${size} ${name === 0n ? '==' : '<='} ${name}` : `!has(${source})`
    return this.#read(key, { source, guard, base: owner.key.split('.split(')[0] ?? '' }, false)
  }

  /** Returns the value of a part of a request that may be missing. */
  #read(key: string, more: Pick<Subject, 'source' | 'guard' | 'name' | 'base'>, isList: boolean): Value {
    this.#note(key, more)
    if (key !== this.subject?.key) return new Unknown(key)
    if (this.visitor === 'without') return FAILED
    return isList ? [SENT] : SENT
  }

  #note(key: string, more: Pick<Subject, 'source' | 'guard' | 'name' | 'base' | 'isTested'>): void {
    const known = this.subjects.get(key)
    if (this.#test && (!known || known.isTested)) this.subjects.set(key, { key, test: this.#test, ...more })
  }

  #call(node: ASTNode, name: string, args: readonly ASTNode[]): Value {
    const [first] = args
    if (name === 'has' && (first?.op === '.' || first?.op === '[]')) {
      const key = first.args[1]
      return this.#isIn(typeof key === 'string' ? key : this.#evaluate(key), this.#evaluate(first.args[0]))
    }
    const of = LISTS[name.slice(3)]
    const values = args.map((each) => this.#evaluate(each))
    if (of === undefined || !first || values[0] === undefined) return this.#apply(node, name, values)
    const lower = typeof values[0] === 'string' && of.endsWith('.headers') ? values[0].toLowerCase() : values[0]
    const key = keyOf(new Unknown(of), lower)
    if (key === HOST) return name.startsWith('has') || new Unknown(key)
    const [isCookie, written] = [name.endsWith('Cookie'), `${name.slice(3)}(${args.map(sourceOf).join(', ')})`]
    const isFirst = !isCookie && node.input.startsWith('[0]', node.range.end)
    const more = { source: `get${written}${isFirst ? '[0]' : ''}`, guard: `!has${written}`, name: describe(lower) }
    if (name.startsWith('has')) {
      this.#note(key, { ...more, isTested: true })
      return this.#has(key)
    }
    const found = this.#read(key, more, !isCookie)
    return found === FAILED && !isCookie ? [] : found
  }

  /** Returns the value of a function, and of a macro for each item: of a list that nobody knows, for one. */
  #macro(name: string, owner: ASTNode, variable: string, body: ASTNode): Value {
    const range = this.#evaluate(owner)
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
    const truths = values.map((each) => this.#truth(each))
    if (name === 'exists' || name === 'all') {
      const end = name === 'exists'
      return truths.includes(end) ? end : toValue(truths.includes(undefined) ? undefined : !end)
    }
    if (name === 'sortBy') return values.includes(FAILED) ? FAILED : items
    if (truths.includes(undefined)) return FAILED
    const left = items.filter((_, at) => truths[at])
    return name === 'filter' ? left : left.length === 1
  }

  #apply(node: ASTNode, name: string, values: readonly Value[]): Value {
    if (values.includes(FAILED)) return FAILED
    const [first] = values
    if (name === 'size' && Array.isArray(first)) return BigInt(first.length)
    if (name === 'size' && first instanceof Unknown) {
      const at = this.subject?.key.startsWith(`${first.key}[`) ? /\[(\d+)\]$/.exec(this.subject.key)?.[1] : undefined
      if (at !== undefined) return BigInt(at) + (this.visitor === 'without' ? 0n : 1n)
    }
    if (name === 'join' && Array.isArray(first) && first.length === 0) return ''
    // Who has the part of a text has a text of that form.
    if (TEXT_TESTS.includes(name) && first instanceof Unknown && first.key === this.subject?.base)
      return this.visitor !== 'without'
    if (values.some(isSent)) return this.visitor === 'unreadable' && PARTIAL.includes(name) ? FAILED : SENT
    const [owner, ...others] = values.map(describe)
    return new Unknown(
      node.op === 'rcall' && !name.includes('.')
        ? `${owner}.${name}(${others.join()})`
        : `${name}(${values.map(describe).join()})`,
    )
  }
}
