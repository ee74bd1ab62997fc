import * as v from 'valibot'
import { collection } from '../../core/operation/collection.ts'
import { sectionReader } from '../../core/operation/family.ts'
import { referenceOf, refused, type Target } from '../../core/operation/reference.ts'
import { resource } from '../../core/operation/resource.ts'
import { described, newHead, viewHead } from '../../core/operation/resource-head.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import type { View } from '../../core/operation/view.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { declareErrors, entry, type FieldFacts, field, ofField, refuse } from '../../core/schema/errors.ts'
import type { Facts } from '../../core/schema/facts.ts'
import { isIdOf } from '../../core/schema/ids.ts'
import { recordHead } from '../../core/schema/record-schema.ts'
import { type Report, rule } from '../../core/schema/rule.ts'
import { anyObject, description, metadata, resourceHead } from '../../core/schema/schema.ts'
import { quote } from '../../core/schema/text.ts'
import type { Frozen } from '../../core/schema/values.ts'
import { isMissing } from './declarations.ts'

/** The errors of backends whose bodies name other backends. */
export const backendErrors = declareErrors({
  child_backend_not_found: ofField(
    6501,
    400,
    (it: FieldFacts & { problem: string; allowed: string }) =>
      `${it.field}: the backend ${it.received} ${it.problem}. Allowed: ${it.allowed}.`,
  ),
  weighted_backend_in_use: entry(
    6502,
    400,
    (it: { id: string; parent: string }) =>
      `${it.id} is a child of the backend ${it.parent}. Remove it there before you delete it.`,
  ),
  child_backend_invalid: field(6526, 400, () => 'the id of a backend, "bkd…_" and letters or digits'),
})

const errors = declareErrors({
  weight_out_of_range: field(6512, 400, () => `an integer from 0 to ${MAX_WEIGHT}`),
})

type Weights = Record<string, number>

const PREFIX = 'bkdwd'

const MAX_WEIGHT = 10_000

const BACKENDS = 'The share of the traffic that each child backend gets: its id to its weight.'

const WEIGHTS_FACTS: Facts = {
  json: {
    propertyNames: { pattern: '^bkd[a-z]*_[0-9A-Za-z]{1,64}$' },
    additionalProperties: { type: 'integer', minimum: 0, maximum: MAX_WEIGHT },
  },
  rules: 'weighted-backends#weights',
}

/** The weights of children by id (rules: weighted-backends#resource). `v.record` would drop keys such as `__proto__`. */
const weights = documented(
  v.pipe(
    anyObject<Weights>('an object of ids and weights'),
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

const record = v.object({ ...recordHead(PREFIX, { description, metadata }), backends: weights })

type BackendRecord = Frozen<v.InferOutput<typeof record>>

/** The weighted backends, indexed by their children. */
export const backends = collection<BackendRecord>({
  name: 'weighted_backends',
  schema: record,
  indexes: { child: ({ backends: map }) => Object.keys(map) },
})

function isWeighted(id: string): boolean {
  return id.startsWith(`${PREFIX}_`)
}

/** Backends of every kind, as what fields refer to (rules: references#always-there). */
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

/** The rule that a backend with a parent cannot be deleted (rules: references#always-there). */
export const refusedToParent = refused(
  backendErrors.weighted_backend_in_use,
  (id, { id: parent }: { readonly id: string }) => ({ id, parent }),
)

const childOfWeighted = referenceOf(backends, {
  field: 'backends',
  sent: 'backends',
  shown: 'backends',
  to: backendTarget,
  ids: ({ backends: map }: BackendRecord) => Object.keys(map),
  index: 'child',
  missing: backendErrors.child_backend_not_found,
  deletion: refusedToParent,
  rules: 'references#always-there',
})

const shape = named(
  v.object({ ...resourceHead, backends: documented(v.record(v.string(), v.number()), BACKENDS, WEIGHTS_FACTS) }),
  'WeightedBackend',
  'A backend that shares traffic among child backends.',
)

const view: View<BackendRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => ({
  ...viewHead(record, wire, '/backends/weighted'),
  backends: record.backends,
})

const body = { description, metadata, backends: v.optional(weights) }

const createBody = named(v.object(body), 'WeightedBackendCreate', 'The body that creates a weighted backend.', {
  json: { examples: [{ backends: { bkdhr_1: 90, bkdhr_2: 10 } }] },
})

const updateBody = named(
  v.object(body),
  'WeightedBackendUpdate',
  'The changes of a weighted backend. Without `backends`, it no longer has any.',
  { json: { examples: [{ backends: { bkdhr_2: 100 } }] } },
)

const backendOptions = sectionReader<{ readonly quirks: { readonly keepBackendsOnPatch: boolean } }>()

/** Weighted backends (rules: weighted-backends#resource). */
export const weightedBackends = resource(
  {
    name: 'weighted_backends',
    path: '/backends/weighted',
    items: 'backends',
    prefix: PREFIX,
    what: 'weighted backend',
    errors: { ...backendErrors, ...errors },
    collection: backends,
    filterable: [],
    shape,
    createBody,
    updateBody,
  },
  {
    view,
    references: [childOfWeighted],
    relations({ id, backends: map }, _others, report) {
      if (Object.hasOwn(map, id)) report(['backends', id], id, 'another weighted backend that exists')
    },
    create: {
      errors: [backendErrors.child_backend_not_found],
      run(tx, { backends: map = {}, ...rest }) {
        requireChildren(tx, map)
        return tx.put(backends, { ...newHead(tx, PREFIX, rest), backends: map })
      },
    },
    update: {
      errors: [backendErrors.child_backend_not_found],
      run(tx, record, { backends: map, ...rest }) {
        requireChildren(tx, map ?? {}, record.id)
        const unsent = backendOptions(tx.options).quirks.keepBackendsOnPatch ? record.backends : {}
        return tx.put(backends, { ...record, ...described(rest, record), backends: map ?? unsent })
      },
    },
  },
)

/** Refuses the first child backend that does not exist (rules: references#always-there). */
function requireChildren(tx: Transaction, map: Readonly<Weights>, own?: string): void {
  for (const id of Object.keys(map)) requireBackend(tx, `backends.${id}`, id, own)
}

// (rules: references#always-there)
/**
 * Checks the id of a backend in a field: the backend must exist, and must not be the backend `own` itself. A circle of several backends is allowed.
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
