import * as v from 'valibot'
import { facts } from './documentation.ts'
import { type CatalogueError, Refusal } from './errors.ts'
import { general } from './general-errors.ts'
import { quote, quoteSecret } from './text.ts'
import { DURATION_ALLOWED, type Duration, durationMs, TIME_ALLOWED, timeMs, timestamp } from './time.ts'
import { isObject } from './values.ts'

/** How messages speak of options. */
export interface OptionWords {
  /** All of them. */
  readonly whole: string
  /** One of them, by its name or its path. */
  readonly one: (path: string) => string
  /** What is said of a name, shown as JSON, that is none of those which there are. */
  readonly unknown: (name: string, supported: string) => string
  /** The error that such a name is; `field_unknown` where nothing else is said. */
  readonly unknownError?: CatalogueError
  /** The names of options of which no message shows more than the type. */
  readonly secret?: readonly string[]
}

const WORDS: OptionWords = {
  whole: 'options',
  one: (path) => path,
  unknown: (name, supported) => `${name} is not an option. Supported: ${supported}.`,
}

/** What the schema of an option takes in: where a part may be left out, it may also be undefined. */
export type Taken<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] }
    : T

/** The schemas of all options of an interface, and of no other: names and types are those of the interface. */
export type SchemasOf<Options> = {
  readonly [Name in keyof Options]-?: v.GenericSchema<Taken<Options[Name]> | undefined, unknown>
}

/** Options by name; any other name is refused. `allowed` says what all of them can be. */
/* @__NO_SIDE_EFFECTS__ */
export function optionsOf<const E extends v.ObjectEntries>(entries: E, allowed = 'an object') {
  // Without a prototype: `toString` is no option either.
  const own: E = Object.assign(Object.create(null), entries)
  const named = v.strictObject(own, ({ expected }) => (expected === 'never' ? Object.keys(own).join(', ') : allowed))
  return v.pipe(v.custom<v.InferInput<typeof named>>(isObject, allowed), named)
}

/** An option that messages speak of as one: whatever is wrong inside, they show all of it and say what it can be. */
/* @__NO_SIDE_EFFECTS__ */
export function asOne<const S extends v.GenericSchema>(schema: S, allowed: string) {
  return v.pipe(
    v.custom<v.InferInput<S>>((value) => v.is(schema, value), allowed),
    v.transform((value): v.InferOutput<S> => v.parse(schema, value)),
    v.metadata({ whole: schema }),
  )
}

/** An option that is one of several texts. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOfTexts<const T extends readonly string[]>(...texts: T) {
  return v.picklist(texts, texts.map((text) => `"${text}"`).join(' or '))
}

/** An option that is an integer within bounds. */
/* @__NO_SIDE_EFFECTS__ */
export function integer(least: number, most: number) {
  const allowed = `an integer from ${least} to ${most}`
  return v.pipe(v.number(allowed), v.integer(allowed), v.minValue(least, allowed), v.maxValue(most, allowed))
}

/** An option that is a span of time of at least some ms; read as a number of ms. */
/* @__NO_SIDE_EFFECTS__ */
export function duration(least = 0) {
  const allowed = least === 0 ? DURATION_ALLOWED : `${DURATION_ALLOWED}, at least ${least} ms`
  return v.pipe(
    v.custom<Duration>((value) => (durationMs(value) ?? -1) >= least, allowed),
    v.transform((value) => durationMs(value) as number), // It is one, as just checked.
  )
}

/** An option that is a time, from one to another if any does not do; read as ms since 1970. */
/* @__NO_SIDE_EFFECTS__ */
export function moment(from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) {
  const isWithin = (value: unknown) => {
    const ms = timeMs(value)
    return ms !== undefined && ms >= from && ms < to + 1000
  }
  const range = to === Number.POSITIVE_INFINITY ? '' : `, from ${timestamp(from)} to ${timestamp(to)}`
  return v.pipe(
    v.custom<string | number | Date>(isWithin, `${TIME_ALLOWED}, a number of ms since 1970, or a Date${range}`),
    v.transform((value) => timeMs(value) as number), // It is one, as just checked.
    facts({ type: 'string | number | Date' }),
  )
}

/** An option that is a text. */
export const textOption = /* @__PURE__ */ v.string('a string')

/** An option that is true or false. */
export const switchOption = /* @__PURE__ */ v.boolean('true or false')

/**
 * Reads options, or one that stands alone, by a schema whose messages say what is allowed.
 * @throws TypeError that names the first option that is wrong, what was received and what is allowed.
 */
export function readOptions<S extends v.GenericSchema>(
  schema: S,
  options: unknown,
  words: Partial<OptionWords> = {},
): v.InferOutput<S> {
  const parsed = v.safeParse(schema, options, { abortEarly: true })
  if (parsed.success) return parsed.output
  throw new TypeError(wrongOption(parsed.issues[0], { ...WORDS, ...words }).message)
}

/** The same for options of a direct call: its errors are those of the catalogue. @throws Refusal */
export function readCallOptions<S extends v.GenericSchema>(
  schema: S,
  options: unknown,
  words: Partial<OptionWords> = {},
): v.InferOutput<S> {
  const parsed = v.safeParse(schema, options, { abortEarly: true })
  if (parsed.success) return parsed.output
  const { isUnknown, ...wrong } = wrongOption(parsed.issues[0], { ...WORDS, ...words })
  const { field_invalid, field_unknown } = general
  throw new Refusal([{ error: isUnknown ? (words.unknownError ?? field_unknown) : field_invalid, ...wrong }])
}

/** Options that were read, with what those are that were left out. */
export function withDefaults<Read extends object, Defaults extends { readonly [Name in keyof Read]?: unknown }>(
  read: Read,
  defaults: Defaults,
): WithDefaults<Read, Defaults> {
  const all: { [Name in keyof Read]?: unknown } = Object.assign({}, defaults)
  for (const name in read) if (read[name] !== undefined) all[name] = read[name]
  // Which names were given is not known to the types; every name of the defaults is there.
  return all as WithDefaults<Read, Defaults>
}

/** With defaults, an option is never undefined. */
export type WithDefaults<Read, Defaults> = Omit<Read, keyof Defaults> & {
  readonly [Name in keyof Read & keyof Defaults]-?: Exclude<Read[Name], undefined>
}

/** What is wrong with an option. In these schemas, what a message says is what is allowed. */
function wrongOption({ path, expected, input, message }: v.BaseIssue<unknown>, words: OptionWords) {
  const names = path?.map(({ key }) => String(key)) ?? []
  const field = names.join('.')
  if (expected === 'never') return { isUnknown: true, field, message: words.unknown(quote(field), message) }
  const show = words.secret?.includes(names[0] ?? '') ? quoteSecret : quote
  const named = field === '' ? words.whole : words.one(field)
  return { isUnknown: false, field: named, message: `${named} is ${show(input)}. Allowed: ${message}.` }
}
