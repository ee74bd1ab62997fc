import { findRateError, listMaximumErrors } from '../core/operation/account.ts'
import type { Family } from '../core/operation/family.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { type ApiResponse, errorOf } from './exchange.ts'
import { refusalText } from './lists.ts'
import type { Step } from './step.ts'

/** Returns the error codes with which a plan limits an account in a dialect. */
export function planLimits(families: readonly Family[], { errorPrefix }: CommonDialect): ReadonlySet<string> {
  const limits = families.flatMap(({ limits = {} }) => Object.values(limits))
  const errors = limits.flatMap((limit) => [...listMaximumErrors(limit), findRateError(limit)])
  return new Set(errors.map(({ number }) => errorPrefix + number))
}

/** Returns true for a status after which the server may have made the change. */
export const isUncertain = (status: number) => status === 408 || status >= 500

/** Returns true for a status that concerns the key, the plan, the rate, or a server problem instead of the operation. */
const isUninformative = (status: number) => [401, 402, 403, 429].includes(status) || isUncertain(status)

/** Returns why a response cannot be compared, or undefined if it can. `limits` are the codes of {@link planLimits}. */
export function incomparableReason(
  { headers }: Step,
  received: ApiResponse,
  limits: ReadonlySet<string>,
): string | undefined {
  const { status } = received
  // Without a key, such a status is to be expected.
  const isExpected = headers?.authorization === null && (status === 401 || status === 403)
  if (isUninformative(status) && !isExpected) return refusalText(received)
  const { error_code } = errorOf(received)
  if (status >= 400 && typeof error_code === 'string' && limits.has(error_code))
    return `the account's plan: ${refusalText(received)}`
  return undefined
}
