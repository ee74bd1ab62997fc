import type { ASTNode } from '@marcbachmann/cel-js'
import { cut } from '../../../core/schema/text.ts'
import { walk } from '../expression.ts'
import { Cases, listParts, partsOf, rangeOf, readTest } from './cases.ts'
import { sourceOf } from './symbolic.ts'
import type { Finding, ReadPolicy, Warning } from './warning.ts'

const DOCS = 'https://ngrok.com/docs/traffic-policy/concepts/expressions/'

export const neverTrue: Warning = {
  id: 'never-true',
  about: 'A condition, or all expressions of a rule together, cannot be true.',
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
  find: (policy) => [...findConstant(policy, false), ...findContradictions(policy)],
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
  // A condition beside others may be true by itself, such as the lower end of a range.
  const alone = rules.flatMap(({ conditions }) => (conditions.length === 1 ? (conditions[0]?.tree ?? []) : []))
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
          ? node.op === '||' || (node === root && node.op !== 'value' && alone.includes(node))
          : node.op !== 'value' || (node === root && isWhole)
        const isAbove = partsOf(node).some((each) => wrong.has(each))
        const isWrong = isSuspect && rows?.every((row) => row.get(node) === truth)
        if (isAbove || isWrong) wrong.add(node)
        if (isAbove || !isWrong) continue
        const { start, end } = node.range
        const what = `${node === tree ? '' : `has ${cut(sourceOf(node))}, which `}is ${truth ? 'always' : 'never'} true`
        found.push({ path, within: { offset: offset + start, length: end - start }, what, hint: suggest(node, truth) })
      }
    })
    return found
  })
}

function suggest(node: ASTNode, truth: boolean): string {
  const { subject } = readTest(node) ?? {}
  const [min = 0, max = 0] = (subject && rangeOf(subject)) ?? []
  if (subject && max > min)
    return `${cut(sourceOf(subject))} is ${Number.isFinite(max) ? `from ${Math.round(min)} to ${Math.round(max)}` : `at least ${min}`}.`
  if (truth) return node.op === '||' ? 'Use && if all of the tests must hold.' : 'Remove it, or change a value.'
  const isAny = node.op === '&&' ? 'Use || if one of the tests is enough' : 'Remove the rule'
  return `${isAny}, or change a value.`
}

/** Finds rules whose expressions exclude each other. */
function findContradictions({ rules }: ReadPolicy): readonly Finding[] {
  const cases = new Cases()
  return rules.flatMap(({ path, conditions }) => {
    const trees = conditions.flatMap(({ tree, problem }) => (tree && !problem ? tree : []))
    const rows = cases.list(trees)
    const isPossible = rows?.some((row) => trees.every((tree) => row.get(tree))) ?? true
    // An expression that is never true by itself has its own warning.
    if (isPossible || trees.some((tree) => rows?.every((row) => !row.get(tree)))) return []
    const hint = 'Write one expression with || if one of them is enough, or change a value.'
    return { path: [...path, 'expressions'], what: 'can never all be true, so the rule does not apply', hint }
  })
}
