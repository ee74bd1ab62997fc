import * as v from 'valibot'
import type { Dialect } from './dialect.ts'
import { documented, facts, type JsonFacts, named } from './documentation.ts'
import type { ErrorKey, ErrorValues, Problem } from './errors.ts'
import { idPattern, idProblem } from './ids.ts'
import { REGIONS } from './regions.ts'
import { utf8Length } from './utf8.ts'

/** What a field rule may look at besides the value. Travels as valibot's config. */
export interface RuleContext {
  readonly dialect: Dialect
  readonly unknownActions: 'refuse' | 'accept'
  /** What the rules have found in the body that is being read, where somebody counts it. */
  readonly found?: Found
}

/** How many problems the rules of one body have found, and whether they stopped looking. */
export interface Found {
  count: number
  isCut: boolean
}

/** How many problems of one body are handed on; of a body with more, rules only count them. */
export const MOST_HANDED_ON = 100
/** After so many problems of one body, no further rule looks at the rest of it. */
const MOST_COUNTED = 10_000

type OwnValues<K extends ErrorKey> = Omit<ErrorValues<K>, 'field' | 'received'>

/** A valibot message that names a catalogue error. The field's path and value are added when the answer is made. */
export function as<K extends ErrorKey>(
  key: K,
  ...values: Record<never, never> extends OwnValues<K> ? [OwnValues<K>?] : [OwnValues<K>]
): string {
  return JSON.stringify([key, values[0] ?? {}])
}

/** A valibot message that carries a problem which has its words already. */
export function asProblem({ key, message }: Problem): string {
  return JSON.stringify([key, {}, message])
}

/** Reads what {@link as} or {@link asProblem} wrote, or undefined for a message of valibot's own. */
export function fromMessage(message: string): [ErrorKey, Record<string, unknown>, string?] | undefined {
  return message.startsWith('["') ? JSON.parse(message) : undefined
}

/** Where a rule reports what it finds: at the field itself, or at a path below it. */
export type Report = <K extends ErrorKey>(
  key: K,
  values: OwnValues<K>,
  at?: { path: readonly (string | number)[]; value: unknown },
) => void

type Check<T> = (value: T, report: Report, context: RuleContext) => void

/** A rule on one field that may report several catalogue errors. It runs once the field has the right type. */
export function rule<T>(check: Check<T>) {
  return v.rawCheck<T>(({ dataset, config, addIssue }) => {
    const context = config as unknown as RuleContext
    if (dataset.typed && !isEnough(context)) check(dataset.value, reporting(dataset.value, context, addIssue), context)
  })
}

/** A rule on an object as a whole. It also runs when fields have the wrong type, so it looks before it reads them. */
export function ruleOnWhole<T extends object>(check: Check<{ readonly [K in keyof T]?: unknown }>) {
  return v.rawCheck<T>(({ dataset, config, addIssue }) => {
    const { value } = dataset
    const context = config as unknown as RuleContext
    if (typeof value !== 'object' || value === null || isEnough(context)) return
    check(value, reporting(value, context, addIssue), context)
  })
}

function isEnough({ found }: RuleContext): boolean {
  if (!found || found.count < MOST_COUNTED) return false
  found.isCut = true
  return true
}

type AddIssue = (info: { message: string; input?: unknown; path?: never }) => void

function reporting(root: unknown, { found }: RuleContext, addIssue: AddIssue): Report {
  return (key, values, at) => {
    if (found && found.count++ >= MOST_HANDED_ON) return
    const message = JSON.stringify([key, values])
    if (at) addIssue({ message, input: at.value, path: pathItems(root, at.path) as never })
    else addIssue({ message })
  }
}

function pathItems(root: unknown, path: readonly (string | number)[]) {
  return path.map((key) => ({ type: 'unknown', origin: 'value', input: root, key, value: undefined }))
}

/** Marks a text field in which "" means "not given" (decisions, "Wire"). */
export const blankIsAbsent = v.metadata({ blank: 'absent' }) as v.MetadataAction<string, { blank: 'absent' }>

/**
 * Marks a field whose value is secret: messages describe it, and journal, commits and snapshots are without it. Said
 * here and nowhere else.
 */
export const secret = v.metadata({ secret: true }) as v.MetadataAction<string, { secret: true }>

/** Marks a field of a body that the service document does not have: it exists where the dialect names it. */
export function extra<S extends v.GenericSchema>(field: S): S {
  return v.pipe(field, v.metadata({ extra: true })) as unknown as S
}

type TooLong =
  | 'domain_metadata_too_long'
  | 'address_metadata_too_long'
  | 'certificate_metadata_too_long'
  | 'certificate_description_too_long'

/** A text of at most `limit` bytes in UTF-8 (service document, "Limits"). */
export function textOfBytes(limit: number, key: TooLong, sentence: string) {
  const read = v.pipe(
    v.string(),
    rule<string>((text, report) => {
      const bytes = text.length * 3 > limit ? utf8Length(text) : 0
      if (bytes > limit) report(key, { bytes })
    }),
  )
  return v.optional(documented(read, `${sentence} At most ${limit} bytes in UTF-8.`, { json: { maxLength: limit } }))
}

/** What `description` and `metadata` of every resource are for. */
export const DESCRIPTION = 'What the resource is for, in words for people.'
export const METADATA = 'Anything that programs keep with the resource; the service does not read it.'

/** `description` and `metadata` without limits. */
export const description = v.optional(documented(v.string(), DESCRIPTION))
export const metadata = v.optional(documented(v.string(), METADATA))

/** The id of another resource. */
export function reference(prefix: string, sentence: string) {
  const read = v.pipe(
    v.string(),
    blankIsAbsent,
    rule<string>((id, report) => {
      const key = idProblem(id, prefix)
      if (key) report(key, { prefix })
    }),
  )
  return v.optional(documented(read, sentence, { json: { pattern: `^$|${idPattern(prefix)}` } }))
}

/** A datacenter region (service document, "Limits"). */
export function region(key: 'domain_region_invalid' | 'address_region_invalid', sentence: string, more: JsonFacts) {
  return v.optional(documented(oneOf(REGIONS, key), sentence, { json: more }))
}

/** One of several texts; "" counts as not given. */
export function oneOf<const T extends readonly string[]>(
  texts: T,
  key: 'domain_region_invalid' | 'address_region_invalid' | 'private_key_type_invalid',
) {
  // Typed by what is allowed, so that callers of the direct API are told; read as a text, so that "" is.
  const read = v.pipe(
    v.string(as(key)),
    blankIsAbsent,
    v.picklist(texts, as(key)),
    facts({ json: { enum: [...texts, ''] } }),
  )
  return read as unknown as v.GenericSchema<T[number]>
}

/** A whole number of 32 bits without sign, with a default. */
export function uint32(
  key: 'tripped_duration_invalid' | 'rolling_window_invalid' | 'num_buckets_out_of_range' | 'field_invalid',
  bounds: { min: number; max?: number; default: number },
  sentence: string,
) {
  const { min, max = 0xffff_ffff } = bounds
  const message = key === 'field_invalid' ? as(key, { allowed: `an integer from ${min} to ${max}` }) : as(key)
  return v.optional(
    documented(
      v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message)),
      sentence,
    ),
    bounds.default,
  )
}

/** `enabled` of every route module: true unless said otherwise. */
export const enabled = v.optional(
  documented(v.boolean(), 'Whether the module applies to the traffic of the route.'),
  true,
)

/** A timestamp in a response (decisions, "Wire"). Filters compare it with times. */
export const time = v.pipe(v.string(), v.isoTimestamp(), facts({ json: { examples: ['2026-01-01T00:00:00Z'] } }))

/** A reference in a response (service document, "Ref object"). */
export const ref = named(
  v.object({
    id: documented(v.string(), 'The id of the resource that is referred to.'),
    uri: documented(v.string(), 'The URL of the resource that is referred to.', { json: { format: 'uri' } }),
  }),
  'Ref',
  'A reference to another resource.',
)

/** The fields that every top-level resource begins with, in the order of the document's tables. */
export const resourceHead = {
  id: documented(v.string(), 'The id that the resource got when it was created; ids sort in the order of creation.'),
  uri: documented(v.string(), 'The URL of the resource.', { json: { format: 'uri' } }),
  created_at: documented(time, 'When the resource was created: UTC, in whole seconds.'),
  description: v.exactOptional(documented(v.string(), `${DESCRIPTION} Absent until it was set.`)),
  metadata: v.exactOptional(documented(v.string(), `${METADATA} Absent until it was set.`)),
}

/** Whether a value is a JSON object, from whichever realm: no array, no `Map`, no `Date`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]'
}

/** An object that is kept as it is, with whatever keys it has; `allowed` says in messages what it can be. */
export function anyObject<T extends object = Record<string, unknown>>(allowed = 'an object') {
  return v.pipe(v.custom<T>(isObject, as('field_invalid', { allowed })), facts({ json: { type: 'object' } }))
}
