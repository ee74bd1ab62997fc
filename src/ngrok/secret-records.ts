import * as v from 'valibot'
import {
  collection,
  declareErrors,
  documented,
  entry,
  type FieldFacts,
  type Frozen,
  field,
  idOf,
  instant,
  ofField,
  recordHead,
  rule,
  secret,
  secretHere,
  textOfBytes,
  tooLong,
  tooMany,
} from '../kit/index.ts'
import { texts } from './shared.ts'
import { nameOf, noName, otherCharacters, vaultName } from './vault-records.ts'

export const secretErrors = declareErrors({
  secret_name_invalid: otherCharacters(24000),
  secret_name_missing: noName(24001),
  secret_name_too_long: tooLong(24002),
  secret_value_missing: ofField(24003, 400, (it) => `${it.field} is missing or empty. Send the text to keep.`),
  secret_value_too_long: tooLong(24004),
  secret_name_taken: ofField(
    24005,
    400,
    (it: FieldFacts & { id: string }) =>
      `${it.received} is the name of ${it.id} already. Send a name that no other secret of the vault has.`,
  ),
  secret_vault_unknown: field(24006, 400, () => 'the id of a vault'),
  secret_limit_reached: tooMany(24007),
  secret_vault_missing: entry(
    24008,
    400,
    () => 'No vault was named. Send its id as vault_id, or its name as vault_name.',
  ),
  secret_vault_name_unknown: field(
    24009,
    400,
    () => 'the name of a vault, and of the one with vault_id if both are sent',
  ),
})

export const NAME = 'The name, which no other secret of the vault has.'
const LONGEST_VALUE = 65_535

export const secretName = nameOf(
  {
    invalid: secretErrors.secret_name_invalid,
    missing: secretErrors.secret_name_missing,
    tooLong: secretErrors.secret_name_too_long,
  },
  NAME,
)

export const secretValue = documented(
  v.pipe(
    v.unwrap(textOfBytes(LONGEST_VALUE, secretErrors.secret_value_too_long, '')),
    secretHere,
    rule([secretErrors.secret_value_missing], (text, report) => {
      if (text === '') report(secretErrors.secret_value_missing, {})
    }),
  ),
  `The text to keep. No response has it. At most ${LONGEST_VALUE} bytes in UTF-8.`,
  { json: { minLength: 1, maxLength: LONGEST_VALUE, writeOnly: true }, isRequired: true },
)

const record = v.object({
  ...recordHead('secret', texts()),
  updated_at: instant,
  name: secretName,
  value: v.pipe(v.string(), secret),
  vault_id: idOf('vault'),
  vault_name: vaultName,
})

export type SecretRecord = Frozen<v.InferOutput<typeof record>>

export const secrets = collection<SecretRecord>({
  name: 'vault_secrets',
  key: ({ id }) => id,
  schema: record,
  indexes: { vault: ({ vault_id }) => vault_id, place: placeOf },
  exported: (each, withSecrets) => (withSecrets ? each : { ...each, value: '' }),
})

/** Returns the unique key of a secret: its vault and its name. */
export function placeOf({ vault_id, name }: Pick<SecretRecord, 'vault_id' | 'name'>): string {
  return `${vault_id} ${name}`
}
