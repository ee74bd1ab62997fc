import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { edges } from './edge-records.ts'
import { endpointLimits } from './endpoint-bodies.ts'
import {
  EDGE_PREFIXES,
  type EdgeKind,
  endpoints,
  findOtherEndpoint,
  getEdgeKind,
  putEdgeEndpoint,
} from './endpoint-records.ts'
import { resolvePlace, urlErrors } from './endpoint-url.ts'
import { endpointShape, endpointView, publicParts } from './endpoint-view.ts'
import { declarationErrors } from './session-declaration.ts'
import { limits } from './shared.ts'

/** The URLs of each kind of edge. */
const URLS: Readonly<Record<EdgeKind, { readonly schemes: readonly string[]; readonly example: string }>> = {
  https: { schemes: ['https', 'http'], example: 'https://app.example.com' },
  tcp: { schemes: ['tcp'], example: 'tcp://1.tcp.ngrok.io:12345' },
  tls: { schemes: ['tls'], example: 'tls://app.example.com' },
}

const fields = kit.named(
  v.object({
    edge: kit.documented(
      kit.idOf(Object.values(EDGE_PREFIXES).join('|')),
      'An HTTPS, TCP, or TLS edge that no operation created. If it is not declared yet, it is also declared.',
    ),
    url: kit.documented(
      v.string(),
      'The URL where the edge is online: `https` or `http` for an HTTPS edge, `tcp` with a port for a TCP edge, `tls` for a ' +
        'TLS edge.',
      { json: { examples: ['https://app.example.com'] } },
    ),
    domain: parts.reference(
      'rd',
      'The ID of the reserved domain that the URL uses. Default: the domain that matches the URL, if any.',
    ),
    limits,
  }),
  'EdgeEndpointDeclaration',
  "Declares an edge's endpoint, which no operation can create. `gateway.declare.end(id)` removes it.",
)

/** Declares the endpoint of a declared edge. The endpoints of other edges are derived from their hostports. */
export const edgeEndpoint = kit.declaration({
  schema: fields,
  response: endpointShape,
  errors: [
    ...Object.values(urlErrors),
    declarationErrors.agent_url_taken,
    ...parts.listLimitErrors(endpointLimits, false),
  ],
  run(tx, { edge, url, domain, limits }) {
    if (isMadeByOperation(tx, edge)) {
      kit.refuse(kit.general.field_invalid, {
        field: 'edge',
        received: kit.quote(edge),
        allowed: 'an edge not created by an operation; for other edges, add the host and the port to hostports',
      })
    }
    const place = resolvePlace(tx, url, 'public')
    const { schemes, example } = URLS[getEdgeKind(edge)]
    if (!schemes.includes(publicParts(place).proto)) {
      kit.refuse(kit.general.field_invalid, {
        field: 'url',
        received: kit.quote(url),
        allowed: `a URL such as ${kit.quote(example)}`,
      })
    }
    const other = findOtherEndpoint(tx, place)
    if (other) kit.refuse(declarationErrors.agent_url_taken, { field: 'url', received: kit.quote(url), id: other.id })
    parts.declareEdge(tx, edge)
    const domain_id = domain === undefined ? place.domain_id : requireDomain(tx, domain)
    const endpoint = putEdgeEndpoint(tx, edge, { ...place, domain_id })
    if (limits) parts.requireWithin(tx, endpointLimits, endpoints, endpoint)
    return tx.show(endpointView, endpoint)
  },
  end: {
    prefix: 'ep',
    run(tx, id) {
      const endpoint = tx.get(endpoints, id)
      if (endpoint?.type !== 'edge' || isMadeByOperation(tx, endpoint.edge_id ?? '')) return false
      tx.remove(endpoints, endpoint)
      return true
    },
  },
})

/** Returns whether an edge was created by an operation, so that its endpoints are derived from its hostports. */
function isMadeByOperation(tx: kit.Transaction, edge: string): boolean {
  return tx.get(edges[getEdgeKind(edge)], edge) !== undefined
}

function requireDomain(tx: kit.Transaction, id: string): string {
  if (tx.get(kit.domains, id)) return id
  return kit.refuse(kit.general.field_invalid, {
    field: 'domain',
    received: kit.quote(id),
    allowed: 'the ID of a reserved domain that exists',
  })
}
