import type { ASTNode } from '@marcbachmann/cel-js'
import { lookUp } from '../../../core/schema/values.ts'
import type { Variables } from '../action.ts'
import { findBelow } from '../environment.ts'
import { pathOfNode } from '../expression.ts'
import { NAMESPACES } from '../functions.ts'
import {
  describe,
  describeCall,
  FAILED,
  fail,
  HOST,
  isSent,
  isThere,
  isTold,
  isUnsafe,
  keyOf,
  LISTS,
  MACROS,
  MAX_CHOICES,
  MAX_DEPTH,
  MAX_STEPS,
  measure,
  OPTIONAL,
  SENT,
  SIZE_OF_STEP,
  type Subject,
  sourceOf,
  TEXT_TESTS,
  toMacroValue,
  toValue,
  Unknown,
  type Value,
  type Visitor,
} from './symbolic.ts'

/** Evaluates conditions for a visitor, as far as the policy tells: all other tests are true or false by `choice`. */
export class Evaluation {
  readonly subjects = new Map<string, Subject>()
  /** The values that the one of the visitor is compared with. */
  readonly compared = new Set<string>()
  #steps = 0
  #depth = 0
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

  /** Returns whether a condition is true, or undefined if it fails. */
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
    this.#steps += this.#depth < MAX_DEPTH ? 1 : MAX_STEPS
    if (this.#steps > MAX_STEPS) return FAILED
    this.#depth += 1
    const value = this.#evaluateNode(node)
    this.#depth -= 1
    return this.#count(value) ? value : FAILED
  }

  /** Counts the steps that it takes to read a value. Returns whether there are enough of them. */
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
    const isHigh = this.visitor === 'right' || this.visitor === 'high'
    if (isSent(left)) return !isHigh
    if (isSent(right)) return isHigh
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
    const path = pathOfNode(node)
    if (path !== undefined && findBelow(this.variables, path.split('.')))
      return OPTIONAL.includes(path) ? this.#whole(path, path, `${path} == ''`, '', SENT) : new Unknown(path)
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

  /** Returns a value that is always there, and that is empty if the request has nothing for it. */
  #whole(key: string, source: string, guard: string, empty: Value, sent: Value): Value {
    this.#note(key, { source, guard })
    return key !== this.subject?.key ? new Unknown(key) : this.visitor === 'without' ? empty : sent
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
    const of = lookUp(LISTS, name.slice(3))
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
  #macro(node: Extract<ASTNode, { op: 'rcall' }>, variable: string, body: ASTNode): Value {
    const [name, owner] = node.args
    const source = sourceOf(node)
    const range = this.#items(this.#evaluate(owner), { source, guard: name === 'all' ? source : `!${source}` })
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

  /** Returns the items of all headers, cookies or parameters; other values unchanged. */
  #items(of: Value, test?: { readonly source: string; readonly guard: string }): Value {
    if (!(of instanceof Unknown) || !Object.values(LISTS).includes(of.key)) return of
    const { source, guard } = test ?? { source: of.key, guard: `size(${of.key}) == 0` }
    const items = this.#whole(`${of.key}[*]`, source, guard, [], [SENT])
    return items instanceof Unknown ? of : items
  }

  #apply(node: ASTNode, name: string, values: readonly Value[]): Value {
    if (values.includes(FAILED)) return FAILED
    const first = name === 'size' ? this.#items(values[0] ?? FAILED) : values[0]
    if (name === 'size' && (typeof first === 'string' || Array.isArray(first))) return BigInt(first.length)
    if (name === 'size' && first instanceof Unknown) {
      const at = this.subject?.key.startsWith(`${first.key}[`) ? /\[(\d+)\]$/.exec(this.subject.key)?.[1] : undefined
      if (at !== undefined) return BigInt(at) + (this.visitor === 'without' ? 0n : 1n)
    }
    if (name === 'join' && Array.isArray(first) && first.length === 0) return ''
    // Who has the part of a string has a string of that form.
    if (TEXT_TESTS.includes(name) && first instanceof Unknown && first.key === this.subject?.base)
      return this.visitor !== 'without'
    // The empty text has no other in it.
    if (first === '' && typeof values[1] === 'string' && TEXT_TESTS.includes(name) && name !== 'matches')
      return values[1] === ''
    if (values.some(isSent)) return this.visitor === 'unreadable' && isUnsafe(name, values) ? FAILED : SENT
    return new Unknown(describeCall(node, name, values))
  }
}
