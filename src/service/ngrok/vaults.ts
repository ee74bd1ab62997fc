import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  ACCOUNT_USER,
  defineUnique,
  descriptionAndMetadata,
  FILTERABLE,
  nameTakenError,
  putIfChanged,
} from './shared.ts'
import { vaults as records, VAULT_NAME, type VaultRecord, vaultErrors, vaultName } from './vault-records.ts'
import { secretErrors, secretShape, secrets, secretView, vaultSecrets } from './vault-secrets.ts'

const errors = kit.declareErrors({
  vault_not_empty: kit.entry(23003, 400, '{id} has secrets, such as {secret}. Delete them first.'),
  vault_name_taken: nameTakenError(23004, 'vault'),
  vault_limit_reached: kit.tooMany(23005),
})

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    updated_at: kit.documented(kit.time, 'The time of the last change.'),
    name: kit.documented(v.string(), VAULT_NAME),
    created_by: kit.documented(v.string(), 'The id of the user who created the vault.'),
    last_updated_by: kit.documented(v.string(), 'The id of the user who changed the vault last.'),
  }),
  'Vault',
  'A set of named secrets.',
)

const view: kit.View<VaultRecord, kit.Frozen<v.InferOutput<typeof shape>>> = (vault, wire) => ({
  ...kit.viewHead(vault, wire, '/vaults'),
  updated_at: kit.timestamp(vault.updated_at),
  name: vault.name,
  created_by: ACCOUNT_USER,
  last_updated_by: ACCOUNT_USER,
})

const unique = defineUnique(records, 'name', {
  field: 'name',
  error: errors.vault_name_taken,
  allowed: 'a name that no other vault has',
})

// Both lists of secrets have the same schema of a page.
const { response } = vaultSecrets.operations.list

/** Vaults, with a list of the secrets of each. A vault can be deleted only after its secrets. */
export const vaults = kit.resource(
  {
    name: 'vaults',
    prefix: 'vault',
    what: 'vault',
    filterable: [...FILTERABLE, 'name'],
    errors: { ...vaultErrors, ...errors },
    limits: kit.accountLimits({ vaults: { what: 'vaults', reached: errors.vault_limit_reached } }),
    collection: records,
    shape,
    ...parts.defineBodies('Vault', 'a vault', {
      create: { ...descriptionAndMetadata(), name: v.optional(vaultName, '') },
      update: { ...descriptionAndMetadata(), name: v.optional(vaultName) },
    }),
    more: {
      secrets: kit.listOperation({
        name: 'vaults.secrets',
        path: '/vaults/{id}/secrets',
        summary: 'List the secrets of a vault, newest first',
        ids: { id: 'vault' },
        prefix: 'secret',
        item: secretShape,
        filterable: [],
        errors: [kit.general.not_found],
        ...(response && { response }),
        run(tx, query, { id }) {
          kit.required(tx, records, id, 'vault')
          const path = `/vaults/${id}/secrets`
          return kit.pageAt(tx, query, {
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
        return tx.put(
          records,
          unique.requireUnique(tx, { ...kit.newHead(tx, 'vault', rest), updated_at: tx.now, name }),
        )
      },
    },
    update: {
      errors: [errors.vault_name_taken],
      run(tx, before, { name = before.name, ...rest }) {
        const after = unique.requireUnique(tx, { ...before, ...kit.described(rest, before), name })
        if (name !== before.name) {
          for (const secret of tx.findAll(secrets, 'vault', before.id)) tx.put(secrets, { ...secret, vault_name: name })
        }
        return putIfChanged(tx, records, before, after)
      },
    },
    references: [
      parts.referenceOf(secrets, {
        field: 'vault_id',
        sent: 'vault_id',
        shown: 'vault',
        to: parts.targetOf('a vault', records),
        index: 'vault',
        missing: secretErrors.secret_vault_unknown,
        deletion: parts.refused(errors.vault_not_empty, (id, { id: secret }: kit.ResourceRecord) => ({ id, secret })),
        rules: 'ngrok-families#vaults-and-secrets',
      }),
    ],
    relations: unique.relations,
  },
)
