import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import { refusedIfEmpty, refusedUnless, texts } from './shared.ts'

const LONGEST_NAME = 255
const CHARACTERS = 'letters, digits, "_", "/", "." and "-"'

interface NameErrors {
  readonly missing: kit.FieldError<string, object>
  readonly invalid: kit.FieldError<string, object>
  readonly tooLong: kit.FieldError<string, { bytes: number; limit: number }>
}

/** Makes the field `name` of a vault or a secret. */
export function nameOf({ missing, invalid, tooLong }: NameErrors, sentence: string) {
  const read = v.pipe(
    v.unwrap(kit.textOfBytes(LONGEST_NAME, tooLong, sentence)),
    refusedIfEmpty(missing),
    refusedUnless(invalid, (text) => /^[\w/.-]*$/.test(text)),
  )
  return kit.documented(read, `${sentence} 1 to ${LONGEST_NAME} ${CHARACTERS}.`, {
    json: { minLength: 1, maxLength: LONGEST_NAME, pattern: '^[\\w/.-]+$' },
    isRequired: true,
  })
}

/** Declares the error of a vault's or a secret's name with other characters. */
export const invalidName = (number: number) => kit.field(number, 400, () => CHARACTERS)
/** Declares the error of a missing name of a vault or a secret. */
export const missingName = (number: number) =>
  kit.ofField(number, 400, (it) => `${it.field} is missing or empty. Allowed: 1 to ${LONGEST_NAME} ${CHARACTERS}.`)

export const vaultErrors = kit.declareErrors({
  vault_name_invalid: invalidName(23000),
  vault_name_missing: missingName(23001),
  vault_name_too_long: kit.tooLong(23002),
})

export const VAULT_NAME = 'The name, which no other vault has.'

export const vaultName = nameOf(
  {
    missing: vaultErrors.vault_name_missing,
    invalid: vaultErrors.vault_name_invalid,
    tooLong: vaultErrors.vault_name_too_long,
  },
  VAULT_NAME,
)

const vault = v.object({ ...kit.recordHead('vault', texts()), updated_at: kit.instant, name: vaultName })

export type VaultRecord = kit.Frozen<v.InferOutput<typeof vault>>

export const vaults = kit.collection<VaultRecord>({
  name: 'vaults',
  schema: vault,
  indexes: { name: ({ name }) => name },
})
