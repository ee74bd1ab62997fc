// The gateways of cases, and functions that read their state.
import { createGateway, manualClock } from '../../dist/index.js'
import { createNgrok } from '../../dist/ngrok.js'
import { certificatePair } from '../../dist/testing.js'
import { FAMILIES } from './operations.mjs'

// Each gateway checks what its transactions write: src/core/engine/write-check.ts.
globalThis[Symbol.for('fauxgate.checksWrites')] = true

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

/** Creates a store in memory, perhaps with the data of another one. Everything in it went through JSON. */
export function createStore(data = { facts: undefined, records: new Map() }) {
  const state = { facts: data.facts, records: new Map(data.records) }
  return {
    data: state,
    load: () => state.facts && { ...state.facts, records: [...state.records.values()].map((text) => JSON.parse(text)) },
    append({ now, sequence, operations, replaces, changes }) {
      if (replaces) state.records.clear()
      state.facts = { ...state.facts, ...JSON.parse(JSON.stringify({ ...replaces, now, sequence, operations })) }
      for (const { collection, key, after } of changes) {
        const place = JSON.stringify([collection, key])
        if (after) state.records.set(place, JSON.stringify({ collection, key, record: after }))
        else state.records.delete(place)
      }
    },
  }
}

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
  // Existing resources may exceed the limits of the account.
  const first = createResources(createEmptyGateway({ ...options, account: undefined }))
  const store = createStore()
  const gateway = createEmptyGateway({ ...options, store })
  gateway.restore(first.snapshot({ privateKeys: true }))
  const commits = []
  gateway.subscribe((commit) => commits.length < MAX_COMMITS && commits.push(commit))
  return { gateway, commits, options, store, reopened: new Set() }
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

/** Returns the state without the count of requests, because a rejected request is counted too. */
export function stateOf(gateway) {
  const { rateLimit: _, now: __, ...snapshot } = gateway.snapshot()
  return JSON.stringify(snapshot, (name, value) => (name === 'hits' || name === 'passed' ? 0 : value))
}

/** Returns the state with the fields of objects in alphabetical order: those of records that were read are in another one. */
export function sortedStateOf(gateway) {
  const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return JSON.stringify(JSON.parse(stateOf(gateway)), (_, value) =>
    isMap(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  )
}

/** Reads everything that a gateway has. */
export function readAll(gateway) {
  for (const [prefix, member] of FAMILIES) for (const { id } of recordsOf(gateway, prefix)) gateway[member].get(id)
  for (const { id } of recordsOf(gateway, 'rd')) gateway.provisioning.printTimeline(id)
  const { dns, faults, provisioning } = gateway
  JSON.stringify([dns.records(), faults.all(), provisioning.pendingOutcomes(), gateway.leftovers()])
}
