import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata, refuseIfEmpty, refuseUnless } from './shared.ts'

const MAX_NAME_LENGTH = 255
const CHARACTERS = 'letters, digits, "_", "/", "." and "-"'

interface NameErrors {
  readonly missing: parts.FieldError<string, object>
  readonly invalid: parts.FieldError<string, object>
  readonly tooLong: parts.FieldError<string, { bytes: number; limit: number }>
}

/** Makes the field `name` of a vault or a secret. */
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

/** Declares the error of a vault's or a secret's name with other characters. */
export const invalidNameError = (number: number) => kit.field(number, 400, CHARACTERS)
/** Declares the error of a missing name of a vault or a secret. */
export const missingNameError = (number: number) =>
  kit.ofField(number, 400, `{field} is missing or empty. Allowed: 1 to ${MAX_NAME_LENGTH} ${CHARACTERS}.`)

export const vaultErrors = kit.declareErrors({
  vault_name_invalid: invalidNameError(23000),
  vault_name_missing: missingNameError(23001),
  vault_name_too_long: parts.tooLong(23002),
})

export const VAULT_NAME = 'The name, which no other vault has.'

export const vaultName = nameField(
  {
    missing: vaultErrors.vault_name_missing,
    invalid: vaultErrors.vault_name_invalid,
    tooLong: vaultErrors.vault_name_too_long,
  },
  VAULT_NAME,
)

const vault = v.object({
  ...kit.recordHead('vault', descriptionAndMetadata()),
  updated_at: parts.instant,
  name: vaultName,
})

export type VaultRecord = kit.Frozen<v.InferOutput<typeof vault>>

export const vaults = kit.collection<VaultRecord>({
  name: 'vaults',
  schema: vault,
  indexes: { name: ({ name }) => name },
})
