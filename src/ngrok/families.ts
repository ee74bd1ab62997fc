import { apiKeyFamily } from './api-keys.ts'
import { credentialFamily } from './credentials.ts'
import { endpoints } from './endpoints.ts'
import { ipPolicies } from './ip-policies.ts'
import { ipPolicyRules } from './ip-policy-rules.ts'
import { kubernetesOperators } from './kubernetes-operators.ts'
import { sshCredentialFamily } from './ssh-credentials.ts'
import { routeTrafficPolicy, tcpEdgeTrafficPolicy, tlsEdgeTrafficPolicy } from './traffic-policies.ts'
import { tunnelSessions } from './tunnel-sessions.ts'
import { tunnels } from './tunnels.ts'
import { botUsers, serviceUsers } from './users.ts'
import { vaultSecrets } from './vault-secrets.ts'
import { vaults } from './vaults.ts'

// An alias, since an interface has no index; with sentences, which a constant's own type would lose in declarations.
type NgrokFamilies = {
  /** Endpoints: cloud endpoints, and those of agents. */
  readonly endpoints: typeof endpoints
  /** IP policies, whose rules are a family of their own. */
  readonly ipPolicies: typeof ipPolicies
  /** The rules of IP policies. */
  readonly ipPolicyRules: typeof ipPolicyRules
  /** Bot users. Service users are the same users under another path. */
  readonly botUsers: typeof botUsers
  /** Service users. Bot users are the same users under another path. */
  readonly serviceUsers: typeof serviceUsers
  /** API keys. The token of one is in the answer that creates it. */
  readonly apiKeys: typeof apiKeyFamily
  /** The credentials of agents. The token of one is in the answer that creates it. */
  readonly credentials: typeof credentialFamily
  /** The public keys of agents that connect by SSH. */
  readonly sshCredentials: typeof sshCredentialFamily
  /** Vaults, which hold secrets. */
  readonly vaults: typeof vaults
  /** The secrets of vaults. No answer has their values. */
  readonly vaultSecrets: typeof vaultSecrets
  /** The module `traffic_policy` of a route of an HTTPS edge. */
  readonly routeTrafficPolicy: typeof routeTrafficPolicy
  /** The module `traffic_policy` of a TCP edge. */
  readonly tcpEdgeTrafficPolicy: typeof tcpEdgeTrafficPolicy
  /** The module `traffic_policy` of a TLS edge. */
  readonly tlsEdgeTrafficPolicy: typeof tlsEdgeTrafficPolicy
  /** Kubernetes operators. */
  readonly kubernetesOperators: typeof kubernetesOperators
  /** Tunnels of agents. Declare an agent to have some. */
  readonly tunnels: typeof tunnels
  /** Sessions of agents. `gateway.declare.tunnelSession` makes one. */
  readonly tunnelSessions: typeof tunnelSessions
}

/** The families that ngrok has beside those of the standard dialect, by their names in the direct API. */
export const ngrokFamilies: NgrokFamilies = {
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
  routeTrafficPolicy,
  tcpEdgeTrafficPolicy,
  tlsEdgeTrafficPolicy,
  kubernetesOperators,
  tunnels,
  tunnelSessions,
}
