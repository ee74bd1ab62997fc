import * as v from 'valibot'
import type { ManualClock } from '../../engine/manual-clock.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import {
  duration,
  integerFrom,
  oneOfThese,
  optionsOf,
  readOptions,
  type SchemasOf,
  switchOption,
  textOption,
} from '../../schema/options.ts'
import { durationMs } from '../../schema/time.ts'
import { isObject } from '../../schema/values.ts'
import type { FaultKind, SurvivesOptions } from './types.ts'

const KINDS = ['lost', '5xx', '429', 'cut', 'silent', 'crash', 'outcomes'] as const satisfies readonly FaultKind[]
const MORE = ['late', 'slow', 'clock'] as const

/** A function of the caller; what it takes and returns is checked by the compiler alone. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
const work = v.optional(v.custom<(...args: any[]) => any>((value) => typeof value === 'function', 'a function'))

const schema = optionsOf({
  faults: v.optional(integerFrom(1, 8)),
  restart: v.optional(switchOption),
  within: v.optional(duration(1)),
  budget: v.optional(integerFrom(1)),
  kinds: v.optional(v.array(oneOfThese(KINDS))),
  also: v.optional(v.array(oneOfThese(MORE))),
  replay: v.optional(textOption),
  create: work,
  gatewayOptions: v.optional(
    v.custom<object>((value) => isObject(value) && !('clock' in value), 'an object without "clock"'),
  ),
  setup: work,
  serve: work,
  allow: work,
  holds: work,
  onProgress: work,
  signal: v.optional(v.custom<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal')),
} satisfies SchemasOf<SurvivesOptions>)

const DEFAULTS = { faults: 2, restart: false, budget: 20_000, kinds: KINDS }

/** The options of {@link survives} with their defaults; `within` is in ms. */
export type ReadSurvivalOptions<T, G extends Gateway<ManualClock>> = Omit<SurvivesOptions<T, G>, 'within'> &
  Required<Pick<SurvivesOptions, keyof typeof DEFAULTS>> & { readonly within: number }

/** @throws TypeError for an unknown option or a value that is not allowed. */
export function readSurvivalOptions<T, G extends Gateway<ManualClock>>(
  options: SurvivesOptions<T, G>,
): ReadSurvivalOptions<T, G> {
  readOptions(schema, options)
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return { ...DEFAULTS, ...given, within: durationMs(options.within ?? '6h') ?? 0 }
}
