import * as v from 'valibot'
import { documented, withSteps } from './documentation.ts'
import { type CatalogueError, type Problem, problem, Refusal } from './errors.ts'
import { type Facts, facts } from './facts.ts'
import { general } from './general-errors.ts'
import { createOptionError } from './option-error.ts'
import { quote, quoteSecret } from './text.ts'
import {
  DURATION_ALLOWED,
  DURATION_FACTS,
  DURATION_IN_TEXT,
  type Duration,
  durationMs,
  TIME_ALLOWED,
  timeMs,
  timestamp,
} from './time.ts'
import { isObject, requirePlainPrototype } from './values.ts'

export interface OptionWords {
  /** The name that messages use for all options together. Default: `options`. */
  readonly whole: string
  /** Returns the name that messages use for an option, given its path. Default: the path. */
  readonly one: (path: string) => string
  readonly unknown: (name: string, supported: string) => string
  /** The error for an unknown name; `field_unknown` by default. */
  readonly unknownError?: CatalogueError
  readonly secret?: readonly string[]
}

const WORDS: OptionWords = {
  whole: 'options',
  one: (path) => path,
  unknown: (name, supported) => `${name} is not an option. Supported: ${supported}.`,
}

/** The input type of an option's schema: optional parts may also be undefined. */
export type OptionInput<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] }
    : T

/** The schemas of all options in an interface, with no additional ones. */
export type SchemasOf<Options> = {
  readonly [Name in keyof Options]-?: v.GenericSchema<OptionInput<Options[Name]> | undefined, unknown>
}

/** Creates the schema of options by name. It rejects any other name. `allowed` describes all options together. */
/* @__NO_SIDE_EFFECTS__ */
export function optionsOf<const E extends v.ObjectEntries>(entries: E, allowed = 'an object') {
  // Without a prototype, so `toString` is also an unknown option.
  const own: E = Object.assign(Object.create(null), entries)
  const named = v.strictObject(own, ({ expected }) => (expected === 'never' ? Object.keys(own).join(', ') : allowed))
  return v.pipe(v.custom<v.InferInput<typeof named>>(isObject, allowed), named)
}

interface OptionFacts<D> extends Pick<Facts, 'type' | 'isUnoffered'> {
  /** The default, as the caller would write it. */
  readonly default?: D
  /** The default in words; empty if the sentence mentions it. If absent, the default itself is shown. */
  readonly defaultText?: string
  /** True if messages must not show the value. */
  readonly isSecret?: boolean
  /** The command-line flag, if it is not the option's path with hyphens. */
  readonly flag?: string
  /** The placeholder for the value in the help. */
  readonly placeholder?: string
}

/**
 * A row in a table of options. Types, defaults, flags, environment variables, the config file, `--help`, and documents are derived from it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function optionRow<S extends v.GenericSchema, const D extends v.InferInput<S> | undefined = undefined>(
  schema: S,
  sentence: string,
  more: OptionFacts<D> = {},
): v.OptionalSchema<S, D> {
  const { default: value, defaultText = formatDefault(value), isSecret, flag, placeholder, ...types } = more
  const about = defaultText === '' ? sentence : `${sentence} Default: ${defaultText}.`
  const marks = { ...(isSecret && { secret: true }), ...(flag && { flag }), ...(placeholder && { placeholder }) }
  // Without a default, D is undefined.
  return v.optional(withSteps(schema, v.description(about), v.metadata(marks), facts(types)), value as D)
}

function formatDefault(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' && !/^\d/.test(value) ? `\`${value}\`` : String(value)
}

/** Makes messages show the whole option, described as `allowed`, whichever inner value is wrong. */
/* @__NO_SIDE_EFFECTS__ */
export function asOne<const S extends v.GenericSchema>(schema: S, allowed: string) {
  return v.pipe(
    v.custom<v.InferInput<S>>((value) => v.is(schema, value), allowed),
    v.transform((value): v.InferOutput<S> => v.parse(schema, value)),
    v.metadata({ whole: schema }),
  )
}

/**
 * Creates the schema of an object, or of another value that messages describe. A union would not report which part of an object is wrong.
 */
/* @__NO_SIDE_EFFECTS__ */
export function objectOr<const O extends v.GenericSchema, const S extends v.GenericSchema>(object: O, other: S) {
  return v.pipe(
    v.lazy((value) => (isObject(value) ? object : other)),
    v.metadata({ whole: v.union([other, object]) }),
  )
}

/** Creates the schema for one of several strings. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOfThese<const T extends readonly string[]>(texts: T) {
  return v.picklist(texts, texts.map((text) => `"${text}"`).join(' or '))
}

/** Creates the schema of an array of such strings. */
/* @__NO_SIDE_EFFECTS__ */
export function listOfThese<const T extends readonly string[]>(texts: T) {
  return v.array(oneOfThese(texts), `an array of ${texts.map((text) => `"${text}"`).join(', ')}`)
}

/**
 * Creates the schema of an integer from `min` to `max`. Default of `max`: 4,294,967,295.
 *
 * @example
 * ```ts
 * const port = integerFrom(1, 65_535)
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function integerFrom(min: number, max = 0xffff_ffff) {
  const allowed = `an integer from ${min} to ${max}`
  return v.pipe(v.number(allowed), v.integer(allowed), v.minValue(min, allowed), v.maxValue(max, allowed))
}

/** Creates the schema of a duration of at least `least` ms; its output is in ms. */
/* @__NO_SIDE_EFFECTS__ */
export function duration(least = 0) {
  const bound = least === 0 ? '' : `, at least ${least} ms`
  const allowed = DURATION_ALLOWED + bound
  return v.pipe(
    v.custom<Duration>((value) => (durationMs(value) ?? -1) >= least, allowed),
    v.transform((value) => durationMs(value) ?? least),
    v.metadata({ placeholder: 'D', typed: DURATION_IN_TEXT + bound }),
    facts(DURATION_FACTS),
  )
}

/**
 * Creates the schema of a duration whose output is the value as sent.
 *
 * @example
 * ```ts
 * const fields = { timeout: sentDuration('How long a job may take.') }
 * ```
 */
export function sentDuration(sentence: string) {
  const schema = v.custom<Duration>((value) => durationMs(value) !== undefined, DURATION_ALLOWED)
  return documented(v.pipe(schema, v.metadata({ typed: DURATION_IN_TEXT })), sentence, DURATION_FACTS)
}

/** Creates the schema of a time within bounds; its output is in ms since the Unix epoch. */
/* @__NO_SIDE_EFFECTS__ */
export function moment(from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) {
  const isWithin = (value: unknown) => {
    const ms = timeMs(value)
    return ms !== undefined && ms >= from && ms < to + 1000
  }
  const range = to === Number.POSITIVE_INFINITY ? '' : `, from ${timestamp(from)} to ${timestamp(to)}`
  return v.pipe(
    v.custom<string | number | Date>(isWithin, `${TIME_ALLOWED}, epoch milliseconds, or a Date${range}`),
    v.transform((value) => timeMs(value) ?? from),
    facts({ type: 'string | number | Date' }),
  )
}

export const textOption = /* @__PURE__ */ v.string('a string')

const URL_ALLOWED = 'an http or https URL without a query or fragment'

/** The schema of the base URL of a service. Its output does not end with a slash. */
export const baseUrl = /* @__PURE__ */ v.pipe(
  v.string(URL_ALLOWED),
  v.regex(/^https?:\/\/[^/?#]+[^?#]*$/, URL_ALLOWED),
  v.transform((url) => url.replace(/\/+$/, '')),
)

export const switchOption = /* @__PURE__ */ v.boolean('true or false')

/**
 * Reads options, or one option, with a schema. Its messages describe the allowed values.
 * @throws TypeError with the first invalid option, the received value, and the allowed values.
 */
export function readOptions<S extends v.GenericSchema>(
  schema: S,
  options: unknown,
  words: Partial<OptionWords> = {},
): v.InferOutput<S> {
  return readOrThrow(
    (issue, all) =>
      createOptionError((nameOf) => createProblem(issue, { ...all, one: (path) => nameOf(all.one(path)) }).message),
    schema,
    options,
    words,
  )
}

/** Lists all invalid options, each with its path and the message of {@link readOptions}. */
export function listOptionProblems(schema: v.GenericSchema, options: unknown, words: Partial<OptionWords> = {}) {
  const { issues = [] } = v.safeParse(schema, options)
  return issues.map((issue) => ({
    path: (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key))),
    message: createProblem(issue, { ...WORDS, ...words }).message,
  }))
}

/** Reads the options of a direct call like {@link readOptions}, but throws errors of the catalogue. @throws Refusal */
export function readCallOptions<S extends v.GenericSchema>(
  schema: S,
  options: unknown,
  words: Partial<OptionWords> = {},
): v.InferOutput<S> {
  return readOrThrow((issue, all) => new Refusal([createProblem(issue, all)]), schema, options, words)
}

function readOrThrow<S extends v.GenericSchema>(
  errorOf: (issue: v.BaseIssue<unknown>, words: OptionWords) => Error,
  schema: S,
  options: unknown,
  words: Partial<OptionWords>,
): v.InferOutput<S> {
  requirePlainPrototype()
  const { success, output, issues } = v.safeParse(schema, options, { abortEarly: true })
  if (success) return output
  throw errorOf(issues[0], { ...WORDS, ...words })
}

function createProblem({ path, expected, input, message }: v.BaseIssue<unknown>, words: OptionWords): Problem {
  const names = path?.map(({ key }) => String(key)) ?? []
  const field = names.join('.')
  if (expected === 'never') {
    const error = words.unknownError ?? general.field_unknown
    return { error, field, values: { field }, message: words.unknown(quote(field), message), prefix: '' }
  }
  const show = words.secret?.includes(names[0] ?? '') ? quoteSecret : quote
  const named = field === '' ? words.whole : words.one(field)
  return problem(general.field_invalid, { field: named, received: show(input), allowed: message })
}
