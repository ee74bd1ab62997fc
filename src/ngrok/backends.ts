/** The errors, records and rules that backends of every kind have in common. */
import * as v from 'valibot'
import {
  type AccountLimit,
  accountLimits,
  backendErrors,
  type Collection,
  collection,
  declareErrors,
  declareMade,
  type described,
  documented,
  type Frozen,
  isIdOf,
  newHead,
  type ResourceRecord,
  recordHead,
  refuse,
  requireNoWeightedParent,
  type Transaction,
  tooLong,
  tooMany,
  undeclare,
} from '../kit/index.ts'
import { refusedUnless, texts } from './shared.ts'

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

/** The id of a backend of any kind. */
export const backendId = v.pipe(
  v.string(),
  refusedUnless(backendErrors.child_backend_invalid, (id) => isIdOf(id, 'bkd')),
)

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

/** The children of a failover backend. */
export const children = documented(
  v.array(backendId),
  'The ids of the child backends. The first that is online gets all traffic.',
  { rules: 'backends#failover' },
)

const failover = v.object({ ...recordHead('bkdfo', texts()), backends: children })

/** A failover backend. */
export type FailoverRecord = Frozen<v.InferOutput<typeof failover>>

/** The failover backends, by their children too. */
export const failovers = collection<FailoverRecord>({
  name: 'failover_backends',
  key: ({ id }) => id,
  schema: failover,
  indexes: { child: ({ backends }) => backends },
})

/** Refuses to delete a backend that a failover backend has as a child. */
export function requireNoFailoverParent(tx: Transaction, id: string): void {
  const parent = tx.find(failovers, 'child', id)
  if (parent) refuse(backendErrors.weighted_backend_in_use, { id, parent: parent.id })
}

/** The rules of the deletion of a backend: it is refused if the backend is a child of another one. */
export const backendDeletion = {
  errors: [backendErrors.weighted_backend_in_use],
  before(tx: Transaction, { id }: ResourceRecord): void {
    requireNoWeightedParent(tx, id)
    requireNoFailoverParent(tx, id)
    undeclare(tx, id)
  },
}
