import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type ManualClock,
  manualClock,
  type Snapshot,
} from '../../src/index.ts'
import { client } from './client.ts'
import { CLOCK_START } from './clock.ts'
import { upload } from './pem.ts'
import { ECDSA, RSA } from './provisioning.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }

/** Returns the options of the gateways that snapshots of {@link createFullGateway} are restored in. */
export const fullGatewayOptions = () =>
  ({ seed: 'furnished', clock: manualClock(CLOCK_START), dns: 'simulated', rateLimit: { requests: 1000 } }) as const

/** Creates a gateway with records of every kind, and domains in every state of their provisioning. */
export async function createFullGateway(options: GatewayOptions<ManualClock> = {}): Promise<Gateway<ManualClock>> {
  const gateway = createGateway({ ...fullGatewayOptions(), ...options })
  const { reservedDomains, provisioning, clock, dns } = gateway
  const managed = (domain: string, certificate_management_policy: typeof RSA | typeof ECDSA = ECDSA) => {
    const created = reservedDomains.create({ domain, certificate_management_policy, region: 'eu' })
    dns.cname(domain, created.cname_target)
    dns.cname(`_acme-challenge.${domain.replace('*.', '')}`, created.acme_challenge_cname_target ?? 'x.example.com')
    return created
  }
  const renewalFailing = managed('renewal-failing.example.com')
  clock.advance('10s')
  managed('renewing.example.com')
  clock.advance('60d')
  clock.advance('25s')
  provisioning.failNext('INTERNAL_ERROR')
  provisioning.attempt(renewalFailing.id)
  const failing = managed('failing.example.com', RSA)
  provisioning.script(['DNS_ERROR', 'INTERNAL_ERROR', 'success'], { domain: 'failing.example.com' })
  provisioning.attempt(failing.id)
  provisioning.attempt(managed('*.issued.example.com').id)
  managed('provisioning.example.com')
  clock.advanceToNext()
  const certificate_id = gateway.tlsCertificates.create({ ...upload(), description: 'd', metadata: 'm' }).id
  const plain = reservedDomains.create({
    domain: 'uploaded.example.com',
    certificate_id,
    description: 'd',
    metadata: 'm',
  })
  reservedDomains.update(plain.id, { http_endpoint_configuration_id: 'ec_1', https_endpoint_configuration_id: 'ec_2' })
  reservedDomains.create({ domain: 'owned.gateway.test' })
  reservedDomains.create({ domain: '*.owned.gateway.test' })
  const address = gateway.reservedAddrs.create({ description: 'd', metadata: 'm', region: 'ap' })
  gateway.reservedAddrs.update(address.id, { endpoint_configuration_id: 'ec_1' })
  const inner = gateway.weightedBackends.create({ backends: { bkdhr_1: 1 }, description: 'd', metadata: 'm' })
  gateway.weightedBackends.create({ backends: { [inner.id]: 5, bkdhr_2: 0 } })
  gateway.compression.replace(ROUTE)
  gateway.circuitBreaker.replace(ROUTE, { num_buckets: 5 })
  gateway.webhookVerification.replace(ROUTE, { provider: 'sns' })
  gateway.trafficPolicy.replace(ROUTE, {
    inbound: [{ name: 'n', expressions: ['true'], actions: [{ type: 'deny', config: { status_code: 404 } }] }],
  })
  gateway.declare.edge(ROUTE.edge_id, { routes: [ROUTE.id] })
  gateway.declare.endpointConfiguration('ec_1')
  gateway.declare.backend('bkdhr_1')
  provisioning.script(['DNS_ERROR'])
  provisioning.failAlways('DNS_ERROR', { domain: 'always.example.com' })
  gateway.dns.a('a.example.com', '1.2.3.4')
  gateway.faults.add({ operation: 'reserved_addrs.list', times: 2, after: 1, status: 503, retryAfter: '2s' })
  gateway.faults.add({ method: 'DELETE', phase: 'after', error: 'auth_invalid', latency: 5, body: { a: [1] } })
  await client(gateway)('GET', '/reserved_addrs')
  return gateway
}

/** Copies a snapshot through JSON, as another process receives it. */
export function copyAsJson(snapshot: Snapshot): Snapshot {
  return JSON.parse(JSON.stringify(snapshot))
}
