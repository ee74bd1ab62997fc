import type { Transaction } from '../../core/operation/transaction.ts'
import { isIdOf } from '../../core/schema/ids.ts'
import { formatCount, toSentence } from '../../core/schema/text.ts'
import type { Trouble } from '../../generated/controls.ts'
import type { ControlHost } from '../control.ts'
import type { SentEventItem } from '../sent-events/item.ts'

/** Counts the errors that aren't in any journal. A page notices new errors by this number. */
export function countElsewhere({ agent, otherRequests }: ControlHost): number {
  return [...agent.refused.values()].reduce((sum, { count }) => sum + count, otherRequests.refusedCount)
}

/** Lists the tunnels that the agent could not start, for example because of its credential's ACL. */
export function listRefusedStarts({ agent }: ControlHost): Trouble[] {
  return [...agent.refused].map(([name, { why, credential, count }]) => {
    const place = { collection: 'agent', key: name, name: `tunnel ${name}` }
    const collection = credential && (isIdOf(credential, 'cr_') ? 'credentials' : 'ssh_credentials')
    const about = collection ? [place, { collection, key: credential, name: credential }] : [place]
    return { kind: 'rejected', count, cause: `The agent could not start a tunnel. ${toSentence(why)}`, about }
  })
}

/** Lists the event destinations that have not received events that the gateway tried to send. */
export function listUndelivered({ events, collections }: ControlHost, tx: Transaction): Trouble[] {
  const destinations = collections.find(({ name }) => name === 'event_destinations')
  const tried = events?.all().filter(({ problem }) => problem !== null) ?? []
  const byDestination = new Map<string, SentEventItem[]>()
  for (const each of tried) {
    const group = byDestination.get(each.destination)
    if (group) group.push(each)
    else byDestination.set(each.destination, [each])
  }
  // The log still has the events of deleted destinations.
  const present = [...byDestination].filter(([key]) => destinations && tx.get(destinations, key))
  return present.map(([key, all]) => {
    const failed = all.filter(({ delivery }) => delivery === 'failed').length
    const waiting = all.length - failed
    const parts = [
      ...(waiting > 0
        ? [`${formatCount(waiting, 'event is waiting', 'events are waiting')} for the next attempt`]
        : []),
      ...(failed > 0 ? [`${formatCount(failed, 'event')} failed after 24 hours`] : []),
    ]
    const advice =
      waiting > 0
        ? " The next attempts follow the gateway's clock. Advance it if it is a manual clock."
        : ' Failed events are not sent again.'
    const { target, url = '' } = events?.deliveries.findAddress(key) ?? {}
    // The rest of the URL may contain a key.
    const to = URL.canParse(url) ? `, to ${new URL(url).origin} (option destinations.${target?.kind})` : ''
    const cause = `${parts.join(', and ')}. The last attempt${to}: ${all.at(-1)?.problem}.${advice}`
    return { kind: 'broken', count: all.length, cause, about: [{ collection: 'event_destinations', key, name: key }] }
  })
}

/** Lists the requests that the global `fetch` rejected because they were for other hosts. */
export function listOtherHosts({ otherRequests }: ControlHost): Trouble[] {
  const { listed, omitted } = otherRequests.listRefused()
  const create = (count: number, name: string, hint: string): Trouble => {
    const cause = `The global \`fetch\` rejected it: no installed gateway handles this address.${hint && ` ${hint}`}`
    return { kind: 'rejected', count, cause, about: [{ collection: 'other_hosts', key: name, name }] }
  }
  const all = listed.map(({ request, count, hint }) => create(count, request, hint))
  return omitted > 0
    ? [...all, create(omitted, formatCount(omitted, 'request to another address', 'requests to other addresses'), '')]
    : all
}
