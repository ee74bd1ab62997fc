import type { ASTNode } from '@marcbachmann/cel-js'
import { nearest } from '../../core/schema/nearest.ts'
import { cut } from '../../core/schema/text.ts'
import { lookUp } from '../../core/schema/values.ts'
import type { Variables } from './action.ts'
import { findBelow, listPaths, type Scope, TEXT, variablesOf } from './environment.ts'
import { type ExpressionProblem, explainStop, isRestOfTag } from './explain-syntax.ts'
import { ALIASES, CEL_FUNCTIONS, FUNCTIONS, NAMESPACES } from './functions.ts'
import { PHASES } from './phases.ts'
import { isVariable } from './variables.ts'

interface Known {
  readonly source: string
  readonly scope: Scope
  readonly variables: Variables
  /** Converts a position in the checked source to a position in the policy's source. */
  readonly toSource: (place: number) => number
}

/** The parts of the CEL library's errors that explanations use. */
interface CelError {
  readonly code: string
  readonly summary: string
  readonly node?: ASTNode
  readonly range?: { readonly start: number; readonly end: number }
}

interface Explanation {
  readonly message: string
  readonly hint?: string | undefined
  /** The name that the problem is about, if this is the last name in the node. */
  readonly name?: string
}

/** The corrected form of a string that begins with an exclamation mark. */
export const TAG_HINT = 'In YAML, put a string that begins with "!" in quotes. Without quotes, it is a tag.'

/** Describes an error of the CEL library in terms of policies. */
export function explain(error: unknown, known: Known): ExpressionProblem {
  if (!isCelError(error))
    return { message: 'the expression is nested too deeply', offset: 0, length: known.source.length }
  if (known.source.trim() === '')
    return { message: 'the expression is empty', hint: TAG_HINT, offset: 0, length: Math.max(1, known.source.length) }
  const { range = { start: 0, end: 0 } } = error
  const start = known.toSource(range.start)
  const stop = explainStop(error.summary, known.source, start)
  if (stop) return stop
  const { message, hint = isRestOfTag(known.source) ? TAG_HINT : undefined, name } = explainCode(error, known)
  const end = Math.max(known.toSource(range.end), start)
  const node = known.source.slice(start, end)
  // The range of a field or a method is that of the whole chain, but the name is wrong.
  const inNode = name === undefined ? -1 : findName(error.node, node, name)
  const offset = inNode < 0 ? start : start + inNode
  const length = inNode < 0 || name === undefined ? end - start : name.length
  return { message, offset, length: Math.max(1, length), ...(hint !== undefined && { hint }) }
}

function isCelError(error: unknown): error is CelError {
  return error instanceof Error && typeof Reflect.get(error, 'code') === 'string' && 'summary' in error
}

function findName(node: ASTNode | undefined, text: string, name: string): number {
  return node?.op === 'rcall' || node?.op === '.'
    ? text.lastIndexOf(name, node.op === '.' ? text.length : findCall(node))
    : text.indexOf(name)
}

/** Returns the position in a method call where its arguments begin. */
function findCall(node: Extract<ASTNode, { op: 'rcall' }>): number {
  const [, receiver, [first]] = node.args
  const start = node.range.start
  return (first ? first.range.start : Math.max(receiver.range.end + node.args[0].length + 1, start)) - start
}

/** The limits on an expression, by their names in the CEL library. */
const LIMITS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  maxAstNodes: ['the expression has more than', 'parts'],
  maxCallArguments: ['a call has more than', 'arguments'],
  maxDepth: ['the expression is nested deeper than', 'levels'],
  maxListElements: ['a list has more than', 'items'],
  maxMapEntries: ['a map has more than', 'entries'],
  maxOperands: ['a chain of && or || has more than', 'operands'],
}

/** Describes a CEL library error such as `Exceeded maxDepth (250)`. */
function explainLimit(summary: string): string {
  const [, name = '', most = ''] = /^Exceeded (\w+) \((\d+)\)/.exec(summary) ?? []
  const [before, after] = LIMITS[name] ?? ['the expression is longer than', 'allowed']
  return `${before} ${most} ${after}`
}

function explainCode({ code, summary, node }: CelError, known: Known): Explanation {
  if (code === 'unknown_variable' && node?.op === 'id') return explainVariable(node.args, known)
  if (code === 'no_such_key' && node?.op === '.') return explainField(node, known)
  if (code === 'no_matching_overload' && (node?.op === 'call' || node?.op === 'rcall'))
    return explainCall(node, summary, known)
  if (code === 'cannot_index_type' && node?.op === '.') {
    const name = node.args[1]
    return {
      name,
      message: `a value of type ${cleanTypes(/'(.*)'/.exec(summary)?.[1] ?? '')} has no field ${cut(name)}`,
    }
  }
  if (code === 'limit_exceeded') return { message: explainLimit(summary) }
  if (code === 'no_such_overload') {
    const message = `the types do not match: there is no ${cleanTypes(summary.replace(/^no such overload: /, ''))}`
    const [, map] = /([\w.]+\.(?:headers|cookies|query_params))\[\d+\]/.exec(known.source) ?? []
    if (map !== undefined) return { message, hint: `A key of ${map} is a name, as in ${map}['name'][0].` }
    const isOfList = /list<string> (?:==|!=) string|string (?:==|!=) list<string>/.test(summary)
    return {
      message,
      hint: isOfList ? 'The value is a list. Use its first item, with [0], or test it with in.' : undefined,
    }
  }
  const message = cut(cleanTypes(nameTokens(summary.charAt(0).toLowerCase() + summary.slice(1))), 200)
  if (summary.startsWith('List index must be int'))
    return { message, hint: 'The value is a list. Use its first item, with [0].' }
  return { message, hint: explainHyphen(known.source, /^Reserved identifier: (\w+)/.exec(summary)?.[1] ?? '') }
}

/** Returns the corrected form of `!a in b`, which negates the value instead of the test, or undefined for other nodes. */
export function suggestNegation(node: ASTNode): string | undefined {
  if (node.op !== 'in' || node.args[0].op !== '!_' || node.input.charAt(node.range.start) !== '!') return undefined
  const [value, list] = [node.args[0].args, node.args[1]].map(({ range }) => node.input.slice(range.start, range.end))
  return `Write !(${value} in ${list}).`
}

/** Replaces the library's names for tokens with the characters. */
function nameTokens(text: string): string {
  return text.replace(/\b[A-Z]{3,}\b/g, (token) => TOKENS[token] ?? token)
}

const TOKENS: Readonly<Record<string, string>> = {
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  LBRACE: '"{"',
  RBRACE: '"}"',
  COMMA: 'a comma',
  COLON: 'a colon',
  DOT: 'a period',
  QUESTION: '"?"',
  EOF: 'the end of the expression',
}

/** Replaces the library's type names with words: `$req.url` is an object, and `HashFunctions` is the namespace `hash`. */
function cleanTypes(text: string): string {
  return text
    .replace(/\$[\w.]+/g, 'object')
    .replace(/google\.protobuf\.(Timestamp|Duration)/g, (_, name) => name.toLowerCase())
    .replace(/\w+Functions\b/, (type) => Object.keys(NAMESPACES).find((name) => NAMESPACES[name] === type) ?? type)
}

function explainVariable(name: string, { scope, variables, source }: Known): Explanation {
  const elsewhere = PHASES.filter((phase) => Object.hasOwn(variablesOf({ ...scope, phase }), name))
  if (elsewhere.length > 0) {
    return {
      message: `${name} is not available in ${scope.phase}`,
      hint: `It is available in ${elsewhere.join(', ')}.`,
    }
  }
  const hyphen = explainHyphen(source, name)
  if (hyphen !== undefined) return { message: `there is no variable ${cut(name)}`, hint: hyphen }
  const [, , text] = new RegExp(`([=!]=|[,[(])\\s*(${name}(?:-\\w+)*)\\b(?![.(])`).exec(source) ?? []
  if (text !== undefined && /^[A-Z]+$|-/.test(text))
    return { message: `there is no variable ${name}`, hint: `Write a string in quotes: '${cut(text)}'.` }
  if (/^(?:env|[A-Z][A-Z0-9_]+)$/.test(name)) {
    return {
      message: `there is no variable ${cut(name)}`,
      hint: "A policy cannot read environment variables. Use secrets.get('vault', 'name').",
    }
  }
  // A macro without its variable.
  const [, macro] = /\.(all|exists|exists_one|filter|map)\((?!\s*\w+\s*,)/.exec(source) ?? []
  const suggested =
    nearest(name, [...Object.keys(variables), ...Object.keys(NAMESPACES)]) ?? nearestPath(name, listPaths(variables))
  if (macro !== undefined && suggested === undefined)
    return {
      message: `${macro} needs a name for each item, and an expression`,
      hint: `Name it first: ${macro}(${cut(name)}, …).`,
    }
  return { message: `there is no variable ${cut(name)}`, hint: suggest(suggested) }
}

/** Returns a valid form of a hyphenated name, part of which was read as a variable. */
function explainHyphen(source: string, part: string): string | undefined {
  const [, owner, field] = source.match(/([\w.]+)\.(\w+(?:-\w+)+)/) ?? []
  if (owner === undefined || !field?.split('-').includes(part)) return undefined
  return `A - subtracts. Write ${cut(owner)}['${cut(field)}'].`
}

/** The fields that other services call by these names. */
const MEANT_FIELDS: Readonly<Record<string, string>> = { asn: 'as.number', user: 'identity' }

function explainField(node: Extract<ASTNode, { op: '.' }>, { scope, variables }: Known): Explanation {
  const name = node.args[1]
  const names = readNames(node.args[0])
  const owner = names && findBelow(variables, names)
  const path = names?.join('.')
  if (path === 'conn' && name === 'tls' && !scope.hasTls) {
    return {
      name,
      message: 'conn.tls is not available here',
      hint: 'It is available on endpoints with TLS: https and tls.',
    }
  }
  const fields = owner && !isVariable(owner) ? Object.keys(owner).filter((field) => field !== TEXT) : []
  const meant = lookUp(MEANT_FIELDS, name)
  const isThere = meant !== undefined && names && findBelow(variables, [...names, ...meant.split('.')]) !== undefined
  const near = isThere ? meant : nearest(name, fields)
  const paths = listPaths(variables)
  const sameRoot = paths.filter((each) => names !== undefined && each.startsWith(`${names[0]}.`))
  const suggested =
    near !== undefined && path !== undefined
      ? `${path}.${near}`
      : (nearestPath(name, sameRoot) ?? nearestPath(name, paths))
  return {
    name,
    message: `${path === undefined ? 'the value' : cut(path)} has no field ${cut(name)}`,
    hint: suggest(suggested),
  }
}

function explainCall(node: Extract<ASTNode, { op: 'call' | 'rcall' }>, summary: string, { scope }: Known): Explanation {
  const receiver = node.op === 'rcall' && node.args[1].op === 'id' ? `${node.args[1].args}.` : ''
  const name = node.args[0]
  const called = cleanTypes(/'(.*)'/.exec(summary)?.[1] ?? name)
  const rows = FUNCTIONS.filter((each) => each.name === name || each.name === `${receiver}${name}`)
  const [row] = rows
  if (row?.phases && !row.phases.includes(scope.phase)) {
    return {
      name,
      message: `${row.name} is not available in ${scope.phase}`,
      hint: `It is available in ${row.phases.join(', ')}.`,
    }
  }
  if (rows.length > 0) {
    return {
      name,
      message: `there is no ${called}`,
      hint: `Available: ${rows.flatMap(({ signatures }) => signatures).join(', ')}.`,
    }
  }
  if (CEL_FUNCTIONS.includes(name)) {
    const other = suggestCall(node)
    const kind = node.op === 'call' ? 'a method' : 'not a method'
    const why = other === undefined ? 'does not accept these types' : `is ${kind}`
    return { name, message: `there is no ${called}: ${name} ${why}`, hint: other && `Write ${cut(other)}.` }
  }
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
  const names = [...FUNCTIONS.map((each) => each.name), ...CEL_FUNCTIONS]
  return {
    name,
    message: `there is no function ${receiver}${cut(name)}`,
    hint: suggest(alias ?? nearest(`${receiver}${name}`, names) ?? nearest(name, names)),
  }
}

/** The CEL methods that aren't functions. */
const METHODS = /^(?:contains|endsWith|matches|startsWith|get[A-Z]\w+)$/

/** Returns a call of a method as a function, or of a function as a method, in its other form. */
function suggestCall(node: Extract<ASTNode, { op: 'call' | 'rcall' }>): string | undefined {
  const textOf = ({ range }: ASTNode) => node.input.slice(range.start, range.end)
  if (node.op === 'rcall') {
    const [name, owner, args] = node.args
    return METHODS.test(name) || args.length > 0 ? undefined : `${name}(${textOf(owner)})`
  }
  const [name, [owner, ...args]] = node.args
  return owner && METHODS.test(name) ? `${textOf(owner)}.${name}(${args.map(textOf).join(', ')})` : undefined
}

function suggest(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `Did you mean ${name}?`
}

/** Returns the shortest path that ends with the name. */
function nearestPath(name: string, paths: readonly string[]): string | undefined {
  const ends = paths.filter((path) => path.toLowerCase().endsWith(`.${name.toLowerCase()}`))
  return ends.sort((a, b) => a.length - b.length)[0]
}

function readNames(node: ASTNode): string[] | undefined {
  const names: string[] = []
  let root = node
  for (; root.op === '.'; root = root.args[0]) names.unshift(root.args[1])
  return root.op === 'id' ? [root.args, ...names] : undefined
}
