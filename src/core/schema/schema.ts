import * as v from 'valibot'
import type { CommonDialect } from './dialect.ts'
import { documented, named, withSteps } from './documentation.ts'
import type { FieldError } from './errors.ts'
import { facts, type JsonFacts } from './facts.ts'
import { general } from './general-errors.ts'
import { findIdError, idPattern } from './ids.ts'
import { utf8Length } from './platform.ts'
import { type Report, rule } from './rule.ts'
import { isObject } from './values.ts'

// (rules: limits#regions)
/** The datacenter regions. The default is `us`. */
export const REGIONS = ['au', 'eu', 'ap', 'us', 'jp', 'in', 'sa'] as const

/** A datacenter region. */
export type Region = (typeof REGIONS)[number]

/**
 * Sets the error for a value that a field's schema does not accept. Default: `field_invalid`. The message of the schema
 * describes the allowed values: `v.string('a name')`.
 *
 * @example
 * ```ts
 * const size = v.pipe(v.number(), v.integer(), v.minValue(1), refusedAs(errors.size_out_of_range))
 * ```
 */
export function refusedAs<T, E extends FieldError<string, { allowed: string }>>(
  error: E,
): v.MetadataAction<T, { readonly refusedAs: E }> {
  return v.metadata({ refusedAs: error })
}

// (rules: fields#empty-strings)
/** Marks a string field in which "" means "not given". */
export function blankIsAbsent<T>(): v.MetadataAction<T, { readonly blank: 'absent' }> {
  return v.metadata({ blank: 'absent' })
}

/**
 * Marks a field whose value is secret: messages show only its type, and the journal, commits, and snapshots omit it.
 *
 * @example
 * ```ts
 * const createBody = v.object({ token: v.pipe(v.string(), secret) })
 * ```
 */
export const secret = v.metadata<string, { readonly secret: true }>({ secret: true })

/** Marks a field that contains secrets. The function returns the value as the journal, commits, and snapshots show it. */
export function shownAs<T>(show: (value: unknown) => unknown) {
  return v.metadata<T, { readonly shownAs: typeof show }>({ shownAs: show })
}

/**
 * Marks a secret field like {@link secret}, whose name is also used for harmless fields in other operations, such as `value`. The
 * journal hides a field with this name in requests for marked operations, and in requests that match no operation.
 *
 * @example
 * ```ts
 * const createBody = v.object({ value: v.pipe(v.string(), secretHere) })
 * ```
 */
export const secretHere = v.metadata<string, { readonly secret: true; readonly isCommonName: true }>({
  secret: true,
  isCommonName: true,
})

/**
 * Marks a field that is not in the API reference and exists only in dialects that list it.
 *
 * @example
 * ```ts
 * const createBody = v.object({ name, colour: extra(v.optional(v.string())) })
 * ```
 */
export function extra<S extends v.GenericSchema>(field: S): S {
  return withSteps(field, v.metadata({ extra: true }))
}

// (rules: limits#strings)
/** Creates the schema of an optional string of at most `limit` bytes in UTF-8. Default of `error`: `field_invalid`. */
export function textOfBytes(limit: number, error: TooLong | undefined, sentence: string) {
  const read = v.pipe(
    v.string(),
    rule(error ? [error] : [], (text, report) => requireBytes(text, limit, report, error)),
  )
  return v.optional(
    documented(read, `${sentence} At most ${limit} bytes in UTF-8.`, {
      json: { maxLength: limit },
      rules: 'limits#strings',
    }),
  )
}

type TooLong = FieldError<string, { bytes: number; limit: number }>

function requireBytes(text: string, limit: number, report: Report<TooLong>, error?: TooLong): void {
  const bytes = text.length * 3 > limit ? utf8Length(text) : 0
  if (bytes <= limit) return
  if (error) report(error, { bytes, limit })
  else report(general.field_invalid, { allowed: `at most ${limit} bytes in UTF-8, not ${bytes}` })
}

/** The sentence that documents the `description` field. */
export const DESCRIPTION = 'A human-readable description.'
/** The sentence that documents the `metadata` field. */
export const METADATA = "Arbitrary data that the service doesn't interpret."

/** The maximum length of a `description`, in UTF-8 bytes. */
export const MAX_DESCRIPTION_BYTES = 255
/** The maximum length of `metadata`, in UTF-8 bytes. */
export const MAX_METADATA_BYTES = 4096

/**
 * The schema of the `description` field. A dialect's `textLimits` limit its length.
 *
 * @example
 * ```ts
 * const createBody = v.object({ name, description, metadata })
 * ```
 */
export const description = textLimitedByDialect(MAX_DESCRIPTION_BYTES, DESCRIPTION, { examples: ['checkout'] })
/**
 * The schema of the `metadata` field. A dialect's `textLimits` limit its length.
 *
 * @example
 * ```ts
 * const createBody = v.object({ name, description, metadata })
 * ```
 */
export const metadata = textLimitedByDialect(MAX_METADATA_BYTES, METADATA)

/** Returns whether a dialect limits every string, not just those with a limit in the API reference. */
export const limitsAllTexts = ({ textLimits }: CommonDialect) => textLimits === 'all'

/** Creates the schema of a `description` field whose length has its own error. */
export function descriptionWith(error: TooLong) {
  return textLimitedByDialect(MAX_DESCRIPTION_BYTES, DESCRIPTION, { examples: ['checkout'] }, error)
}

/** Creates the schema of an optional string. Its length is checked only in requests, so a stored value may be longer. */
function textLimitedByDialect(limit: number, sentence: string, json: JsonFacts = {}, error?: TooLong) {
  const read = v.pipe(
    v.string(),
    rule(error ? [error] : [], (text, report, { dialect, state }) => {
      if (!state && dialect.textLimits === 'all') requireBytes(text, limit, report, error)
    }),
  )
  return v.optional(
    documented(read, sentence, {
      json: ({ textLimits }) => (textLimits === 'all' ? { ...json, maxLength: limit } : json),
      rules: 'limits#strings',
    }),
  )
}

/** Creates the schema of an optional ID of another resource, in a body. */
export function reference(prefix: string, sentence: string) {
  const read = v.pipe(
    v.string(),
    blankIsAbsent(),
    rule([general.id_unparsable, general.id_wrong_prefix], (id, report) => {
      const error = findIdError(id, prefix)
      if (error) report(error, { prefix })
    }),
  )
  return v.optional(
    documented(read, sentence, { json: { pattern: `^$|${idPattern(prefix)}` }, rules: 'references#any-id' }),
  )
}

// (rules: limits#regions)
/** Creates the schema of an optional region, in a body. */
export function region(error: FieldError<string, { allowed: string }>, sentence: string, more: JsonFacts) {
  return v.optional(documented(oneOf(REGIONS, error), sentence, { json: more, rules: 'limits#regions' }))
}

/**
 * Creates the schema for one of several strings, in a body. "" counts as not given.
 *
 * @example
 * ```ts
 * const colour = oneOf(['red', 'blue'], errors.widget_colour_invalid)
 * ```
 */
export function oneOf<const T extends readonly string[]>(texts: T, error: FieldError<string, { allowed: string }>) {
  const allowed = `one of ${texts.join(', ')}`
  return v.pipe(
    v.picklist(texts, allowed),
    blankIsAbsent(),
    refusedAs(error),
    facts({ json: { enum: [...texts, ''] } }),
  )
}

/** The schema of a module's `enabled` field. Default: true. */
export const enabled = v.optional(
  documented(v.boolean(), 'True if the module is enabled.', {
    rules: 'route-modules#singletons',
  }),
  true,
)

// (rules: time#timestamps)
/**
 * The schema of a timestamp in a response. Filters treat it as a time.
 *
 * @example
 * ```ts
 * const shape = v.object({ ...resourceHead, renewed_at: v.nullable(time) })
 * ```
 */
export const time = v.pipe(v.string(), v.isoTimestamp(), facts({ json: { examples: ['2026-01-01T00:00:00Z'] } }))

// (rules: fields#references)
/**
 * The schema of a reference in a response, `{ id, uri }`.
 *
 * @example
 * ```ts
 * const shape = v.object({ ...resourceHead, owner: v.nullable(ref) })
 * ```
 */
export const ref = named(
  v.object({
    id: documented(v.string(), 'The ID of the resource.'),
    uri: documented(v.string(), 'The URL of the resource.', { json: { format: 'uri' } }),
  }),
  'Ref',
  'A reference to another resource.',
)

const ABSENT = 'fields#absent-until-set'

/**
 * The schemas of the fields that begin every resource's response, such as `id` and `uri`.
 *
 * @example
 * ```ts
 * const shape = v.object({ ...resourceHead, name: v.string() })
 * ```
 */
export const resourceHead = {
  /** The ID. */
  id: documented(v.string(), 'The ID, assigned at creation; IDs sort in creation order.', {
    rules: 'ids#order',
  }),
  /** The URL. */
  uri: documented(v.string(), 'The URL of the resource.', { json: { format: 'uri' } }),
  /** The time of creation. */
  created_at: documented(time, 'The creation time, in UTC and whole seconds.', {
    rules: 'time#timestamps',
  }),
  /** The description, if it was set. */
  description: v.exactOptional(documented(v.string(), `${DESCRIPTION} Absent until set.`, { rules: ABSENT })),
  /** The metadata, if it was set. */
  metadata: v.exactOptional(documented(v.string(), `${METADATA} Absent until set.`, { rules: ABSENT })),
}

/** Creates the schema of an object with arbitrary keys. Messages describe it as `allowed`. */
export function anyObject<T extends object = Record<string, unknown>>(allowed = 'an object') {
  return v.pipe(v.custom<T>(isObject, allowed), facts({ json: { type: 'object' } }))
}
