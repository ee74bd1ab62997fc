import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { endpoints, endpointTarget, SCHEMES } from './endpoint-records.ts'
import { publicParts, URL_SENTENCE } from './endpoint-view.ts'
import { tunnels as records, sessionTarget, type TunnelRecord } from './session-records.ts'
import { knownRegions, omitNulls, refField } from './shared.ts'
import { isInGroup, tunnelGroups } from './tunnel-group-backends.ts'

const { id, metadata } = kit.resourceHead
const ABSENT = 'Absent for a labeled tunnel.'

const shape = kit.named(
  v.object({
    id,
    metadata,
    started_at: kit.documented(kit.time, 'The time at which the agent opened the tunnel.'),
    region: kit.documented(v.string(), 'The region of the session.', knownRegions()),
    forwards_to: kit.documented(v.string(), 'The address that the agent forwards to.'),
    tunnel_session: refField("The agent's session."),
    public_url: v.exactOptional(kit.documented(v.string(), `${URL_SENTENCE} ${ABSENT}`)),
    proto: v.exactOptional(kit.documented(v.picklist(SCHEMES), `The scheme of the URL. ${ABSENT}`)),
    endpoint: v.exactOptional(refField(`The endpoint. Its ID has the same characters after the prefix. ${ABSENT}`)),
    backends: v.exactOptional(
      kit.documented(
        v.array(kit.ref),
        'The tunnel group backends that include the tunnel, newest first. Absent if there are none.',
      ),
    ),
    labels: v.exactOptional(
      kit.documented(v.record(v.string(), v.string()), 'The labels. Absent for a tunnel with a URL.'),
    ),
  }),
  'Tunnel',
  'A connection over which an agent forwards the traffic of an endpoint, or of edges that select it by labels.',
)

const FOLLOWING = { field: 'id', deletion: 'follows', rules: 'backends#tunnel-groups' } as const

const view: kit.View<TunnelRecord, kit.Frozen<v.InferOutput<typeof shape>>> = (tunnel, wire) => {
  const { id, metadata, started_at, region, forwards_to, session_id, url, labels } = tunnel
  const { public_url = null, proto = null } = url === null ? {} : publicParts({ url })
  return {
    id,
    started_at: kit.timestamp(started_at),
    region,
    forwards_to,
    tunnel_session: kit.refTo(wire, '/tunnel_sessions', session_id),
    ...(metadata !== undefined && { metadata }),
    ...omitNulls({
      public_url,
      proto,
      labels,
      endpoint: kit.refTo(wire, '/endpoints', url && id.replace('tn_', 'ep_')),
    }),
  }
}

/** Tunnels. Only agents open them. Tests declare the agents' sessions. */
export const tunnels = kit.familyOf({
  operations: kit.readOperations(
    {
      name: 'tunnels',
      prefix: 'tn',
      what: 'tunnel',
      tableFields: ['public_url', 'forwards_to', 'tunnel_session'],
      collection: records,
      filterable: [],
      shape,
    },
    view,
    (tx, tunnel) => {
      const groups = [...tx.newestFirst(tunnelGroups)].filter((group) => isInGroup(tunnel, group))
      const backends = groups.map(({ id }) => kit.refTo(tx.wire, '/backends/tunnel_group', id))
      return backends.length === 0 ? {} : { backends }
    },
  ),
  errors: {},
  prefix: 'tn',
  collections: [records],
  references: [
    parts.referenceOf(records, {
      field: 'session_id',
      shown: 'tunnel_session',
      to: sessionTarget,
      index: 'session',
      deletion: 'cascades',
      rules: 'ngrok-families#tunnel-sessions',
    }),
    parts.referenceOf(records, { ...FOLLOWING, shown: 'endpoint', to: endpointTarget }),
    parts.referenceOf(records, { ...FOLLOWING, shown: 'backends', to: parts.backendTarget }),
    parts.referenceOf(endpoints, { ...FOLLOWING, shown: 'tunnel', to: parts.targetOf('a tunnel', records) }),
    parts.referenceOf(tunnelGroups, { ...FOLLOWING, shown: 'tunnels', to: parts.targetOf('a tunnel', records) }),
  ],
})
