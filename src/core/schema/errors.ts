import type { CommonDialect } from './dialect.ts'
import { fillTemplate, type SlotValues } from './template.ts'
import { quote } from './text.ts'

/** The code and status of an error. */
export interface Numbered {
  /** The number that follows the dialect's prefix in `error_code`. */
  readonly number: number
  /** The whole `error_code`, if the service documents one without a number. */
  readonly code?: string
  /** The HTTP status, unless a dialect overrides it. */
  readonly status: number
  /** Returns whether requests can be rejected with this error in a dialect. Default: in every dialect. */
  readonly occursIn?: (dialect: CommonDialect) => boolean
}

/** A declared error: its number, status, and message. */
export interface Entry<Values> extends Numbered {
  /** Formats the message. */
  readonly message: (values: Values) => string
  /** Describes the allowed values, if the error has the standard message about a field. */
  readonly allowed?: (values: Values) => string
}

/** An error in the catalogue: a reason to reject a request. */
export interface CatalogueError<Key extends string = string, Values = never> extends Entry<Values> {
  /** The key, which is the same in every dialect. */
  readonly key: Key
}

/** The field that an error is about, and the received value. */
export interface FieldFacts {
  /** The path of the field, such as `metadata`. */
  readonly field: string
  /** The received value, as `quote` shows it. */
  readonly received: string
  /** All allowed values, if they are a fixed list. */
  readonly choices?: readonly string[] | undefined
  /** The allowed value that the sender probably meant. */
  readonly nearest?: string | undefined
  /** The allowed values as text, for senders that need a different text, such as the command line. */
  readonly typed?: string | undefined
}

/** A declared error about one field. */
export interface FieldEntry<Own> extends Entry<Own & FieldFacts> {
  readonly ofField: true
}

/** An error about one field. Schemas and rules report it with the field and the received value. */
export interface FieldError<Key extends string = string, Own = never> extends CatalogueError<Key, Own & FieldFacts> {
  /** Always true, because schemas and rules can report the error. */
  readonly ofField: true
}

/** The errors that {@link declareErrors} returns: each declared error, with its key. */
export type Declared<Entries> = {
  readonly [Key in keyof Entries & string]: Entries[Key] extends FieldEntry<infer Own>
    ? FieldError<Key, Own>
    : Entries[Key] extends Entry<infer Values>
      ? CatalogueError<Key, Values>
      : never
}

/**
 * Declares errors, by key. Numbers below 90000 are those that the public service documents for the same condition. Keys and
 * numbers must be unique among all families of a gateway and the gateway's own errors.
 *
 * @example
 * ```ts
 * const errors = declareErrors({
 *   widget_name_invalid: field(91000, 400, 'letters only'),
 *   widget_taken: entry(91001, 409, 'There is already a widget {name}.'),
 * })
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function declareErrors<const Entries extends Readonly<Record<string, Numbered>>>(
  entries: Entries,
): Declared<Entries> {
  const declared = Object.entries(entries).map(([key, each]) => [key, Object.freeze({ key, ...each })])
  // The type checker loses the key types in `fromEntries`.
  return Object.freeze(Object.fromEntries(declared)) as Declared<Entries>
}

/**
 * Declares an error about the whole request, from its number, its HTTP status, and its message: a string with slots such as `{id}`, or a
 * function that formats the message.
 */
export function entry<const Text extends string>(number: number, status: number, text: Text): Entry<SlotValues<Text>>
export function entry<Values = object>(
  number: number,
  status: number,
  message: (values: Values) => string,
): Entry<Values>
/* @__NO_SIDE_EFFECTS__ */
export function entry(number: number, status: number, message: string | Message): Entry<object> {
  return { number, status, message: createMessage(message) }
}

/**
 * Declares an error about one field with its own message: a string with slots, including `{field}` and `{received}`, or a
 * function.
 */
export function ofField<const Text extends string>(
  number: number,
  status: number,
  text: Text,
): FieldEntry<SlotValues<Text, keyof FieldFacts>>
export function ofField<Own = object>(
  number: number,
  status: number,
  message: (values: Own & FieldFacts) => string,
): FieldEntry<Own>
/* @__NO_SIDE_EFFECTS__ */
export function ofField(number: number, status: number, message: string | Message): FieldEntry<object> {
  return { ...entry(number, status, createMessage(message)), ofField: true }
}

type Message = (values: never) => string

const createMessage = (message: string | Message): ((values: object) => string) =>
  // The overloads above tell callers which values a message needs.
  typeof message === 'string' ? fillTemplate(message) : (message as (values: object) => string)

/** Formats a value to follow "is" in a message: quoted, or `missing` if absent. */
export function describeReceived(received: string): string {
  return received === quote(undefined) ? 'missing' : received
}

/** The allowed values of a required field that accepts any value. */
export const ANY_VALUE = 'any value'

/**
 * Declares an error about one field with the standard message. `allowed` describes the values that the field accepts: a string with slots,
 * or a function. If it is omitted, the field's schema or the rule that reports the error describes them.
 */
export function field(number: number, status: number): FieldEntry<{ readonly allowed: string }>
export function field<const Text extends string>(
  number: number,
  status: number,
  allowed: Text,
): FieldEntry<SlotValues<Text>>
export function field<Own = object>(number: number, status: number, allowed: (values: Own) => string): FieldEntry<Own>
/* @__NO_SIDE_EFFECTS__ */
export function field(number: number, status: number, allowed: string | Message = '{allowed}'): FieldEntry<object> {
  const describe = createMessage(allowed)
  const declared = ofField<object>(number, status, (it) => {
    const which = describe(it)
    return `${it.field} is ${describeReceived(it.received)}. ${which === ANY_VALUE ? 'It is required' : `Allowed: ${which}`}.`
  })
  return { ...declared, allowed: describe }
}

/** Sets the complete `error_code` of an error, as the service documents it, instead of a prefix and a number. */
/* @__NO_SIDE_EFFECTS__ */
export function withCode<E extends Numbered>(code: string, error: E): E {
  return { ...error, code }
}

/** Limits an error to some dialects. Documents for other dialects omit it. */
/* @__NO_SIDE_EFFECTS__ */
export function only<E extends Numbered>(occursIn: (dialect: CommonDialect) => boolean, error: E): E {
  return { ...error, occursIn }
}

/** Returns whether requests can be rejected with an error in a dialect. */
export function isErrorOf(dialect: CommonDialect, { occursIn }: CatalogueError): boolean {
  return occursIn?.(dialect) ?? true
}

/** Declares the error for a string that is too long. */
export function tooLong(number: number): FieldEntry<{ readonly bytes: number; readonly limit: number }> {
  return ofField(number, 400, '{field} is {bytes} bytes long in UTF-8. The maximum is {limit}.')
}

/** One reason for rejecting a request. */
export interface Problem {
  /** The error in the catalogue. */
  readonly error: CatalogueError
  /** The values for the error's message, from this request. */
  readonly values: object
  /** The message. */
  readonly message: string
  /** The field's path in the body, query, or path; absent if the problem is about the whole request. */
  readonly field?: string | undefined
  /** Text to put before the error's own message, such as the location of the problem. */
  readonly prefix: string
}

/** The values of a message, and the field that the problem is about. */
type Given<Values> = NoInfer<Values> & { readonly field?: string }

/** Builds a problem from an error of the catalogue and the values for its message. */
export function problem<Values extends object>(
  error: CatalogueError<string, Values>,
  values: Given<Values>,
  prefix = '',
): Problem {
  const named = 'field' in values && typeof values.field === 'string' ? { field: values.field } : {}
  return { error, values, message: prefix + error.message(values), prefix, ...named }
}

/** Returns a copy of a problem with other facts about its field, and with the resulting message. */
export function withFacts({ error, values, prefix }: Problem, facts: Partial<FieldFacts>): Problem {
  // The values still match the error, since facts replace facts.
  return problem(error as CatalogueError<string, object>, { ...values, ...facts }, prefix)
}

interface RefusalOptions {
  readonly details?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly further?: Refusal['further']
  readonly cause?: unknown
}

/** Thrown by rules to reject a request. The first problem determines the error code and message of the response. */
export class Refusal extends Error {
  /** Additional entries of the response's `details`. */
  readonly details: Readonly<Record<string, string>>
  /** Additional response headers, such as `Allow` and `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>
  /** The number of problems beyond the listed ones; `isExact` is false if counting stopped early. */
  readonly further: { readonly count: number; readonly isExact: boolean }

  constructor(
    /** The problems, at least one. */
    readonly problems: readonly [Problem, ...Problem[]],
    { details = {}, headers = {}, further = { count: 0, isExact: true }, cause }: RefusalOptions = {},
  ) {
    super(problems[0].message, cause === undefined ? undefined : { cause })
    this.details = details
    this.headers = headers
    this.further = further
  }

  /** Returns the same error with each problem replaced. */
  mapProblems(reword: (problem: Problem) => Problem): Refusal {
    const [first, ...others] = this.problems
    return new Refusal([reword(first), ...others.map(reword)], this)
  }
}

/**
 * Ends the operation with an error from the catalogue, without making changes.
 *
 * @example
 * ```ts
 * refuse(errors.widget_taken, { name })
 * ```
 * @throws Refusal always
 */
export function refuse<Values extends object>(
  error: CatalogueError<string, Values>,
  values: Given<Values>,
  details?: Readonly<Record<string, string>>,
  headers?: Readonly<Record<string, string>>,
): never {
  throw new Refusal([problem(error, values)], { details, headers })
}

/**
 * Runs work on one field of a body, and returns its result. The paths in its errors then begin with that field.
 *
 * @example
 * ```ts
 * for (const [index, part] of parts.entries()) prefixFields(`parts.${index}`, () => putPart(tx, part))
 * ```
 */
export function prefixFields<T>(field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw error.mapProblems((each) => {
      return each.field === undefined ? each : withFacts(each, { field: `${field}.${each.field}` })
    })
  }
}

/** The maximum number of problems per request that get a message. Any others are only counted (rules: errors#all-problems). */
const MAX_MESSAGES = 20

export class Problems {
  readonly #found: Problem[] = []
  #further = 0

  /**
   * Adds a problem. Formats the problem's message only if the response has room for it, because a body can cause a huge number of problems.
   */
  add(make: () => Problem): void {
    if (this.#found.length < MAX_MESSAGES) this.#found.push(make())
    else this.#further++
  }

  /**
   * Throws an error if there are problems. `counted` is the number of problems that were only counted. `isCut` means that counting stopped
   * early.
   */
  refuse(counted = { unreportedCount: 0, isCut: false }): void {
    const [first, ...others] = this.#found
    if (!first) return
    const further = { count: this.#further + counted.unreportedCount, isExact: !counted.isCut }
    throw new Refusal([first, ...others], { further })
  }
}
