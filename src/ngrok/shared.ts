import * as v from 'valibot'
import {
  type CatalogueError,
  type Collection,
  DESCRIPTION,
  documented,
  type FieldError,
  type FieldFacts,
  LONGEST_DESCRIPTION,
  LONGEST_METADATA,
  METADATA,
  named,
  type OtherRecords,
  quote,
  REGIONS,
  type ReportRelation,
  ref,
  refuse,
  refusedAs,
  rule,
  type Transaction,
  textOfBytes,
} from '../kit/index.ts'

type TooLong = Parameters<typeof textOfBytes>[1]

interface Bodies<Create, Update> {
  readonly create: Create
  readonly update: Update
  /** The end of the sentence about the update, such as ": at least one field". */
  readonly note?: string
  /** An example of the creation, and one of the update. */
  readonly examples?: readonly [create?: object, update?: object]
}

/** Makes the bodies that create and change a resource. `title` begins their names; `one` is a resource in words, such as "a vault". */
export function bodiesOf<const Create extends v.ObjectEntries, const Update extends v.ObjectEntries>(
  title: string,
  one: string,
  { create, update, note = '', examples = [] }: Bodies<Create, Update>,
) {
  const [first, second] = examples
  const facts = (example: object | undefined) => (example ? { json: { examples: [example] } } : undefined)
  return {
    createBody: named(v.object(create), `${title}Create`, `The body that creates ${one}.`, facts(first)),
    updateBody: named(v.object(update), `${title}Update`, `The changes of ${one}${note}.`, facts(second)),
  }
}

/** Makes the fields `description` and `metadata` of a body, with the errors of texts that are too long. */
export function texts(errors: { readonly description?: TooLong; readonly metadata?: TooLong } = {}) {
  return {
    description: textOfBytes(LONGEST_DESCRIPTION, errors.description, DESCRIPTION),
    metadata: textOfBytes(LONGEST_METADATA, errors.metadata, METADATA),
  }
}

/** Makes an optional list of texts of a body. */
export function textList(sentence: string) {
  return v.optional(documented(v.array(v.string()), sentence), () => [])
}

/** Makes an optional field of a body that is always refused with the error. `allowed` says what to send in place of it. */
export function refusedField<E extends FieldError<string, { readonly allowed: string }>>(
  error: E,
  allowed: string,
  sentence: string,
  rules: string,
) {
  const read = v.pipe(
    v.custom<never>(() => false, allowed),
    refusedAs(error),
  )
  return v.optional(documented(read, sentence, { json: { deprecated: true }, type: 'never', rules }))
}

/** Makes a rule on one field: a value that is not right is refused with the error. */
export function refusedUnless<T, E extends FieldError<string, object>>(error: E, isRight: (value: T) => boolean) {
  return rule<T, E>([error], (value, report) => {
    if (!isRight(value)) report(error, {})
  })
}

/** Makes a rule on one field: an empty text is refused with the error. */
export function refusedIfEmpty<E extends FieldError<string, object>>(error: E) {
  return refusedUnless<string, E>(error, (text) => text !== '')
}

interface Unique<R> {
  /** The field that refusals name. */
  readonly field: keyof R & string
  readonly error: CatalogueError<string, FieldFacts & { readonly id: string }>
  /** The values that the field may have, for a record of a snapshot. */
  readonly allowed: string
}

/** Makes the rule that no two records have the same value of an index: for a change, and for the records of a snapshot. */
export function uniqueBy<R extends { readonly id: string }>(
  collection: Collection<R>,
  index: string,
  { field, error, allowed }: Unique<R>,
) {
  const sameIn = (records: OtherRecords, record: R) => {
    const value = collection.indexes[index]?.(record)
    return typeof value === 'string' ? records.find(collection, index, value) : undefined
  }
  return {
    /** Returns a record that is about to be put. Refuses it if another one has its value. */
    checked(tx: Transaction, record: R): R {
      const other = sameIn(tx, record)
      if (other && other.id !== record.id) refuse(error, { field, received: quote(record[field]), id: other.id })
      return record
    },
    /** Reports a record whose value another one has. */
    relations(record: R, others: OtherRecords, report: ReportRelation): void {
      if (sameIn(others, record)?.id !== record.id) report([field], record[field], allowed)
    },
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
