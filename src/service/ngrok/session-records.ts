import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  agentNameKey,
  type EndpointPlace,
  type EndpointRecord,
  endpoints,
  getEndpointId,
  getTunnelId,
} from './endpoint-records.ts'
import { resolvePlace } from './endpoint-url.ts'
import { isOwnPlace } from './own-places.ts'
import { descriptionAndMetadata } from './shared.ts'

/** The commands that the API can send to an agent. */
export const COMMANDS = ['restart', 'stop', 'update'] as const

const { metadata } = descriptionAndMetadata()
const { id, created_at: started_at } = kit.recordHead('ts', descriptionAndMetadata())

const session = v.object({
  id,
  started_at,
  metadata,
  agent_version: v.string(),
  credential_id: parts.someText,
  ip: v.string(),
  os: v.string(),
  region: v.string(),
  transport: v.string(),
  supports: v.array(parts.oneOfThese(COMMANDS)),
  /** The reasons why commands fail on the agent, by command. */
  failing: v.partial(v.object({ restart: v.string(), stop: v.string(), update: v.string() })),
  /** The version that the agent can be updated to. */
  update: v.nullable(v.string()),
  /** The version that the agent will have after its next restart. */
  next_version: v.nullable(v.string()),
  reachable: v.boolean(),
})

/** An agent's session. */
export type SessionRecord = kit.Frozen<v.InferOutput<typeof session>>

/** The agent sessions, indexed by credential. */
export const sessions = kit.collection<SessionRecord>({
  name: 'tunnel_sessions',
  schema: session,
  indexes: { credential: (each) => each.credential_id },
})

const tunnel = v.object({
  id: parts.ownId('tn'),
  session_id: parts.ownId('ts'),
  started_at: parts.instant,
  region: v.string(),
  forwards_to: v.string(),
  metadata,
  /** The URL of its endpoint, or null for a labeled tunnel, which has no endpoint. */
  url: v.nullable(v.string()),
  labels: v.nullable(v.record(v.string(), v.string())),
  /** The name that the agent gives a labeled tunnel. Other tunnels have the name of their endpoint. */
  name: v.exactOptional(v.string()),
  /** False if the agent does not record requests through the tunnel. */
  inspect: v.exactOptional(v.literal(false)),
  /** True if the agent's API started the tunnel. Any other tunnel was declared by a test. */
  is_started: v.exactOptional(v.literal(true)),
  /** True if the agent requested the URL when it started the tunnel. */
  has_chosen_url: v.exactOptional(v.literal(true)),
})

/** A tunnel of an agent. */
export type TunnelRecord = kit.Frozen<v.InferOutput<typeof tunnel>>

/** The agents' tunnels, indexed by session. */
export const tunnels = kit.collection<TunnelRecord>({
  name: 'tunnels',
  schema: tunnel,
  indexes: {
    session: (each) => each.session_id,
    agent_name: ({ session_id, name }) => (name === undefined ? null : agentNameKey(session_id, name)),
  },
})

/** Agent sessions, as targets of references. */
export const sessionTarget = parts.targetOf('a tunnel session', sessions)

type SessionFields = 'id' | 'session_id' | 'started_at' | 'region'
type TunnelFields = 'id' | 'created_at' | 'updated_at' | 'tunnel_session_id'

/**
 * Opens a tunnel in a session, with its endpoint if it has one. The IDs of the tunnel and the endpoint contain the same characters. Returns
 * the endpoint.
 */
export function openTunnel(
  tx: kit.Transaction,
  { id: session_id, started_at, region }: SessionRecord,
  facts: Omit<TunnelRecord, SessionFields>,
  endpoint?: Omit<EndpointRecord, TunnelFields>,
): EndpointRecord | undefined {
  const endpointId = tx.newId('ep')
  tx.put(tunnels, { ...facts, id: getTunnelId(endpointId), session_id, started_at, region })
  if (!endpoint) return undefined
  const head = { id: endpointId, created_at: started_at, updated_at: started_at }
  return tx.put(endpoints, { ...endpoint, ...head, tunnel_session_id: session_id })
}

/** Closes an agent's tunnel and the tunnel's endpoint, if any. */
export function closeTunnel(tx: kit.Transaction, tunnel: TunnelRecord): void {
  const endpoint = tx.get(endpoints, getEndpointId(tunnel.id))
  if (endpoint) tx.remove(endpoints, endpoint)
  tx.remove(tunnels, tunnel)
}

/** Returns an endpoint at a place. Its reservation remains lost only at a URL that still has none. */
function moveTo({ lost, ...endpoint }: EndpointRecord, place: EndpointPlace): EndpointRecord {
  const isLost = place.url === endpoint.url && place.domain_id === null && place.tcp_addr_id === null
  return { ...endpoint, ...place, ...(lost && isLost && { lost }) }
}

/**
 * Restarts an agent and assigns new IDs to its session, tunnels, and endpoints. The URLs use the current reservations. They don't change
 * unless `urlOf` returns different URLs.
 */
export function restartSession(
  tx: kit.Transaction,
  before: SessionRecord,
  urlOf = ({ url }: EndpointRecord): string => url,
): void {
  const open = tx.findAll(tunnels, 'session', before.id)
  const online = new Map(tx.findAll(endpoints, 'tunnel_session', before.id).map((each) => [getTunnelId(each.id), each]))
  tx.remove(sessions, before)
  const { next_version } = before
  const updated = next_version === null ? {} : { agent_version: next_version, update: null, next_version: null }
  const after = tx.put(sessions, { ...before, ...updated, id: tx.newId('ts'), started_at: tx.now })
  for (const each of open) {
    const endpoint = online.get(each.id)
    const place = endpoint && resolvePlace(tx, urlOf(endpoint), endpoint.binding)
    if (place && each.has_chosen_url && place.url === each.url && !isOwnPlace(tx, place)) continue
    openTunnel(tx, after, { ...each, url: place?.url ?? null }, endpoint && place && moveTo(endpoint, place))
  }
}
