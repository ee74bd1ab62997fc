import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata, FILTERABLE, nameTakenError, refuseIfEmpty, refuseUnless, updatedAt } from './shared.ts'

const MAX_NAME_LENGTH = 255
const CHARACTERS = 'letters, digits, "_", "/", "." and "-"'

interface NameErrors {
  readonly missing: parts.FieldError<string, object>
  readonly invalid: parts.FieldError<string, object>
  readonly tooLong: parts.FieldError<string, { bytes: number; limit: number }>
}

/** Creates the `name` field of a vault or a secret. */
export function nameField({ missing, invalid, tooLong }: NameErrors, sentence: string) {
  const read = v.pipe(
    v.unwrap(parts.textOfBytes(MAX_NAME_LENGTH, tooLong, sentence)),
    refuseIfEmpty(missing),
    refuseUnless(invalid, (text) => /^[\w/.-]*$/.test(text)),
  )
  return kit.documented(read, `${sentence} 1 to ${MAX_NAME_LENGTH} ${CHARACTERS}.`, {
    json: { minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: '^[\\w/.-]+$' },
    isRequired: true,
  })
}

/** Declares the error for a vault's or secret's name with invalid characters. */
export const invalidNameError = (number: number) => kit.field(number, 400, CHARACTERS)
/** Declares the error for a missing name of a vault or secret. */
export const missingNameError = (number: number) =>
  kit.ofField(number, 400, `{field} is missing or empty. Allowed: 1 to ${MAX_NAME_LENGTH} ${CHARACTERS}.`)

export const vaultErrors = kit.declareErrors({
  vault_name_invalid: invalidNameError(23000),
  vault_name_missing: missingNameError(23001),
  vault_name_too_long: parts.tooLong(23002),
  vault_not_empty: kit.entry(23003, 400, '{id} has secrets, such as {secret}. Delete them first.'),
  vault_name_taken: nameTakenError(23004, 'vault'),
  vault_limit_reached: kit.tooMany(23005),
})

const VAULT_NAME = 'The name, unique among vaults.'

export const vaultName = nameField(
  {
    missing: vaultErrors.vault_name_missing,
    invalid: vaultErrors.vault_name_invalid,
    tooLong: vaultErrors.vault_name_too_long,
  },
  VAULT_NAME,
)

export const vaultTable = parts.columns(
  {
    name: 'vaults',
    prefix: 'vault',
    what: 'vault',
    tableFields: ['name'],
    filterable: [...FILTERABLE, 'name'],
    errors: vaultErrors,
    limit: { reached: vaultErrors.vault_limit_reached },
    texts: descriptionAndMetadata(),
    title: 'Vault',
    sentence: 'A set of named secrets.',
  },
  {
    updated_at: updatedAt,
    name: parts.column({
      sent: vaultName,
      create: v.optional(vaultName, ''),
      shown: kit.documented(v.string(), VAULT_NAME),
    }),
    created_by: parts.column({ shown: kit.documented(v.string(), 'The ID of the user who created the vault.') }),
    last_updated_by: parts.column({
      shown: kit.documented(v.string(), 'The ID of the user who last changed the vault.'),
    }),
  },
  { indexes: { name: ({ name }) => name } },
)

export const vaults = vaultTable.records

export type VaultRecord = kit.RecordOf<typeof vaultTable.kind>
