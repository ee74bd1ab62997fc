import * as v from 'valibot'
import {
  backendErrors,
  collection,
  documented,
  type Frozen,
  isIdOf,
  recordHead,
  refuse,
  rule,
  type Transaction,
} from '../kit/index.ts'
import { texts } from './shared.ts'

const child = v.pipe(
  v.string(),
  rule([backendErrors.child_backend_invalid], (id, report) => {
    if (!isIdOf(id, 'bkd')) report(backendErrors.child_backend_invalid, {})
  }),
)

/** The children of a failover backend. */
export const children = documented(
  v.array(child),
  'The ids of the child backends. The first that is online gets all traffic.',
  {
    rules: 'backends#failover',
  },
)

const record = v.object({ ...recordHead('bkdfo', texts()), backends: children })

/** A failover backend. */
export type FailoverRecord = Frozen<v.InferOutput<typeof record>>

/** The failover backends, by their children too. */
export const failovers = collection<FailoverRecord>({
  name: 'failover_backends',
  key: ({ id }) => id,
  schema: record,
  indexes: { child: ({ backends }) => backends },
})

/** Refuses to delete a backend that a failover backend has as a child. */
export function requireNoFailoverParent(tx: Transaction, id: string): void {
  const parent = tx.find(failovers, 'child', id)
  if (parent) refuse(backendErrors.weighted_backend_in_use, { id, parent: parent.id })
}
