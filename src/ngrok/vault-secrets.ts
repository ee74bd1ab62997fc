import * as v from 'valibot'
import {
  accountLimits,
  described,
  documented,
  type Frozen,
  named,
  newHead,
  quote,
  refTo,
  refuse,
  resource,
  resourceHead,
  type Transaction,
  time,
  timestamp,
  type View,
  viewHead,
} from '../kit/index.ts'
import { NAME, placeOf, type SecretRecord, secretErrors, secretName, secrets, secretValue } from './secret-records.ts'
import { ACCOUNT_USER, changed, FILTERABLE, refField, texts, userField } from './shared.ts'
import { type VaultRecord, vaults } from './vault-records.ts'

export const secretShape = named(
  v.object({
    ...resourceHead,
    updated_at: documented(time, 'The time of the last change.'),
    name: documented(v.string(), NAME),
    vault: refField('The vault that has the secret.'),
    vault_name: documented(v.string(), 'The name of that vault.'),
    created_by: userField('The user who created the secret.'),
    last_updated_by: userField('The user who changed the secret last.'),
  }),
  'VaultSecret',
  'A text that a vault keeps under a name. No response has the text.',
)

export const secretView: View<SecretRecord, Frozen<v.InferOutput<typeof secretShape>>> = (each, wire) => ({
  ...viewHead(each, wire, '/vault_secrets'),
  updated_at: timestamp(each.updated_at),
  name: each.name,
  vault: refTo(wire, '/vaults', each.vault_id),
  vault_name: each.vault_name,
  created_by: { id: ACCOUNT_USER, uri: '' },
  last_updated_by: { id: ACCOUNT_USER, uri: '' },
})

const createBody = named(
  v.object({
    ...texts(),
    name: v.optional(secretName, ''),
    value: v.optional(secretValue, ''),
    vault_id: v.optional(documented(v.string(), 'The id of the vault. Send this or `vault_name`.')),
    vault_name: v.optional(documented(v.string(), 'The name of the vault. Send this or `vault_id`.')),
  }),
  'VaultSecretCreate',
  'The body that creates a secret of a vault.',
)

const updateBody = named(
  v.object({ ...texts(), name: v.optional(secretName), value: v.optional(secretValue) }),
  'VaultSecretUpdate',
  'The changes of a secret.',
)

const limits = accountLimits({
  vault_secrets: {
    what: 'secrets of a vault',
    each: 'vault',
    reached: secretErrors.secret_limit_reached,
  },
})

/** Secrets of vaults. The value of a secret is kept, and shown nowhere. */
export const vaultSecrets = resource(
  {
    name: 'vault_secrets',
    path: '/vault_secrets',
    items: 'secrets',
    prefix: 'secret',
    what: 'secret',
    filterable: [...FILTERABLE, 'name'],
    errors: secretErrors,
    limits,
    collection: secrets,
    shape: secretShape,
    createBody,
    updateBody,
  },
  {
    view: secretView,
    create: {
      errors: [
        secretErrors.secret_name_taken,
        secretErrors.secret_vault_unknown,
        secretErrors.secret_vault_missing,
        secretErrors.secret_vault_name_unknown,
      ],
      run(tx, { name, value, vault_id, vault_name, ...rest }) {
        const vault = vaultOf(tx, vault_id, vault_name)
        const place = { vault_id: vault.id, name }
        requireFree(tx, place)
        const head = { ...newHead(tx, 'secret', rest), updated_at: tx.now }
        return tx.put(secrets, { ...head, value, ...place, vault_name: vault.name })
      },
    },
    update: {
      errors: [secretErrors.secret_name_taken],
      run(tx, before, { name = before.name, value = before.value, ...rest }) {
        const after = { ...before, ...described(rest, before), name, value }
        requireFree(tx, after)
        return changed(tx, secrets, before, after)
      },
    },
    relations(each, others, report) {
      const { id, name, vault_id, vault_name } = each
      if (others.get(vaults, vault_id)?.name !== vault_name) report(['vault_id'], vault_id, `the id of "${vault_name}"`)
      if (others.find(secrets, 'place', placeOf(each))?.id !== id) {
        report(['name'], name, 'a name that no other secret of the vault has')
      }
    },
  },
)

function vaultOf(tx: Transaction, id: string | undefined, name: string | undefined): VaultRecord {
  const vault = id ? tx.get(vaults, id) : tx.find(vaults, 'name', name ?? '')
  if (!id && !name) return refuse(secretErrors.secret_vault_missing, {})
  if (id && !vault) return refuse(secretErrors.secret_vault_unknown, { field: 'vault_id', received: quote(id) })
  if (vault && (!name || vault.name === name)) return vault
  return refuse(secretErrors.secret_vault_name_unknown, { field: 'vault_name', received: quote(name) })
}

function requireFree(tx: Transaction, each: Pick<SecretRecord, 'vault_id' | 'name'> & { readonly id?: string }): void {
  const other = tx.find(secrets, 'place', placeOf(each))
  if (!other || other.id === each.id) return
  refuse(secretErrors.secret_name_taken, { field: 'name', received: quote(each.name), id: other.id })
}
