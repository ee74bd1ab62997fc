import type { PolicyExpression } from '../expression.ts'
import type { Warning } from './warning.ts'

const SIGN_IN: ReadonlySet<string> = new Set(['oauth', 'openid-connect'])

/** The actions in which an expression about the user decides nothing. */
const NOTES: ReadonlySet<string> = new Set(['log', 'add-headers'])

export const anyoneSignsIn: Warning = {
  id: 'anyone-signs-in',
  about: '`oauth` or `openid-connect` is there, and no rule after it reads who signed in.',
  reason: 'Everybody with an account at the provider passes, until a further rule refuses the others.',
  docs: 'https://ngrok.com/docs/traffic-policy/examples/oauth-protection/',
  wrong: `on_http_request:
  - actions: [{ type: oauth, config: { provider: google } }]
`,
  right: `on_http_request:
  - actions: [{ type: oauth, config: { provider: google } }]
  - expressions: ["!actions.ngrok.oauth.identity.email.endsWith('@example.com')"]
    actions: [{ type: deny }]
`,
  find: ({ rules, expressions }) =>
    rules.flatMap(({ actions }) =>
      actions.flatMap(({ row, path }) => {
        if (!SIGN_IN.has(row.type)) return []
        const identity = `actions.ngrok.${row.variable ?? row.type}.identity`
        const typeOf = (at: PolicyExpression['path']) =>
          rules.flatMap((rule) => rule.actions).find((each) => each.path.every((key, index) => at[index] === key))?.row
            .type ?? ''
        const isRead = expressions.some((each) => each.source.includes(identity) && !NOTES.has(typeOf(each.path)))
        if (isRead) return []
        return [
          {
            path: [...path, 'type'],
            what: `is ${row.type}, and no rule reads who signed in, so that everybody with an account at the provider passes`,
            hint: `Add a rule that refuses others: expressions ["!${identity}.email.endsWith('@example.com')"], action deny.`,
          },
        ]
      }),
    ),
}
