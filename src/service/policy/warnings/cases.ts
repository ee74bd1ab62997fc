import type { ASTNode } from '@marcbachmann/cel-js'
import { lookUp } from '../../../core/schema/values.ts'
import { pathOfNode } from '../expression.ts'
import { NAMESPACES } from '../functions.ts'
import { RANGES } from '../value-forms.ts'
import { listProducts } from './constants.ts'
import { sourceOf } from './symbolic.ts'
import { toRegExp } from './try-pattern.ts'
import { placeOfNode, type ReadRule } from './warning.ts'

export type Constant = string | number | boolean

/** A test of whether a value equals one of the constants or is less than the only constant. */
export interface Test {
  readonly subject: ASTNode
  readonly name: string
  readonly constants: readonly Constant[]
}

/** The maximum number of steps for all questions about a policy, and for a single question. */
const MAX_ALL_STEPS = 1_000_000
const MAX_STEPS = 20_000
/** The minimum cost of a question, in steps. */
const STEPS_OF_LIST = 20

/** A string ending that no constant contains. */
const FRESH = '\0'

const FLIPPED = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const
const TESTS: Readonly<Record<string, (value: unknown, constant: Constant) => boolean>> = {
  '==': (value, constant) => value === constant,
  '!=': (value, constant) => value !== constant,
  in: (value, constant) => value === constant,
  '<': (value, constant) => Number(value) < Number(constant),
  '<=': (value, constant) => Number(value) <= Number(constant),
  '>': (value, constant) => Number(value) > Number(constant),
  '>=': (value, constant) => Number(value) >= Number(constant),
  startsWith: (value, constant) => String(value).startsWith(String(constant)),
}

/** Lists the cases that conditions distinguish: each tested value equals each of the constants, or is between or beyond them. */
export class Cases {
  #left = MAX_ALL_STEPS

  /**
   * Returns the truth values of conditions and all their parts in each case, or undefined if there are too many. `facts` contains the known
   * values, by source.
   */
  list(
    conditions: readonly ASTNode[],
    facts: ReadonlyMap<string, Constant> = new Map(),
  ): readonly ReadonlyMap<ASTNode, boolean>[] | undefined {
    if (this.#left <= 0) return undefined
    const parts = listParts(conditions).map((node) => ({ node, test: readTest(node) }))
    this.#left -= parts.length + STEPS_OF_LIST
    // Nodes with the same source have the same value, unless it is random.
    const keyOf = (node: ASTNode) => (sourceOf(node).includes('rand.') ? node : sourceOf(node))
    const values = new Map<unknown, { readonly subject: ASTNode; readonly constants: Set<Constant> }>()
    for (const { node, test } of parts) {
      const { subject, constants } = test ?? { subject: node, constants: [] }
      if (partsOf(node).length > 0 || toConstant(subject) !== undefined || facts.has(sourceOf(subject))) continue
      const known = values.get(keyOf(subject)) ?? { subject, constants: new Set() }
      for (const each of constants) known.constants.add(each)
      values.set(keyOf(subject), known)
    }
    const samples = Array.from(values.values(), (each) => listSamples([...each.constants], each.subject))
    const size = parts.reduce((sum, { test }) => sum + 1 + (test?.constants.length ?? 0), 0)
    const steps = samples.reduce((product, each) => product * each.length, size)
    if (steps > MAX_STEPS) return undefined
    this.#left -= steps
    const keys = [...values.keys()]
    parts.reverse()
    return Array.from(listProducts(samples), (chosen) => {
      const known = new Map(keys.map((key, at) => [key, chosen[at]]))
      const truths = new Map<ASTNode, boolean>()
      for (const { node, test } of parts) {
        const { subject, name, constants } = test ?? { subject: node, name: '==', constants: [true] }
        const value = toConstant(subject) ?? facts.get(sourceOf(subject)) ?? known.get(keyOf(subject))
        truths.set(node, join(node, truths) ?? constants.some((each) => TESTS[name]?.(value, each)))
      }
      return truths
    })
  }

  /** Returns whether conditions can all be true, as far as their cases are known. */
  canHold(conditions: readonly ASTNode[], facts?: ReadonlyMap<string, Constant>): boolean {
    return this.list(conditions, facts)?.some((each) => conditions.every((node) => each.get(node))) ?? true
  }

  /** Returns whether some conditions can all be true, and whether all conditions in one of the other groups must then be true. */
  implies(conditions: readonly ASTNode[], ...others: readonly (readonly ASTNode[])[]): boolean {
    const all = this.list([...conditions, ...others.flat()])
    const cases = all?.filter((each) => conditions.every((node) => each.get(node))) ?? []
    return cases.length > 0 && cases.every((each) => others.some((other) => other.every((node) => each.get(node))))
  }
}

/** Returns the conditions of a rule without those that have a problem. */
export function treesOf({ conditions }: ReadRule): readonly ASTNode[] {
  return conditions.flatMap(({ tree, problem }) => (tree && !problem ? tree : []))
}

/** Lists conditions with all their parts, each condition before its parts. Deep conditions do not overflow the stack. */
export function listParts(conditions: readonly ASTNode[]): readonly ASTNode[] {
  const nodes = [...conditions]
  for (const each of nodes) nodes.push(...partsOf(each))
  return nodes
}

/** Lists the tests in a condition, and whether the condition holds if they fail. */
export function listTests(condition: ASTNode): readonly { readonly node: ASTNode; readonly isNegated: boolean }[] {
  const tests = [{ node: condition, isNegated: false }]
  for (const { node, isNegated } of tests)
    tests.push(...partsOf(node).map((each) => ({ node: each, isNegated: (node.op === '!_') !== isNegated })))
  return tests.filter(({ node }) => partsOf(node).length === 0)
}

/** Lists the tests in the conditions of a rule, with their places. */
export function listTestsOf({ conditions }: ReadRule) {
  return conditions.flatMap((condition) => {
    const tests = condition.tree && !condition.problem ? listTests(condition.tree) : []
    return tests.map((each) => ({ ...each, place: placeOfNode(condition, each.node) }))
  })
}

/** Splits a condition into its parts. */
export function partsOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === '&&' || node.op === '||') return node.args
  return node.op === '!_' ? [node.args] : []
}

/** Returns whether a condition is true, given its parts, or undefined if there are no parts. */
function join(node: ASTNode, truths: ReadonlyMap<ASTNode, boolean>): boolean | undefined {
  const parts = partsOf(node).map((each) => truths.get(each))
  if (parts.length === 0) return undefined
  return node.op === '!_' ? !parts[0] : parts.includes(node.op === '||') === (node.op === '||')
}

/** Returns the value and the constants of a test, or undefined for other nodes. */
export function readTest(node: ASTNode): Test | undefined {
  if (node.op === 'rcall') return toTest(node.args[1], node.args[0], node.args[2])
  if (node.op === 'in') return node.args[1].op === 'list' ? toTest(node.args[0], 'in', node.args[1].args) : undefined
  if (!isComparison(node)) return undefined
  const [left, right] = node.args
  return toTest(left, node.op, [right]) ?? toTest(right, FLIPPED[node.op], [left])
}

function isComparison(node: ASTNode): node is Extract<ASTNode, { op: keyof typeof FLIPPED }> {
  return Object.hasOwn(FLIPPED, node.op)
}

function toTest(subject: ASTNode, name: string, nodes: readonly ASTNode[]): Test | undefined {
  const constants = nodes.flatMap((each) => toConstant(each) ?? [])
  if (matchesAll(subject, name, constants[0])) return { subject, name: 'startsWith', constants: [''] }
  const isOrder = /[<>]/.test(name) && typeof constants[0] !== 'number'
  const isTest = Object.hasOwn(TESTS, name) && constants.length === nodes.length && !isOrder
  return isTest ? { subject, name, constants } : undefined
}

/** The variables that are strings in every request. */
const IS_STRING = /^(?:req|res|conn|endpoint)\.(?!headers\b|cookies\b|url\.query_params\b|trailers\b)/
/** Texts that have nothing in common: nothing, all signs, and more than a pattern can count. */
const SIGNS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('')
const ANY_TEXTS = ['', 'q', '7/', '-.Z', 'é~/x', SIGNS, 'q'.repeat(1001)]
/** Returns whether every string passes a test, such as `matches('')`. Every path begins with a slash. */
function matchesAll(subject: ASTNode, name: string, constant: Constant | undefined): boolean {
  const path = pathOfNode(subject) ?? ''
  if (typeof constant !== 'string' || !IS_STRING.test(path)) return false
  const texts = ANY_TEXTS.map((each) => (path === 'req.url.path' ? `/${each}` : each))
  if (name !== 'matches')
    return (
      /^(?:startsWith|endsWith|contains)$/.test(name) &&
      (constant === '' || (constant === '/' && name !== 'endsWith' && path === 'req.url.path'))
    )
  const pattern = toRegExp(constant, 2)
  return pattern !== undefined && texts.every((each) => pattern.test(each))
}

/** Matches a time that is a whole number of milliseconds. */
const IS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/

function toConstant(node: ASTNode): Constant | undefined {
  const [time] = node.op === 'call' && node.args[0] === 'timestamp' ? node.args[1] : []
  if (time?.op === 'value' && IS_TIME.test(String(time.args))) return Date.parse(String(time.args))
  const literal = node.op === '-_' ? node.args : node
  if (literal.op !== 'value') return undefined
  const { args } = literal
  const constant = typeof args === 'bigint' ? Number(args) : args
  if (typeof constant === 'number') {
    if (typeof args === 'bigint' && !Number.isSafeInteger(constant)) return undefined
    return node.op === '-_' ? -constant : constant
  }
  return typeof constant === 'string' || typeof constant === 'boolean' ? constant : undefined
}

/** Returns the minimum and maximum that a value can have. */
export function rangeOf(node: ASTNode): readonly [min: number, max: number] | undefined {
  return lookUp(RANGES, nameOf(node))
}

function nameOf(node: ASTNode): string {
  if (node.op === 'call') return node.args[0]
  if (node.op !== 'rcall') return pathOfNode(node) ?? ''
  const [name, owner] = node.args
  if (owner.op === 'id' && Object.hasOwn(NAMESPACES, owner.args)) return `${owner.args}.${name}`
  // A duration can have any number of hours.
  const isTime = owner.op === 'call' ? owner.args[0] === 'timestamp' : /\.ts\./.test(pathOfNode(owner) ?? '')
  return isTime || !/^get(?:Hours|Minutes|Seconds|Milliseconds)$/.test(name) ? name : ''
}

/** Returns the constants and the values between and beyond them. */
function listSamples(constants: readonly Constant[], subject: ASTNode): readonly Constant[] {
  if (constants.length === 0) return [true, false]
  const texts = constants.filter((each) => typeof each === 'string')
  const numbers = constants.filter((each) => typeof each === 'number')
  const [min, max] = rangeOf(subject) ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  const points = [...new Set([min, ...numbers, max])].filter((each) => each >= min && each <= max).sort((a, b) => a - b)
  const between = (low: number, high: number) => (Number.isFinite(low) ? Math.min((low + high) / 2, low + 1) : high - 1)
  return [
    // A value that is not a boolean is neither true nor false.
    ...(constants.some((each) => typeof each === 'boolean') ? [true, false, FRESH] : []),
    ...texts.flatMap((each) => [each, each + FRESH]),
    ...(texts.length > 0 ? [FRESH] : []),
    ...(numbers.length > 0 ? points.flatMap((each, at) => [each, between(each, points[at + 1] ?? each)]) : []),
  ]
}
