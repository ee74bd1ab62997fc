// The gateways of cases, and functions that read their state.
import { createGateway, manualClock } from '../../dist/index.js'
import { createNgrok } from '../../dist/ngrok.js'
import { certificatePair } from '../../dist/testing.js'
import { FAMILIES } from './operations.mjs'

/** The maximum number of commits of a case that are checked: a year on the clock makes thousands. */
const MAX_COMMITS = 100

export const pairs = Array.from({ length: 8 }, (_, index) =>
  certificatePair({
    names: [`p${index}.example.com`],
    keyType: ['ecdsa', 'rsa', 'ed25519'][index % 3],
    issuers: index % 4,
    seed: `fuzz ${index}`,
  }),
)

/** Creates an empty gateway. */
export function createEmptyGateway(options) {
  const { dialect, clock: kind, keepBackendsOnPatch, ...rest } = options
  const shared = {
    ...rest,
    seed: 'fuzz',
    quirks: { keepBackendsOnPatch },
    ...(kind === 'manual' ? { clock: manualClock('2026-01-01T00:00:00.250Z') } : {}),
  }
  return dialect === 'ngrok' ? createNgrok(shared) : createGateway(shared)
}

/** Creates a gateway with a resource of each family that its options allow, and collects its later commits. */
export function createCase(options) {
  let gateway = createResources(createEmptyGateway({ ...options, account: undefined }))
  if (options.account) {
    // Existing resources may exceed the limits of the account.
    const snapshot = gateway.snapshot({ privateKeys: true })
    gateway = createEmptyGateway(options)
    gateway.restore(snapshot)
  }
  const commits = []
  gateway.subscribe((commit) => commits.length < MAX_COMMITS && commits.push(commit))
  return { gateway, commits, options }
}

function createResources(gateway) {
  const policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
  const { id: certificate_id } = gateway.tlsCertificates.create(pairs[0])
  gateway.reservedAddrs.create()
  gateway.reservedDomains.create({ domain: 'a.example.com', certificate_id })
  gateway.reservedDomains.create({ domain: 'b.example.com', certificate_management_policy: policy })
  gateway.weightedBackends.create({})
  if (!gateway.vaults) return gateway
  gateway.endpoints.create({
    url: 'https://a.example.com',
    traffic_policy: 'on_http_request: [{ actions: [{ type: deny }] }]',
  })
  const { id: vault_id } = gateway.vaults.create({ name: 'v' })
  gateway.vaultSecrets.create({ name: 's', value: 'x', vault_id })
  const { id: owner_id } = gateway.botUsers.create({ name: 'u' })
  gateway.credentials.create({ owner_id, acl: ['bind:*.example.com'] })
  gateway.apiKeys.create()
  const { id: ip_policy_id } = gateway.ipPolicies.create()
  gateway.ipPolicyRules.create({ ip_policy_id, cidr: '192.0.2.0/24', action: 'deny' })
  gateway.kubernetesOperators.create({ enabled_features: ['bindings'] })
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://agent.ngrok-free.app' }] })
  return gateway
}

/** Returns the newest hundred resources of a family, by the prefix of their ids. */
export const recordsOf = (gateway, prefix) =>
  Object.values(gateway[FAMILIES.get(prefix)]?.list({ limit: 100 }) ?? {}).find(Array.isArray) ?? []

const EDGES = { https: 'edghts_1', routes: 'edghtsrt_1', tcp: 'edgtcp_1', tls: 'edgtls_1' }

/** Returns a function that finds the value of a token on a gateway now. */
export const createLookup = (gateway) => (name, index) => {
  const nth = (values) => values[index % values.length]
  if (name === 'pem') return nth(pairs).certificate_pem
  if (name === 'key') return nth(pairs).private_key_pem
  if (name === 'secret') return `PLANTED${index}`
  if (name === 'target') return nth(recordsOf(gateway, 'rd'))?.cname_target ?? 'x.y'
  return EDGES[name] ?? nth(recordsOf(gateway, name))?.id ?? 'rd_unknown'
}

/** Returns the state without the count of requests, because a refused request is counted too. */
export function stateOf(gateway) {
  const { rateLimit: _, now: __, ...snapshot } = gateway.snapshot()
  return JSON.stringify(snapshot, (name, value) => (name === 'hits' || name === 'passed' ? 0 : value))
}

/** Reads everything that a gateway has. */
export function readAll(gateway) {
  for (const [prefix, member] of FAMILIES) for (const { id } of recordsOf(gateway, prefix)) gateway[member].get(id)
  for (const { id } of recordsOf(gateway, 'rd')) gateway.provisioning.printTimeline(id)
  const { dns, faults, provisioning } = gateway
  JSON.stringify([dns.records(), faults.all(), provisioning.pendingOutcomes(), gateway.leftovers()])
}
