import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { backendDeletion, backendErrors, backendHeading, backendId, declareBackend } from './backends.ts'

/** The maximum number of children. The service doesn't publish its own limit. */
const MAX_CHILDREN = 100

const errors = kit.declareErrors({
  failover_children_too_many: kit.ofField(
    6513,
    400,
    `{field} has {count} backends. At most ${MAX_CHILDREN} are allowed.`,
  ),
  failover_child_of_wrong_kind: kit.ofField(
    6525,
    400,
    '{field} is {received}, a failover backend. Allowed: a backend of another kind.',
  ),
})

const childErrors = [backendErrors.child_backend_not_found, ...Object.values(errors)]

const table = parts.columns(
  {
    ...backendHeading,
    name: 'failover_backends',
    path: '/backends/failover',
    prefix: 'bkdfo',
    what: 'failover backend',
    tableFields: ['id', 'backends'],
    errors: { ...backendErrors, ...errors },
    title: 'FailoverBackend',
    sentence: 'A backend that sends traffic to its first online child.',
    note: '. Without `backends`, all children are removed',
    examples: [{ backends: ['bkdhr_1', 'bkdhr_2'] }, { backends: ['bkdhr_2'] }],
  },
  {
    backends: parts.column({
      sent: kit.documented(
        v.array(backendId),
        'The IDs of the child backends. The first child that is online receives all traffic.',
        { rules: 'backends#failover' },
      ),
      first: [],
    }),
  },
  { indexes: { child: ({ backends }) => backends } },
)

/** The failover backends, indexed by child. */
export const failovers = table.records

const backendOptions = kit.sectionReader<{ readonly quirks: { readonly keepBackendsOnPatch: boolean } }>('quirks')

/** Failover backends (rules: backends#failover). */
export const failoverBackends = kit.resource(table.kind, {
  ...table.rules,
  create: {
    errors: childErrors,
    run(tx, body) {
      requireChildren(tx, body.backends)
      return tx.put(failovers, declareBackend(tx, table.newRecord(tx, body)))
    },
  },
  update: {
    errors: childErrors,
    run(tx, record, body) {
      requireChildren(tx, body.backends)
      const unsent = backendOptions(tx.options).quirks.keepBackendsOnPatch ? record.backends : []
      return tx.put(failovers, table.changed(record, { ...body, backends: body.backends ?? unsent }))
    },
  },
  delete: backendDeletion,
  references: [
    parts.referenceOf(failovers, {
      field: 'backends',
      sent: 'backends',
      shown: 'backends',
      to: parts.backendTarget,
      index: 'child',
      missing: backendErrors.child_backend_not_found,
      deletion: parts.refusedToParent,
      rules: 'backends#failover',
    }),
  ],
})

function requireChildren(tx: kit.Transaction, backends: readonly string[] = []): void {
  if (backends.length > MAX_CHILDREN) {
    const count = backends.length
    kit.refuse(errors.failover_children_too_many, { field: 'backends', received: kit.quote(backends), count })
  }
  for (const [index, id] of backends.entries()) {
    const field = `backends.${index}`
    if (id.startsWith('bkdfo_')) kit.refuse(errors.failover_child_of_wrong_kind, { field, received: kit.quote(id) })
    parts.requireBackend(tx, field, id)
  }
}
