import { suggestion } from '../schema/nearest.ts'
import { quote } from '../schema/text.ts'
import { type LimitValue, maximumErrors, rateError } from './account.ts'
import type { Family } from './family.ts'
import type { AccountLimit } from './limit.ts'

/** The limits of families by their names. Several families can share a name. */
export type LimitTable = ReadonlyMap<string, readonly AccountLimit[]>

/** Returns the limits of all families by their names. */
export function limitTable(families: readonly Family[]): LimitTable {
  const table = new Map<string, readonly AccountLimit[]>()
  for (const [name, limit] of families.flatMap(({ limits = {} }) => Object.entries(limits))) {
    table.set(name, [...(table.get(name) ?? []), limit])
  }
  return table
}

/**
 * Checks that a gateway has the limits that its options name, and that these limits have errors with the numbers there.
 * @throws TypeError that names the allowed limits or numbers.
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
      throw new TypeError(`account.limits.${name} is no limit of this gateway.${hint}`)
    }
    for (const value of listed) requireFitting(`account.limits.${name}`, value, limits)
  }
}

function requireFitting(name: string, { number, window }: LimitValue, limits: readonly AccountLimit[]): void {
  if (window !== undefined && limits.every(({ isSize }) => isSize))
    throw new TypeError(`${name} has a window. Allowed: a maximum, since it is the size of one thing.`)
  if (number === undefined) return
  const errors = limits.flatMap((limit) => (window === undefined ? maximumErrors(limit) : [rateError(limit)]))
  const numbers = [...new Set(errors.map((each) => each.number))].sort((a, b) => a - b)
  if (!numbers.includes(number))
    throw new TypeError(`${name} has the number ${quote(number)}. Allowed: ${numbers.join(' or ')}.`)
}
