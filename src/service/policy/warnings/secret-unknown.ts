import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import { findInExpressions, literalOf, type Warning } from './warning.ts'

export const secretUnknown: Warning = {
  id: 'secret-unknown',
  about:
    '`secrets.get` names a secret that the vault does not contain. Detected only if the vaults are known (`hasSecret`).',
  reason: 'Secrets are read when traffic arrives, so the policy is accepted but fails later.',
  docs: 'https://ngrok.com/docs/traffic-policy/secrets/',
  wrong: `on_http_request:
  - actions:
      - { type: verify-webhook, config: { provider: github, secret: "\${secrets.get('webhooks', 'gitub')}" } }
`,
  right: `on_http_request:
  - actions:
      - { type: verify-webhook, config: { provider: github, secret: "\${secrets.get('webhooks', 'github')}" } }
`,
  find: (policy) =>
    findInExpressions(policy, 'secrets', (node) => {
      const [vault, name] = readSecret(node)
      const { hasSecret } = policy.options
      if (vault === undefined || name === undefined || !hasSecret || hasSecret(vault, name)) return undefined
      return {
        what: `reads the secret ${quote(name)} from the vault ${quote(vault)}, but the secret does not exist`,
        hint: 'Create the secret before traffic arrives.',
      }
    }),
}

function readSecret(node: ASTNode): readonly (string | undefined)[] {
  if (node.op !== 'rcall' || node.args[0] !== 'get') return []
  const [, receiver, names] = node.args
  return receiver.op === 'id' && receiver.args === 'secrets' ? names.map(literalOf) : []
}
