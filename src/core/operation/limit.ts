import type { CommonDialect } from '../schema/dialect.ts'
import { type CatalogueError, type Entry, entry } from '../schema/errors.ts'
import type { Duration } from '../schema/time.ts'

/** A maximum in the `account.limits` option, optionally with a different error code. */
export interface MostOption {
  /** The maximum number of counted resources, at least 0. */
  readonly max: number
  /** The error code, for a limit that has several errors, such as 415 instead of 431. */
  readonly number?: number | undefined
}

/** A rate in the `account.limits` option: the maximum number of creations within a rolling window of the gateway's clock. */
export interface RateOption extends MostOption {
  /** The length of the window, such as `'1h'` or a number of ms; at least 1000 ms. */
  readonly window: Duration
}

/** The value of a limit in the `account.limits` option: a maximum, a rate, or a list of both. */
export type LimitOption = number | MostOption | RateOption | readonly (number | MostOption | RateOption)[]

/** The value of a feature in the `account.limits` option: the account lacks the feature. `number` selects one of its errors. */
export type FeatureOption = 0 | { readonly max: 0; readonly number?: number | undefined }

/** The plans that an account can have, smallest first. */
export const PLANS = ['free', 'hobbyist', 'paygo'] as const

/** The plan of an account. */
export type Plan = (typeof PLANS)[number]

/** The values for the message of a limit's error. */
export interface LimitFacts {
  /** The name of the counted resources, such as "reserved domains". */
  readonly what: string
  /** The number of resources that the account would have after the change. */
  readonly amount: number
  /** The allowed number. */
  readonly max: number
  /** A description of the plan or the option that sets the limit. */
  readonly by: string
  /** The window of a rate, in seconds; 0 for a maximum. */
  readonly seconds: number
  /** The seconds until a rate allows another creation; 0 for a maximum. */
  readonly wait: number
}

/** An error about a limit. */
export type LimitError = CatalogueError<string, LimitFacts>

/**
 * A limit of the account: what is counted, the errors, and the maximum of each plan. A family lists its limits by their names in
 * the `account.limits` option.
 */
export interface AccountLimit {
  /** The name of the counted resources, such as "reserved domains". */
  readonly what: string
  /**
   * Returns whether a record or an unread body counts, given its fields. Default: every record counts. Records attached to another record
   * never count.
   */
  readonly counts?: (fields: FieldValues, dialect: CommonDialect) => boolean
  /**
   * The index whose values define the groups of records to count together, such as the index by vault. Default: all records count together.
   */
  readonly each?: string
  /** True if it limits the size of a single resource. Such a limit can't be a rate. Families check it with `limitProblem`. */
  readonly isSize?: boolean
  /**
   * True if it is a feature, which an account either has or lacks: its only maximum is 0. A family checks it with
   * `requirePermitted`.
   */
  readonly isFeature?: boolean
  /** True if an update can make the limit apply to a record. */
  readonly isChangeable?: boolean
  /** The error if the maximum is 0. Default: `reached`. */
  readonly none?: LimitError
  /** The error if the account has reached the maximum. Default: `account_limit_reached`. */
  readonly reached?: LimitError
  /** The error if too many resources are created within a rate's window. Default: `account_rate_reached`. */
  readonly rate?: LimitError
  /** The error that `{ max, number }` selects instead of `reached`. */
  readonly older?: LimitError
  /** The maximum of each plan. Plans that are missing here have no limit. */
  readonly plans?: Readonly<Partial<Record<Plan, number>>>
}

/** The fields of a record or a body. */
export type FieldValues = Readonly<Record<string, unknown>>

/** Limits, by name in the `account.limits` option. */
export type LimitsByName = Readonly<Record<string, AccountLimit>>

/**
 * Declares the error for a limit: either the account has reached the maximum or the maximum is 0.
 *
 * @example
 * ```ts
 * const errors = declareErrors({ widget_limit_reached: tooMany(91011) })
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function tooMany(number: number): Entry<LimitFacts> {
  return entry(number, 400, ({ what, amount, by, max }) =>
    max === 0
      ? `The ${by} allows no ${what}.`
      : `This would bring the number of ${what} to ${amount}. The ${by} allows at most ${max}.`,
  )
}

/**
 * Declares the error for a rate: the account created too many resources within the window. Its status is 429.
 *
 * @example
 * ```ts
 * const errors = declareErrors({ widgets_too_fast: tooFast(91010) })
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function tooFast(number: number): Entry<LimitFacts> {
  return entry(number, 429, 'The {by} limits new {what} to {max} in {seconds} s. Try again in {wait} s.')
}

/**
 * Declares limits of the account, by name in the `account.limits` option.
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
 * Counts one more event at `now`. A window of `window` ms may contain at most `max` events. Returns the times of the events in the window,
 * or the seconds to wait if there are too many. Drops times after `now`, in case the clock was set back.
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
