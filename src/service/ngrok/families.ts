import { apiKeyFamily } from './api-keys.ts'
import { credentialFamily } from './credentials.ts'
import { edgeModules } from './edge-modules.ts'
import { httpsEdges, tcpEdges, tlsEdges } from './edges.ts'
import { endpoints } from './endpoints.ts'
import { failoverBackends } from './failover-backends.ts'
import { httpResponseBackends } from './http-response-backends.ts'
import { httpsEdgeRoutes } from './https-edge-routes.ts'
import { ipPolicies, ipPolicyRules } from './ip-policies.ts'
import { kubernetesOperators } from './kubernetes-operators.ts'
import {
  routeRequestHeaders,
  routeResponseHeaders,
  routeUserAgentFilter,
  routeWebsocketTcpConverter,
} from './route-modules.ts'
import { routeOauth } from './route-oauth.ts'
import { routeOidc, routeSaml } from './route-sign-in.ts'
import { sshCredentialFamily } from './ssh-credentials.ts'
import { staticBackends } from './static-backends.ts'
import { tunnelGroupBackends } from './tunnel-group-backends.ts'
import { tunnelSessions } from './tunnel-sessions.ts'
import { tunnels } from './tunnels.ts'
import { botUsers, serviceUsers } from './users.ts'
import { vaultSecrets } from './vault-secrets.ts'
import { vaults } from './vaults.ts'

/** The families that only ngrok has, by their names in the direct API. */
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
  routeOauth,
  routeOidc,
  routeSaml,
  tcpEdges,
  tlsEdges,
  ...edgeModules,
}
