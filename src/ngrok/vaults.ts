import * as v from 'valibot'
import {
  accountLimits,
  declareErrors,
  described,
  documented,
  entry,
  type FieldFacts,
  type Frozen,
  general,
  listOperation,
  named,
  newHead,
  ofField,
  pageAt,
  refuse,
  required,
  resource,
  resourceHead,
  time,
  timestamp,
  tooMany,
  type View,
  viewHead,
} from '../kit/index.ts'
import { ACCOUNT_USER, bodiesOf, changed, FILTERABLE, texts, uniqueBy } from './shared.ts'
import { vaults as records, VAULT_NAME, type VaultRecord, vaultErrors, vaultName } from './vault-records.ts'
import { secretShape, secrets, secretView, vaultSecrets } from './vault-secrets.ts'

const errors = declareErrors({
  vault_not_empty: entry(
    23003,
    400,
    (it: { id: string; secret: string }) => `${it.id} has secrets, such as ${it.secret}. Delete them first.`,
  ),
  vault_name_taken: ofField(
    23004,
    400,
    (it: FieldFacts & { id: string }) =>
      `${it.received} is the name of ${it.id} already. Send a name that no other vault has.`,
  ),
  vault_limit_reached: tooMany(23005),
})

const shape = named(
  v.object({
    ...resourceHead,
    updated_at: documented(time, 'The time of the last change.'),
    name: documented(v.string(), VAULT_NAME),
    created_by: documented(v.string(), 'The id of the user who created the vault.'),
    last_updated_by: documented(v.string(), 'The id of the user who changed the vault last.'),
  }),
  'Vault',
  'A set of named secrets.',
)

const view: View<VaultRecord, Frozen<v.InferOutput<typeof shape>>> = (vault, wire) => ({
  ...viewHead(vault, wire, '/vaults'),
  updated_at: timestamp(vault.updated_at),
  name: vault.name,
  created_by: ACCOUNT_USER,
  last_updated_by: ACCOUNT_USER,
})

const unique = uniqueBy(records, 'name', {
  field: 'name',
  error: errors.vault_name_taken,
  allowed: 'a name that no other vault has',
})

// The page of both lists of secrets has one name.
const { response } = vaultSecrets.operations.list

/** Vaults, with a list of the secrets of each. A vault's secrets must be deleted before it. */
export const vaults = resource(
  {
    name: 'vaults',
    path: '/vaults',
    items: 'vaults',
    prefix: 'vault',
    what: 'vault',
    filterable: [...FILTERABLE, 'name'],
    errors: { ...vaultErrors, ...errors },
    limits: accountLimits({ vaults: { what: 'vaults', reached: errors.vault_limit_reached } }),
    collection: records,
    shape,
    ...bodiesOf('Vault', 'a vault', {
      create: { ...texts(), name: v.optional(vaultName, '') },
      update: { ...texts(), name: v.optional(vaultName) },
    }),
    more: {
      secrets: listOperation({
        name: 'vaults.secrets',
        path: '/vaults/{id}/secrets',
        summary: 'List the secrets of a vault, newest first',
        ids: { id: 'vault' },
        prefix: 'secret',
        item: secretShape,
        filterable: [],
        errors: [general.not_found],
        ...(response && { response }),
        run(tx, query, { id }) {
          required(tx, records, id, 'vault')
          const path = `/vaults/${id}/secrets`
          return pageAt(tx, query, {
            collection: secrets,
            view: secretView,
            items: 'secrets',
            path,
            has: ({ vault_id }) => vault_id === id,
          })
        },
      }),
    },
  },
  {
    view,
    create: {
      errors: [errors.vault_name_taken],
      run(tx, { name, ...rest }) {
        return tx.put(records, unique.checked(tx, { ...newHead(tx, 'vault', rest), updated_at: tx.now, name }))
      },
    },
    update: {
      errors: [errors.vault_name_taken],
      run(tx, before, { name = before.name, ...rest }) {
        const after = unique.checked(tx, { ...before, ...described(rest, before), name })
        if (name !== before.name) {
          for (const secret of tx.findAll(secrets, 'vault', before.id)) tx.put(secrets, { ...secret, vault_name: name })
        }
        return changed(tx, records, before, after)
      },
    },
    delete: {
      errors: [errors.vault_not_empty],
      before(tx, { id }) {
        const secret = tx.find(secrets, 'vault', id)
        if (secret) refuse(errors.vault_not_empty, { id, secret: secret.id })
      },
    },
    relations: unique.relations,
  },
)
