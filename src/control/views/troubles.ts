import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { count } from '../../core/schema/record-schema.ts'
import { anyObject, time } from '../../core/schema/schema.ts'
import { formatCount } from '../../core/schema/text.ts'
import type { Trouble } from '../../generated/controls.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { listOtherHosts, listRefusedStarts } from './troubles-elsewhere.ts'
import { listDelays, listFaults, listOutcomes } from './troubles-injected.ts'
import { listRefusals, listVisitors } from './troubles-requests.ts'
import { listRecordTroubles } from './troubles-resources.ts'

/** The maximum number of troubles of one source and kind. */
const MAX_LISTED = 8

const KINDS = ['broken', 'waiting', 'refused', 'cancelled', 'risk', 'unused', 'injected', 'fixed'] as const

const place = v.object({
  collection: documented(
    v.string(),
    'The collection of the record; `requests`, `traffic`, `agent`, `other_hosts` or `provisioning/script` for others.',
  ),
  key: documented(v.string(), 'The id of the record, of the request or of the outcome; the name of others.'),
  name: documented(v.string(), 'Its name.'),
})

const call = v.object({
  method: documented(v.string(), 'The method.'),
  path: documented(v.string(), 'The path below `/_fauxgate`.'),
  body: documented(anyObject<object>(), 'The JSON of the body.'),
})

const trouble = named(
  v.object({
    kind: documented(v.picklist(KINDS, KINDS.join(', ')), 'The kind.'),
    count: documented(count, 'The number of places that have it.'),
    cause: documented(v.string(), 'The cause.'),
    about: documented(v.array(place), 'The first places that have it: at most 8. Of requests, the last one.'),
    search: v.exactOptional(documented(v.string(), 'The words that find these requests in the inspector.')),
    due: v.exactOptional(documented(time, 'The time of the next attempt or event.')),
    fix: v.exactOptional(documented(v.array(call), 'The calls of controls that end it: at most 100.')),
  }),
  'Trouble',
  'A likely mistake that the state or the requests show, and where it is.',
)

const read = controlCall({
  method: 'GET',
  path: '/troubles',
  summary: 'List the likely mistakes that state and requests show, by cause',
  commands: [{ name: 'troubles' }],
  response: v.array(trouble),
  run: (host): Trouble[] => JSON.parse(host.withoutKeys(JSON.stringify(listTroubles(host)))),
})

/** Over HTTP only: `gateway.report()` is for tests. */
export const troubles: Control = { calls: [read] }

function listTroubles(host: ControlHost): Trouble[] {
  return host.transact((tx) => {
    const { domains, resources } = host.engine.state.derive(tx, listRecordTroubles, () => listRecordTroubles(host, tx))
    const removed = new Set(domains.flatMap(({ fix = [] }) => fix.map(({ body }) => Object(body).id)))
    return [
      ...limit(domains, 'domains'),
      ...limit(resources, 'resources'),
      ...limit(listDelays(host, tx), 'requests that wait'),
      ...limit(listRefusals(host, tx), 'refused requests'),
      ...limit(listVisitors(host), 'requests of visitors'),
      ...limit(listRefusedStarts(host), 'refused tunnels'),
      ...limit(listOtherHosts(host), 'requests for other hosts'),
      ...limit(listFaults(host, tx), 'faults'),
      // An outcome that makes domains fail is listed with these domains.
      ...limit(
        listOutcomes(tx).filter(({ about: [first] }) => !removed.has(first?.key)),
        'outcomes',
      ),
    ].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
  })
}

/** Keeps the first troubles of each kind. The last one of a kind counts the others. */
function limit(all: readonly Trouble[], noun: string): Trouble[] {
  return KINDS.flatMap((kind) => {
    const own = all.filter((each) => each.kind === kind)
    const others = own.slice(MAX_LISTED)
    const left = others.reduce((sum, each) => sum + each.count, 0)
    const { collection = '' } = others[0]?.about[0] ?? {}
    const about = [{ collection, key: '', name: `all ${noun}` }]
    const more = { kind, count: left, cause: `And ${formatCount(left, 'more', 'more')} ${noun}.`, about }
    return left > 0 ? [...own.slice(0, MAX_LISTED), more] : own
  })
}
