import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'

type TooLong = Parameters<typeof parts.textOfBytes>[1]

/** Creates the fields `description` and `metadata` of a body, with the errors for strings that are too long. */
export function descriptionAndMetadata(errors: { readonly description?: TooLong; readonly metadata?: TooLong } = {}) {
  return {
    description: parts.textOfBytes(parts.MAX_DESCRIPTION_BYTES, errors.description, parts.DESCRIPTION),
    metadata: parts.textOfBytes(parts.MAX_METADATA_BYTES, errors.metadata, parts.METADATA),
  }
}

/** The field of a declaration that may exceed the account's limits (rules: account#declaring). */
export const limits = v.optional(
  kit.documented(v.boolean(), "False to exempt the declared resource from the account's limits.", {
    rules: 'account#declaring',
  }),
  true,
)

/** Creates the schema of an optional list of strings in a body. */
export function textList(sentence: string) {
  return v.optional(kit.documented(v.array(v.string()), sentence), () => [])
}

/** Creates an optional body field that is always rejected with an error. */
export function refusedField<E extends parts.FieldError<string, object>>(error: E, sentence: string, rules: string) {
  const read = v.pipe(
    v.custom<never>(() => false),
    kit.refusedAs(error),
  )
  return v.optional(kit.documented(read, sentence, { json: { deprecated: true }, type: 'never', rules }))
}

/** Creates a rule that rejects invalid values of a field with an error. */
export function refuseUnless<T, E extends parts.FieldError<string, object>>(error: E, isRight: (value: T) => boolean) {
  return kit.rule<T, E>([error], (value, report) => {
    if (!isRight(value)) report(error, {})
  })
}

/** Creates a rule that rejects an empty string in a field with an error. */
export function refuseIfEmpty<E extends parts.FieldError<string, object>>(error: E) {
  return refuseUnless<string, E>(error, (text) => text !== '')
}

/** Declares the error for a name that is already in use by another record. `other` is the kind of record, such as "vault". */
export function nameTakenError(number: number, other: string) {
  return kit.ofField(
    number,
    400,
    (it: parts.FieldFacts & { id: string }) =>
      `${it.received} is already the name of ${it.id}. Send a name that no other ${other} has.`,
  )
}

interface Unique<R> {
  /** The field for the errors. */
  readonly field: keyof R & string
  readonly error: parts.CatalogueError<string, parts.FieldFacts & { readonly id: string }>
  /** The allowed values of the field, for messages about a snapshot. */
  readonly allowed: string
}

/** Creates the rule that no two records have the same value in an index, both for operations and for snapshots. */
export function defineUnique<R extends { readonly id: string }>(
  collection: kit.Collection<R>,
  index: string,
  { field, error, allowed }: Unique<R>,
) {
  const findSame = (records: parts.OtherRecords, record: R) => {
    const value = collection.indexes[index]?.(record)
    return typeof value === 'string' ? records.find(collection, index, value) : undefined
  }
  return {
    /** Returns the record. Throws an error if another record has the same value. */
    requireUnique(tx: kit.Transaction, record: R): R {
      const other = findSame(tx, record)
      if (other && other.id !== record.id)
        kit.refuse(error, { field, received: kit.quote(record[field]), id: other.id })
      return record
    },
    /** Reports a snapshot's record if another record has the same value. */
    relations(record: R, others: parts.OtherRecords, report: parts.ReportRelation): void {
      if (findSame(others, record)?.id !== record.id) report([field], record[field], allowed)
    },
  }
}

/** Returns the type of a region: any string, with the known regions for completion in editors. */
export function knownRegions(...further: readonly string[]) {
  const known = [...further, ...parts.REGIONS].map((each) => `'${each}'`)
  return { type: [...known, '(string & Record<never, never>)'].join(' | ') }
}

/** The fields that filters can use in most lists. */
export const FILTERABLE = ['id', 'created_at', 'description', 'metadata'] as const

/** The ID of the account. */
export const ACCOUNT_ID = 'ac_0000000theOnlyAccountInHere'

/** The email address of the account's only user, which is also the name of the account. */
export const EMAIL = 'user@example.com'

/** The ID of the account's only user, the default owner and creator of all resources. */
export const ACCOUNT_USER = 'usr_0000000theUserOfThisAccount'

/** The column of the time of the last change. */
export const updatedAt = parts.column({
  kept: parts.instant,
  shown: kit.documented(kit.time, 'The time of the last change.'),
  show: kit.timestamp,
})

/** Stores a record with the current time as the time of its last change, unless nothing changed. */
export function putIfChanged<R extends { readonly updated_at: number }>(
  tx: kit.Transaction,
  collection: kit.Collection<R>,
  before: R,
  after: R,
): R {
  if (JSON.stringify(after) === JSON.stringify(before)) return before
  return tx.put(collection, { ...after, updated_at: tx.now })
}

// A named schema has one sentence for all fields, so these fields only share its type.
const REF = { type: 'Ref' }

/** Creates the field of a response that refers to another resource. */
export function refField(sentence: string) {
  return kit.documented(v.object(kit.ref.entries), sentence, REF)
}

/** Creates the field of a response that refers to a user. */
export function userField(sentence: string) {
  const uri = kit.documented(v.string(), 'Always empty, because this API creates no users.')
  return kit.documented(v.object({ ...kit.ref.entries, uri }), sentence, REF)
}

/** Returns the fields that are not null, because ngrok omits null fields. */
export function omitNulls<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], null> }
export function omitNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

type OptionalFields = Readonly<Record<string, v.OptionalSchema<v.GenericSchema, unknown>>>

/** Converts the fields of a body to the fields of a response. In a response, no field is absent. */
export function responseFields<const E extends OptionalFields>(entries: E): { readonly [K in keyof E]: E[K]['wrapped'] }
export function responseFields(entries: OptionalFields): Readonly<Record<string, v.GenericSchema>> {
  return parts.mapValues(entries, (field) => v.unwrap(field))
}
