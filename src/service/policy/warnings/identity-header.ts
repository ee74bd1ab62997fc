import { quote } from '../../../core/schema/text.ts'
import { isObject } from '../../../core/schema/values.ts'
import { isDenial } from './holes.ts'
import type { Finding, Warning } from './warning.ts'

export const identityHeader: Warning = {
  id: 'identity-header',
  about: "A header is set to a user's identity, but a value that the client sent stays in front of it.",
  reason: "`add-headers` only adds: the upstream receives the client's value first. `remove-headers` removes it.",
  docs: 'https://ngrok.com/docs/traffic-policy/actions/add-headers/#addition-only',
  wrong: `on_http_request:
  - actions: [{ type: openid-connect, config: { issuer_url: https://sso.example.com, client_id: a, client_secret: b } }]
  - actions: [{ type: add-headers, config: { headers: { x-user: '\${actions.ngrok.oidc.identity.email}' } } }]
`,
  right: `on_http_request:
  - actions: [{ type: openid-connect, config: { issuer_url: https://sso.example.com, client_id: a, client_secret: b } }]
  - actions:
      - { type: remove-headers, config: { headers: [x-user] } }
      - { type: add-headers, config: { headers: { x-user: '\${actions.ngrok.oidc.identity.email}' } } }
`,
  find: ({ rules }) => {
    const removed = new Set<string>()
    const found: Finding[] = []
    for (const rule of rules) {
      if (rule.phase !== 'on_http_request') continue
      for (const { row, config, path } of rule.actions) {
        const { headers } = config
        if (row.type === 'remove-headers' && Array.isArray(headers))
          for (const name of headers) removed.add(String(name).toLowerCase())
        if (row.type !== 'add-headers' || !isObject(headers)) continue
        for (const [name, value] of Object.entries(headers)) {
          const lower = name.toLowerCase()
          const isDenied = rules.some((each) => isDenial(each) && namesHeader(each, lower))
          if (!IDENTITY.test(String(value)) || removed.has(lower) || isDenied || lower === 'host') continue
          found.push({
            path: [...path, 'config', 'headers', name],
            what: `adds the identity of a user to ${quote(name)}, which the client can send too`,
            hint: `Put this action first: { type: remove-headers, config: { headers: [${lower}] } }.`,
          })
        }
      }
    }
    return found
  },
}

/** A user's identity, and a token's claims. */
const IDENTITY = /\bactions\.ngrok\.(?:(?:oauth|oidc|saml)\.identity\b|jwt_validation\.tokens\b)/

function namesHeader({ conditions }: { readonly conditions: readonly { readonly source: string }[] }, name: string) {
  return conditions.some(({ source }) => source.toLowerCase().includes(`'${name}'`))
}
