import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  backendDeletion,
  backendErrors,
  backendTexts,
  children,
  createBackend,
  type FailoverRecord,
  failovers,
} from './backends.ts'
import { defineBodies } from './shared.ts'

/** The maximum number of children. The service has a limit too, but does not publish it. */
const MAX_CHILDREN = 100

const errors = kit.declareErrors({
  failover_children_too_many: kit.ofField(
    6513,
    400,
    (it: parts.FieldFacts & { count: number }) =>
      `${it.field} has ${it.count} backends. At most ${MAX_CHILDREN} are allowed.`,
  ),
  failover_child_of_wrong_kind: kit.ofField(
    6525,
    400,
    (it) => `${it.field} is ${it.received}, a failover backend. Allowed: a backend of another kind.`,
  ),
})

const childErrors = [backendErrors.child_backend_not_found, ...Object.values(errors)]

const shape = kit.named(
  v.object({ ...kit.resourceHead, backends: children }),
  'FailoverBackend',
  'A backend that sends traffic to the first child that is online.',
)

const fields = { ...backendTexts, backends: v.optional(children) }

const bodies = defineBodies('FailoverBackend', 'a failover backend', {
  create: fields,
  update: fields,
  note: '. Without `backends`, the backend has none',
  examples: [{ backends: ['bkdhr_1', 'bkdhr_2'] }, { backends: ['bkdhr_2'] }],
})

const backendOptions = kit.sectionReader<{ readonly quirks: { readonly keepBackendsOnPatch: boolean } }>()

/** Failover backends (rules: backends#failover). */
export const failoverBackends = kit.resource(
  {
    name: 'failover_backends',
    path: '/backends/failover',
    items: 'backends',
    prefix: 'bkdfo',
    what: 'failover backend',
    filterable: [],
    errors: { ...backendErrors, ...errors },
    limits: kit.accountLimits({
      failover_backends: { what: 'failover backends', none: backendErrors.backends_not_allowed },
    }),
    collection: failovers,
    shape,
    ...bodies,
  },
  {
    view: (record, wire) => ({ ...kit.viewHead(record, wire, '/backends/failover'), backends: record.backends }),
    create: {
      errors: childErrors,
      run(tx, { backends = [], ...rest }) {
        requireChildren(tx, backends)
        return createBackend(tx, failovers, 'bkdfo', rest, { backends })
      },
    },
    update: {
      errors: childErrors,
      run(tx, record, { backends, ...rest }) {
        if (backends) requireChildren(tx, backends)
        const unsent = backendOptions(tx.options).quirks.keepBackendsOnPatch ? record.backends : []
        return tx.put(failovers, { ...record, ...kit.described(rest, record), backends: backends ?? unsent })
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
  },
)

function requireChildren(tx: kit.Transaction, backends: FailoverRecord['backends']): void {
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
