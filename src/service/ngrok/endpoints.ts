import type * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { edgeEndpoint } from './edge-endpoint.ts'
import { endpointBodies, endpointLimits, errors } from './endpoint-bodies.ts'
import { type EndpointRecord, getTunnelId, NO_AGENT, endpoints as records } from './endpoint-records.ts'
import { makers, policyInText, principal, reservations } from './endpoint-references.ts'
import { requireFreePlace, requireScheme, resolveReservedPlace, urlErrors } from './endpoint-url.ts'
import { endpointShape, endpointView, publicParts } from './endpoint-view.ts'
import { policyTextErrors, requirePolicy } from './policy-text.ts'
import { tunnels } from './session-records.ts'
import { FILTERABLE, putIfChanged } from './shared.ts'

const placeErrors = [...Object.values(urlErrors), ...Object.values(policyTextErrors)]

/** The declaration of the dev domain. Ending it checks for endpoints. */
const devDomain: typeof parts.devDomain = {
  ...parts.devDomain,
  end: {
    prefix: 'rd',
    errors: [errors.domain_in_use],
    run(tx, id) {
      const domain = tx.get(kit.domains, id)
      if (!domain?.is_dev) return false
      for (const row of reservations) parts.requireUnnamed(tx, row, id)
      tx.remove(kit.domains, domain)
      return true
    },
  },
}

/** Endpoints. Operations create cloud endpoints; agents and edges create the others. */
export const endpoints = kit.resource(
  {
    name: 'endpoints',
    prefix: 'ep',
    what: 'endpoint',
    tableFields: ['url', 'name', 'type'],
    errors: { ...urlErrors, ...policyTextErrors, ...errors },
    limits: endpointLimits,
    collection: records,
    filterable: [
      ...FILTERABLE,
      'principal.id',
      { name: 'type', words: { agent: 'ephemeral' } },
      { name: 'binding', path: 'bindings.0' },
      'bindings',
      'url',
      'pooling_enabled',
      { name: 'scheme', path: 'proto' },
      { name: 'region', path: null },
      'name',
    ],
    matching: { id: 'id', url: 'url', ids: 'id', urls: 'url' },
    declares: { edgeEndpoint, devDomain },
    shape: endpointShape,
    ...endpointBodies,
  },
  {
    view: endpointView,
    create: {
      errors: placeErrors,
      run(tx, { url, type: _, bindings, pooling_enabled, traffic_policy, ...rest }) {
        const place = resolveReservedPlace(tx, url, bindings)
        requireValidPolicy(tx, { ...place, traffic_policy })
        requireFreePlace(tx, { ...place, pooling_enabled })
        return tx.put(records, {
          ...kit.newHead(tx, 'ep', rest),
          updated_at: tx.now,
          ...NO_AGENT,
          ...place,
          type: 'cloud',
          pooling_enabled,
          traffic_policy,
        })
      },
    },
    update: {
      errors: [errors.endpoint_not_cloud, errors.endpoint_update_empty, ...placeErrors],
      run(tx, endpoint, body) {
        requireCloud(endpoint)
        parts.requireUpdate(errors.endpoint_update_empty, body, endpointBodies.updateBody)
        const { pooling_enabled = endpoint.pooling_enabled, traffic_policy = endpoint.traffic_policy } = body
        const after = {
          ...endpoint,
          ...kit.described(body, endpoint),
          ...resolveNewPlace(tx, endpoint, body),
          pooling_enabled,
          traffic_policy,
        }
        const isMoved = after.url !== endpoint.url || after.binding !== endpoint.binding
        if (isMoved || traffic_policy !== endpoint.traffic_policy)
          requireValidPolicy(tx, after, endpoint.traffic_policy)
        requireFreePlace(tx, after, endpoint.id)
        return putIfChanged(tx, records, endpoint, after)
      },
    },
    delete: {
      errors: [errors.endpoint_not_cloud],
      before: (_tx, endpoint) => requireCloud(endpoint),
    },
    references: [...reservations, ...makers, principal, policyInText],
    relations({ id, tunnel_session_id: session }, others, report) {
      if (session !== null && others.get(tunnels, getTunnelId(id))?.session_id !== session) {
        report(['tunnel_session_id'], session, 'the session of the tunnel with the same characters in its ID')
      }
    },
  },
)

function requireCloud({ id, type }: EndpointRecord): void {
  if (type !== 'cloud') kit.refuse(errors.endpoint_not_cloud, { id, type })
}

function requireValidPolicy(
  tx: kit.Transaction,
  { url, binding, traffic_policy }: Pick<EndpointRecord, 'url' | 'binding' | 'traffic_policy'>,
  before: string | null = null,
): void {
  const at = { protocol: publicParts({ url }).proto, place: binding }
  requirePolicy(tx, traffic_policy ?? '', at, { mustEnd: true, before })
}

type UrlFields = Pick<v.InferOutput<typeof endpointBodies.updateBody>, 'url' | 'bindings'>

function resolveNewPlace(tx: kit.Transaction, endpoint: EndpointRecord, { url, bindings }: UrlFields) {
  if (url === undefined && bindings === undefined) return {}
  if (url !== undefined) requireScheme(url, endpoint.url)
  return resolveReservedPlace(tx, url ?? endpoint.url, bindings ?? endpoint.binding)
}
