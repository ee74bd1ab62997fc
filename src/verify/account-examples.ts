import { byMetadata, DENY, type ExampleBody, type FamilyExample } from './example.ts'
import { CSR, first, OTHER_SSH_KEY, SSH_KEY, second, THIRD_SSH_KEY, texts, third } from './field-values.ts'
import type { FieldValues } from './values.ts'

/** The field values for keys and credentials that belong to a user. */
const owned = {
  needs: { owner: { family: 'bot_users', body: { name: '{mark}-owner' } } },
  values: { owner_id: ['{owner}'], owner_email: [null], scim_user_id: [null], precomputed_token: [null] },
  creations: {
    'an owner by e-mail address': { ...texts, owner_email: '{mark}@example.com' },
    'an owner by SCIM ID': { ...texts, scim_user_id: '{mark}-1' },
    'two owners': { ...texts, owner_email: '{mark}@example.com', scim_user_id: '{mark}-1' },
    'its own token': { ...texts, precomputed_token: 'not a token' },
  },
}

/** Returns bodies with names that a service may reject. */
function namesOf(more: ExampleBody): Readonly<Record<string, ExampleBody>> {
  return {
    'a name that is too long': { ...more, name: `{mark}${'x'.repeat(300)}` },
    'a name with other letters': { ...more, name: '{mark}-é/_.' },
  }
}

function sshCertificates(values: FieldValues): FamilyExample {
  const ssh_certificate_authority_id = '{authority}'
  return {
    needs: { authority: { family: 'ssh_certificate_authorities', body: { description: '{mark}' } } },
    values: {
      ssh_certificate_authority_id: [ssh_certificate_authority_id],
      public_key: [SSH_KEY],
      valid_after: ['2031-01-01T00:00:00Z'],
      valid_until: ['2032-01-01T02:00:00.75+02:00'],
      ...values,
    },
    second: { description: second, ssh_certificate_authority_id, public_key: OTHER_SSH_KEY },
    creations: {
      'an end before its start': {
        ...texts,
        ssh_certificate_authority_id,
        public_key: SSH_KEY,
        valid_after: '2032-01-01T00:00:00Z',
        valid_until: '2031-01-01T00:00:00Z',
      },
    },
  }
}

const user: FamilyExample = {
  values: { name: [first, third], active: [false, true] },
  second: { name: second },
  filter: `obj.name == "${third}"`,
  creations: namesOf({}),
}

/** The examples for the account families: keys, users, vaults, events, SSH, and Kubernetes. */
export const accountExamples: Readonly<Record<string, FamilyExample>> = {
  api_keys: owned,
  credentials: {
    ...owned,
    values: {
      ...owned.values,
      acl: [
        ['bind:{mark}.example.com', 'bind:*.{mark}.example.com'],
        ['bind:*.{mark}.example.com', '*'],
      ],
    },
  },
  ssh_credentials: {
    ...owned,
    values: { ...owned.values, acl: [['bind:{mark}.example.com', 'bind:b.example.com'], []], public_key: [SSH_KEY] },
    second: { description: second, public_key: OTHER_SSH_KEY },
    creations: {
      'an owner by e-mail address': { ...texts, public_key: THIRD_SSH_KEY, owner_email: '{mark}@example.com' },
      'an owner by SCIM ID': { ...texts, public_key: THIRD_SSH_KEY, scim_user_id: '{mark}-1' },
    },
  },
  ssh_certificate_authorities: {
    values: { private_key_type: ['ecdsa'], elliptic_curve: ['nistp384'], key_size: [null] },
    creations: {
      'a size': { ...texts, private_key_type: 'rsa', key_size: 4096 },
      'a curve of another type': { ...texts, private_key_type: 'rsa', elliptic_curve: 'nistp256' },
      'an invalid size': { ...texts, private_key_type: 'rsa', key_size: 1024 },
    },
  },
  ssh_host_certificates: sshCertificates({ principals: [['{mark}.example.com', 'a.example.com']] }),
  ssh_user_certificates: sshCertificates({
    principals: [['{mark}', 'a']],
    critical_options: [{ 'force-command': 'ls' }],
    extensions: [{ 'permit-x11-forwarding': '' }],
  }),
  event_destinations: {
    values: { format: ['json'] },
    second: {
      description: second,
      format: 'json',
      target: { datadog: { api_key: 'not a key', ddsite: 'datadoghq.eu' } },
    },
    filter: byMetadata,
    creations: { 'no target': { ...texts, format: 'json', target: {} } },
    changes: { 'another kind of target': { target: { datadog: { api_key: 'not a key' } } } },
  },
  event_subscriptions: {
    needs: Object.fromEntries(
      ['destination', 'other_destination'].map((name) => [
        name,
        {
          family: 'event_destinations',
          body: { description: '{mark}', format: 'json', target: { datadog: { api_key: 'not a key' } } },
        },
      ]),
    ),
    values: {
      sources: [
        [{ type: 'ip_policy_updated.v0' }, { type: 'ip_policy_created.v0' }],
        [{ type: 'ip_policy_deleted.v0' }],
      ],
      destination_ids: [['{other_destination}', '{destination}'], ['{destination}']],
      type: ['ip_policy_updated.v0', 'ip_policy_created.v0'],
    },
    filter: byMetadata,
    creations: {
      'a type twice': { ...texts, sources: [{ type: 'vault_created.v0' }, { type: 'vault_created.v0' }] },
      'an unknown type of events': { ...texts, sources: [{ type: 'nonsense' }] },
    },
  },
  ai_gateway_api_keys: {
    needs: Object.fromEntries(
      ['endpoint', 'other_endpoint'].map((name) => [
        name,
        { family: 'endpoints', body: { url: `https://{mark}-${name.length}.internal`, traffic_policy: DENY } },
      ]),
    ),
    values: {
      endpoint_id: ['{endpoint}', '{other_endpoint}'],
      provider_id: ['openai', 'anthropic'],
    },
  },
  ai_gateway_provider_keys: {
    needs: {
      key: { family: 'ai_gateway_api_keys', body: { description: '{mark}' } },
      other_key: { family: 'ai_gateway_api_keys', body: { description: '{mark}-other' } },
    },
    values: { ai_gateway_api_key_id: ['{key}'], provider_id: ['openai'], value: ['not a key at all'] },
    second: { description: second, ai_gateway_api_key_id: '{key}', provider_id: 'anthropic', value: 'none either' },
    creations: {
      'the same for another key': {
        ...texts,
        ai_gateway_api_key_id: '{other_key}',
        provider_id: 'openai',
        value: 'not a key at all',
      },
    },
  },
  kubernetes_operators: {
    values: {
      region: ['global', 'eu'],
      enabled_features: [['Ingress', 'bindings'], ['bindings']],
      endpoint_selectors: [['true', 'endpoint.type == "cloud"'], ['true']],
      csr: [null],
      name: [first, second],
      ingress_endpoint: ['ingress.example.com:443', 'other.example.com:443'],
    },
    creations: { 'a request for a certificate': { ...texts, enabled_features: ['bindings'], binding: { csr: CSR } } },
    changes: { 'a request for a certificate': { binding: { csr: CSR } } },
  },
  vaults: {
    values: { name: [first, third] },
    second: { name: second },
    filter: `obj.name == "${third}"`,
    creations: { 'a name with a space': { name: '{mark} d' }, ...namesOf({}) },
  },
  vault_secrets: {
    needs: Object.fromEntries(
      ['vault', 'other_vault'].map((name) => [name, { family: 'vaults', body: { name: `{mark}-${name}` } }]),
    ),
    values: {
      name: [first, third],
      value: ['not a secret ', 'still none'],
      vault_id: ['{vault}'],
      vault_name: [null],
    },
    second: { vault_name: '{mark}-vault', name: second, value: 'not a secret either' },
    filter: `obj.name == "${third}"`,
    creations: {
      'the name of a secret in another vault': { ...texts, vault_id: '{other_vault}', name: first, value: 'none' },
      'the name of another vault': {
        ...texts,
        vault_id: '{vault}',
        vault_name: '{mark}-other_vault',
        name: '{mark}-d',
      },
      'an unknown vault name': { vault_name: '{mark}-no-vault', name: '{mark}-d', value: 'none' },
      ...namesOf({ vault_id: '{vault}', value: 'none' }),
    },
  },
  bot_users: user,
  service_users: user,
}
