import type { ASTNode } from '@marcbachmann/cel-js'
import { cut, quote } from '../../../core/schema/text.ts'
import { pathOfNode } from '../expression.ts'
import { readTextTest } from './never-equal.ts'
import { sourceOf } from './symbolic.ts'
import { type Finding, findInExpressions, literalOf, type Warning } from './warning.ts'

export const wildcard: Warning = {
  id: 'wildcard',
  about: 'A `*` meant as a wildcard is compared as a character or repeats the character before it.',
  reason: 'Only `matches` takes patterns, and they are regular expressions: `.*` matches any characters.',
  docs: 'https://ngrok.com/docs/traffic-policy/concepts/expressions/',
  wrong: `on_http_request:
  - expressions: ["req.url.path.startsWith('/admin/*')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["req.url.path.startsWith('/admin/')"]
    actions: [{ type: deny }]
`,
  find: (policy) => findInExpressions(policy, '*', (node) => describePattern(node) ?? describeText(node)),
}

/** The end of a pattern, or a whole part of a path, in which a `*` repeats a character. At the end, the repetition has no effect. */
const GLOB = /(?:^|[^\\])(?:[\w/-]\*$|\/\*[/)])/

function describePattern(node: ASTNode): Pick<Finding, 'what' | 'hint'> | undefined {
  if (node.op !== 'rcall' || node.args[0] !== 'matches') return undefined
  const pattern = literalOf(node.args[2][0])
  if (pattern === undefined || !GLOB.test(pattern)) return undefined
  const what = `has the pattern ${quote(pattern)}, in which "*" repeats the character before it`
  return { what, hint: 'Write .* for any characters, and ^ at the start of a path.' }
}

/** The variables whose values do not contain `*`. Headers may contain it. */
const SUBJECTS = /^(?:req|res)\.(?!headers|cookies|url\.query)|^actions\.ngrok\..*email$/

function describeText(node: ASTNode): Pick<Finding, 'what' | 'hint'> | undefined {
  const { subject, texts } = readTextTest(node) ?? {}
  const text = texts?.find((each) => each.includes('*'))
  if (!subject || text === undefined || !SUBJECTS.test(pathOfNode(withoutCase(subject)) ?? '')) return undefined
  const source = cut(sourceOf(subject))
  const rest = text.replace(/^\*+|\*+$/g, '')
  const method = !text.startsWith('*') ? 'startsWith' : text.endsWith('*') ? 'contains' : 'endsWith'
  const hint = rest === '' || rest.includes('*') ? `${source}.matches(…)` : `${source}.${method}('${rest}')`
  return { what: `compares ${source} with ${quote(text)}, whose "*" is not a wildcard`, hint: `Use ${hint}.` }
}

function withoutCase(node: ASTNode): ASTNode {
  return node.op === 'rcall' && /^(?:lower|upper)(?:Ascii)?$/.test(node.args[0]) ? node.args[1] : node
}
