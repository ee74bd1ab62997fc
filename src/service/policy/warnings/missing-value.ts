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

/** The methods that test a value. */
const TESTS: readonly string[] = ['contains', 'endsWith', 'matches', 'startsWith', 'exists', 'exists_one']
const GUARDS: Readonly<Record<string, string>> = {
  getReqHeader: 'hasReqHeader',
  getResHeader: 'hasResHeader',
  getQueryParam: 'hasQueryParam',
  getReqCookie: 'hasReqCookie',
  getResCookie: 'hasResCookie',
}

function findMissing({ rules }: ReadPolicy): readonly Finding[] {
  const found: Finding[] = []
  const guarded = new Set<string>()
  for (const { phase, conditions } of rules) {
    // An earlier rule may have ended the requests without the value.
    for (const { tree } of conditions) if (tree) walk(tree, (node) => addGuarded(node, guarded))
    const variables = variablesOf({ phase, hasTls: true, isModule: true })
    const isKnown = (node: ASTNode) => findBelow(variables, pathOfNode(node)?.split('.') ?? ['']) !== undefined
    for (const { tree, path, offset } of conditions) {
      const test = tree && findTest(tree, true, (operand) => findOptional(operand, isKnown))
      // Each request has a host.
      if (!test || /["']host["']/i.test(test.source) || test.keys.some((key) => guarded.has(key))) continue
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

/** A part of an expression that can fail. */
interface Optional {
  readonly source: string
  /** The test that the part would fail. */
  readonly guard: string
  /** The names and texts by which a guard may name the part. */
  readonly keys: readonly string[]
}

/** Finds the first test that is true without a value, if a missing value equals nothing. `isTrue` is false below a `!`. */
function findTest(
  node: ASTNode,
  isTrue: boolean,
  find: (operand: ASTNode) => Optional | undefined,
): (Optional & { readonly node: ASTNode }) | undefined {
  if (node.op === '!_') return findTest(node.args, !isTrue, find)
  if (node.op === '&&' || node.op === '||')
    return findTest(node.args[0], isTrue, find) ?? findTest(node.args[1], isTrue, find)
  let operands: readonly ASTNode[] = []
  if (node.op === (isTrue ? '!=' : '==') || (node.op === 'in' && !isTrue)) operands = node.args
  if (node.op === 'rcall' && (isTrue ? node.args[0] === 'all' : TESTS.includes(node.args[0]))) operands = [node.args[1]]
  const [optional] = operands.flatMap((each) => find(each) ?? [])
  return optional && { ...optional, node }
}

/** Finds the innermost part of an operand that a request may not have. */
function findOptional(node: ASTNode, isKnown: (node: ASTNode) => boolean): Optional | undefined {
  const parts = node.op === 'call' ? node.args[1] : node.op === 'rcall' ? [node.args[1], ...node.args[2]] : []
  const owner = node.op === '[]' || node.op === '.' ? node.args[0] : undefined
  const [inner] = (owner ? [owner] : parts).flatMap((each) => findOptional(each, isKnown) ?? [])
  if (inner) return inner
  if (node.op === 'call') return node.args[0].endsWith('Cookie') ? ofCall(node, node) : undefined
  if ((node.op !== '[]' && node.op !== '.') || !owner) return undefined
  if (owner.op === 'call') return ofCall(owner, node)
  const [path, key] = [pathOfNode(node) ?? pathOfNode(owner), node.args[1]]
  // The results of actions are lists with an item, and set-vars sets what a policy names.
  if (path === undefined ? isField(node) : /^(?:vars|actions)\b/.test(path) || isKnown(node)) return undefined
  const source = sourceOf(node)
  const isIndex = typeof key !== 'string' && key.op === 'value' && typeof key.args === 'bigint'
  const guard = isIndex ? `size(${sourceOf(owner)}) ${key.args === 0n ? '==' : '<='} ${key.args}` : `!has(${source})`
  const literal = typeof key === 'string' ? undefined : literalOf(key)?.toLowerCase()
  return { source, guard, keys: [source, sourceOf(owner), literal ?? source] }
}

/** Returns whether a node is a field of an item, such as the value of a cookie: it is always there. That of a field is not. */
function isField(node: ASTNode): boolean {
  return node.op === '.' && node.args[0].op === '[]'
}

/** Returns the guard of a call of a function such as `getReqHeader`. */
function ofCall(call: Extract<ASTNode, { op: 'call' }>, node: ASTNode): Optional | undefined {
  const [name, [first]] = call.args
  const source = sourceOf(node)
  const guard = GUARDS[name] === undefined || !first ? `!has(${source})` : `!${GUARDS[name]}(${sourceOf(first)})`
  return { source, guard, keys: [source, sourceOf(call), literalOf(first)?.toLowerCase() ?? source] }
}

function sourceOf({ input, range }: ASTNode): string {
  return input.slice(range.start, range.end)
}

/** Adds what a node guards: `has(…)`, `size(…)`, `hasReqHeader('…')` and `'…' in …`. */
function addGuarded(node: ASTNode, guarded: Set<string>): void {
  const add = (of: ASTNode | undefined) => {
    if (of) guarded.add(literalOf(of)?.toLowerCase() ?? sourceOf(of))
  }
  if (node.op === 'in' && literalOf(node.args[0]) !== undefined) add(node.args[0])
  if (node.op === 'call' && /^(?:has|size)/.test(node.args[0])) add(node.args[1][0])
  if (node.op === 'rcall' && node.args[0] === 'size') add(node.args[1])
}
