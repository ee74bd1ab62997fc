/** The permission to call the operations of a group, with the reason. */
export interface Rule {
  /**
   * `free`: called. `domain`: called under a domain that the user specifies. `local`: called only on this machine, where it is not billed.
   * `read`: only its read operations are called.
   */
  readonly when: 'free' | 'domain' | 'local' | 'read'
  readonly reason: string
}

const HOW_NGROK_CHARGES = 'https://ngrok.com/docs/pricing-limits/how-ngrok-charges'

/**
 * The exhaustive list of what is called, by operation group. Groups that are not listed are never called. For what ngrok bills, see {@link
 * HOW_NGROK_CHARGES}.
 */
const RULES: Readonly<Record<string, Rule>> = {
  ip_policies: { when: 'free', reason: 'a set of rules that no endpoint uses; nothing is billed for it' },
  ip_policy_rules: { when: 'free', reason: 'a rule of a policy that no endpoint uses' },
  api_keys: { when: 'free', reason: 'a key that nobody sees, deleted afterward' },
  credentials: { when: 'free', reason: 'a token that nobody sees, deleted afterward' },
  ssh_credentials: { when: 'free', reason: 'a published test key that may bind nothing and is deleted again' },
  vaults: { when: 'free', reason: 'a vault with one dummy secret' },
  vault_secrets: { when: 'free', reason: 'a dummy value' },
  tls_certificates: { when: 'free', reason: 'a test certificate that no domain serves' },
  kubernetes_operators: { when: 'free', reason: 'the registration of an operator that does not run' },
  endpoints: {
    when: 'free',
    reason: `an internal endpoint that the internet cannot reach; hours count only with traffic (${HOW_NGROK_CHARGES})`,
  },
  reserved_domains: {
    when: 'domain',
    reason: "names under your --domain, for a few minutes; a plan may count a domain's hours",
  },
  certificate_authorities: { when: 'free', reason: 'a test certificate that no edge trusts' },
  ssh_certificate_authorities: { when: 'free', reason: 'a key that no server trusts, and that is deleted again' },
  ssh_host_certificates: { when: 'free', reason: 'a certificate for a published test key' },
  ssh_user_certificates: { when: 'free', reason: 'a certificate for a published test key' },
  event_destinations: { when: 'free', reason: 'an event destination that does not exist' },
  event_subscriptions: {
    when: 'free',
    reason: 'a subscription whose destinations do not exist, so no event arrives',
  },
  event_sources: { when: 'free', reason: 'an event type of the run’s own subscription' },
  endpoint_configurations: { when: 'free', reason: 'a configuration that no domain or address links to' },
  agent_ingresses: { when: 'local', reason: 'a plan may bill an agent ingress' },
  ai_gateway_api_keys: { when: 'local', reason: 'a plan may bill an AI gateway' },
  ai_gateway_provider_keys: { when: 'local', reason: 'a plan may bill an AI gateway' },
  ip_restrictions: { when: 'local', reason: 'it could lock people out of the account' },
  application_users: { when: 'read', reason: 'they are people who signed in' },
  application_sessions: { when: 'read', reason: 'they are sessions of people who signed in' },
  abuse_reports: { when: 'read', reason: 'people read abuse reports' },
  self: { when: 'read', reason: 'it only reads' },
  reserved_addrs: { when: 'local', reason: 'a plan may bill an address' },
  bot_users: { when: 'local', reason: 'a plan may bill a user' },
  service_users: { when: 'local', reason: 'a plan may bill a user' },
  tunnels: { when: 'read', reason: 'only an agent starts tunnels' },
  tunnel_sessions: { when: 'read', reason: 'a command would stop or restart an agent' },
}

/** The rules of all operations under a path. */
const RULES_BELOW: readonly (readonly [path: string, rule: Rule])[] = [
  ['/edges/', { when: 'read', reason: 'the service has ended edges and their modules' }],
  ['/endpoint_configurations/', { when: 'free', reason: 'a module of the run’s own configuration' }],
  ['/backends/', { when: 'free', reason: 'a backend that no edge uses' }],
]

/** Returns the rule for a group of operations whose first operation has this path. */
export function ruleOf(group: string, path: string): Rule | undefined {
  return RULES_BELOW.find(([above]) => path.startsWith(above))?.[1] ?? RULES[group]
}

/** The permissions of a run. */
export interface Permission {
  /** True if the server is on this machine. */
  readonly isLocal: boolean
  /** The domain under which names are reserved, if the user specified one. */
  readonly domain?: string | undefined
  /** True if nothing may be created. */
  readonly isReadOnly: boolean
}

/** Returns why the write operations of a group are not called, or undefined if they are. */
export function reasonAgainst(
  group: string,
  path: string,
  { isLocal, domain, isReadOnly }: Permission,
): string | undefined {
  const rule = ruleOf(group, path)
  if (!rule) return 'not in the list of operations that may be called'
  if (isReadOnly) return '--read-only'
  if (rule.when === 'read') return rule.reason
  if (rule.when === 'local' && !isLocal) return `${rule.reason}, and the server is not on this machine`
  if (rule.when === 'domain' && domain === undefined) return 'no --domain was given to reserve names under'
  return undefined
}
