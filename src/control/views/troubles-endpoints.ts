import type { Derived } from '../../core/engine/engine-state.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import type { Trouble } from '../../generated/controls.ts'
import { type EndpointRecord, endpoints, parseUrl } from '../../service/ngrok/endpoint-records.ts'
import { deniesEverybody } from '../../service/policy/denies-everybody.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import type { ControlHost } from '../control.ts'

/** Lists the endpoints that no visitor can use, before the first one comes. */
export function listEndpoints(host: ControlHost, tx: Transaction): Trouble[] {
  const list = (): Derived<Trouble[]> => ({
    value: [...tx.newestFirst(endpoints)].flatMap((each): Trouble[] => {
      if (each.traffic_policy === null || !deniesEverybody(each.traffic_policy)) return []
      return [createRisk(each, 'The policy of the endpoint denies every visitor.')]
    }),
    until: Number.POSITIVE_INFINITY,
  })
  return [...host.engine.state.derive(tx, listEndpoints, list, [endpoints.name]), ...listOrphans(host, tx)]
}

/** Lists the endpoints of agents whose domains a client has deleted: agents keep them online. */
function listOrphans({ journal }: ControlHost, tx: Transaction): Trouble[] {
  const found: Trouble[] = []
  for (const { commit } of journal.newestFirst({ operation: 'reserved_domains.delete' })) {
    for (const { collection, before } of commit?.changes ?? []) {
      if (collection !== domains.name || !before) continue
      const domain = String(Reflect.get(before, 'domain'))
      const cause = `The domain of the endpoint was deleted. Reserve ${domain} again, and start the agent again.`
      const isOrphan = (each: EndpointRecord) =>
        each.binding === 'public' && each.domain_id === null && isWithin(parseUrl(each.url)?.host ?? '', domain)
      found.push(...[...tx.newestFirst(endpoints)].filter(isOrphan).map((each) => createRisk(each, cause)))
    }
  }
  return found
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || (domain.startsWith('*') && host.endsWith(domain.slice(1)))
}

function createRisk({ id, url }: EndpointRecord, cause: string): Trouble {
  return { kind: 'risk', count: 1, cause, about: [{ collection: endpoints.name, key: id, name: url }] }
}
