import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { manualClock, type Store } from '../../../src/index.ts'
import { upload } from '../../support/pem.ts'
import { DOMAIN, ECDSA } from '../../support/provisioning.ts'

const DENY = 'on_http_request:\n  - actions:\n      - type: deny\n'

export type NgrokGateway = ReturnType<typeof openNgrok>

export function openNgrok(store?: Store) {
  return createNgrok({
    seed: 'page',
    clock: manualClock('2026-01-01T00:00:00Z'),
    dns: 'simulated',
    ...(store && { store }),
  })
}

/** Creates resources of most families with a list. Returns the id of an event subscription. */
export function populateNgrok(gateway: NgrokGateway): string {
  for (const domain of [DOMAIN, 'shop.example.com', '*.preview.example.com'])
    gateway.reservedDomains.create({ domain, certificate_management_policy: ECDSA })
  gateway.reservedAddrs.create({ description: 'a TCP service' })
  gateway.tlsCertificates.create({ ...upload(), description: 'ours' })
  const { id: policy } = gateway.ipPolicies.create({ description: 'offices' })
  for (const cidr of ['192.0.2.0/24', '198.51.100.0/24'])
    gateway.ipPolicyRules.create({ ip_policy_id: policy, cidr, action: 'allow' })
  gateway.ipRestrictions.create({ type: 'endpoints', ip_policy_ids: [policy], enforced: false })
  const target = { datadog: { api_key: 'a key' } }
  const { id: destination } = gateway.eventDestinations.create({ format: 'json', description: 'logs', target })
  const sources = [{ type: 'ip_policy_created.v0' }, { type: 'ip_policy_updated.v0' }]
  const { id } = gateway.eventSubscriptions.create({ sources, destination_ids: [destination] })
  gateway.credentials.create({ acl: ['bind:*.example.com'], description: 'ci' })
  gateway.apiKeys.create({ description: 'ci' })
  gateway.botUsers.create({ name: 'deploys' })
  const { id: vault_id } = gateway.vaults.create({ name: 'keys' })
  gateway.vaultSecrets.create({ name: 'token', value: 'a-secret-of-the-shop', vault_id })
  const { id: group } = gateway.tunnelGroupBackends.create({ labels: { app: 'shop' } })
  gateway.failoverBackends.create({ backends: [group] })
  gateway.weightedBackends.create({ backends: { [group]: 1 } })
  gateway.httpResponseBackends.create({ status_code: 200, body: 'ok' })
  gateway.endpoints.create({ url: 'https://shop.example.com', type: 'cloud', traffic_policy: DENY })
  gateway.declare.tunnelSession({ endpoints: [{ url: `https://${DOMAIN}` }] })
  return id
}
