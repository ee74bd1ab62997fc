import * as v from 'valibot'
import type { Catalogue } from './catalogue.ts'
import type { CommonDialect, RuleOptions } from './dialect.ts'
import { type CatalogueError, type FieldError, type FieldFacts, type Problem, problem, Refusal } from './errors.ts'
import type { general } from './general-errors.ts'

/** Information that a rule can use in addition to the value. */
export interface RuleContext {
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The gateway options that change rules. */
  readonly options: RuleOptions
  /** All errors of the gateway, by key. */
  readonly catalogue: Catalogue
  /** The state that a stored record belongs to; absent while reading a request. */
  readonly state?: StateFacts
}

export interface StateFacts {
  /** The time of the state, in ms since the Unix epoch. */
  readonly now: number
  /** True if records may be overdue because a commit left their events to a later call. */
  readonly mayBeOverdue?: boolean
  /** The sequence number of the next ID. */
  readonly sequence: number
}

/** The maximum number of problems that rules report per body. Any others are only counted, because valibot frequently copies issues. */
const MAX_REPORTED = 100
/** The number of problems after which rules stop looking at the rest of a body. */
const MAX_COUNTED = 10_000

/** The context of rules when valibot reads a schema without a gateway. */
const NO_GATEWAY: RuleContext = {
  get dialect(): never {
    throw new TypeError('A rule needs the dialect. Parse the schema through an operation, not with valibot alone.')
  },
  options: {},
  catalogue: new Map(),
}

type Issue = v.BaseIssue<unknown>

/** One reading of a value with a schema: valibot's settings, the context of the rules, and the problems that they report. */
export class Reading implements v.Config<Issue> {
  count = 0
  /** True if rules stopped looking because of {@link MAX_COUNTED}. */
  isCut = false
  #makers?: Map<Issue, (facts: FieldFacts) => Problem>
  /** Creates the message of an issue if its schema has none. */
  readonly message = () => ''

  constructor(readonly context: RuleContext) {}

  /** Returns the reading that valibot passes to a rule as its settings. */
  static of(settings: object): Reading {
    return settings instanceof Reading ? settings : new Reading(NO_GATEWAY)
  }

  /** Reads a value with a schema. Unlike valibot's `safeParse`, it passes this object on to rules. */
  run<S extends v.GenericSchema>(schema: S, value: unknown) {
    return schema['~run']({ value }, this) as v.OutputDataset<v.InferOutput<S>, Issue> // Like valibot's own functions.
  }

  /** Returns whether the body has so many problems that rules can stop looking. */
  isFull(): boolean {
    this.isCut ||= this.count >= MAX_COUNTED
    return this.isCut
  }

  get unreportedCount(): number {
    return Math.max(0, this.count - MAX_REPORTED)
  }

  /** Sets the function that creates a problem from the most recent issue. */
  report({ issues }: v.OutputDataset<unknown, Issue>, make: (facts: FieldFacts) => Problem): void {
    const added = issues?.at(-1)
    if (!added) return
    this.#makers ??= new Map()
    this.#makers.set(added, make)
  }

  createProblem(issue: Issue, facts: FieldFacts): Problem | undefined {
    return this.#makers?.get(issue)?.(facts)
  }
}

type FieldInvalid = typeof general.field_invalid

/**
 * Reports an error about the field itself or about a path inside the field. `values` are the values for the error's message. The field and
 * the received value are added unless `values` already contains them.
 */
export type Report<E extends FieldError = FieldInvalid> = <Own extends object>(
  error: (E | FieldInvalid) & FieldError<string, Own>,
  values: NoInfer<Own> & Partial<FieldFacts>,
  at?: { readonly path: readonly (string | number)[]; readonly value: unknown },
) => undefined

type Check<T, E extends FieldError> = (value: T, report: Report<E>, context: RuleContext) => void

/**
 * Creates a rule for one field, for use in `v.pipe`. The rule may report the listed errors and `field_invalid`. It runs only if the field
 * has the right type.
 *
 * @example
 * ```ts
 * const name = v.pipe(
 *   v.string(),
 *   rule([errors.widget_name_invalid], (text, report) => {
 *     if (!/^[a-z]+$/.test(text)) report(errors.widget_name_invalid, {})
 *   }),
 * )
 * ```
 */
export function rule<T, E extends FieldError>(errors: readonly E[], check: Check<T, E>): v.RawCheckAction<T> {
  const action = v.rawCheck<T>(({ dataset, config, addIssue }) => {
    const reading = Reading.of(config)
    if (!dataset.typed || reading.isFull()) return
    check(dataset.value, createReport(reading, dataset, addIssue), reading.context)
  })
  return { ...action, ...{ errors } }
}

/**
 * Creates a rule for a whole object, for use in `v.pipe`. The rule runs even if fields have the wrong type, so check types first.
 *
 * @example
 * ```ts
 * const size = ruleOnWhole<Size, typeof errors.too_small>([errors.too_small], ({ from, to }, report) => check(from, to, report))
 * ```
 */
export function ruleOnWhole<T extends object, E extends FieldError>(
  errors: readonly E[],
  check: Check<{ readonly [K in keyof T]?: unknown }, E>,
): v.RawCheckAction<T> {
  const action = v.rawCheck<T>(({ dataset, config, addIssue }) => {
    const { value } = dataset
    const reading = Reading.of(config)
    if (typeof value !== 'object' || value === null || reading.isFull()) return
    check(value, createReport(reading, dataset, addIssue), reading.context)
  })
  return { ...action, ...{ errors } }
}

/**
 * Creates a pipe step that reads a field with your function. Errors that the function throws or reports join the problems of the
 * other fields.
 */
export function readBy<T, U, E extends FieldError = FieldInvalid>(
  errors: readonly CatalogueError[],
  read: (value: T, report: Report<E>, context: RuleContext) => U | undefined,
): v.RawTransformAction<T, U> {
  const action = v.rawTransform<T, U>(({ dataset, config, addIssue, NEVER }) => {
    const reading = Reading.of(config)
    try {
      return read(dataset.value, createReport(reading, dataset, addIssue), reading.context) ?? NEVER
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const [refused] = error.problems
      addIssue({})
      reading.report(dataset, () => refused)
      return NEVER
    }
  })
  return { ...action, ...{ errors } }
}

type AddIssue = (info: { input?: unknown; path?: [v.IssuePathItem, ...v.IssuePathItem[]] }) => void

function createReport<E extends FieldError>(
  reading: Reading,
  dataset: v.OutputDataset<unknown, Issue>,
  addIssue: AddIssue,
): Report<E> {
  return (error, values, at) => {
    if (reading.count++ >= MAX_REPORTED) return undefined
    const [first, ...rest] = (at?.path ?? []).map((key): v.UnknownPathItem => {
      return { type: 'unknown', origin: 'value', input: dataset.value, key, value: undefined }
    })
    addIssue(at && first ? { input: at.value, path: [first, ...rest] } : {})
    reading.report(dataset, (facts) => problem(error, { ...facts, ...values }))
    return undefined
  }
}
