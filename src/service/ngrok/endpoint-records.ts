import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { hideSecretsOfPolicy } from '../policy/index.ts'
import { descriptionAndMetadata } from './shared.ts'

export const BINDINGS = ['public', 'internal', 'kubernetes'] as const
export const SCHEMES = ['http', 'https', 'tcp', 'tls'] as const

const USUAL_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443', tls: '443' }

/** The parts of an endpoint's URL. */
export interface UrlParts {
  readonly scheme: string
  readonly host: string
  /** The port in the URL, or the scheme's default port, or "" if it has none. */
  readonly port: string
  readonly path: string
  /** The URL in lowercase, without the default port. */
  readonly url: string
}

const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\/([^/:]+)(?::(\d{1,5}))?(\/.*)?$/
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Returns whether a lowercase string is a host, or "*." followed by a host. */
export function isHost(text: string): boolean {
  const labels = text.replace(/^\*\./, '').split('.')
  return text.length <= 253 && labels.every((label) => LABEL.test(label))
}

/**
 * Reads the URL of an endpoint, or returns undefined. Node's parser is not used, because it accepts strings that are not valid for
 * endpoints and does not know the default ports of `tls` and `tcp`.
 */
export function parseUrl(text: string): UrlParts | undefined {
  const [, scheme = '', host = '', named, path = ''] = URL_FORM.exec(text.toLowerCase()) ?? []
  if (!isHost(host) || Number(named ?? 1) < 1 || Number(named ?? 1) > 65_535) return undefined
  const usual = parts.lookUp(USUAL_PORTS, scheme) ?? ''
  const port = named === undefined ? usual : String(Number(named))
  return { scheme, host, port, path, url: `${scheme}://${host}${port === usual ? '' : `:${port}`}` }
}

const record = v.object({
  ...kit.recordHead('ep', descriptionAndMetadata()),
  updated_at: parts.instant,
  edge_id: v.nullable(parts.someText),
  /** The agent's session, if any. The owner of its credential is the principal. */
  tunnel_session_id: v.nullable(parts.ownId('ts')),
  principal_id: v.nullable(parts.someText),
  name: v.nullable(v.string()),
  upstream_url: v.nullable(v.string()),
  upstream_protocol: v.nullable(v.string()),
  url: v.pipe(
    v.string(),
    kit.rule([], (text, report) => {
      if (parseUrl(text)?.url !== text)
        report(kit.general.field_invalid, { allowed: "a URL without the scheme's default port" })
    }),
  ),
  binding: parts.oneOfThese(BINDINGS),
  domain_id: v.nullable(kit.idOf('rd')),
  tcp_addr_id: v.nullable(kit.idOf('ra')),
  type: parts.oneOfThese(['cloud', 'ephemeral', 'edge']),
  pooling_enabled: v.boolean(),
  traffic_policy: v.nullable(v.pipe(v.string(), parts.shownAs(hideSecretsOfPolicy))),
  /** The reservation that was deleted while its agent was online. */
  lost: v.exactOptional(v.picklist(['domain', 'address'])),
})

export type EndpointRecord = kit.Frozen<v.InferOutput<typeof record>>

export type EndpointPlace = Pick<EndpointRecord, 'url' | 'binding' | 'domain_id' | 'tcp_addr_id'>

/** The fields of an endpoint without an agent or an edge. */
export const NO_AGENT = {
  edge_id: null,
  tunnel_session_id: null,
  principal_id: null,
  name: null,
  upstream_url: null,
  upstream_protocol: null,
}

export const endpoints = kit.collection<EndpointRecord>({
  name: 'endpoints',
  schema: record,
  indexes: {
    place: placeKey,
    domain: (each) => each.domain_id,
    tcp_addr: (each) => each.tcp_addr_id,
    tunnel_session: (each) => each.tunnel_session_id,
    edge: (each) => each.edge_id,
    agent_name: ({ tunnel_session_id, name }) =>
      tunnel_session_id === null || name === null ? null : agentNameKey(tunnel_session_id, name),
    label: labelKey,
  },
})

/** Returns the key for a name set by an agent. A path and the JSON of agents can't contain half of a surrogate pair. */
export function agentNameKey(session: string, name: string): string {
  return `${session} ${toAgentName(name)}`
}

export function toAgentName(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** Returns the scheme and the first label of the host of a public endpoint, or null if the host has only one label. */
function labelKey({ url, binding }: Pick<EndpointRecord, 'url' | 'binding'>): string | null {
  return binding === 'public' ? (/^([a-z]+:\/\/[^./:]+)\./.exec(url)?.[1] ?? null) : null
}

/** Endpoints, as targets of references. */
export const endpointTarget = parts.targetOf('an endpoint', endpoints)

/** Stores a new endpoint of an edge. */
export function putEdgeEndpoint(
  tx: kit.Transaction,
  edge_id: string,
  place: EndpointPlace,
  texts?: Pick<EndpointRecord, 'description' | 'metadata'>,
): EndpointRecord {
  return tx.put(endpoints, {
    ...kit.newHead(tx, 'ep', texts),
    updated_at: tx.now,
    ...NO_AGENT,
    ...place,
    type: 'edge',
    edge_id,
    pooling_enabled: false,
    traffic_policy: null,
  })
}

function placeKey({ url, binding }: Pick<EndpointRecord, 'url' | 'binding'>): string {
  return `${binding} ${url}`
}

/** Returns the endpoint at a place, excluding `self`. If several endpoints share the place, returns the oldest. */
export function findOtherEndpoint(
  tx: kit.Transaction,
  place: Pick<EndpointRecord, 'url' | 'binding'>,
  self?: string,
): EndpointRecord | undefined {
  return tx.findAll(endpoints, 'place', placeKey(place)).find(({ id }) => id !== self)
}

type Reservation = Omit<EndpointPlace, 'url' | 'binding'>

/**
 * Returns the reservation for a public URL: the address, or the longest domain that is its host or a parent of its host. For tcp,
 * a domain counts only if it has dedicated IPs.
 */
export function findReservation(tx: kit.Transaction, { scheme, host, port }: UrlParts): Reservation {
  const none = { domain_id: null, tcp_addr_id: null }
  if (scheme !== 'tcp') return { ...none, domain_id: findDomain(tx, host) }
  const address = tx.find(kit.addresses, 'addr', `${host}:${port}`)
  if (address) return { ...none, tcp_addr_id: address.id }
  const reservation = { ...none, domain_id: findDomain(tx, host) }
  return hasDedicatedIps(tx, reservation) ? reservation : none
}

/** Returns whether a reservation is a domain that resolves to dedicated IPs (rules: reserved-domains#resolves-to). */
export function hasDedicatedIps(tx: kit.Transaction, { domain_id }: Reservation): boolean {
  const places = domain_id === null ? undefined : tx.get(kit.domains, domain_id)?.resolves_to
  return places?.some(({ value }) => parts.isDedicated(value)) ?? false
}

function findDomain(tx: kit.Transaction, host: string): string | null {
  const labels = host.split('.')
  const above = labels.flatMap((_, index) => {
    const name = labels.slice(index).join('.')
    return index === 0 ? [name] : [`*.${name}`, name]
  })
  const reserved = above.map((name) => tx.find(kit.domains, 'domain', name)).find((domain) => domain !== undefined)
  return reserved?.id ?? null
}

/** The ID prefixes of edges, by edge kind as in paths. */
export const EDGE_PREFIXES = { https: 'edghts', tcp: 'edgtcp', tls: 'edgtls' } as const

export type EdgeKind = keyof typeof EDGE_PREFIXES

/** Returns the kind of an edge from its ID. */
export function getEdgeKind(id: string): EdgeKind {
  return (['tcp', 'tls'] as const).find((kind) => id.startsWith(EDGE_PREFIXES[kind])) ?? 'https'
}

/** Returns the ID of an endpoint's tunnel. */
export function getTunnelId(endpointId: string): string {
  return endpointId.replace('ep_', 'tn_')
}

/** Returns the ID of a tunnel's endpoint. A labeled tunnel has no endpoint. */
export function getEndpointId(tunnelId: string): string {
  return tunnelId.replace('tn_', 'ep_')
}
