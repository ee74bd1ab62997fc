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
  rule,
  textOfBytes,
  tooLong,
} from '../kit/index.ts'
import { texts } from './shared.ts'

const LONGEST_NAME = 255
const CHARACTERS = 'letters, digits, "_", "/", "." and "-"'

/** Makes the field `name` of a vault or a secret. */
export function nameOf(
  errors: {
    readonly invalid: FieldError<string, object>
    readonly missing: FieldError<string, object>
    readonly tooLong: Parameters<typeof textOfBytes>[1]
  },
  sentence: string,
) {
  const read = v.pipe(
    v.unwrap(textOfBytes(LONGEST_NAME, errors.tooLong, sentence)),
    rule([errors.invalid, errors.missing], (text, report) => {
      if (text === '') report(errors.missing, {})
      else if (!/^[\w/.-]+$/.test(text)) report(errors.invalid, {})
    }),
  )
  return documented(read, `${sentence} 1 to ${LONGEST_NAME} ${CHARACTERS}.`, {
    json: { minLength: 1, maxLength: LONGEST_NAME, pattern: '^[\\w/.-]+$' },
    isRequired: true,
  })
}

/** Declares the errors of a vault's or a secret's name that has other characters, or none. */
export const otherCharacters = (number: number) => field(number, 400, () => CHARACTERS)
export const noName = (number: number) =>
  ofField(number, 400, (it) => `${it.field} is missing or empty. Allowed: 1 to ${LONGEST_NAME} ${CHARACTERS}.`)

export const vaultErrors = declareErrors({
  vault_name_invalid: otherCharacters(23000),
  vault_name_missing: noName(23001),
  vault_name_too_long: tooLong(23002),
})

export const vaultName = nameOf(
  {
    invalid: vaultErrors.vault_name_invalid,
    missing: vaultErrors.vault_name_missing,
    tooLong: vaultErrors.vault_name_too_long,
  },
  'The name, which no other vault has.',
)

const vault = v.object({ ...recordHead('vault', texts()), updated_at: instant, name: vaultName })

export type VaultRecord = Frozen<v.InferOutput<typeof vault>>

export const vaults = collection<VaultRecord>({
  name: 'vaults',
  key: ({ id }) => id,
  schema: vault,
  indexes: { name: ({ name }) => name },
})
