import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { type EdgeRecord, edgeErrors, edges, HOSTPORT } from './edge-records.ts'
import { endpointLimits } from './endpoint-bodies.ts'
import {
  EDGE_PREFIXES,
  type EdgeKind,
  endpoints,
  findOtherEndpoint,
  findReservation,
  putEdgeEndpoint,
} from './endpoint-records.ts'
import { cardErrors, findLack } from './own-places.ts'

/** The fields of a body that belong to the edge itself, not to its modules. */
export interface EdgeBody {
  readonly description?: string | undefined
  readonly metadata?: string | undefined
  readonly hostports?: readonly string[] | undefined
}

/** Creates an edge and its endpoints. */
export function createEdge(tx: kit.Transaction, kind: EdgeKind, { hostports = [], ...texts }: EdgeBody): EdgeRecord {
  const edge = { ...kit.newHead(tx, EDGE_PREFIXES[kind], texts), hostports }
  parts.declareMade(tx, edge.id)
  putEndpoints(tx, kind, edge, [])
  return tx.put(edges[kind], edge)
}

/** Changes an edge and its endpoints. */
export function updateEdge(tx: kit.Transaction, kind: EdgeKind, before: EdgeRecord, sent: EdgeBody): EdgeRecord {
  const after = { ...before, ...kit.described(sent, before), hostports: sent.hostports ?? before.hostports }
  putEndpoints(tx, kind, after, before.hostports)
  return tx.put(edges[kind], after)
}

/** Stores one endpoint for each hostport of an edge. Keeps the endpoints of hostports that the edge already had in `before`. */
function putEndpoints(tx: kit.Transaction, kind: EdgeKind, edge: EdgeRecord, before: readonly string[]): void {
  const { id: edge_id, description, metadata } = edge
  const urls = new Set(edge.hostports.map((each) => hostportUrl(kind, each)))
  for (const each of tx.findAll(endpoints, 'edge', edge_id)) {
    if (!urls.has(each.url)) tx.remove(endpoints, each)
    else if (each.description !== description || each.metadata !== metadata) {
      tx.put(endpoints, { ...each, ...kit.described({ description, metadata }, each), updated_at: tx.now })
    }
  }
  for (const [index, each] of edge.hostports.entries()) {
    const at = { field: `hostports.${index}`, received: kit.quote(each) }
    if (edge.hostports.indexOf(each) < index) {
      kit.refuse(edgeErrors.edge_hostport_taken, { ...at, problem: 'is already in the list' })
    }
    if (before.includes(each)) continue
    const endpoint = putEdgeEndpoint(tx, edge_id, resolveHostport(tx, kind, each, at), { description, metadata })
    parts.requireWithin(tx, endpointLimits, endpoints, endpoint)
  }
}

function hostportUrl(kind: EdgeKind, hostport: string): string {
  return kind === 'tcp' ? `tcp://${hostport}` : `${kind}://${hostport.replace(/:443$/, '')}`
}

/** Returns the URL and the reservation of a hostport, or rejects the hostport (rules: edges#hostports). */
function resolveHostport(tx: kit.Transaction, kind: EdgeKind, text: string, at: { field: string; received: string }) {
  const { host = '', port = '' } = HOSTPORT.exec(text)?.groups ?? {}
  const parts = { host, port, path: '', url: hostportUrl(kind, text) }
  const address = findReservation(tx, { ...parts, scheme: 'tcp' })
  const domain = findReservation(tx, { ...parts, scheme: 'https' })
  const place = { ...(kind === 'tcp' ? address : domain), url: parts.url, binding: 'public' } as const
  const lack = findLack(tx, place)
  const refuseAs = (error: parts.FieldError<string, { problem: string }>, problem: string) =>
    kit.refuse(error, { ...at, problem })
  if (kind === 'tcp' && address.tcp_addr_id === null) {
    if (domain.domain_id !== null) refuseAs(edgeErrors.tcp_edge_on_domain, 'is a domain. Use a reserved address')
    refuseAs(edgeErrors.edge_address_not_reserved, 'is not reserved. Use the addr of a reserved address')
  }
  if (lack?.what === 'card') kit.refuse(cardErrors.endpoint_card_missing, at)
  if (kind !== 'tcp') {
    const addressError = kind === 'https' ? edgeErrors.https_edge_on_address : edgeErrors.tls_edge_on_address
    if (address.tcp_addr_id !== null) refuseAs(addressError, 'is a TCP address. Use a reserved domain')
    if (port !== '443') refuseAs(edgeErrors.edge_port_not_443, 'does not have port 443')
    if (lack?.taken !== undefined) {
      const place = lack.taken === host ? 'belongs' : `is under ${lack.taken}, which belongs`
      refuseAs(edgeErrors.edge_domain_of_other, `${place} to another account. Use your own domain`)
    }
    if (lack) refuseAs(edgeErrors.edge_domain_not_reserved, 'is not reserved. Reserve the domain')
  }
  const others = kind === 'tcp' ? [kind] : (['https', 'tls'] as const)
  for (const each of others) {
    const other = findOtherEndpoint(tx, { url: hostportUrl(each, text), binding: 'public' })
    if (other?.type === 'edge') refuseAs(edgeErrors.edge_hostport_taken, `the edge ${other.edge_id} already has`)
    if (other && each === kind) refuseAs(edgeErrors.edge_hostport_of_endpoint, `the endpoint ${other.id} already has`)
  }
  return place
}
