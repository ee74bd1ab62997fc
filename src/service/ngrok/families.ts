import { abuseReports } from './abuse-reports.ts'
import { agentIngresses } from './agent-ingresses.ts'
import { aiGatewayApiKeys, aiGatewayProviderKeys } from './ai-gateway-keys.ts'
import { apiKeyFamily } from './api-keys.ts'
import { applicationSessions } from './application-sessions.ts'
import { applicationUsers } from './application-users.ts'
import { certificateAuthorities } from './certificate-authorities.ts'
import { credentialFamily } from './credentials.ts'
import { edgeModules } from './edge-modules/index.ts'
import { httpsEdges, tcpEdges, tlsEdges } from './edges.ts'
import { endpointConfigurationModules } from './endpoint-configuration-modules.ts'
import { endpointConfigurations } from './endpoint-configurations.ts'
import { endpoints } from './endpoints.ts'
import { eventDestinations } from './event-destinations.ts'
import { eventSources } from './event-sources.ts'
import { eventSubscriptions } from './event-subscriptions.ts'
import { failoverBackends } from './failover-backends.ts'
import { httpResponseBackends } from './http-response-backends.ts'
import { httpsEdgeRoutes, routeSignIns } from './https-edge-routes.ts'
import { ipPolicies, ipPolicyRules } from './ip-policies.ts'
import { ipRestrictions } from './ip-restrictions.ts'
import { kubernetesOperators } from './kubernetes-operators.ts'
import {
  routeRequestHeaders,
  routeResponseHeaders,
  routeUserAgentFilter,
  routeWebsocketTcpConverter,
} from './route-modules.ts'
import { self } from './self.ts'
import { sshCertificateAuthorities } from './ssh-certificate-authorities.ts'
import { sshHostCertificates, sshUserCertificates } from './ssh-certificates.ts'
import { sshCredentialFamily } from './ssh-credentials.ts'
import { staticBackends } from './static-backends.ts'
import { tlsEdgeModules } from './tls-edge-modules.ts'
import { tunnelGroupBackends } from './tunnel-group-backends.ts'
import { tunnelSessions } from './tunnel-sessions.ts'
import { tunnels } from './tunnels.ts'
import { botUsers, serviceUsers } from './users.ts'
import { vaultSecrets } from './vault-secrets.ts'
import { vaults } from './vaults.ts'

/** The families that only the ngrok dialect has, by their name in the direct API. */
export const ngrokFamilies = {
  endpoints,
  ipPolicies,
  ipPolicyRules,
  botUsers,
  serviceUsers,
  apiKeys: apiKeyFamily,
  credentials: credentialFamily,
  sshCredentials: sshCredentialFamily,
  vaults,
  vaultSecrets,
  kubernetesOperators,
  tunnels,
  tunnelSessions,
  tunnelGroupBackends,
  failoverBackends,
  httpResponseBackends,
  staticBackends,
  httpsEdges,
  httpsEdgeRoutes,
  routeRequestHeaders,
  routeResponseHeaders,
  routeUserAgentFilter,
  routeWebsocketTcpConverter,
  ...routeSignIns,
  tcpEdges,
  tlsEdges,
  ...edgeModules,
  ...tlsEdgeModules,
  agentIngresses,
  certificateAuthorities,
  ipRestrictions,
  sshCertificateAuthorities,
  sshHostCertificates,
  sshUserCertificates,
  eventDestinations,
  eventSubscriptions,
  eventSources,
  applicationUsers,
  applicationSessions,
  abuseReports,
  endpointConfigurations,
  ...endpointConfigurationModules,
  aiGatewayApiKeys,
  aiGatewayProviderKeys,
  self,
}
