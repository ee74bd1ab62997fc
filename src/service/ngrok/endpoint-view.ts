import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { hideSecretsOfPolicy } from '../policy/index.ts'
import { type EndpointRecord, getEdgeKind, getTunnelId, parseUrl, SCHEMES } from './endpoint-records.ts'
import { omitNulls, refField, userField } from './shared.ts'

export const URL_SENTENCE = 'The URL where the endpoint is online, without the default port of its scheme.'
export const POLICY = 'The traffic policy, in JSON or YAML, byte for byte as sent.'
export const POOLING = 'True if other pooled endpoints can be online at the same URL.'
export const BINDING = 'The networks from which the endpoint can be reached: `public`, `internal`, or `kubernetes`.'

const optionalText = (sentence: string) => v.exactOptional(kit.documented(v.string(), sentence))
const optionalRef = (what: string) => v.exactOptional(refField(`${what} Absent if there is none.`))

export const endpointShape = kit.named(
  v.object({
    ...kit.resourceHead,
    uri: v.exactOptional(kit.documented(v.string(), 'The URL of the resource; only for cloud endpoints.')),
    updated_at: kit.documented(kit.time, 'The time of the last change.'),
    type: kit.documented(
      v.string(),
      'The origin of the endpoint: the API (`cloud`), an agent (`ephemeral`), or an edge.',
      { json: { listed: ['cloud', 'ephemeral', 'edge'] } },
    ),
    url: optionalText(`${URL_SENTENCE} Absent for an edge.`),
    public_url: kit.documented(v.string(), URL_SENTENCE),
    proto: kit.documented(v.picklist(SCHEMES), 'The scheme of the URL.'),
    hostport: kit.documented(v.string(), 'The host and port of the URL, such as `app.example.com:443`.'),
    bindings: kit.documented(v.array(v.string()), BINDING),
    pooling_enabled: kit.documented(v.boolean(), POOLING),
    traffic_policy: v.exactOptional(kit.documented(v.pipe(v.string(), parts.shownAs(hideSecretsOfPolicy)), POLICY)),
    domain: optionalRef('The reserved domain that the URL uses.'),
    tcp_addr: optionalRef('The reserved address that the URL uses.'),
    edge: optionalRef("The endpoint's edge."),
    tunnel: optionalRef("The agent's tunnel."),
    tunnel_session: optionalRef("The agent's session."),
    principal: v.exactOptional(userField("The owner of the agent's credential. Absent if there is none.")),
    name: optionalText('The name assigned by the agent.'),
    upstream_url: optionalText('The URL to which the agent forwards requests.'),
    upstream_protocol: optionalText('The protocol between the agent and its upstream.'),
  }),
  'Endpoint',
  "A URL that is online: a cloud endpoint, an agent's endpoint, or an edge's endpoint.",
)

/** Returns the fields that an endpoint and its tunnel have in common. */
export function publicParts({ url }: Pick<EndpointRecord, 'url'>) {
  const { scheme, host, port } = parseUrl(url) ?? { scheme: '', host: '', port: '' }
  const proto = SCHEMES.find((each) => each === scheme) ?? 'https'
  return { public_url: url, proto, hostport: `${host}:${port}` }
}

export const endpointView: kit.View<EndpointRecord, kit.Frozen<v.InferOutput<typeof endpointShape>>> = (
  endpoint,
  wire,
) => {
  const { id, type, url, tunnel_session_id: session, principal_id: principal, edge_id: edge } = endpoint
  const { traffic_policy, name, upstream_url, upstream_protocol } = endpoint
  return {
    id,
    ...(type === 'cloud' && { uri: `${wire.url}/endpoints/${id}` }),
    created_at: kit.timestamp(endpoint.created_at),
    updated_at: kit.timestamp(endpoint.updated_at),
    ...kit.descriptionOf(endpoint),
    type,
    ...(type !== 'edge' && { url }),
    ...publicParts(endpoint),
    bindings: [endpoint.binding],
    pooling_enabled: endpoint.pooling_enabled,
    ...omitNulls({
      traffic_policy,
      domain: kit.refTo(wire, '/reserved_domains', endpoint.domain_id),
      tcp_addr: kit.refTo(wire, '/reserved_addrs', endpoint.tcp_addr_id),
      edge: edge === null ? null : kit.refTo(wire, `/edges/${getEdgeKind(edge)}`, edge),
      tunnel: kit.refTo(wire, '/tunnels', session && getTunnelId(id)),
      tunnel_session: kit.refTo(wire, '/tunnel_sessions', session),
      principal: principal === null ? null : { id: principal, uri: '' },
      name,
      upstream_url,
      upstream_protocol,
    }),
  }
}
