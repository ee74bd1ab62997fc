/** The errors, records and rules that backends of every kind have in common. */
import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata, refuseUnless } from './shared.ts'

/** The errors of backends of every kind. */
export const backendErrors = {
  ...parts.backendErrors,
  ...kit.declareErrors({
    backends_not_allowed: kit.tooMany(6500),
    backend_description_too_long: parts.tooLong(6503),
    backend_metadata_too_long: parts.tooLong(6504),
  }),
}

/** The texts of a backend. */
export const backendTexts = descriptionAndMetadata({
  description: backendErrors.backend_description_too_long,
  metadata: backendErrors.backend_metadata_too_long,
})

/** The id of a backend of any kind. */
export const backendId = v.pipe(
  v.string(),
  refuseUnless(backendErrors.child_backend_invalid, (id) => parts.isIdOf(id, 'bkd')),
)

/** Creates a backend, to which other resources can then refer. */
export function createBackend<R extends kit.ResourceRecord>(
  tx: kit.Transaction,
  collection: kit.Collection<R>,
  prefix: string,
  texts: Parameters<typeof kit.described>[0],
  rest: Omit<R, keyof kit.ResourceRecord>,
): R {
  const head = kit.newHead(tx, prefix, texts)
  parts.declareMade(tx, head.id)
  // The record is its head and the rest, which the type checker does not join.
  return tx.put(collection, { ...head, ...rest } as R)
}

/** The children of a failover backend. */
export const children = kit.documented(
  v.array(backendId),
  'The ids of the child backends. The first that is online gets all traffic.',
  { rules: 'backends#failover' },
)

const failover = v.object({ ...kit.recordHead('bkdfo', descriptionAndMetadata()), backends: children })

/** A failover backend. */
export type FailoverRecord = kit.Frozen<v.InferOutput<typeof failover>>

/** The failover backends, indexed by their children. */
export const failovers = kit.collection<FailoverRecord>({
  name: 'failover_backends',
  schema: failover,
  indexes: { child: ({ backends }) => backends },
})

/** The rules for deleting a backend. */
export const backendDeletion = {
  before: (tx: kit.Transaction, { id }: kit.ResourceRecord) => parts.undeclare(tx, id),
}
