import { cut } from '../../../core/schema/text.ts'
import { Constants } from './constants.ts'
import { sourceOf } from './symbolic.ts'
import { placeOfNode, type Warning } from './warning.ts'

/** The numbers of failures at run time, by the part of the policy that contains the expression. */
const NUMBERS = { condition: 2254, field: 2253, interpolation: 3900 }

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
    return expressions.flatMap(({ tree, problem, path, offset, kind }) =>
      (tree && !problem ? constants.listFailures(tree) : []).map(({ node, message }) => ({
        ...placeOfNode({ path, offset }, node),
        number: NUMBERS[kind],
        what: `has ${cut(sourceOf(node))}, which fails at run time for every request`,
        hint: `Change the constant: ${message}.`,
      })),
    )
  },
}
