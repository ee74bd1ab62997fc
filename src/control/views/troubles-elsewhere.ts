import { isIdOf } from '../../core/schema/ids.ts'
import { formatCount } from '../../core/schema/text.ts'
import type { Trouble } from '../../generated/controls.ts'
import type { ControlHost } from '../control.ts'

/** Counts the errors that no journal has, so that pages notice a new one. */
export function countElsewhere({ agent, otherRequests }: ControlHost): number {
  return [...agent.refused.values()].reduce((sum, { count }) => sum + count, otherRequests.refusedCount)
}

/** Lists the tunnels that the agent could not start, as by the ACL of its credential. */
export function listRefusedStarts({ agent }: ControlHost): Trouble[] {
  return [...agent.refused].map(([name, { why, credential, count }]) => {
    const place = { collection: 'agent', key: name, name: `tunnel ${name}` }
    const collection = credential && (isIdOf(credential, 'cr_') ? 'credentials' : 'ssh_credentials')
    const about = collection ? [place, { collection, key: credential, name: credential }] : [place]
    return { kind: 'refused', count, cause: `The agent could not start a tunnel. ${why}`, about }
  })
}

/** Lists the requests that the global `fetch` rejected, since they were for another host than the gateway. */
export function listOtherHosts({ otherRequests }: ControlHost): Trouble[] {
  const { listed, omitted } = otherRequests.listRefused()
  const create = (count: number, name: string, hint: string): Trouble => {
    const cause = `The global \`fetch\` rejected it: no installed gateway answers this address.${hint && ` ${hint}`}`
    return { kind: 'refused', count, cause, about: [{ collection: 'other_hosts', key: name, name }] }
  }
  const all = listed.map(({ request, count, hint }) => create(count, request, hint))
  return omitted > 0
    ? [...all, create(omitted, formatCount(omitted, 'request to another address', 'requests to other addresses'), '')]
    : all
}
