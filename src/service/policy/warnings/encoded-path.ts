import { cut } from '../../../core/schema/text.ts'
import { pathOfNode } from '../expression.ts'
import { listTests } from './cases.ts'
import { checkOf, isDenial } from './holes.ts'
import { sourceOf } from './symbolic.ts'
import { type Finding, literalOf, type Warning } from './warning.ts'

export const encodedPath: Warning = {
  id: 'encoded-path',
  about: 'A rule that denies or checks requests compares a path that is not decoded.',
  reason: 'A client can encode any letter of a path: `/%61dmin` is `/admin`. `req.url.path` is decoded.',
  docs: 'https://ngrok.com/docs/traffic-policy/variables/req/#requrlraw-path',
  wrong: `on_http_request:
  - expressions: ["req.url.raw_path.startsWith('/admin')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["req.url.path.startsWith('/admin')"]
    actions: [{ type: deny }]
`,
  find: ({ rules }) =>
    rules.flatMap((rule) => {
      if (!isDenial(rule) && checkOf(rule) === undefined) return []
      return rule.conditions.flatMap(({ tree, problem, path, offset }) =>
        (tree && !problem ? listTests(tree) : []).flatMap(({ node, isNegated }): readonly Finding[] => {
          const source = sourceOf(node)
          const operands = node.op === 'rcall' ? [node.args[1], ...node.args[2]] : node.op === '==' ? node.args : []
          const subject = operands
            .map((each) => pathOfNode(each) ?? '')
            .find((each) => /^req\.url\.(?:raw_path|uri)$/.test(each))
          // Who tests for escapes wants the raw path.
          const isPath = operands.some((each) => /^\^?\/[\w/.*-]*\$?$/.test(literalOf(each) ?? ''))
          if (subject === undefined || isNegated || !isPath) return []
          const { start, end } = node.range
          return [
            {
              path,
              within: { offset: offset + start, length: end - start },
              what: `tests ${cut(source)}, which is false if the client encodes a letter of the path`,
              hint: 'Use req.url.path, which is decoded.',
            },
          ]
        }),
      )
    }),
}
