import { variableOf } from '../action.ts'
import type { PolicyExpression } from '../expression.ts'
import { isWithin, type Warning } from './warning.ts'

/** The OpenID Connect issuers that give anyone an account. A company's issuer accepts only the company's people. */
const ANYONES =
  /^https:\/\/(?:accounts\.google\.com|appleid\.apple\.com|gitlab\.com|id\.twitch\.tv|login\.microsoftonline\.com\/(?:common|consumers|organizations|9188040d-6c67-4c5b-b112-36a304b66dad)|www\.(?:facebook|linkedin)\.com)(?:\/|$)/i

/** The actions in which an expression about the user has no effect. */
const NOTES: ReadonlySet<string> = new Set(['log', 'add-headers'])

export const anyoneSignsIn: Warning = {
  id: 'anyone-signs-in',
  about:
    '`oauth` is used, or `openid-connect` with a provider that is open to anyone, but no rule checks who signed in.',
  reason: 'Anyone with an account at the provider is admitted, unless another rule rejects the request.',
  docs: 'https://ngrok.com/docs/traffic-policy/examples/oauth-protection/',
  wrong: `on_http_request:
  - actions: [{ type: oauth, config: { provider: google } }]
`,
  right: `on_http_request:
  - actions: [{ type: oauth, config: { provider: google } }]
  - expressions: ["!actions.ngrok.oauth.identity.email.endsWith('@example.com')"]
    actions: [{ type: deny }]
`,
  find: ({ actions, expressions, problems }) =>
    actions.flatMap(({ row, config, path }) => {
      const isOpen = row.type === 'openid-connect' && ANYONES.test(String(config.issuer_url))
      // Errors in an action must be fixed first.
      if ((row.type !== 'oauth' && !isOpen) || problems.some((each) => isWithin(each.path, path))) return []
      const identity = `actions.ngrok.${variableOf(row)}.identity`
      const typeOf = (at: PolicyExpression['path']) => actions.find((each) => isWithin(at, each.path))?.row.type ?? ''
      // Errors in expressions must be fixed first too, because one may misspell the result.
      const reads = ({ source, problem }: PolicyExpression) => source.includes(problem ? '.identity' : identity)
      const isRead = expressions.some((each) => reads(each) && !NOTES.has(typeOf(each.path)))
      if (isRead) return []
      return [
        {
          path: [...path, 'type'],
          what: `is ${row.type}, but no rule checks who signed in, so anyone with an account at the provider is admitted`,
          hint: `Add a rule that rejects others: expressions ["!${identity}.email.endsWith('@example.com')"], action deny.`,
        },
      ]
    }),
}
