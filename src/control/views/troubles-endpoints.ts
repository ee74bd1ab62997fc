import type { Derived } from '../../core/engine/engine-state.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import type { Trouble } from '../../generated/controls.ts'
import { type EndpointRecord, endpoints, parseUrl } from '../../service/ngrok/endpoint-records.ts'
import { rules as ipRules } from '../../service/ngrok/ip-policies.ts'
import { ipPoliciesIn } from '../../service/ngrok/policy-text.ts'
import { checkPolicy } from '../../service/policy/check-text.ts'
import { describeTotalDenial } from '../../service/policy/denies-everybody.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import type { ControlHost } from '../control.ts'
import { MAX_PLACES } from './troubles-injected.ts'

interface Group extends Trouble {
  readonly about: Trouble['about'][number][]
  count: number
}

/**
 * Lists the endpoints whose policies deny every visitor or have parts that never apply, and those that agents keep online after their
 * reservation was deleted.
 */
export function listEndpoints({ engine }: ControlHost, tx: Transaction): Trouble[] {
  const list = (): Derived<Trouble[]> => {
    const causes = engine.state.derive(tx, examineText, createCauses, [])
    examineNewest(tx, causes)
    const describe = (each: EndpointRecord) => [
      ...(each.traffic_policy === null ? [] : (causes.get(each.traffic_policy) ?? describeDenial(each.traffic_policy))),
      ...describeIpPolicies(tx, each),
      ...describeLost(tx, each),
    ]
    return { value: groupByCause(tx, describe), until: Number.POSITIVE_INFINITY }
  }
  return engine.state.derive(tx, listEndpoints, list, [endpoints.name, domains.name, ipRules.name])
}

function groupByCause(tx: Transaction, describe: (endpoint: EndpointRecord) => readonly string[]): Trouble[] {
  const groups = new Map<string, Group>()
  for (const endpoint of tx.newestFirst(endpoints)) {
    for (const cause of describe(endpoint)) {
      const group = groups.get(cause) ?? { kind: 'risk', count: 0, cause, about: [] }
      groups.set(cause, group)
      group.count++
      if (group.about.length < MAX_PLACES)
        group.about.push({ collection: endpoints.name, key: endpoint.id, name: endpoint.url })
    }
  }
  return [...groups.values()]
}

/** The maximum number of policies whose parts that never apply are listed. Finding them takes 4 ms each. */
const MAX_EXAMINED = 50

const createCauses = () => ({ value: new Map<string, readonly string[]>(), until: Number.POSITIVE_INFINITY })

/** Examines the newest policies. Those that were examined before are not examined again. */
function examineNewest(tx: Transaction, causes: Map<string, readonly string[]>): void {
  const texts = new Set<string>()
  for (const { traffic_policy } of tx.newestFirst(endpoints)) {
    if (traffic_policy !== null) texts.add(traffic_policy)
    if (texts.size === MAX_EXAMINED) break
  }
  const examined = [...texts].map((text) => [text, causes.get(text) ?? examineText(text)] as const)
  causes.clear()
  for (const [text, found] of examined) causes.set(text, found)
}

/** The warnings about parts of a policy that no request reaches. */
const NEVER = /^(?:rule-unreachable|rate-limit-unreachable|never-true|never-equal)$/

function examineText(text: string): readonly string[] {
  const never = checkPolicy(text).filter(({ rule = '' }) => NEVER.test(rule))
  return [...describeDenial(text), ...never.map(({ message, hint = '' }) => `${message} ${hint}`.trim())]
}

function describeDenial(text: string): readonly string[] {
  const denial = describeTotalDenial(text)
  return denial === undefined ? [] : [`The endpoint's policy denies every visitor. ${denial}`]
}

function describeIpPolicies(tx: Transaction, { traffic_policy }: EndpointRecord): readonly string[] {
  if (!traffic_policy?.includes('ip_policies')) return []
  const empty = ipPoliciesIn(traffic_policy).filter((id) => tx.findAll(ipRules, 'policy', id).length === 0)
  return empty.map(
    (id) => `The endpoint's policy uses ${id}, an IP policy without rules. Allow addresses with POST /ip_policy_rules.`,
  )
}

function describeLost(tx: Transaction, { lost, url }: EndpointRecord): readonly string[] {
  const { host = '' } = parseUrl(url) ?? {}
  if (lost === 'address')
    return ["The endpoint's address was deleted. Reserve a new address, and start the agent with it."]
  if (lost !== 'domain') return []
  return [
    tx.find(domains, 'domain', host) === undefined
      ? `The endpoint's domain was deleted. Reserve ${host} again, and restart the agent.`
      : "The endpoint's domain was deleted and then reserved again. Restart the agent.",
  ]
}
