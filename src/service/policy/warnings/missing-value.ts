import type { ASTNode } from '@marcbachmann/cel-js'
import { cut } from '../../../core/schema/text.ts'
import { findBelow, variablesOf } from '../environment.ts'
import { pathOfNode, walk } from '../expression.ts'
import { type Finding, literalOf, type ReadPolicy, type Warning } from './warning.ts'

export const missingValue: Warning = {
  id: 'missing-value',
  about: 'A condition that should be true without a value, such as a header, fails without it.',
  reason:
    '`getReqHeader` returns an empty list if there is no such header, and an empty list has no first item. A rule whose condition fails does not apply.',
  docs: 'https://ngrok.com/docs/traffic-policy/macros/#getreqheaderstring---list',
  wrong: `on_http_request:
  - expressions: ["getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["!hasReqHeader('x-token') || getReqHeader('x-token')[0] != 'secret'"]
    actions: [{ type: deny }]
`,
  find: findMissing,
}

/** The methods whose arguments name an item of a list. */
const MACROS: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map', 'sortBy']
const GUARDS: Readonly<Record<string, string>> = {
  getReqHeader: 'hasReqHeader',
  getResHeader: 'hasResHeader',
  getQueryParam: 'hasQueryParam',
  getReqCookie: 'hasReqCookie',
  getResCookie: 'hasResCookie',
}

/** A part of an expression that can fail, and the test that is true if it fails. */
interface Optional {
  readonly source: string
  readonly guard: string
}

type Find = (operand: ASTNode) => Optional | undefined

function findMissing({ rules }: ReadPolicy): readonly Finding[] {
  const found: Finding[] = []
  // Each request has a host. An earlier rule may have ended the requests without another value.
  const guarded = ["'host'"]
  // The phase of responses has the variables of all phases. A condition with one of a later phase has an error.
  const variables = variablesOf({ phase: 'on_http_response', hasTls: true, isModule: true })
  const isKnown = (node: ASTNode) => findBelow(variables, pathOfNode(node)?.split('.') ?? ['']) !== undefined
  const find = (operand: ASTNode) => findOptional(operand, isKnown)
  for (const { conditions } of rules) {
    for (const { tree } of conditions) if (tree) walk(tree, (node) => guarded.push(...readGuard(node, find)))
    for (const { tree, problem, path, offset } of conditions) {
      const test = tree && !problem && findTest(tree, true, find)
      if (!test || guarded.some((each) => toKey(test.source).includes(each))) continue
      const { start, end } = test.node.range
      found.push({
        path,
        within: { offset: offset + start, length: end - start },
        what: `fails for a request without ${cut(test.source)}, so that its rule does not apply`,
        hint: `Write ${test.guard} || before it.`,
      })
    }
  }
  return found
}

/**
 * Finds the first test that is true without a value, if a missing value equals nothing and is less than all others.
 * `isTrue` is false where the condition needs the test to be false, such as below a `!`.
 */
function findTest(node: ASTNode, isTrue: boolean, find: Find): (Optional & { readonly node: ASTNode }) | undefined {
  if (node.op === '&&' || node.op === '||')
    return findTest(node.args[0], isTrue, find) ?? findTest(node.args[1], isTrue, find)
  const wrapped = readWrapped(node)
  const found = wrapped
    ? findTest(wrapped.test, isTrue === wrapped.isSame, find)
    : operandsTrueWithout(node, isTrue).flatMap((each) => find(each) ?? [])[0]
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
      return [node.args[isTrue ? 0 : 1]]
    case '>':
    case '>=':
      return [node.args[isTrue ? 1 : 0]]
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

/** Returns the parts of a call whose values it needs. Those of `exists` and others name an item, which is there. */
function partsOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === 'call') return node.args[1]
  if (node.op !== 'rcall') return []
  return MACROS.includes(node.args[0]) ? [node.args[1]] : [node.args[1], ...node.args[2]]
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
function toKey(source: string): string {
  return source.toLowerCase().replaceAll('"', "'")
}

/** Returns what a node guards: that of `has(…)`, `size(…)`, `hasReqHeader('…')` and `'…' in …`. */
function readGuard(node: ASTNode, find: Find): readonly string[] {
  let of: ASTNode | undefined
  if (node.op === 'in' && literalOf(node.args[0]) !== undefined) of = node.args[0]
  if (node.op === 'call' && node.args[0].startsWith('has')) of = node.args[1][0]
  // The size of what may be missing fails as well.
  const [sized] = (node.op === 'call' || node.op === 'rcall') && node.args[0] === 'size' ? partsOf(node) : []
  if (sized && !find(sized)) of = sized
  return of ? [toKey(sourceOf(of))] : []
}
