import { suggestNegation } from '../explain.ts'
import { findInExpressions, type Warning } from './warning.ts'

export const negatedValue: Warning = {
  id: 'negated-value',
  about: 'A `!` negates the value before `in`, not the test.',
  reason: '`!` binds more tightly than `in`: `!a in b` is `(!a) in b`.',
  docs: 'https://ngrok.com/docs/traffic-policy/concepts/expressions/#operators',
  wrong: `on_http_request:
  - actions: [{ type: set-vars, config: { vars: [{ tier: gold }, { sold: [gold, silver] }] } }]
  - expressions: ["!vars.tier in vars.sold"]
    actions: [{ type: deny }]
`,
  right: `on_http_request:
  - actions: [{ type: set-vars, config: { vars: [{ tier: gold }, { sold: [gold, silver] }] } }]
  - expressions: ["!(vars.tier in vars.sold)"]
    actions: [{ type: deny }]
`,
  find: (policy) =>
    findInExpressions(policy, '!', (node) => {
      const hint = suggestNegation(node)
      return hint === undefined
        ? undefined
        : { what: 'has a "!" that negates the value, not the test whether the list contains it', hint }
    }),
}
