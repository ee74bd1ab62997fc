/** The references of endpoints: to domains and addresses, edges, agents and IP policies. */
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { edgeTarget } from './edge-records.ts'
import { errors } from './endpoint-bodies.ts'
import { type EndpointRecord, endpoints } from './endpoint-records.ts'
import { ownerKey, ownerTarget } from './owned-records.ts'
import { ipPoliciesIn, ipPolicyInText } from './policy-text.ts'
import { sessionTarget } from './session-records.ts'

const OF_AGENTS = { what: 'those of agents', has: ({ type }: EndpointRecord) => type === 'ephemeral' }
const OTHERS = { what: 'those of the cloud and of edges', has: ({ type }: EndpointRecord) => type !== 'ephemeral' }

const DOMAIN = {
  field: 'domain_id',
  shown: 'domain',
  to: parts.targetOf('a reserved domain', kit.domains),
  index: 'domain',
  rules: 'ngrok-families#endpoints',
} as const

const ADDRESS = {
  field: 'tcp_addr_id',
  shown: 'tcp_addr',
  to: parts.targetOf('a reserved address', kit.addresses),
  index: 'tcp_addr',
  rules: 'ngrok-families#endpoints',
} as const

const inUse = (error: typeof errors.domain_in_use | typeof errors.address_in_use) =>
  parts.refused(error, (id, { id: endpoint }: EndpointRecord) => ({ id, endpoint }))

const lost = (reservation: 'domain' | 'address'): Pick<EndpointRecord, 'lost'> => ({ lost: reservation })

/** The domain and the address of an endpoint, which are derived from its URL. */
export const reservations = [
  parts.referenceOf(endpoints, { ...DOMAIN, only: OTHERS, deletion: inUse(errors.domain_in_use) }),
  parts.referenceOf(endpoints, { ...DOMAIN, only: OF_AGENTS, deletion: 'detaches', detached: lost('domain') }),
  parts.referenceOf(endpoints, { ...ADDRESS, only: OTHERS, deletion: inUse(errors.address_in_use) }),
  parts.referenceOf(endpoints, { ...ADDRESS, only: OF_AGENTS, deletion: 'detaches', detached: lost('address') }),
]

/** The edge or the agent of an endpoint. When it is removed, the endpoint is, too. */
export const makers = [
  parts.referenceOf(endpoints, {
    field: 'edge_id',
    shown: 'edge',
    to: edgeTarget,
    index: 'edge',
    deletion: 'cascades',
    rules: 'edges#edges',
  }),
  parts.referenceOf(endpoints, {
    field: 'tunnel_session_id',
    shown: 'tunnel_session',
    to: sessionTarget,
    index: 'tunnel_session',
    deletion: 'cascades',
    rules: 'ngrok-families#tunnel-sessions',
  }),
]

/** The owner of the credential that an endpoint's agent uses. */
export const principal = parts.referenceOf(endpoints, {
  field: 'principal_id',
  shown: 'principal',
  to: ownerTarget,
  ids: ({ principal_id }) => (principal_id === null ? [] : [ownerKey(principal_id)]),
  deletion: 'cascades',
  rules: 'ngrok-families#users',
})

/** The IP policies in the traffic policy of an endpoint. */
export const policyInText = parts.referenceOf(endpoints, {
  ...ipPolicyInText,
  field: 'traffic_policy',
  sent: 'traffic_policy',
  ids: ({ traffic_policy }) => ipPoliciesIn(traffic_policy),
})
