import * as v from 'valibot'
import {
  type Collection,
  DESCRIPTION,
  documented,
  LONGEST_DESCRIPTION,
  LONGEST_METADATA,
  METADATA,
  REGIONS,
  ref,
  type Transaction,
  textOfBytes,
} from '../kit/index.ts'

type TooLong = Parameters<typeof textOfBytes>[1]

/** Makes the fields `description` and `metadata` of a body, with the errors of texts that are too long. */
export function texts(errors: { readonly description?: TooLong; readonly metadata?: TooLong } = {}) {
  return {
    description: textOfBytes(LONGEST_DESCRIPTION, errors.description, DESCRIPTION),
    metadata: textOfBytes(LONGEST_METADATA, errors.metadata, METADATA),
  }
}

/** The type of a region: the known ones for editors, and any other text. */
export function knownRegions(...further: readonly string[]) {
  const known = [...further, ...REGIONS].map((each) => `'${each}'`)
  return { type: [...known, '(string & Record<never, never>)'].join(' | ') }
}

/** The fields that filters of most lists can name. */
export const FILTERABLE = ['id', 'created_at', 'description', 'metadata'] as const

/** The id of the account's one user, who is the owner and the creator of all that names no other. */
export const ACCOUNT_USER = 'usr_0000000theUserOfThisAccount'

/** Puts a record with the time of its change, unless nothing changed. */
export function changed<R extends { readonly updated_at: number }>(
  tx: Transaction,
  collection: Collection<R>,
  before: R,
  after: R,
): R {
  if (JSON.stringify(after) === JSON.stringify(before)) return before
  return tx.put(collection, { ...after, updated_at: tx.now })
}

// A schema with a name has one sentence for all fields, so these fields have the type alone.
const REF = { type: 'Ref' }

/** Makes the field of a response that refers to another resource. */
export function refField(sentence: string) {
  return documented(v.object(ref.entries), sentence, REF)
}

/** Makes the field of a response that refers to a user. */
export function userField(sentence: string) {
  const uri = documented(v.string(), 'Always empty: this API creates no users.')
  return documented(v.object({ ...ref.entries, uri }), sentence, REF)
}

/** Returns fields without those that are null: ngrok leaves out what has no value. */
export function present<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], null> } {
  const left = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(left) as ReturnType<typeof present<T>> // The type checker does not follow entries.
}

/** Returns the fields of an answer that are those of a body, where none of them is absent. */
export function answerFields<const E extends Readonly<Record<string, v.OptionalSchema<v.GenericSchema, unknown>>>>(
  entries: E,
) {
  const shown = Object.entries(entries).map(([name, field]) => [name, v.unwrap(field)])
  return Object.fromEntries(shown) as { readonly [K in keyof E]: E[K]['wrapped'] } // As above.
}
