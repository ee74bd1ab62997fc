import type { Derived } from '../../core/engine/engine-state.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import type { Trouble } from '../../generated/controls.ts'
import { type EndpointRecord, endpoints, parseUrl } from '../../service/ngrok/endpoint-records.ts'
import { deniesEverybody } from '../../service/policy/denies-everybody.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import type { ControlHost } from '../control.ts'

/**
 * Lists the endpoints that deny every visitor, even before the first visit, and those that agents keep online after their reservation was
 * deleted.
 */
export function listEndpoints({ engine }: ControlHost, tx: Transaction): Trouble[] {
  const list = (): Derived<Trouble[]> => ({
    value: [...tx.newestFirst(endpoints)].flatMap((each): Trouble[] => {
      const { lost, url, traffic_policy } = each
      const isDenied = traffic_policy !== null && deniesEverybody(traffic_policy)
      const { host = '' } = parseUrl(url) ?? {}
      const isReservedAgain = tx.find(domains, 'domain', host) !== undefined
      return [
        ...(isDenied ? [createRisk(each, "The endpoint's policy denies every visitor.")] : []),
        ...(lost === 'domain'
          ? [
              createRisk(
                each,
                isReservedAgain
                  ? "The endpoint's domain was deleted and then reserved again. Restart the agent."
                  : `The endpoint's domain was deleted. Reserve ${host} again, and restart the agent.`,
              ),
            ]
          : []),
        ...(lost === 'address'
          ? [
              createRisk(
                each,
                "The endpoint's address was deleted. Reserve a new address, and start the agent with it.",
              ),
            ]
          : []),
      ]
    }),
    until: Number.POSITIVE_INFINITY,
  })
  return engine.state.derive(tx, listEndpoints, list, [endpoints.name, domains.name])
}

function createRisk({ id, url }: EndpointRecord, cause: string): Trouble {
  return { kind: 'risk', count: 1, cause, about: [{ collection: endpoints.name, key: id, name: url }] }
}
