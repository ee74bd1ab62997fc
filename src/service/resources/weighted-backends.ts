import * as v from 'valibot'
import { column, columns } from '../../core/operation/columns.ts'
import { sectionReader } from '../../core/operation/family.ts'
import { tooMany } from '../../core/operation/limit.ts'
import { referenceOf, refused, type Target } from '../../core/operation/reference.ts'
import { resource } from '../../core/operation/resource.ts'
import type { RecordOf } from '../../core/operation/resource-kind.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented } from '../../core/schema/documentation.ts'
import { declareErrors, entry, field, ofField, refuse } from '../../core/schema/errors.ts'
import type { Facts } from '../../core/schema/facts.ts'
import { isIdOf } from '../../core/schema/ids.ts'
import { type Report, rule } from '../../core/schema/rule.ts'
import { anyObject, description, metadata } from '../../core/schema/schema.ts'
import { quote } from '../../core/schema/text.ts'
import { isMissing } from './declarations.ts'

/** The errors for backends whose bodies reference other backends. */
export const backendErrors = declareErrors({
  child_backend_not_found: ofField(6501, 400, '{field}: the backend {received} {problem}. Allowed: {allowed}.'),
  weighted_backend_in_use: entry(
    6502,
    400,
    '{id} is a child of the backend {parent}. Remove it there before you delete it.',
  ),
  child_backend_invalid: field(6526, 400, 'the ID of a backend: "bkd…_" followed by letters or digits'),
})

const MAX_WEIGHT = 10_000

const errors = declareErrors({
  weighted_backend_limit_none: tooMany(6529),
  weight_out_of_range: field(6512, 400, `an integer from 0 to ${MAX_WEIGHT}`),
})

type Weights = Record<string, number>

const PREFIX = 'bkdwd'

const BACKENDS = 'The weight of each child backend, that is, its share of the traffic, by backend ID.'

const WEIGHTS_FACTS: Facts = {
  json: {
    propertyNames: { pattern: '^bkd[a-z]*_[0-9A-Za-z]{1,64}$' },
    additionalProperties: { type: 'integer', minimum: 0, maximum: MAX_WEIGHT },
  },
  rules: 'weighted-backends#weights',
}

/** The weights of children, by ID (rules: weighted-backends#resource). Not a `v.record`, which would drop keys such as `__proto__`. */
const weights = documented(
  v.pipe(
    anyObject<Weights>('an object with IDs as keys and weights as values'),
    rule([backendErrors.child_backend_invalid, errors.weight_out_of_range], checkWeights),
  ),
  BACKENDS,
  WEIGHTS_FACTS,
)

type WeightError = typeof backendErrors.child_backend_invalid | typeof errors.weight_out_of_range

function checkWeights(map: Weights, report: Report<WeightError>): void {
  for (const [child, weight] of Object.entries(map)) {
    const at = { path: [child], value: weight }
    if (!isIdOf(child, 'bkd')) {
      report(backendErrors.child_backend_invalid, { received: quote(child) }, at)
    }
    if (!Number.isInteger(weight) || weight < 0 || weight > MAX_WEIGHT) report(errors.weight_out_of_range, {}, at)
  }
}

const table = columns(
  {
    name: 'weighted_backends',
    path: '/backends/weighted',
    items: 'backends',
    prefix: PREFIX,
    what: 'weighted backend',
    tableFields: ['id', 'backends'],
    filterable: [],
    errors: { ...backendErrors, ...errors },
    limit: { none: errors.weighted_backend_limit_none },
    texts: { description, metadata },
    title: 'WeightedBackend',
    sentence: 'A backend that splits traffic among child backends.',
    note: '. Without `backends`, all children are removed',
    examples: [{ backends: { bkdhr_1: 90, bkdhr_2: 10 } }, { backends: { bkdhr_2: 100 } }],
  },
  {
    backends: column({
      sent: weights,
      shown: documented(v.record(v.string(), v.number()), BACKENDS, WEIGHTS_FACTS),
      first: {},
    }),
  },
  { indexes: { child: ({ backends: map }) => Object.keys(map) } },
)

/** The weighted backends, indexed by child. */
export const backends = table.records

function isWeighted(id: string): boolean {
  return id.startsWith(`${PREFIX}_`)
}

/** Backends of all kinds, as targets of references (rules: references#always-required). */
export const backendTarget: Target = {
  what: 'a backend',
  collections: [
    'weighted_backends',
    'failover_backends',
    'http_response_backends',
    'static_backends',
    'tunnel_group_backends',
  ],
  has: (records, id) => !isWeighted(id) || records.get(backends, id) !== undefined,
  isUndeclared: (tx, id) => !isWeighted(id) && isMissing(tx, id),
}

/** The rule that a backend with a parent cannot be deleted (rules: references#always-required). */
export const refusedToParent = refused(
  backendErrors.weighted_backend_in_use,
  (id, { id: parent }: { readonly id: string }) => ({ id, parent }),
)

const childOfWeighted = referenceOf(backends, {
  field: 'backends',
  sent: 'backends',
  shown: 'backends',
  to: backendTarget,
  ids: ({ backends: map }: RecordOf<typeof table.kind>) => Object.keys(map),
  index: 'child',
  missing: backendErrors.child_backend_not_found,
  deletion: refusedToParent,
  rules: 'references#always-required',
})

const backendOptions = sectionReader<{ readonly quirks: { readonly keepBackendsOnPatch: boolean } }>('quirks')

/** Weighted backends (rules: weighted-backends#resource). */
export const weightedBackends = resource(table.kind, {
  ...table.rules,
  references: [childOfWeighted],
  relations({ id, backends: map }, _others, report) {
    if (Object.hasOwn(map, id)) report(['backends', id], id, 'another weighted backend that exists')
  },
  create: {
    errors: [backendErrors.child_backend_not_found],
    run(tx, body) {
      requireChildren(tx, body.backends)
      return tx.put(backends, table.newRecord(tx, body))
    },
  },
  update: {
    errors: [backendErrors.child_backend_not_found],
    run(tx, record, body) {
      requireChildren(tx, body.backends, record.id)
      const unsent = backendOptions(tx.options).quirks.keepBackendsOnPatch ? record.backends : {}
      return tx.put(backends, table.changed(record, { ...body, backends: body.backends ?? unsent }))
    },
  },
})

/** Rejects the first child backend that does not exist (rules: references#always-required). */
function requireChildren(tx: Transaction, map: Readonly<Weights> = {}, own?: string): void {
  for (const id of Object.keys(map)) requireBackend(tx, `backends.${id}`, id, own)
}

// (rules: references#always-required)
/**
 * Checks the ID of a backend in a field: it must exist and must not be the backend `own` itself. A cycle of several backends is allowed.
 * @throws Refusal with one of `backendErrors`
 */
export function requireBackend(tx: Transaction, field: string, id: string, own?: string): void {
  const isKnown = backendTarget.has(tx, id) && !backendTarget.isUndeclared?.(tx, id)
  if (isKnown && id !== own) return
  const problem = id === own ? 'is the backend itself' : isWeighted(id) ? 'does not exist' : 'was not declared'
  const allowed =
    problem === 'was not declared'
      ? 'backends declared through the direct API, and weighted backends that exist'
      : `${own === undefined ? '' : 'other '}weighted backends that exist, and backends of other kinds`
  refuse(backendErrors.child_backend_not_found, { field, received: quote(id), problem, allowed })
}
