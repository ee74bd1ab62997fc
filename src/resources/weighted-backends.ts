import * as v from 'valibot'
import { collection } from '../contract/collection.ts'
import { isIdOf } from '../contract/ids.ts'
import { quote } from '../contract/quote.ts'
import { described, descriptionOf, type ResourceRecord, resource } from '../contract/resource.ts'
import { anyObject, type Report, resourceHead, rule, text } from '../contract/schema.ts'
import { type Frozen, timestamp, type View } from '../contract/view.ts'
import { requireChildBackends } from './declarations.ts'

type Weights = Record<string, number>

interface BackendRecord extends ResourceRecord {
  readonly backends: Readonly<Weights>
}

const backends = collection<BackendRecord>({
  name: 'weighted_backends',
  key: (record) => record.id,
  fields: ['id', 'created_at', 'backends'],
})

const LARGEST_WEIGHT = 10_000

/** Child ids to weights (service document, "Weighted backend"). A rule of its own keeps keys such as `__proto__`. */
const weights = v.optional(v.pipe(anyObject<Weights>('an object of ids and weights'), rule(checkWeights)))

function checkWeights(map: Weights, report: Report): void {
  for (const [child, weight] of Object.entries(map)) {
    const at = { path: [child], value: weight }
    if (!isIdOf(child, 'bkd')) {
      report('child_backend_invalid', { received: quote(child) } as never, at)
    }
    if (!Number.isInteger(weight) || weight < 0 || weight > LARGEST_WEIGHT) report('weight_out_of_range', {}, at)
  }
}

const shape = v.object({ ...resourceHead, backends: v.record(v.string(), v.number()) })

const view: View<BackendRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => ({
  id: record.id,
  uri: `${wire.url}/backends/weighted/${record.id}`,
  created_at: timestamp(record.created_at),
  ...descriptionOf(record),
  backends: record.backends,
})

const body = v.object({ description: text, metadata: text, backends: weights })

/** Weighted backends: service document, "Weighted backend"; decisions, "Weighted backends". */
export const weightedBackends = resource({
  name: 'weighted_backends',
  path: '/backends/weighted',
  items: 'backends',
  prefix: 'bkdwd',
  what: 'weighted backend',
  collection: backends,
  shape,
  view,
  create: {
    body,
    run(tx, { backends: map = {}, ...rest }) {
      requireChildBackends(tx, Object.keys(map))
      return tx.put(backends, { id: tx.newId('bkdwd'), created_at: tx.now, ...described(rest), backends: map })
    },
  },
  update: {
    body,
    run(tx, record, { backends: map, ...rest }) {
      requireChildBackends(tx, Object.keys(map ?? {}))
      const kept = tx.rules.keepBackendsOnPatch ? record.backends : {}
      return tx.put(backends, { ...record, ...described(rest, record), backends: map ?? kept })
    },
  },
})
