import { describe, expect, test } from 'vitest'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { openApi } from '../../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../../src/index.ts'
import { catchError } from '../../support/client.ts'
import { listPaths, replaceAt, valueAt } from '../../support/damage.ts'
import { CSR } from './certificate-requests.ts'
import { SSH_KEYS } from './ssh-keys.ts'
import { createRouteModules, openGateway } from './support.ts'

const RANGE = '203.0.113.0/24'

/** Creates a gateway with records whose relations a snapshot could break. */
function openWithRelations() {
  const { gateway } = openGateway()
  const { id: owner_id } = gateway.botUsers.create({ name: 'ci' })
  gateway.botUsers.create({ name: 'twin' })
  gateway.apiKeys.create({ owner_id })
  gateway.sshCredentials.create({ public_key: SSH_KEYS.ed25519 })
  gateway.sshCredentials.create({ public_key: SSH_KEYS.rsa, owner_id })
  const { id: ip_policy_id } = gateway.ipPolicies.create()
  for (const cidr of [RANGE, '10.0.0.0/8']) gateway.ipPolicyRules.create({ ip_policy_id, cidr, action: 'allow' })
  for (const name of ['prod', 'other']) gateway.vaults.create({ name })
  for (const name of ['db', 'twin']) gateway.vaultSecrets.create({ name, value: 'a value', vault_name: 'prod' })
  gateway.reservedDomains.create({ domain: 'example.com' })
  const { id: credential } = gateway.credentials.create({ owner_id })
  const labelled = [{ labels: { a: 'b' } }]
  gateway.declare.tunnelSession({ credential, endpoints: [{}], labelled, failing: { stop: 'no' } })
  gateway.endpoints.create({ url: 'https://app.example.com', traffic_policy: '{}' })
  gateway.kubernetesOperators.create({ binding: { csr: CSR } })
  const { id: backend_id } = gateway.staticBackends.create({ address: 'a:1' })
  gateway.failoverBackends.create({ backends: [backend_id] })
  gateway.tlsEdgeTrafficPolicy.replace('edgtls_1', { value: '{}' })
  const edge = gateway.httpsEdges.create({ hostports: ['example.com:443'] })
  gateway.httpsEdgeRoutes.create(edge.id, { match: '/', ...createRouteModules(backend_id, ip_policy_id) })
  gateway.httpsEdgeRoutes.create(edge.id, { match: '/shop' })
  return gateway
}

/** Returns an id in the format of the gateway that no resource has. */
const toMissingId = (prefix: string) => `${prefix}_000000${'0'.repeat(21)}`

describe('A snapshot of the families of ngrok', () => {
  test('is restored unchanged, after JSON and in another gateway', () => {
    const gateway = openWithRelations()
    const before = gateway.snapshot({ privateKeys: true })
    const { gateway: other } = openGateway()
    other.restore(JSON.parse(JSON.stringify(before)))
    expect(other.snapshot({ privateKeys: true })).toEqual(before)
    expect(other.httpsEdges.list()).toEqual(gateway.httpsEdges.list())
    expect(other.tunnels.list()).toEqual(gateway.tunnels.list())
    expect(other.kubernetesOperators.list()).toEqual(gateway.kubernetesOperators.list())
  })

  test.each<[collection: string, field: string, wrong: string, reported?: string]>([
    ['api_keys', 'owner_id', toMissingId('bot')],
    ['bot_users', 'name', 'ci'],
    ['credentials', 'owner_id', toMissingId('bot')],
    ['endpoints', 'domain_id', 'rd_1'],
    ['endpoints', 'tunnel_session_id', toMissingId('ts')],
    ['endpoints', 'url', 'nothing'],
    ['https_edge_routes', 'edge_id', toMissingId('edghts')],
    ['https_edge_routes', 'match', '/'],
    ['ip_policy_rules', 'cidr', RANGE],
    ['ip_policy_rules', 'cidr', '10.0.0.1/8'],
    ['ip_policy_rules', 'ip_policy_id', 'ipp_1'],
    ['kubernetes_operators', 'order.csr', CSR.replace('MIH', 'MIG')],
    ['ssh_credentials', 'owner_id', toMissingId('bot')],
    ['ssh_credentials', 'public_key', SSH_KEYS.ed25519],
    ['ssh_credentials', 'public_key', 'a key'],
    ['tls_edge_traffic_policy', 'key', 'edgtcp_1'],
    ['tunnel_sessions', 'credential_id', 'cr_1'],
    ['tunnels', 'session_id', toMissingId('ts')],
    ['vault_secrets', 'name', 'db'],
    ['vault_secrets', 'vault_id', 'vault_1'],
    ['vault_secrets', 'vault_name', 'other', 'vault_id'],
    ['vaults', 'name', 'prod'],
  ])('is rejected if a record of %s has in %s the value %j', (collection, field, wrong, reported = field) => {
    const gateway = openWithRelations()
    const before = gateway.snapshot()
    const snapshot = JSON.parse(JSON.stringify(before))
    const records = snapshot.records[collection]
    const [name = '', inner] = field.split('.')
    const last = records.at(-1)
    if (inner === undefined) last[name] = wrong
    else last[name][inner] = wrong
    expect(() => gateway.restore(snapshot)).toThrow(`records.${collection}.${records.length - 1}.${reported} is `)
    expect(gateway.snapshot()).toEqual(before)
  })

  test('is rejected if a field whose values the API lists has another value', () => {
    const gateway = openWithRelations()
    gateway.agentIngresses.create({ domain: 'connect.example.com', certificate_management_policy: POLICY })
    gateway.reservedDomains.create({ domain: 'managed.example.com', certificate_management_policy: POLICY })
    gateway.eventDestinations.create({ format: 'json', target: { datadog: { api_key: 'a key' } } })
    gateway.endpointConfigurations.create({ type: 'https' })
    gateway.sshCertificateAuthorities.create({})
    const listed = listEnums(openApi(ngrok, { families: ngrokFamilies }).components.schemas)
    const snapshot = JSON.parse(JSON.stringify(gateway.snapshot({ privateKeys: true })))
    const paths = [...listPaths(snapshot.records)].filter(
      (path) =>
        // An agent can report any region.
        !/^tunnel/.test(`${path[0]}`) && listed.has(`${path.at(-1)} ${valueAt(snapshot.records, path)}`),
    )
    const accepted = paths.filter((path) => {
      const damaged = { ...snapshot, records: replaceAt(snapshot.records, path, 'nonsense') }
      return catchError(() => gateway.restore(damaged)) === undefined
    })
    expect(accepted).toEqual([])
    expect(new Set(paths.map((path) => path.at(-1)))).toEqual(
      new Set(['authority', 'action', 'format', 'match_type', 'private_key_type', 'type']),
    )
  })
})

const POLICY = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const

/** Returns the fields in schemas whose values are listed, each with one of these values. */
function listEnums(schema: unknown, name = '', found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found
  for (const [key, value] of Object.entries(schema)) {
    if (key !== 'enum') listEnums(value, /^(?:anyOf|\d+|properties)$/.test(key) ? name : key, found)
    else if (Array.isArray(value)) for (const each of value) found.add(`${name} ${each}`)
  }
  return found
}
