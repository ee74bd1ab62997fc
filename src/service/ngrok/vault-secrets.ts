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
  refField,
  refuseIfEmpty,
  updatedAt,
  userField,
} from './shared.ts'
import { invalidNameError, missingNameError, nameField, type VaultRecord, vaultName, vaults } from './vault-records.ts'

export const secretErrors = kit.declareErrors({
  secret_name_invalid: invalidNameError(24000),
  secret_name_missing: missingNameError(24001),
  secret_name_too_long: parts.tooLong(24002),
  secret_value_missing: kit.ofField(24003, 400, "{field} is missing or empty. Send the secret's value."),
  secret_value_too_long: parts.tooLong(24004),
  secret_name_taken: nameTakenError(24005, 'secret in the vault'),
  secret_vault_unknown: kit.field(24006, 400, 'the ID of a vault that exists'),
  secret_limit_reached: kit.tooMany(24007),
  secret_vault_missing: kit.entry(
    24008,
    400,
    'No vault was specified. Send its ID as vault_id, or its name as vault_name.',
  ),
  secret_vault_name_unknown: kit.field(
    24009,
    400,
    'the name of a vault; if vault_id is also sent, the name of that vault',
  ),
})

const NAME = 'The name, unique in its vault.'
const MAX_VALUE_BYTES = 65_535

const secretName = nameField(
  {
    missing: secretErrors.secret_name_missing,
    invalid: secretErrors.secret_name_invalid,
    tooLong: secretErrors.secret_name_too_long,
  },
  NAME,
)

const secretValue = kit.documented(
  v.pipe(
    v.unwrap(parts.textOfBytes(MAX_VALUE_BYTES, secretErrors.secret_value_too_long, '')),
    kit.secretHere,
    refuseIfEmpty(secretErrors.secret_value_missing),
  ),
  `The secret value to store. Never included in a response. At most ${MAX_VALUE_BYTES} bytes in UTF-8.`,
  { json: { minLength: 1, maxLength: MAX_VALUE_BYTES, writeOnly: true }, isRequired: true },
)

export const secretTable = parts.columns(
  {
    name: 'vault_secrets',
    items: 'secrets',
    prefix: 'secret',
    what: 'secret',
    tableFields: ['name', 'vault'],
    one: 'a secret in a vault',
    filterable: [...FILTERABLE, 'name'],
    errors: secretErrors,
    limit: { what: 'secrets in a vault', each: 'vault', reached: secretErrors.secret_limit_reached },
    texts: descriptionAndMetadata(),
    title: 'VaultSecret',
    sentence: 'A value that a vault stores under a name. Responses do not include the value.',
  },
  {
    updated_at: updatedAt,
    name: parts.column({
      sent: secretName,
      create: v.optional(secretName, ''),
      shown: kit.documented(v.string(), NAME),
    }),
    value: parts.column({
      sent: secretValue,
      create: v.optional(secretValue, ''),
      kept: v.pipe(v.string(), kit.secret),
      shown: false,
    }),
    vault_id: parts.column({
      create: v.optional(kit.documented(v.string(), 'The ID of the vault. Send this or `vault_name`.')),
      kept: kit.idOf('vault'),
      shown: false,
    }),
    vault: parts.column({ shown: refField('The vault that contains the secret.') }),
    vault_name: parts.column({
      create: v.optional(kit.documented(v.string(), 'The name of the vault. Send this or `vault_id`.')),
      kept: vaultName,
      shown: kit.documented(v.string(), 'The name of that vault.'),
    }),
    created_by: parts.column({ shown: userField('The user who created the secret.') }),
    last_updated_by: parts.column({ shown: userField('The user who last changed the secret.') }),
  },
  { indexes: { vault: ({ vault_id }) => vault_id, place: ({ vault_id, name }) => `${vault_id} ${name}` } },
)

export const secrets = secretTable.records

type Table = (typeof secretTable)['kind']

export const secretView: kit.View<kit.RecordOf<Table>, kit.ResourceOf<Table>> = (each, wire) => ({
  ...secretTable.rules.view(each, wire),
  vault: kit.refTo(wire, '/vaults', each.vault_id),
  created_by: { id: ACCOUNT_USER, uri: '' },
  last_updated_by: { id: ACCOUNT_USER, uri: '' },
})

const unique = defineUnique(secrets, 'place', {
  field: 'name',
  error: secretErrors.secret_name_taken,
  allowed: 'a name that no other secret in the vault has',
})

/** Vault secrets. The value of a secret is stored but never shown. */
export const vaultSecrets = kit.resource(secretTable.kind, {
  view: secretView,
  create: {
    errors: [
      secretErrors.secret_name_taken,
      secretErrors.secret_vault_unknown,
      secretErrors.secret_vault_missing,
      secretErrors.secret_vault_name_unknown,
    ],
    run(tx, body) {
      const { id: vault_id, name: vault_name } = requireVault(tx, body.vault_id, body.vault_name)
      const secret = secretTable.newRecord(tx, body, { updated_at: tx.now, vault_id, vault_name })
      return tx.put(secrets, unique.requireUnique(tx, secret))
    },
  },
  update: {
    errors: [secretErrors.secret_name_taken],
    run(tx, before, body) {
      return putIfChanged(tx, secrets, before, unique.requireUnique(tx, secretTable.changed(before, body)))
    },
  },
  relations(each, others, report) {
    const { vault_id, vault_name } = each
    const vault = others.get(vaults, vault_id)
    if (vault && vault.name !== vault_name) report(['vault_id'], vault_id, `the ID of "${vault_name}"`)
    unique.relations(each, others, report)
  },
})

function requireVault(tx: kit.Transaction, id: string | undefined, name: string | undefined): VaultRecord {
  const vault = id ? tx.get(vaults, id) : tx.find(vaults, 'name', name ?? '')
  if (!id && !name) return kit.refuse(secretErrors.secret_vault_missing, {})
  if (id && !vault) return kit.refuse(secretErrors.secret_vault_unknown, { field: 'vault_id', received: kit.quote(id) })
  if (vault && (!name || vault.name === name)) return vault
  return kit.refuse(secretErrors.secret_vault_name_unknown, { field: 'vault_name', received: kit.quote(name) })
}
