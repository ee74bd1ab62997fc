import { formatCount } from '../../core/schema/text.ts'
import type { Trouble } from '../../generated/controls.ts'
import type { ControlHost } from '../control.ts'
import { KINDS } from './trouble-kinds.ts'
import { listDomains } from './troubles-domains.ts'
import { listOtherHosts, listRefusedStarts, listUndelivered } from './troubles-elsewhere.ts'
import { listDelays, listFaults, listOutcomes, MAX_CALLS, MAX_PLACES } from './troubles-injected.ts'
import { listDropped, listRefusals } from './troubles-requests.ts'
import { listRecordTroubles } from './troubles-resources.ts'
import { listFailedExpressions, listVisitors } from './troubles-visitors.ts'

/** The maximum number of problems of one source and kind. */
const MAX_LISTED = 8

/** Lists the likely mistakes, grouped by cause, each with at most `maxCalls` calls that fix it. */
export async function listTroubles(host: ControlHost, maxCalls = MAX_CALLS): Promise<Trouble[]> {
  const listEndpoints = await loadListOfEndpoints(host)
  return host.transact((tx) => {
    const known = host.engine.state.derive(tx, listRecordTroubles, () => listRecordTroubles(host, tx))
    const { resources } = known
    const domains = maxCalls === MAX_CALLS ? known.domains : listDomains(host.engine.state, tx, maxCalls)
    const removed = new Set(domains.flatMap(({ fix = [] }) => fix.map(({ body }) => Object(body).id)))
    return [
      ...limit(domains, 'domain'),
      ...limit(resources, 'resource'),
      ...limit(listEndpoints(host, tx), 'endpoint'),
      ...limit(listDelays(host, tx), 'waiting request', 'waiting requests'),
      ...limit(listRefusals(host, tx), 'rejected request'),
      ...listDropped(host),
      ...limit(listVisitors(host, tx), 'visitor request', 'visitor requests'),
      ...limit(listFailedExpressions(host, tx), 'failed expression'),
      ...limit(listRefusedStarts(host), 'rejected tunnel'),
      ...limit(listUndelivered(host, tx), 'event destination'),
      ...limit(listOtherHosts(host), 'request to another host', 'requests to other hosts'),
      ...limit(listFaults(host, tx), 'fault'),
      // An outcome that makes domains fail is listed with those domains.
      ...limit(
        listOutcomes(tx, maxCalls).filter(({ about: [first] }) => !removed.has(first?.key)),
        'outcome',
      ),
    ].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
  })
}

/** Loads the list for a dialect with endpoints. It needs the policy check, which is slow to load. */
async function loadListOfEndpoints({ collections }: ControlHost) {
  if (!collections.some(({ name }) => name === 'endpoints')) return () => []
  return (await import('./troubles-endpoints.ts')).listEndpoints
}

/** Keeps the first problems of each kind. The last problem of a kind includes the places and fixes of the rest. */
function limit(all: readonly Trouble[], one: string, many = `${one}s`): Trouble[] {
  return KINDS.flatMap((kind) => {
    const own = all.filter((each) => each.kind === kind)
    const others = own.slice(MAX_LISTED)
    if (others.length === 0) return own
    const count = others.reduce((sum, each) => sum + each.count, 0)
    const about = others.flatMap((each) => each.about).slice(0, MAX_PLACES)
    const fix = others.flatMap((each) => each.fix ?? [])
    const cause = `And ${formatCount(count, `more ${one}`, `more ${many}`)}.`
    return [
      ...own.slice(0, MAX_LISTED),
      { kind, count, cause, about, ...(fix.length > 0 && { id: `more ${many}: ${kind}`, fix }) },
    ]
  })
}
