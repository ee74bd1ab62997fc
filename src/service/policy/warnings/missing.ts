import type { ASTNode } from '@marcbachmann/cel-js'
import { findBelow, variablesOf } from '../environment.ts'
import { pathOfNode } from '../expression.ts'
import { literalOf } from './warning.ts'

/** The methods whose first argument names an item of a list, and whose second one is evaluated for each item. */
const MACROS: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map', 'sortBy']
/** Those of them that are true or false. */
const TESTS: readonly string[] = ['all', 'exists', 'exists_one']
const GUARDS: Readonly<Record<string, string>> = {
  getReqHeader: 'hasReqHeader',
  getResHeader: 'hasResHeader',
  getQueryParam: 'hasQueryParam',
  getReqCookie: 'hasReqCookie',
  getResCookie: 'hasResCookie',
}

/** A part of an expression that can fail, and the test that is true if it fails. */
export interface Optional {
  readonly source: string
  readonly guard: string
}

type Find = (operand: ASTNode) => Optional | undefined

/** Makes the function that finds the part of an operand that a request may not have. */
export function createFind(): Find {
  // The phase of responses has the variables of all phases. A condition with one of a later phase has an error.
  const variables = variablesOf({ phase: 'on_http_response', hasTls: true, isModule: true })
  const isKnown = (node: ASTNode) => {
    const root = rootOf(node)
    // An item of a list is there.
    const isItem = root !== undefined && root !== 'vars' && !Object.hasOwn(variables, root)
    return isItem || findBelow(variables, pathOfNode(node)?.split('.') ?? ['']) !== undefined
  }
  return (operand) => findOptional(operand, isKnown)
}

/** Returns the name that an access begins with; undefined for all other nodes. */
function rootOf(node: ASTNode): string | undefined {
  let root = node
  while (root.op === '.' || root.op === '[]') root = root.args[0]
  return root.op === 'id' ? root.args : undefined
}

/**
 * Finds the first test that is true without a value, if a missing value equals nothing and is less than all others.
 * `isTrue` is false where the condition needs the test to be false, such as below a `!`.
 */
export function findTest(
  node: ASTNode,
  isTrue: boolean,
  find: Find,
): (Optional & { readonly node: ASTNode }) | undefined {
  if (node.op === '&&' || node.op === '||')
    return findTest(node.args[0], isTrue, find) ?? findTest(node.args[1], isTrue, find)
  const wrapped = readWrapped(node)
  if (wrapped) return at(node, findTest(wrapped.test, isTrue === wrapped.isSame, find))
  const [found] = operandsTrueWithout(node, isTrue).flatMap((each) => find(each) ?? [])
  const isTestOfItems = node.op === 'rcall' && TESTS.includes(node.args[0])
  const ofItems = isTestOfItems && node.args[2][1] ? findTest(node.args[2][1], isTrue, find) : undefined
  return at(node, found ?? ofItems)
}

function at(node: ASTNode, found: Optional | undefined): (Optional & { readonly node: ASTNode }) | undefined {
  return found && { ...found, node }
}

/** Reads `!a`, `a == false` and `a ? false : true`. `isSame` is false if the whole is true where the test is false. */
function readWrapped(node: ASTNode): { readonly test: ASTNode; readonly isSame: boolean } | undefined {
  if (node.op === '!_') return { test: node.args, isSame: false }
  if (node.op !== '==' && node.op !== '!=' && node.op !== '?:') return undefined
  const [first, second] = node.args
  if (isFlag(second)) return { test: first, isSame: second.args === (node.op !== '!=') }
  return isFlag(first) && node.op !== '?:' ? { test: second, isSame: first.args === (node.op === '==') } : undefined
}

function isFlag({ op, args }: ASTNode): boolean {
  return op === 'value' && typeof args === 'boolean'
}

/** Returns the operands of a test without any of which the test is true, or false if `isTrue` is false. */
function operandsTrueWithout(node: ASTNode, isTrue: boolean): readonly ASTNode[] {
  switch (node.op) {
    case '!=':
      return isTrue ? node.args : []
    case '<':
    case '<=':
      return [node.args[isTrue ? 0 : 1], ...node.args.filter(isFiltered)]
    case '>':
    case '>=':
      return [node.args[isTrue ? 1 : 0], ...node.args.filter(isFiltered)]
    case 'rcall':
      return (node.args[0] === 'all') === isTrue ? partsOf(node) : []
    case 'call':
      return isTrue || node.args[0].startsWith('has') ? [] : node.args[1]
    case '==':
    case 'in':
      return isTrue ? [] : node.args
    default:
      return isTrue ? [] : [node]
  }
}

/** Returns whether a value is made of a list that `filter` returns: its size says nothing if the filter fails for an item. */
function isFiltered(node: ASTNode): boolean {
  return (node.op === 'rcall' && node.args[0] === 'filter') || partsOf(node).some(isFiltered)
}

/** Returns the parts of a call or of a comparison whose values it needs. The first argument of `map` and others names an item, which is there. */
function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return node.args
    case 'call':
      return node.args[1]
    case 'rcall': {
      const [name, owner, args] = node.args
      if (TESTS.includes(name)) return [owner]
      return [owner, ...(MACROS.includes(name) ? args.slice(1) : args)]
    }
    default:
      return []
  }
}

/** Finds the innermost part of an operand that a request may not have. */
function findOptional(node: ASTNode, isKnown: (node: ASTNode) => boolean): Optional | undefined {
  const isAccess = node.op === '[]' || node.op === '.'
  const [inner] = (isAccess ? [node.args[0]] : partsOf(node)).flatMap((each) => findOptional(each, isKnown) ?? [])
  if (inner) return inner
  const source = sourceOf(node)
  const call = isAccess ? node.args[0] : node
  if (call.op === 'call' && (isAccess || call.args[0].endsWith('Cookie'))) {
    const [name, args] = call.args
    const guard = GUARDS[name]
    return { source, guard: guard === undefined ? `!has(${source})` : `!${guard}(${args.map(sourceOf).join(', ')})` }
  }
  if (!isAccess) return undefined
  const [owner, key] = node.args
  const path = pathOfNode(node) ?? pathOfNode(owner)
  // A field of an item, such as the value of a cookie, is there. Results of actions are lists with an item.
  const isThere = path === undefined ? node.op === '.' && owner.op === '[]' : /^(?:vars|actions)\b/.test(path)
  if (isThere || isKnown(node)) return undefined
  if (typeof key === 'string' || key.op !== 'value' || typeof key.args !== 'bigint')
    return { source, guard: `!has(${source})` }
  // A text has one part at least, and a path begins with a slash.
  const parts = /^req\.url\.path\.split\(['"]\/['"]\)$/.test(sourceOf(owner)) ? 2 : 1
  if (owner.op === 'rcall' && owner.args[0] === 'split' && key.args < parts) return undefined
  return { source, guard: `size(${sourceOf(owner)}) ${key.args === 0n ? '==' : '<='} ${key.args}` }
}

function sourceOf({ input, range }: ASTNode): string {
  return input.slice(range.start, range.end)
}

/** Returns a text in which names of headers and quotes are the same. */
export function toKey(source: string): string {
  return source.toLowerCase().replaceAll('"', "'")
}

/** Returns what a node guards: that of `has(…)`, `size(…)`, `hasReqHeader('…')` and `'…' in …`. */
export function readGuard(node: ASTNode, find: Find): readonly string[] {
  let of: ASTNode | undefined
  if (node.op === 'in' && literalOf(node.args[0]) !== undefined) of = node.args[0]
  if (node.op === 'call' && node.args[0].startsWith('has')) of = node.args[1][0]
  // The size of what may be missing fails as well.
  const [sized] = (node.op === 'call' || node.op === 'rcall') && node.args[0] === 'size' ? partsOf(node) : []
  if (sized && !find(sized)) of = sized
  return of ? [toKey(sourceOf(of))] : []
}
