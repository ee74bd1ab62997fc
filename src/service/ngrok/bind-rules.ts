import * as kit from '../kit/index.ts'
import type * as parts from '../parts/index.ts'
import type { CredentialRecord } from './credentials.ts'
import type { SshCredentialRecord } from './ssh-credentials.ts'

type Credential = Pick<CredentialRecord | SshCredentialRecord, 'id' | 'acl'>

const notAllowed = (number: number) =>
  kit.ofField(
    number,
    403,
    '{field} is {received}. The ACL of {credential} allows {acl}. Send an allowed value, or add {rule} to the ACL.',
  )

/** The errors for binds that a credential's ACL does not allow. */
export const bindErrors = kit.declareErrors({
  agent_address_not_allowed: notAllowed(308),
  agent_name_not_allowed: notAllowed(316),
  agent_random_address_not_allowed: notAllowed(356),
  agent_label_not_allowed: notAllowed(399),
})

/** Throws an error for a URL that a credential's ACL does not allow (rules: ngrok-families#bind-rules). */
export function requireBindableUrl(credential: Credential, url: string, isRandom: boolean): void {
  const [scheme, name = ''] = url.split('://')
  const { agent_name_not_allowed, agent_address_not_allowed, agent_random_address_not_allowed } = bindErrors
  const ofAddress = isRandom ? agent_random_address_not_allowed : agent_address_not_allowed
  const host = scheme === 'tcp' ? name : name.replace(/:\d+$/, '')
  const isAllowed = (rule: string) => rule === host || (rule.startsWith('*.') && host.endsWith(rule.slice(1)))
  requireRule(credential, isAllowed, scheme === 'tcp' ? ofAddress : agent_name_not_allowed, {
    ...{ field: 'url', received: kit.quote(url), rule: `bind:${host}` },
  })
}

/** Throws an error for labels that a credential's ACL does not allow. Each label needs a rule. */
export function requireBindableLabels(credential: Credential, labels: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(labels)) {
    const forms = [`${key}=${value}`, `${key}=*`, `*=${value}`, '*=*']
    requireRule(credential, (rule) => forms.includes(rule), bindErrors.agent_label_not_allowed, {
      ...{ field: `labels.${key}`, received: kit.quote(value), rule: `bind:${key}=${value}` },
    })
  }
}

function requireRule(
  { id, acl }: Credential,
  isAllowed: (rule: string) => boolean,
  error: (typeof bindErrors)[keyof typeof bindErrors],
  facts: parts.FieldFacts & { rule: string },
): void {
  const rules = acl.map((rule) => rule.replace(/^bind:/, ''))
  if (acl.length === 0 || rules.includes('*') || rules.some(isAllowed)) return
  kit.refuse(error, { ...facts, credential: id, acl: acl.join(', ') })
}
