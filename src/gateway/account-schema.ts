import * as v from 'valibot'
import { PLANS } from '../core/operation/limit.ts'
import { named } from '../core/schema/documentation.ts'
import { facts } from '../core/schema/facts.ts'
import { asOne, duration, integerFrom, oneOfThese, optionRow, optionsOf, switchOption } from '../core/schema/options.ts'
import { isObject } from '../core/schema/values.ts'
import { ACCOUNT_STATES, EDGE_STATES } from '../service/resources/account-state.ts'

const LIMIT_ALLOWED =
  'an integer from 0 to 4294967295 (only 0 for a feature such as "edge_oauth"), an object with "max" and optionally "window" or "number", or an array of these values'

const LIMIT_OBJECT = 'an object with "max" and optionally "window" or "number"'

/** Creates the schema of a limit. A rate, unlike a maximum, must allow at least one creation. */
const limitFrom = (least: number) =>
  optionsOf(
    { max: integerFrom(least), window: v.optional(duration(1000)), number: v.optional(integerFrom(1)) },
    LIMIT_OBJECT,
  )

const [ceiling, rate] = [limitFrom(0), limitFrom(1)]

// A union would not report the wrong part of a limit.
const limitValue = v.lazy((value) => {
  if (isObject(value)) return value.window === undefined ? ceiling : rate
  return v.pipe(
    asOne(integerFrom(0), LIMIT_ALLOWED),
    v.transform((max) => ({ max })),
  )
})

/** Limits by name. `requireKnownLimits` checks the names. */
const limits = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(isObject, 'an object that maps names to limits'),
  v.record(
    v.string(),
    v.lazy((value) => {
      if (value === undefined) return v.undefined()
      return Array.isArray(value)
        ? v.array(limitValue)
        : v.pipe(
            limitValue,
            v.transform((limit) => [limit]),
          )
    }),
  ),
  facts({ type: 'AccountLimits', imports: { AccountLimits: 'generated/limits.ts' } }),
)

export const account = named(
  optionsOf({
    plan: optionRow(
      oneOfThese(PLANS),
      'The plan whose documented limits apply to the account: `free`, `hobbyist`, or `paygo`.',
      { defaultText: 'no plan and no limits', flag: 'plan' },
    ),
    card: optionRow(
      switchOption,
      'True if the account has a verified card. On the `free` plan, TCP endpoints that a test does not declare require a verified card. It has no effect on other plans.',
      { default: false, flag: 'card' },
    ),
    state: optionRow(
      oneOfThese(ACCOUNT_STATES),
      'The account state that makes HTTP requests fail, such as `suspended`. With `maintenance_read_only`, only changes fail. The direct ' +
        'API still works. While the account is suspended, agents that a test does not declare cannot connect, and certificate jobs fail.',
      { defaultText: 'none', flag: 'account-state' },
    ),
    edges: optionRow(
      oneOfThese(EDGE_STATES),
      'Access to edges and endpoint configurations over HTTP, which most accounts lost on 2025-12-31: `ended` ' +
        'allows nothing, `read_only` allows reading.',
      { defaultText: 'full access', flag: 'edges' },
    ),
    limits: optionRow(limits, "Limits by name, which override the plan's limits.", { defaultText: "the plan's" }),
  }),
  'AccountOptions',
  "A gateway's account: its plan, card, state, and limits.",
)
