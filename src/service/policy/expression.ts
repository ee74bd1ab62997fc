import type { ASTNode } from '@marcbachmann/cel-js'
import { listChildren } from '../../core/filter/cel-depth.ts'
import { isObject } from '../../core/schema/values.ts'
import type { Variables } from './action.ts'
import { findBelow, languageOf, parseIn, type Scope, TEXT } from './environment.ts'
import { explain, suggestNegation } from './explain.ts'
import type { ExpressionProblem } from './explain-syntax.ts'
import { patternProblem } from './pattern.ts'
import type { PolicyPath } from './problem.ts'
import { LITERAL } from './template.ts'
import { isVariable } from './variables.ts'

export type { ExpressionProblem } from './explain-syntax.ts'

/** A checked CEL expression: either its syntax tree and type, or its problem. */
export interface CheckedExpression {
  readonly source: string
  /** The syntax tree of the source, unless it is not valid CEL. Its ranges count characters of the source. */
  readonly tree?: ASTNode
  /** The type of the value, such as `bool`. */
  readonly type?: string
  readonly problem?: ExpressionProblem
}

/** An expression in a policy, with its location. */
export interface PolicyExpression extends CheckedExpression {
  /** The location of the text that contains the expression. */
  readonly path: PolicyPath
  /** The position of the expression in that text: 0, or after a `${`. */
  readonly offset: number
  /** The part of the rule that contains the expression: a condition, a `${…}` in a config, or a field that is an expression. */
  readonly kind: 'condition' | 'interpolation' | 'field'
}

/** A position where the checked source differs from the policy's source. */
export interface Edit {
  readonly at: number
  readonly removed: number
  readonly text: string
}

/** Parses an expression and checks its types. */
export function checkExpression(source: string, scope: Scope): CheckedExpression {
  const language = languageOf(scope)
  let tree: ASTNode | undefined
  let edits: readonly Edit[] = []
  try {
    const parsed = parseIn(language, source)
    tree = parsed.ast
    edits = findEdits(tree, language.texts, (path) => isGroup(language.variables, path))
    const checked = edits.length > 0 ? parseIn(language, applyEdits(source, edits)) : parsed
    const { valid, type, error } = checked.check()
    if (!valid) throw error
    const problem = findProblem(tree) ?? findWrongKey(checked.ast, (at) => toSource(at, edits))
    return { source, tree, ...(type !== undefined && { type }), ...(problem && { problem }) }
  } catch (error) {
    const problem = explain(error, {
      source,
      scope,
      variables: language.variables,
      toSource: (at) => toSource(at, edits),
    })
    const hint = problem.hint ?? (tree && source.includes('!') ? findNegation(tree) : undefined)
    return { source, problem: { ...problem, ...(hint !== undefined && { hint }) }, ...(tree && { tree }) }
  }
}

/** Calls a function with each node of a tree and the node's parent. Deep trees do not overflow the stack. */
export function walk(root: ASTNode, visit: (node: ASTNode, parent: ASTNode | undefined) => void): void {
  const waiting: [ASTNode, ASTNode | undefined][] = [[root, undefined]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, parent] = next
    visit(node, parent)
    for (const child of listChildren(node)) waiting.push([child, node])
  }
}

function findNegation(tree: ASTNode): string | undefined {
  let found: string | undefined
  walk(tree, (node) => {
    found ??= suggestNegation(node)
  })
  return found
}

/** Returns the source of a node. Adds parentheses that the node's range lacks at its ends. */
export function sourceOf({ input, range }: ASTNode): string {
  const text = input.slice(range.start, range.end)
  let [opening, closing] = [0, 0]
  for (const letter of text.replace(LITERAL, '')) {
    if (letter === '(') closing++
    else if (letter === ')' && closing > 0) closing--
    else if (letter === ')') opening++
  }
  return `${'('.repeat(opening)}${text}${')'.repeat(closing)}`
}

/** Returns the path of a node that is a chain of names, such as `req.url.path`, or undefined for other nodes. */
export function pathOfNode(node: ASTNode): string | undefined {
  const names: string[] = []
  let root = node
  for (; root.op === '.'; root = root.args[0]) names.unshift(root.args[1])
  return root.op === 'id' ? [root.args, ...names].join('.') : undefined
}

/**
 * Finds the parts that must be rewritten for the CEL library: strings with fields, comparisons with null, `has`, `sortBy`, and types that
 * the library infers incorrectly.
 */
function findEdits(tree: ASTNode, texts: ReadonlySet<string>, isGroup: (path: string) => boolean): readonly Edit[] {
  const edits: Edit[] = []
  const insert = (at: number, text: string, removed = 0) => edits.push({ at, text, removed })
  walk(tree, (node, parent) => {
    if (node.op === '.') {
      const isOwner = (parent?.op === '.' || parent?.op === '[]') && parent.args[0] === node
      const path = isOwner ? undefined : pathOfNode(node)
      if (path === undefined) return
      if (texts.has(path)) insert(node.range.end, `.${TEXT}`)
      else if (isComparison(parent) && isGroup(path)) {
        insert(node.range.start, 'dyn(')
        insert(node.range.end, ')')
      }
    } else if (node.op === 'call' && node.args[0] === 'has') {
      const [of] = node.args[1]
      if (of?.op === '[]' || of?.op === '.') insert(node.range.start + 'has'.length, 'Index')
    } else if (isUntyped(node, parent)) {
      insert(node.range.start, 'dyn(')
      insert(node.range.end, ')')
    } else if (node.op === 'rcall' && node.args[0] === 'sortBy') {
      const [item, key] = node.args[2]
      if (!item || !key) return
      insert(node.input.lastIndexOf('sortBy', item.range.start), 'filter', 'sortBy'.length)
      insert(key.range.start, '[')
      insert(key.range.end, '] != []')
    }
  })
  return edits.sort((a, b) => a.at - b.at)
}

/** Returns whether the CEL library infers the wrong type for a node: for items of an empty list, and for a duration plus a timestamp. */
function isUntyped(node: ASTNode, parent: ASTNode | undefined): boolean {
  if (node.op === 'list' || node.op === 'map') return node.args.length === 0 && parent?.op === 'rcall'
  return node.op === '+' && node.args[0].op === 'call' && node.args[0].args[0] === 'duration'
}

function isComparison(node: ASTNode | undefined): boolean {
  return node?.op === '==' || node?.op === '!='
}

/** Returns whether a path is one of a group of variables with a common prefix, such as `actions.ngrok.oauth.identity`. */
function isGroup(variables: Variables, path: string): boolean {
  const below = findBelow(variables, path.split('.'))
  return below !== undefined && !isVariable(below)
}

/** Returns a source with edits, which must be ordered by position. */
function applyEdits(source: string, edits: readonly Edit[]): string {
  let [result, end] = ['', 0]
  for (const { at, text, removed } of edits) {
    result += source.slice(end, at) + text
    end = at + removed
  }
  return result + source.slice(end)
}

/** Returns the position in the source for a position in the edited source. */
function toSource(place: number, edits: readonly Edit[]): number {
  let shift = 0
  for (const { at, text, removed } of edits) {
    if (place <= at + shift) break
    shift += Math.min(text.length - removed, place - at - shift)
  }
  return place - shift
}

/** Finds problems that the type check of the CEL library does not find. */
export function findProblem(tree: ASTNode): ExpressionProblem | undefined {
  let found: ExpressionProblem | undefined
  walk(tree, (node, parent) => {
    const message = problemOf(node, parent)
    const { start, end } = node.range
    if (message !== undefined) found = { message, offset: start, length: end - start }
  })
  return found
}

const KEY_TYPES: readonly string[] = ['bool', 'int', 'string', 'uint']

/** Finds a key whose type differs from the map's key type. The CEL library checks only the indices of lists. */
function findWrongKey(checked: ASTNode, toSource: (place: number) => number): ExpressionProblem | undefined {
  let found: ExpressionProblem | undefined
  walk(checked, (node) => {
    if (node.op !== '[]') return
    const [owner, key] = [typeOfNode(node.args[0]), typeOfNode(node.args[1])]
    const allowed = isObject(owner?.keyType) ? owner.keyType.type : undefined
    // The keys of an empty map, and those of different types, may be any.
    const hasType = typeof allowed === 'string' && KEY_TYPES.includes(allowed)
    if (!hasType || key?.type === allowed || key?.type === 'dyn') return
    const [start, end] = [toSource(node.args[1].range.start), toSource(node.args[1].range.end)]
    const message = `keys of different types in a map: ${allowed} and ${key?.type}`
    found = { message, offset: start, length: end - start }
  })
  return found
}

/** Returns the type that the CEL library assigned to a node. */
function typeOfNode(node: ASTNode): Readonly<Record<string, unknown>> | undefined {
  const type: unknown = Reflect.get(node, 'checkedType')
  return isObject(type) ? type : undefined
}

function problemOf(node: ASTNode, parent: ASTNode | undefined): string | undefined {
  if (node.op === 'rcall' && BEYOND_CEL.includes(node.args[0])) return `there is no function ${node.args[0]}`
  if (node.op !== 'value') return undefined
  if (typeof node.args === 'bigint') {
    const value = parent?.op === '-_' ? -node.args : node.args
    return BigInt.asIntN(64, value) === value ? undefined : 'the integer exceeds 64 bits'
  }
  if ((parent?.op !== 'call' && parent?.op !== 'rcall') || parent.args[0] !== 'matches') return undefined
  const pattern = parent.op === 'call' ? parent.args[1][1] : parent.args[2][0]
  if (pattern !== node || typeof node.args !== 'string') return undefined
  const problem = patternProblem(node.args)
  return problem === undefined ? undefined : `the pattern is not valid in RE2: ${problem}`
}

/** The methods that the CEL library adds to the language and that the service does not have. */
const BEYOND_CEL: readonly string[] = [
  ...['at', 'base64', 'bind', 'hex', 'json', 'string'],
  // Those of optional values.
  ...['hasValue', 'none', 'of', 'or', 'orValue', 'value'],
]
