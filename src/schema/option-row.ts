import * as v from 'valibot'
import { type Facts, facts, withSteps } from './documentation.ts'

/** Facts of an option beside its schema and its sentence. */
interface OptionFacts<D> extends Pick<Facts, 'type' | 'isUnoffered'> {
  /** The default, as a caller would write it. */
  readonly default?: D
  /** The default in words; empty if the sentence says it. Without it, the default itself is shown. */
  readonly defaultText?: string
  /** No message shows the value. */
  readonly isSecret?: boolean
  /** The command's flag, if it is not the option's path with hyphens. */
  readonly flag?: string
  /** What the help shows in place of the value. */
  readonly placeholder?: string
}

/**
 * A row of a table of options. Types, defaults, flags, environment variables, the config file, `--help` and documents
 * derive from it.
 */
/* @__NO_SIDE_EFFECTS__ */
export function optionRow<S extends v.GenericSchema, const D extends v.InferInput<S> | undefined = undefined>(
  schema: S,
  sentence: string,
  more: OptionFacts<D> = {},
): v.OptionalSchema<S, D> {
  const { default: value, defaultText = textOf(value), isSecret, flag, placeholder, ...types } = more
  const about = defaultText === '' ? sentence : `${sentence} Default: ${defaultText}.`
  const marks = { ...(isSecret && { secret: true }), ...(flag && { flag }), ...(placeholder && { placeholder }) }
  // Without a default, D is undefined.
  return v.optional(withSteps(schema, v.description(about), v.metadata(marks), facts(types)), value as D)
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' && !/^\d/.test(value) ? `\`${value}\`` : String(value)
}
