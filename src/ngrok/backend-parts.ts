import {
  type AccountLimit,
  accountLimits,
  type Collection,
  declareErrors,
  declareMade,
  type described,
  newHead,
  type ResourceRecord,
  requireNoWeightedParent,
  type Transaction,
  tooLong,
  tooMany,
  undeclare,
} from '../kit/index.ts'
import { requireNoFailoverParent } from './failover-records.ts'
import { texts } from './shared.ts'

/** The errors of backends of every kind. */
export const backendPartErrors = declareErrors({
  backends_not_allowed: tooMany(6500),
  backend_description_too_long: tooLong(6503),
  backend_metadata_too_long: tooLong(6504),
})

/** The texts of a backend. */
export const backendTexts = texts({
  description: backendPartErrors.backend_description_too_long,
  metadata: backendPartErrors.backend_metadata_too_long,
})

/** Makes the limit of backends of one kind. */
export function backendLimit<Name extends string>(name: Name, what: string): Readonly<Record<Name, AccountLimit>> {
  // The type checker does not follow a computed name.
  return accountLimits({ [name]: { what, none: backendPartErrors.backends_not_allowed } } as Record<Name, AccountLimit>)
}

/** Puts a new backend. Others can refer to it from now on. */
export function madeBackend<R extends ResourceRecord>(
  tx: Transaction,
  collection: Collection<R>,
  prefix: string,
  texts: Parameters<typeof described>[0],
  rest: Omit<R, keyof ResourceRecord>,
): R {
  const head = newHead(tx, prefix, texts)
  declareMade(tx, head.id)
  // The record is its head and the rest, which the type checker does not join.
  return tx.put(collection, { ...head, ...rest } as R)
}

/** Forgets a backend that is deleted, or refuses if it is a child of another one. */
export function releaseBackend(tx: Transaction, { id }: ResourceRecord): void {
  requireNoWeightedParent(tx, id)
  requireNoFailoverParent(tx, id)
  undeclare(tx, id)
}
