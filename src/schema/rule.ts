import * as v from 'valibot'
import type { CommonDialect, Rules } from './dialect.ts'
import {
  type Catalogue,
  type CatalogueError,
  type FieldError,
  type FieldFacts,
  type Problem,
  problem,
  Refusal,
} from './errors.ts'
import type { general } from './general-errors.ts'

/** What a rule may look at besides the value. */
export interface RuleContext {
  /** The dialect of the gateway. */
  readonly dialect: CommonDialect
  /** The options of the gateway that change rules. */
  readonly rules: Rules
  /** All errors of the gateway, by key. */
  readonly catalogue: Catalogue
  /** The state that a kept record belongs to; absent where a request is read. */
  readonly state?: StateFacts
}

/** What kept records are checked against: the state they belong to. */
export interface StateFacts {
  /** The time of the state, in ms since 1970. */
  readonly now: number
  /** The number that the next id comes from. */
  readonly sequence: number
}

/** How many problems of one body are handed on; of a body with more, rules only count them. */
export const MOST_HANDED_ON = 100
/** After so many problems of one body, no further rule looks at the rest of it. */
const MOST_COUNTED = 10_000

/** What rules look at where valibot reads a schema by itself: there is no gateway. */
const ALONE: RuleContext = {
  get dialect(): never {
    throw new TypeError('A rule looks at the dialect. Let an operation read its schema, not valibot alone.')
  },
  rules: {},
  catalogue: new Map(),
}

type Issue = v.BaseIssue<unknown>

/** Makes the problem of an issue, once it is known where that stands. */
type Wording = (facts: FieldFacts) => Problem

/** One reading of a value by a schema: what the rules in it look at, and what they have found. */
export class Reading {
  /** How many problems the rules have found. */
  count = 0
  /** Whether the rules stopped looking. */
  isCut = false
  /**
   * Valibot's settings for this reading. Of these it hands the message for whatever has none on to every rule, so that is
   * what carries the reading. An empty message says that the schema has none of its own.
   */
  readonly settings: { readonly message: (() => string) & { readonly reading: Reading } } = {
    message: Object.assign(() => '', { reading: this }),
  }
  #wordings: Map<Issue, Wording> | undefined

  constructor(readonly context: RuleContext) {}

  /** The reading that valibot's settings belong to, or one of its own where valibot reads by itself. */
  static of({ message }: { readonly message?: unknown }): Reading {
    if (typeof message === 'function' && 'reading' in message && message.reading instanceof Reading) {
      return message.reading
    }
    return new Reading(ALONE)
  }

  /** Whether so much is wrong already that no rule needs to look any further. */
  isEnough(): boolean {
    if (this.count < MOST_COUNTED) return false
    this.isCut = true
    return true
  }

  /** Counts a problem that a rule has found, and says whether it is handed on. */
  isHandedOn(): boolean {
    return this.count++ < MOST_HANDED_ON
  }

  /** Keeps how the issue that was added last is put into words. */
  word({ issues }: v.OutputDataset<unknown, Issue>, wording: Wording): void {
    const added = issues?.at(-1)
    this.#wordings ??= new Map()
    if (added) this.#wordings.set(added, wording)
  }

  /** How an issue is put into words where a rule has added it. */
  wordingOf(issue: Issue): Wording | undefined {
    return this.#wordings?.get(issue)
  }
}

/** What every rule may report. */
type FieldInvalid = typeof general.field_invalid

/**
 * Reports an error: at the field itself, or at a path below it. `values` are what the error's message needs; the field and
 * what was received are added unless they are among them.
 */
export type Report<E extends FieldError = FieldInvalid> = <Own extends object>(
  error: (E | FieldInvalid) & FieldError<string, Own>,
  values: NoInfer<Own> & Partial<FieldFacts>,
  at?: Place,
) => undefined

/** A place below a field, and the value there. */
interface Place {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

type Check<T, E extends FieldError> = (value: T, report: Report<E>, context: RuleContext) => void

/**
 * A rule on one field, for `v.pipe`. It may report the errors that are named, and `field_invalid`. It runs once the field
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
    if (!dataset.typed || reading.isEnough()) return
    check(dataset.value, reporting(reading, dataset, addIssue), reading.context)
  })
  return declaring(errors, action)
}

/** A rule on an object as a whole. It also runs when fields have the wrong type, so it looks before it reads them. */
export function ruleOnWhole<T extends object, E extends FieldError>(
  errors: readonly E[],
  check: Check<{ readonly [K in keyof T]?: unknown }, E>,
): v.RawCheckAction<T> {
  const action = v.rawCheck<T>(({ dataset, config, addIssue }) => {
    const { value } = dataset
    const reading = Reading.of(config)
    if (typeof value !== 'object' || value === null || reading.isEnough()) return
    check(value, reporting(reading, dataset, addIssue), reading.context)
  })
  return declaring(errors, action)
}

/**
 * Reads a field by a function that may refuse it, or report what is wrong with it; then that stands beside the problems of
 * the other fields. A refusal's words stay as they are.
 */
export function readBy<T, U, E extends FieldError = FieldInvalid>(
  errors: readonly CatalogueError[],
  read: (value: T, report: Report<E>) => U | undefined,
): v.RawTransformAction<T, U> {
  const action = v.rawTransform<T, U>(({ dataset, config, addIssue, NEVER }) => {
    const reading = Reading.of(config)
    try {
      return read(dataset.value, reporting(reading, dataset, addIssue)) ?? NEVER
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const [refused] = error.problems
      addIssue({})
      reading.word(dataset, () => refused)
      return NEVER
    }
  })
  return declaring(errors, action)
}

/** A step of a schema that says which errors it can report. Its type stays that of the step, and as short. */
function declaring<Step extends object>(errors: readonly CatalogueError[], step: Step): Step {
  return { ...step, errors }
}

type AddIssue = (info: { input?: unknown; path?: [v.IssuePathItem, ...v.IssuePathItem[]] }) => void

function reporting<E extends FieldError>(
  reading: Reading,
  dataset: v.OutputDataset<unknown, v.BaseIssue<unknown>>,
  addIssue: AddIssue,
): Report<E> {
  return (error, values, at) => {
    if (!reading.isHandedOn()) return undefined
    const [first, ...rest] = (at?.path ?? []).map((key) => pathItem(dataset.value, key))
    if (at && first) addIssue({ input: at.value, path: [first, ...rest] })
    else addIssue({})
    reading.word(dataset, (facts) => problem(error, { ...facts, ...values }))
    return undefined
  }
}

function pathItem(input: unknown, key: string | number): v.UnknownPathItem {
  return { type: 'unknown', origin: 'value', input, key, value: undefined }
}
