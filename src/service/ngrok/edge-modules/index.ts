import * as parts from '../../parts/index.ts'
import { EDGES, ROUTES } from '../modules.ts'
import { backendModule } from './backend.ts'
import { ipRestrictionModule } from './ip-restriction.ts'
import { mutualTlsModule } from './mutual-tls.ts'
import { httpsEdgeTlsTermination, tlsTerminationModule } from './tls-termination.ts'
import { olderRules, policyModule, routeTrafficPolicy } from './traffic-policy.ts'

/** The families of the edge modules, and of the modules that routes share. */
export const edgeModules = {
  routeTrafficPolicy,
  tcpEdgeTrafficPolicy: policyModule(EDGES.tcp, 'tcp'),
  tlsEdgeTrafficPolicy: policyModule(EDGES.tls, 'tls'),
  httpsEdgeMutualTls: mutualTlsModule(EDGES.https),
  httpsEdgeTlsTermination,
  routeBackend: backendModule(ROUTES),
  routeIpRestriction: ipRestrictionModule(ROUTES),
  tcpEdgeBackend: backendModule(EDGES.tcp),
  tcpEdgeIpRestriction: ipRestrictionModule(EDGES.tcp),
  /** The older traffic policies of TCP edges. */
  tcpEdgePolicy: parts.trafficPolicyOf('tcp_edge_policy', 'TcpEdge', EDGES.tcp, olderRules('tcp')),
  tlsEdgeBackend: backendModule(EDGES.tls),
  tlsEdgeIpRestriction: ipRestrictionModule(EDGES.tls),
  tlsEdgeMutualTls: mutualTlsModule(EDGES.tls),
  tlsEdgeTlsTermination: tlsTerminationModule(EDGES.tls),
  /** The older traffic policies of TLS edges. */
  tlsEdgePolicy: parts.trafficPolicyOf('tls_edge_policy', 'TlsEdge', EDGES.tls, olderRules('tls')),
}
