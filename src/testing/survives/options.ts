import * as v from 'valibot'
import { FAILURE_KINDS } from '../../control/explorations.ts'
import {
  duration,
  integerFrom,
  listOfThese,
  oneOfThese,
  optionsOf,
  readOptions,
  type SchemasOf,
  switchOption,
  textOption,
} from '../../core/schema/options.ts'
import { isObject } from '../../core/schema/values.ts'
import type { SurvivesOptions } from './types.ts'

const OPT_IN_KINDS = ['effect', 'late', 'slow', 'clock'] as const

/** Creates the schema of a function. Only the compiler checks the function's parameters and result. */
function functionOption<Name extends keyof SurvivesOptions>() {
  return v.optional(v.custom<SurvivesOptions[Name]>((value) => typeof value === 'function', 'a function'))
}

const isListOfTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')

/** The schema of the options of code that runs alone, or in several copies. */
const schemaOf = (hasCopies: boolean) =>
  optionsOf({
    copies: v.optional(integerFrom(1, 3), 1),
    switches: v.optional(integerFrom(0, 8), 2),
    disk: v.optional(oneOfThese(['own', 'shared']), 'own'),
    faults: hasCopies ? v.optional(v.picklist([0, 1], 'with copies, 0 or 1'), 0) : v.optional(integerFrom(1, 8), 2),
    restart: v.optional(switchOption, false),
    within: v.optional(duration(1), '6h'),
    budget: v.optional(integerFrom(1), 20_000),
    kinds: v.optional(listOfThese(FAILURE_KINDS), [...FAILURE_KINDS]),
    also: v.optional(listOfThese(OPT_IN_KINDS), []),
    replay: v.optional(textOption),
    ignore: v.optional(v.array(textOption, 'an array of paths, such as "reserved_addrs.metadata"'), []),
    create: functionOption<'create'>(),
    gatewayOptions: v.optional(
      v.custom<object>((value) => isObject(value) && !('clock' in value), 'an object without "clock"'),
    ),
    setup: functionOption<'setup'>(),
    serve: functionOption<'serve'>(),
    mayLeave: v.optional(
      v.custom<NonNullable<SurvivesOptions['mayLeave']>>(
        (value) => typeof value === 'function' || isListOfTexts(value),
        'an array of families, such as "reserved_addrs", or a function',
      ),
    ),
    allow: functionOption<'allow'>(),
    holds: functionOption<'holds'>(),
    onProgress: functionOption<'onProgress'>(),
    signal: v.optional(v.custom<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal')),
  } satisfies SchemasOf<SurvivesOptions>)

/** The options for {@link survives}, with the defaults filled in; `within` is in ms. */
export type ParsedSurvivalOptions = v.InferOutput<ReturnType<typeof schemaOf>>

/** @throws TypeError for an unknown option or a value that is not allowed. */
export function readSurvivalOptions(options: SurvivesOptions): ParsedSurvivalOptions {
  const read = readOptions(schemaOf(Object(options).copies > 1), options)
  if (read.copies > 1 && read.mayLeave)
    throw new TypeError('mayLeave was passed together with copies. Allowed: only one of them.')
  return read
}
