import * as v from 'valibot'
import { type CatalogueError, type FieldError, type FieldFacts, problem, Refusal } from './errors.ts'
import type { general } from './general-errors.ts'
import { Reading, type RuleContext } from './reading.ts'

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
