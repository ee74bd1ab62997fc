import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { ACCOUNT_USER, defineUnique, putIfChanged } from './shared.ts'
import { vaultErrors as errors, vaults as records, vaultTable as table } from './vault-records.ts'
import { secretErrors, secrets, secretTable, secretView, vaultSecrets } from './vault-secrets.ts'

const unique = defineUnique(records, 'name', {
  field: 'name',
  error: errors.vault_name_taken,
  allowed: 'a name that no other vault has',
})

// Both lists of secrets share the page schema.
const { response } = vaultSecrets.operations.list

/** Vaults, each with a list of its secrets. A vault can be deleted only when it has no secrets. */
export const vaults = kit.resource(
  {
    ...table.kind,
    more: {
      secrets: kit.listOperation({
        name: 'vaults.secrets',
        path: '/vaults/{id}/secrets',
        summary: 'List the secrets in a vault, newest first',
        ids: { id: 'vault' },
        prefix: 'secret',
        item: secretTable.kind.shape,
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
    view: (vault, wire) => ({
      ...table.rules.view(vault, wire),
      created_by: ACCOUNT_USER,
      last_updated_by: ACCOUNT_USER,
    }),
    create: {
      errors: [errors.vault_name_taken],
      run: (tx, body) => tx.put(records, unique.requireUnique(tx, table.newRecord(tx, body, { updated_at: tx.now }))),
    },
    update: {
      errors: [errors.vault_name_taken],
      run(tx, before, body) {
        const after = unique.requireUnique(tx, table.changed(before, body))
        const { name } = after
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
