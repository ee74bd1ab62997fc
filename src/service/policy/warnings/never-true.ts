import type { ASTNode } from '@marcbachmann/cel-js'
import { cut } from '../../../core/schema/text.ts'
import { type Config, type Variables, variableOf } from '../action.ts'
import { pathOfNode, walk } from '../expression.ts'
import { isVariable } from '../variables.ts'
import { Cases, type Constant, listParts, listTests, partsOf, rangeOf, readTest, type Test, treesOf } from './cases.ts'
import { placeOf } from './holes.ts'
import { neverEqual } from './never-equal.ts'
import { sourceOf } from './symbolic.ts'
import {
  type Finding,
  findInExpressions,
  type Hole,
  placeOfNode,
  type ReadPolicy,
  type ReadRule,
  type Warning,
} from './warning.ts'

const DOCS = 'https://ngrok.com/docs/traffic-policy/concepts/expressions/'

export const neverTrue: Warning = {
  id: 'never-true',
  about:
    'A condition, or all expressions of a rule together, can never be true, for example because an earlier check rejects the requests.',
  reason:
    'All expressions of a rule must be true, and a value cannot equal two strings. A month is a number from 0 to 11.',
  docs: DOCS,
  wrong: `on_http_request:
  - expressions: ["req.method == 'PUT' && req.method == 'DELETE'"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["req.method == 'PUT' || req.method == 'DELETE'"]
    actions: [{ type: deny }]
`,
  find: (policy) => [
    ...findConstant(policy, false),
    ...findInExpressions(policy, 'in', describeOutside),
    ...findContradictions(policy),
    ...findRejected(policy),
    ...policy.holes().flatMap((hole) => (hole.isNever ? describeAbsent(hole) : [])),
  ],
}

export const alwaysTrue: Warning = {
  id: 'always-true',
  about: 'A condition is true for every value.',
  reason: 'Every method is either not GET or not POST: use `&&` to exclude both.',
  docs: DOCS,
  wrong: `on_http_request:
  - expressions: ["req.method != 'GET' || req.method != 'POST'"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["req.method != 'GET' && req.method != 'POST'"]
    actions: [{ type: deny }]
`,
  find: (policy) => findConstant(policy, true),
}

/** Finds the smallest parts of expressions that are always true or never true. */
function findConstant({ expressions, rules }: ReadPolicy, truth: boolean): readonly Finding[] {
  const cases = new Cases()
  const alone = listLoneTests(rules)
  return expressions.flatMap(({ tree, problem, path, offset, kind }) => {
    const found: Finding[] = []
    if (!tree || problem) return found
    walk(tree, (root, parent) => {
      const isWhole = root === tree && kind === 'condition'
      if ((parent && partsOf(parent).length > 0) || !(partsOf(root).length > 0 || readTest(root) || isWhole)) return
      const rows = cases.list([root])
      const wrong = new Set<ASTNode>()
      for (const node of rows ? [...listParts([root])].reverse() : []) {
        const isSuspect = truth
          ? node.op === '||' || alone.has(node)
          : node.op !== 'value' || (node === root && isWhole)
        const isAbove = partsOf(node).some((each) => wrong.has(each))
        const isWrong = isSuspect && rows?.every((row) => row.get(node) === truth)
        if (isAbove || isWrong) wrong.add(node)
        if (isAbove || !isWrong) continue
        const what = `${node === tree ? '' : `has ${cut(sourceOf(node))}, which `}is ${truth ? 'always' : 'never'} true`
        found.push({ ...placeOfNode({ path, offset }, node), what, hint: suggest(node, truth) })
      }
    })
    return found
  })
}

/**
 * Lists the conditions that are alone in their rule, and the tests of values that no other test of the rule reads. One end of a range may
 * be always true by itself.
 */
function listLoneTests(rules: readonly ReadRule[]): ReadonlySet<ASTNode> {
  return new Set(
    rules.flatMap(({ conditions }) => {
      const trees = conditions.flatMap(({ tree }) => tree ?? []).filter(({ op }) => op !== 'value')
      const tests = trees.flatMap((tree) => listTests(tree))
      const sources = tests.map(({ node }) => sourceOf(readTest(node)?.subject ?? node))
      const lone = tests.filter(({ node, isNegated }, at) => {
        const test = readTest(node)
        return test && !isNegated && (isEverything(test) || sources.filter((each) => each === sources[at]).length === 1)
      })
      return [...(conditions.length === 1 ? trees : []), ...lone.map(({ node }) => node)]
    }),
  )
}

/** Returns whether every string passes a test. */
function isEverything({ name, constants }: Test): boolean {
  return name === 'startsWith' && constants[0] === ''
}

/** Finds a number in a list, among others, that a value never equals. A test that is never true has its own warning. */
function describeOutside(node: ASTNode): Pick<Finding, 'what' | 'hint'> | undefined {
  const { subject, name, constants = [] } = readTest(node) ?? {}
  const [min, max] = (subject && name === 'in' && rangeOf(subject)) || []
  if (!subject || min === undefined || max === undefined) return undefined
  const isOutside = (each: Constant) => typeof each === 'number' && (each < min || each > max)
  const wrong = constants.find(isOutside)
  if (wrong === undefined || constants.every(isOutside)) return undefined
  return {
    what: `compares ${cut(sourceOf(subject))} with ${wrong}, which it never is`,
    hint: describeRange(subject) ?? '',
  }
}

function suggest(node: ASTNode, truth: boolean): string {
  const test = readTest(node)
  const range = test && describeRange(test.subject)
  if (range !== undefined) return range
  if (test && isEverything(test))
    return pathOfNode(test.subject) === 'req.url.path'
      ? 'Every path begins with a slash. Write the part after the slash, and add $ at the end to match the whole path.'
      : 'An empty string, or an empty alternative in a pattern, is in every string.'
  if (truth) return node.op === '||' ? 'Use && if all of the tests must hold.' : 'Remove it, or change a value.'
  const isAny = node.op === '&&' ? 'Use || if one of the tests is enough' : 'Remove the rule'
  return `${isAny}, or change a value.`
}

function describeRange(subject: ASTNode): string | undefined {
  const [min = 0, max = 0] = rangeOf(subject) ?? []
  if (max <= min) return undefined
  const range = Number.isFinite(max) ? `from ${Math.round(min)} to ${Math.round(max)}` : `at least ${min}`
  return `${cut(sourceOf(subject))} is ${range}.`
}

/** Describes a rule that requires a value to be missing, and to be compared too. */
function describeAbsent(hole: Hole): Finding {
  const { guard, source } = hole.subject
  const what = `can never be true together with ${cut(guard)}: without ${cut(source)} it fails`
  return { ...placeOf(hole), what, hint: `Write ${guard} || before it, in one expression.` }
}

/** Finds rules whose expressions are mutually exclusive. */
function findContradictions({ rules }: ReadPolicy): readonly Finding[] {
  const cases = new Cases()
  return rules.flatMap((rule) => {
    const trees = treesOf(rule)
    const rows = cases.list(trees)
    const isPossible = rows?.some((row) => trees.every((tree) => row.get(tree))) ?? true
    // An expression that is never true by itself has its own warning.
    if (isPossible || trees.some((tree) => rows?.every((row) => !row.get(tree)))) return []
    const hint = 'Write one expression with || if one of them is enough, or change a value.'
    return { path: [...rule.path, 'expressions'], what: 'can never all be true, so the rule never applies', hint }
  })
}

/** Finds rules for requests that an earlier check has rejected. */
function findRejected(policy: ReadPolicy): readonly Finding[] {
  const cases = new Cases()
  // Already reported by neverEqual.
  const wrong = new Set(neverEqual.find(policy).map(({ path }) => path))
  const results = new Map<string, readonly Constant[]>()
  return policy.rules.flatMap((rule) => {
    const { conditions, path } = rule
    const trees = conditions.flatMap(({ tree, problem, path }) => (tree && !problem && !wrong.has(path) ? tree : []))
    const [name = '', passing = []] =
      [...results].find(([each]) => trees.some(({ input }) => input.includes(each))) ?? []
    learn(rule, results)
    // An expression that is never true by itself has its own warning.
    const isRejected =
      passing.length > 0 &&
      cases.canHold(trees) &&
      !passing.some((value) => cases.canHold(trees, new Map([[name, value]])))
    if (!isRejected) return []
    const hint = 'Set enforce: false in the earlier rule to handle these requests here, or remove the rule.'
    const values = passing.map((each) => (each === '' ? 'empty' : each)).join(' or ')
    const what = `can never be true: an earlier rule lets a request pass only if ${name} is ${cut(values)}`
    const [only, ...others] = conditions
    return { path: only && others.length === 0 ? only.path : [...path, 'expressions'], what, hint }
  })
}

/** Stores the results of a rule's checks for requests that pass. If the rule has conditions, the checks may not have run. */
function learn({ conditions, actions, phase }: ReadRule, results: Map<string, readonly Constant[]>): void {
  for (const { row, config } of actions) {
    const isStrict = conditions.length === 0 && config.enforce !== false && config.on_error !== 'continue'
    const base = `actions.ngrok.${variableOf(row)}`
    for (const [path, values] of listResults(row.sets ?? {})) {
      const passing = values.filter((value) => row.refusal?.(nest(path, value), phase) === undefined)
      const name = [base, ...path].join('.')
      results.delete(name)
      if (isStrict && passing.length < values.length) results.set(name, passing)
    }
    for (const name of ['code', 'message'].map((each) => `${base}.error.${each}`)) {
      results.delete(name)
      if (isStrict && row.outcomes) results.set(name, [''])
    }
    const users = row.type === 'basic-auth' ? listUsers(config) : []
    if (isStrict && users.length > 0) results.set(`${base}.credentials.username`, users)
  }
}

/** Lists the user names in a config's credentials, unless an expression produces one. */
function listUsers({ credentials }: Config): readonly string[] {
  const all: readonly string[] = Array.isArray(credentials) ? credentials.map(String) : []
  return all.some((each) => each.includes('${')) ? [] : all.map((each) => each.split(':', 1).join())
}

/** Lists the paths of variables with few values, and those values. */
function listResults(sets: Variables): readonly (readonly [path: readonly string[], values: readonly Constant[]])[] {
  return Object.entries(sets).flatMap(([name, below]) => {
    if (isVariable(below)) return [[[name], below.choices ?? (below.type === 'bool' ? [true, false] : [])] as const]
    return listResults(below).map(([path, values]) => [[name, ...path], values] as const)
  })
}

function nest([name = '', ...path]: readonly string[], value: Constant): Config {
  return { [name]: path.length === 0 ? value : nest(path, value) }
}
