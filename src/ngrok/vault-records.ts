import * as v from 'valibot'
import {
  collection,
  declareErrors,
  documented,
  type FieldError,
  type Frozen,
  field,
  instant,
  ofField,
  recordHead,
  textOfBytes,
  tooLong,
} from '../kit/index.ts'
import { refusedIfEmpty, refusedUnless, texts } from './shared.ts'

const LONGEST_NAME = 255
const CHARACTERS = 'letters, digits, "_", "/", "." and "-"'

interface NameErrors {
  readonly missing: FieldError<string, object>
  readonly invalid: FieldError<string, object>
  readonly tooLong: FieldError<string, { bytes: number; limit: number }>
}

/** Makes the field `name` of a vault or a secret. */
export function nameOf({ missing, invalid, tooLong }: NameErrors, sentence: string) {
  const read = v.pipe(
    v.unwrap(textOfBytes(LONGEST_NAME, tooLong, sentence)),
    refusedIfEmpty(missing),
    refusedUnless(invalid, (text) => /^[\w/.-]*$/.test(text)),
  )
  return documented(read, `${sentence} 1 to ${LONGEST_NAME} ${CHARACTERS}.`, {
    json: { minLength: 1, maxLength: LONGEST_NAME, pattern: '^[\\w/.-]+$' },
    isRequired: true,
  })
}

/** Declares the error of a vault's or a secret's name that has other characters. */
export const otherCharacters = (number: number) => field(number, 400, () => CHARACTERS)
/** Declares the error of a vault's or a secret's name that is missing. */
export const noName = (number: number) =>
  ofField(number, 400, (it) => `${it.field} is missing or empty. Allowed: 1 to ${LONGEST_NAME} ${CHARACTERS}.`)

export const vaultErrors = declareErrors({
  vault_name_invalid: otherCharacters(23000),
  vault_name_missing: noName(23001),
  vault_name_too_long: tooLong(23002),
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

const vault = v.object({ ...recordHead('vault', texts()), updated_at: instant, name: vaultName })

export type VaultRecord = Frozen<v.InferOutput<typeof vault>>

export const vaults = collection<VaultRecord>({
  name: 'vaults',
  key: ({ id }) => id,
  schema: vault,
  indexes: { name: ({ name }) => name },
})
