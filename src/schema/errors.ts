/** What numbers an error. */
export interface Numbered {
  /** Behind the dialect's prefix, the wire's `error_code`. */
  readonly number: number
  /** The HTTP status, unless a dialect has one of its own. */
  readonly status: number
}

/** An error as it is declared: its number and its status, and the message that it makes of its values. */
export interface Entry<Values> extends Numbered {
  /** Makes the message of the values that it speaks of. */
  readonly message: (values: Values) => string
}

/**
 * One error of the catalogue: a way in which a request can be refused. Its key is the same in every dialect; its number
 * becomes the wire's `error_code` behind the dialect's prefix.
 */
export interface CatalogueError<Key extends string = string, Values = never> extends Entry<Values> {
  /** The key, the same in every dialect. */
  readonly key: Key
}

/** Where a refused value stands, and what was received there, as messages show both. */
export interface FieldFacts {
  /** The path of the field, such as `metadata`. */
  readonly field: string
  /** What was received, as `quote` shows it. */
  readonly received: string
}

/** An error about one field, as it is declared. */
export interface FieldEntry<Own> extends Entry<Own & FieldFacts> {
  readonly ofField: true
}

/** An error about one field. Schemas and their rules report it; the field and what was received are added there. */
export interface FieldError<Key extends string = string, Own = never> extends CatalogueError<Key, Own & FieldFacts> {
  /** Always true: schemas and rules may report it. */
  readonly ofField: true
}

/** What {@link declareErrors} makes of declarations: the same errors, each with its key. */
export type Declared<Entries> = {
  readonly [Key in keyof Entries & string]: Entries[Key] extends FieldEntry<infer Own>
    ? FieldError<Key, Own>
    : Entries[Key] extends Entry<infer Values>
      ? CatalogueError<Key, Values>
      : never
}

/**
 * Declares errors, by key. Numbers below 90000 are those that the public service documents for the same condition. All
 * families of a gateway, and the gateway itself, make up one catalogue: keys and numbers are given once.
 *
 * @example
 * ```ts
 * const errors = declareErrors({
 *   widget_name_invalid: field(91000, 400, () => 'letters only'),
 *   widget_taken: entry(91001, 409, (it: { name: string }) => `There is a widget ${it.name} already.`),
 * })
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function declareErrors<const Entries extends Readonly<Record<string, Numbered>>>(
  entries: Entries,
): Declared<Entries> {
  const declared = Object.entries(entries).map(([key, each]) => [key, Object.freeze({ key, ...each })])
  // The type checker does not follow entries through `fromEntries`.
  return Object.freeze(Object.fromEntries(declared)) as Declared<Entries>
}

/** Declares an error by its number, its HTTP status and its message. */
/* @__NO_SIDE_EFFECTS__ */
export function entry<Values = object>(
  number: number,
  status: number,
  message: (values: Values) => string,
): Entry<Values> {
  return { number, status, message }
}

/** Declares an error about one field in words of its own, which are given the field and what was received besides. */
/* @__NO_SIDE_EFFECTS__ */
export function ofField<Own = object>(
  number: number,
  status: number,
  message: (values: Own & FieldFacts) => string,
): FieldEntry<Own> {
  return { number, status, message, ofField: true }
}

/**
 * Declares an error about one field in the usual words; `allowed` says what the field can be. Where that is left out, the
 * field's schema says it, or whoever reports the error.
 */
export function field(number: number, status: number): FieldEntry<{ readonly allowed: string }>
export function field<Own = object>(number: number, status: number, allowed: (values: Own) => string): FieldEntry<Own>
/* @__NO_SIDE_EFFECTS__ */
export function field(
  number: number,
  status: number,
  allowed: (values: { readonly allowed: string }) => string = (it) => it.allowed,
): FieldEntry<{ readonly allowed: string }> {
  return ofField(number, status, (it) => `${it.field} is ${it.received}. Allowed: ${allowed(it)}.`)
}

/** Declares the error of a text that is too long. */
export function tooLong(number: number): FieldEntry<{ readonly bytes: number; readonly limit: number }> {
  return ofField(number, 400, (it) => `${it.field} has ${it.bytes} bytes in UTF-8. Allowed are at most ${it.limit}.`)
}

/** Declares the error of an update with no value; `fields` are those that it can have, `also` those of a dialect. */
export function emptyUpdate(number: number, fields: string): Entry<{ readonly also?: string }> {
  return entry(
    number,
    400,
    ({ also }: { readonly also?: string }) =>
      `The update has no value. Send at least one of ${fields}${also ? `, ${also}` : ''}.`,
  )
}

/** One thing that is wrong with a request. */
export interface Problem {
  /** The error of the catalogue. */
  readonly error: CatalogueError
  /** The same in words. */
  readonly message: string
  /** The path of the field in the body, the query or the path; absent for what is wrong with the request as a whole. */
  readonly field?: string | undefined
  /** The same problem with other facts in its message; absent where the message is not the catalogue's. */
  readonly withFacts?: (facts: Partial<FieldFacts>) => Problem
}

/** Builds a problem from an error of the catalogue and the values of its message. */
export function problem<Values extends object>(
  error: CatalogueError<string, Values>,
  values: NoInfer<Values>,
): Problem {
  const named = 'field' in values && typeof values.field === 'string' ? { field: values.field } : {}
  const withFacts = (facts: Partial<FieldFacts>) => problem(error, { ...values, ...facts })
  return { error, message: error.message(values), withFacts, ...named }
}

/** What a refusal says beside its problems. */
interface About {
  /** Further entries of the wire's `details`. */
  readonly details?: Readonly<Record<string, string>> | undefined
  /** Further response headers (`Allow`, `Retry-After`). */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly further?: Further
  /** What has led to it, for whoever calls directly. */
  readonly cause?: unknown
}

/** How many more problems there are than those that are put into words; perhaps even more than that. */
export interface Further {
  readonly count: number
  readonly isCountedToItsEnd: boolean
}

const NONE: Further = { count: 0, isCountedToItsEnd: true }

/** Thrown by rules to refuse a request. The first problem gives the answer's code and message. */
export class Refusal extends Error {
  /** Further entries of the wire's `details`. */
  readonly details: Readonly<Record<string, string>>
  /** Further response headers. */
  readonly headers: Readonly<Record<string, string>>
  /** How many more problems there are. */
  readonly further: Further

  constructor(
    /** What is wrong; the first of them gives the answer. */
    readonly problems: readonly [Problem, ...Problem[]],
    { details = {}, headers = {}, further = NONE, cause }: About = {},
  ) {
    super(problems[0].message, cause === undefined ? undefined : { cause })
    this.details = details
    this.headers = headers
    this.further = further
  }

  /** The same refusal with its problems put into other words. */
  worded(reword: (problem: Problem) => Problem): Refusal {
    const [first, ...others] = this.problems
    return new Refusal([reword(first), ...others.map(reword)], this)
  }
}

/** Refuses a request with one error of the catalogue. */
export function refuse<Values extends object>(
  error: CatalogueError<string, Values>,
  values: NoInfer<Values>,
  details?: Readonly<Record<string, string>>,
  headers?: Readonly<Record<string, string>>,
): never {
  throw new Refusal([problem(error, values)], { details, headers })
}

/** All errors of a gateway, by key. */
export type Catalogue = ReadonlyMap<string, CatalogueError>

/**
 * Puts the errors of several rooms into one catalogue.
 * @throws TypeError where two errors have one key or one number.
 */
export function catalogueOf(groups: readonly Readonly<Record<string, CatalogueError>>[]): Catalogue {
  const catalogue = new Map<string, CatalogueError>()
  const byNumber = new Map<number, CatalogueError>()
  for (const error of groups.flatMap((group) => Object.values(group))) {
    const { key, number } = error
    const before = catalogue.get(key) ?? byNumber.get(number)
    if (before && before !== error) {
      const taken = `${before.key} has the number ${before.number} already`
      throw new TypeError(`The error ${key} has the number ${number}, but ${taken}. Each key and number is given once.`)
    }
    catalogue.set(key, error)
    byNumber.set(number, error)
  }
  return catalogue
}

/** Thrown by the `assert…` functions of a gateway: what a test expected is not so. */
export class AssertionError extends Error {
  // Of what is called AssertionError, Jest shows the values that it compared.
  override readonly name = 'GatewayAssertionError'
}

/** Throws an {@link AssertionError} with what was found, if anything was. */
export function assertNone(found: string | undefined): void {
  if (found !== undefined) throw new AssertionError(found)
}

/** How many problems of one request are put into words; the others are counted (rules: errors#all-problems). */
const MOST_WORDED = 20

/** What is wrong with one request. */
export class Problems {
  readonly #worded: Problem[] = []
  #further = 0
  #isCountedToItsEnd = true

  /** Adds a problem. It is put into words only where those are shown: a body can have very many. */
  add(word: () => Problem): void {
    if (this.#worded.length < MOST_WORDED) this.#worded.push(word())
    else this.#further++
  }

  /** Adds problems that were only counted, perhaps not to the end of the body. */
  addCounted(count: number, isOpen: boolean): void {
    this.#further += count
    if (isOpen) this.#isCountedToItsEnd = false
  }

  /** Refuses the request if anything is wrong with it. */
  refuse(): void {
    const [first, ...others] = this.#worded
    if (!first) return
    const further = { count: this.#further, isCountedToItsEnd: this.#isCountedToItsEnd }
    throw new Refusal([first, ...others], { further })
  }
}
