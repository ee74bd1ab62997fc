import * as v from 'valibot'
import { atCaller } from '../schema/caller-stack.ts'
import type { CommonDialect, RuleOptions } from '../schema/dialect.ts'
import { type CatalogueError, declareErrors, type Problem, problem, refuse } from '../schema/errors.ts'
import { suggestion } from '../schema/nearest.ts'
import { instant, someText } from '../schema/record-schema.ts'
import { quote } from '../schema/text.ts'
import { durationText } from '../schema/time.ts'
import type { Frozen } from '../schema/values.ts'
import { type Collection, collection } from './collection.ts'
import type { Family } from './family.ts'
import {
  type AccountLimit,
  countOneMore,
  type FieldValues,
  type LimitError,
  type LimitFacts,
  type LimitsByName,
  type Plan,
  tooFast,
  tooMany,
} from './limit.ts'
import type { Transaction } from './transaction.ts'

/** The errors for limits that don't declare their own. */
export const accountErrors = declareErrors({
  account_limit_reached: tooMany(5000),
  account_rate_reached: tooFast(5001),
})

/** The `account` option of a gateway. */
interface Account {
  readonly plan?: Plan | undefined
  readonly limits?: Readonly<Record<string, readonly LimitValue[]>> | undefined
}

/** The value of a limit: a maximum or, with a window in ms, a rate. */
export interface LimitValue {
  readonly max: number
  readonly window?: number | undefined
  /** The error code. */
  readonly number?: number | undefined
}

/** A value of a limit, and a description of the plan or option that sets it. */
interface AppliedLimit extends LimitValue {
  readonly by: string
}

/** Returns the `account` option of a gateway, if it is set. */
const accountOf = ({ account }: { readonly account?: Account | undefined }) => account

/** Returns a limit's values in a gateway: those from the options and, unless an option sets a maximum, the plan's value. */
function findLimitValues(options: RuleOptions, name: string, { plans = {} }: AccountLimit): readonly AppliedLimit[] {
  const { plan, limits = {} } = accountOf(options) ?? {}
  const optionValues = (Object.hasOwn(limits, name) && limits[name]) || []
  const planMaximum = plan && plans[plan]
  const isOverridden = optionValues.some(({ window }) => window === undefined)
  return [
    ...(planMaximum === undefined || isOverridden
      ? []
      : [{ max: planMaximum, by: `plan "${plan}" (--plan, option account.plan)` }]),
    ...optionValues.map((value) => ({ ...value, by: `option account.limits.${name}` })),
  ]
}

/** Returns the errors of limits that a creation or, if `isUpdate`, an update can throw. */
export function listLimitErrors(limits: LimitsByName, isUpdate: boolean): readonly CatalogueError[] {
  return Object.values(limits)
    .filter(({ isChangeable = false }) => isChangeable || !isUpdate)
    .flatMap((limit) => [...listMaximumErrors(limit), findRateError(limit)])
}

/** Returns the errors for a maximum, the usual error first. */
export function listMaximumErrors({ none, reached, older }: AccountLimit): readonly LimitError[] {
  return [reached ?? accountErrors.account_limit_reached, none, older].filter((each) => each !== undefined)
}

/** Returns the error for a rate. */
export function findRateError({ rate = accountErrors.account_rate_reached }: AccountLimit): LimitError {
  return rate
}

/** Returns the lowest maximum of some limits in a gateway, or undefined if none has a maximum. */
export function findMaximum(options: RuleOptions, limits: LimitsByName): number | undefined {
  const values = Object.entries(limits).flatMap(([name, limit]) => findLimitValues(options, name, limit))
  return values.length === 0 ? undefined : Math.min(...values.map(({ max }) => max))
}

/**
 * Checks a field that counts towards an account limit, such as the rules of a policy.
 *
 * @returns the problem, or undefined if the amount is within the limit
 */
export function limitProblem(
  options: RuleOptions,
  limits: LimitsByName,
  { field, amount }: { readonly field: string; readonly amount: number },
): Problem | undefined {
  const applied = Object.entries(limits).flatMap(([name, limit]) =>
    findLimitValues(options, name, limit).map((value) => ({ limit, value })),
  )
  const exceeded = applied.find(({ value: { max, window } }) => window === undefined && amount > max)
  if (!exceeded) return undefined
  const { limit, value } = exceeded
  return { ...problem(selectError(limit, value), createLimitFacts(limit, value, { amount })), field }
}

function selectError(limit: AccountLimit, { max, number }: LimitValue): LimitError {
  const errors = listMaximumErrors(limit)
  const [usual] = max === 0 && limit.none ? [limit.none] : errors
  // A limit always has at least one error.
  return errors.find((each) => each.number === number) ?? (usual as LimitError)
}

function createLimitFacts(
  { what }: AccountLimit,
  { max, by, window = 0 }: AppliedLimit,
  more: { readonly amount?: number; readonly wait?: number },
): LimitFacts {
  return { what, max, by, seconds: window / 1000, amount: max + 1, wait: 0, ...more }
}

/** Throws an error for a creation or an update whose fields count towards a limit of zero (rules: account#order). */
export function requirePermitted(
  limits: LimitsByName,
  sent: object,
  { options, dialect }: Pick<Transaction, 'options' | 'dialect'>,
  before?: object,
): void {
  if (!accountOf(options)) return
  const fields = { ...before, ...sent }
  for (const [name, limit] of Object.entries(limits)) {
    if (!isNewlyCounted(limit, dialect, fields, before)) continue
    const value = findLimitValues(options, name, limit).find(({ max, window }) => max === 0 && window === undefined)
    if (value) refuse(selectError(limit, value), createLimitFacts(limit, value, {}))
  }
}

/** Returns whether a record counts towards a limit but did not before its change. */
function isNewlyCounted(limit: AccountLimit, dialect: CommonDialect, after: object, before?: object): boolean {
  const wasCounted = before && (!limit.isChangeable || isCounted(limit, dialect, before))
  return !wasCounted && isCounted(limit, dialect, after)
}

function isCounted({ counts }: AccountLimit, dialect: CommonDialect, it: object): boolean {
  return counts ? counts(it as FieldValues, dialect) : true // A record is an object with fields.
}

/** Returns the groups that a record counts in, by its values in an index; undefined is the group of all records. */
function findGroups<R extends object>(
  { each }: AccountLimit,
  { indexes }: Collection<R>,
  record: R,
): readonly (string | undefined)[] {
  const groups = each === undefined ? undefined : indexes[each]?.(record)
  if (groups === undefined) return [undefined]
  return typeof groups === 'string' ? [groups] : (groups ?? [])
}

/**
 * Throws an error for a new or changed record that makes the account exceed a limit (rules: account#order). A record that already counted
 * can change even if the account exceeds the limit.
 */
export function requireWithin<R extends object>(
  tx: Transaction,
  limits: LimitsByName,
  collection: Collection<R>,
  after: R,
  before?: R,
): void {
  if (!accountOf(tx.options)) return
  // A change can move a record to another group, for example when an endpoint joins another pool.
  const isMoved = (limit: AccountLimit) => {
    if (!before || !limit.isChangeable) return false
    const groups = findGroups(limit, collection, before)
    return findGroups(limit, collection, after).some((group) => !groups.includes(group))
  }
  const applied = Object.entries(limits)
    .filter(([, limit]) => isNewlyCounted(limit, tx.dialect, after, isMoved(limit) ? undefined : before))
    .flatMap(([name, limit]) => findLimitValues(tx.options, name, limit).map((value) => ({ name, limit, value })))
  for (const { limit, value } of applied.filter(({ value }) => value.window === undefined)) {
    // Counting is slow, and not necessary if the whole collection is within the limit.
    const amount = tx.count(collection) > value.max ? countTogether(tx, limit, collection, after) : 0
    if (amount > value.max) refuse(selectError(limit, value), createLimitFacts(limit, value, { amount }))
  }
  for (const { name, limit, value } of applied)
    if (value.window !== undefined) takeFromRate(tx, name, limit, value, value.window)
}

/** Returns the number of records in the largest group of a record, including the record itself. */
function countTogether<R extends object>(
  tx: Transaction,
  limit: AccountLimit,
  collection: Collection<R>,
  one: R,
): number {
  const { each } = limit
  const amounts = findGroups(limit, collection, one).map((group) => {
    const together =
      each !== undefined && group !== undefined ? tx.findAll(collection, each, group) : [...tx.newestFirst(collection)]
    return together.filter((record) => isCounted(limit, tx.dialect, record) && !collection.isAttached?.(record)).length
  })
  return Math.max(0, ...amounts)
}

/** Counts one more creation towards a rate, or rejects it (rules: account#rates). */
function takeFromRate(tx: Transaction, name: string, limit: AccountLimit, value: AppliedLimit, window: number): void {
  const key = { limit: name, window }
  const counted = countOneMore(tx.get(rates, formatRateKey(key))?.times ?? [], { max: value.max, window }, tx.now)
  if ('wait' in counted) {
    const { wait } = counted
    refuse(findRateError(limit), createLimitFacts(limit, value, { wait }), {}, { 'Retry-After': String(wait) })
  }
  tx.put(rates, { ...key, times: counted.times })
}

/** The limits of families by name. Several families can share a name. */
export type LimitTable = ReadonlyMap<string, readonly AccountLimit[]>

/** Returns the limits of all families by name. */
export function createLimitTable(families: readonly Family[]): LimitTable {
  const table = new Map<string, readonly AccountLimit[]>()
  for (const [name, limit] of families.flatMap(({ limits = {} }) => Object.entries(limits))) {
    table.set(name, [...(table.get(name) ?? []), limit])
  }
  return table
}

/**
 * Checks the limits in a gateway's options: that the limits exist and have errors with the given numbers, and that rates don't share a
 * window. @throws TypeError with the allowed limits or numbers.
 */
export function requireKnownLimits(
  values: Readonly<Record<string, readonly LimitValue[] | undefined>> = {},
  table: LimitTable,
): void {
  for (const [name, listed = []] of Object.entries(values)) {
    const limits = table.get(name)
    if (!limits) {
      const names = [...table.keys()]
      const hint = suggestion(name, names) || ` Supported: ${names.join(', ')}.`
      throw atCaller(new TypeError(`account.limits.${name} is not a limit of this gateway.${hint}`))
    }
    if (limits.every(({ isFeature }) => isFeature)) requireNone(`account.limits.${name}`, listed)
    for (const value of listed) requireKnownNumber(`account.limits.${name}`, value, limits)
    requireDifferentWindows(`account.limits.${name}`, listed)
  }
}

/** Rejects a maximum above 0 for a feature, because an account either has a feature or lacks it. */
function requireNone(name: string, listed: readonly LimitValue[]): void {
  const value = listed.find(({ max, window }) => max > 0 || window !== undefined)
  if (!value) return
  const received = value.window === undefined ? `${value.max}` : 'a rate'
  throw atCaller(new TypeError(`${name} is ${received}. Allowed: 0, for an account without this feature.`))
}

function requireDifferentWindows(name: string, listed: readonly LimitValue[]): void {
  const windows = listed.flatMap(({ window }) => window ?? [])
  const repeated = windows.find((window, index) => windows.indexOf(window) < index)
  if (repeated !== undefined)
    throw atCaller(
      new TypeError(`${name} has two rates with the window "${durationText(repeated)}". Allowed: one rate per window.`),
    )
}

function requireKnownNumber(name: string, { number, window }: LimitValue, limits: readonly AccountLimit[]): void {
  if (window !== undefined && limits.every(({ isSize }) => isSize))
    throw atCaller(
      new TypeError(`${name} has a window, but limits the size of a single item. Allowed: only a maximum.`),
    )
  if (number === undefined) return
  const errors = limits.flatMap((limit) => (window === undefined ? listMaximumErrors(limit) : [findRateError(limit)]))
  const numbers = [...new Set(errors.map((each) => each.number))].sort((a, b) => a - b)
  if (!numbers.includes(number))
    throw atCaller(new TypeError(`${name} has the error number ${quote(number)}. Allowed: ${numbers.join(' or ')}.`))
}

const rate = v.object({ limit: someText, window: v.number(), times: v.array(instant) })

type Rate = Frozen<v.InferOutput<typeof rate>>

function formatRateKey({ limit, window }: Pick<Rate, 'limit' | 'window'>): string {
  return `${limit} ${window}`
}

/** The creation times within each rate's window. */
const rates = collection<Rate>({ name: 'account_rates', key: formatRateKey, schema: rate })

/** The account, a family without operations. Its collection makes snapshots and stores include the rates. */
export const account: Family<Record<never, never>, typeof accountErrors> = {
  operations: {},
  errors: accountErrors,
  collections: [rates],
}
