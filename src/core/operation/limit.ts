import type { CommonDialect } from '../schema/dialect.ts'
import { type CatalogueError, type Entry, entry } from '../schema/errors.ts'
import type { Duration } from '../schema/time.ts'

/** A maximum in the option `account.limits`, with another number for its error. */
export interface MostOption {
  /** The maximum number of things that count, from 0. */
  readonly max: number
  /** The number of the error, if the limit has several errors, such as 415 instead of 431. */
  readonly number?: number | undefined
}

/** A rate in the option `account.limits`: the maximum number of creations within a rolling window of the gateway's clock. */
export interface RateOption extends MostOption {
  /** The window, such as `'1h'` or a number of ms, at least 1000 ms. */
  readonly window: Duration
}

/** The value of a limit in the option `account.limits`: a maximum, or a rate, or several of both. */
export type LimitOption = number | MostOption | RateOption | readonly (number | MostOption | RateOption)[]

/** The value of a feature in the option `account.limits`: an account without it. `number` selects one of its errors. */
export type FeatureOption = 0 | { readonly max: 0; readonly number?: number | undefined }

/** The plans that an account can have, the smallest first. */
export const PLANS = ['free', 'hobbyist', 'paygo'] as const

/** The plan of an account. */
export type Plan = (typeof PLANS)[number]

/** The values of the message of a limit's error. */
export interface LimitFacts {
  /** The name of what counts, in words, such as "reserved domains". */
  readonly what: string
  /** The number that the account would have. */
  readonly amount: number
  /** The number that is allowed. */
  readonly max: number
  /** The plan or the option that has the limit, in words. */
  readonly by: string
  /** The window of a rate, in seconds; else 0. */
  readonly seconds: number
  /** The seconds until a rate allows one more; else 0. */
  readonly wait: number
}

/** An error of a limit. */
export type LimitError = CatalogueError<string, LimitFacts>

/**
 * A limit of the account: what counts, the errors, and the numbers of the plans. A family has limits by their names in the
 * option `account.limits`.
 */
export interface AccountLimit {
  /** The name of what counts, in words, such as "reserved domains". */
  readonly what: string
  /**
   * Returns whether a record or an unread body counts, by its fields. Default: every record counts. Records that are
   * attached to another one never count.
   */
  readonly counts?: (fields: FieldValues, dialect: CommonDialect) => boolean
  /** The index whose values group the records that count together, such as that of their vault. Default: all count together. */
  readonly each?: string
  /** True if it limits the size of one thing, which has no rate. A family checks it by `limitProblem`. */
  readonly isSize?: boolean
  /** True if it is a feature, which an account has or lacks: its only maximum is 0. A family checks it by `requirePermitted`. */
  readonly isFeature?: boolean
  /** True if an update can bring a record under the limit. */
  readonly isChangeable?: boolean
  /** The error if the account may have none at all. Default: `reached`. */
  readonly none?: LimitError
  /** The error if the account has as many as it may have. Default: `account_limit_reached`. */
  readonly reached?: LimitError
  /** The error if too many are created within the window of a rate. Default: `account_rate_reached`. */
  readonly rate?: LimitError
  /** The error that `{ max, number }` selects instead of `reached`. */
  readonly older?: LimitError
  /** The maximum number of each plan. A plan without a number has no limit. */
  readonly plans?: Readonly<Partial<Record<Plan, number>>>
}

/** The fields of a record or a body. */
export type FieldValues = Readonly<Record<string, unknown>>

/** Limits by their names in the option `account.limits`. */
export type LimitsByName = Readonly<Record<string, AccountLimit>>

/**
 * Declares the error of a limit: the account has as many as it may have, or may have none.
 *
 * @example
 * ```ts
 * const errors = declareErrors({ widget_limit_reached: tooMany(91011) })
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function tooMany(number: number): Entry<LimitFacts> {
  return entry(number, 400, ({ what, amount, by, max }) =>
    max === 0 ? `The ${by} allows no ${what}.` : `There would be ${amount} ${what}. The ${by} allows at most ${max}.`,
  )
}

/**
 * Declares the error of a rate: the account created too many within the window. Its status is 429.
 *
 * @example
 * ```ts
 * const errors = declareErrors({ widgets_too_fast: tooFast(91010) })
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function tooFast(number: number): Entry<LimitFacts> {
  return entry(number, 429, 'The {by} allows at most {max} new {what} in {seconds} s. Try again in {wait} s.')
}

/**
 * Declares limits of the account, by their names in the option `account.limits`.
 *
 * @example
 * ```ts
 * const limits = accountLimits({ widgets: { what: 'widgets', reached: errors.widget_limit_reached } })
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function accountLimits<Name extends string>(
  limits: Readonly<Record<Name, AccountLimit>>,
): Readonly<Record<Name, AccountLimit>> {
  return limits
}

/**
 * Counts one more event at `now`. At most `max` events may be within a `window` of ms. Returns the times of the events in the
 * window; times after `now`, as on a clock that was set back, are dropped. Returns the seconds to wait if there are too many.
 */
export function countOneMore(
  times: readonly number[],
  { max, window }: { readonly max: number; readonly window: number },
  now: number,
): { readonly times: readonly number[] } | { readonly wait: number } {
  const within = times.filter((at) => at > now - window && at <= now)
  if (within.length < max) return { times: [...within, now] }
  return { wait: Math.ceil((Math.min(...within) + window - now) / 1000) }
}
