import { cut } from '../../../core/schema/text.ts'
import { Constants } from './constants.ts'
import { sourceOf } from './symbolic.ts'
import { placeOfNode, type Warning } from './warning.ts'

export const invalidConstant: Warning = {
  id: 'invalid-constant',
  about:
    'A constant in an expression, such as a nonexistent time zone, index, or duration, makes an operation fail for every request.',
  reason:
    'The service checks the types of an expression, but not its values. A rule whose condition fails does not apply.',
  docs: 'https://ngrok.com/docs/traffic-policy/concepts/expressions/',
  wrong: `on_http_request:
  - expressions: ["timestamp(time.now) - timestamp('2026-01-01T00:00:00Z') > duration('5 minutes')"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - expressions: ["timestamp(time.now) - timestamp('2026-01-01T00:00:00Z') > duration('5m')"]
    actions: [{ type: deny }]
`,
  find: ({ expressions }) => {
    const constants = new Constants()
    return expressions.flatMap(({ tree, problem, path, offset }) =>
      (tree && !problem ? constants.listFailures(tree) : []).map(({ node, message }) => ({
        ...placeOfNode({ path, offset }, node),
        what: `has ${cut(sourceOf(node))}, which fails for every request`,
        hint: `Change the constant: ${message}.`,
      })),
    )
  },
}
