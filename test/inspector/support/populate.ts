import type { Gateway, ManualClock } from '../../../src/index.ts'
import type { Served } from '../../../src/server/node.ts'
import { ECDSA, RSA } from '../../support/provisioning.ts'
import { sendRequest } from './use-inspector.ts'

/** Fills a gateway so that every tab of the page has content. Returns ids for the test. */
export async function populate(gateway: Gateway<ManualClock>, server: Served) {
  const create = async (domain: string, more: object = {}) => {
    const answer = await sendRequest(server, 'POST', '/reserved_domains', {
      domain,
      certificate_management_policy: ECDSA,
      ...more,
    })
    return (await answer.json()) as { id: string; cname_target: string }
  }
  const shop = await create('shop.example.com', { description: 'the shop, all year' })
  gateway.dns.cname('shop.example.com', shop.cname_target)
  const docs = await create('docs.example.com')
  gateway.dns.cname('docs.example.com', docs.cname_target)
  gateway.provisioning.script(['INTERNAL_ERROR', 'INTERNAL_ERROR'], { domain: 'docs.example.com' })
  gateway.clock.advance('70d')
  const apiDomain = await create('api.example.com', {
    certificate_management_policy: RSA,
    metadata: '<script>alert(1)</script>',
  })
  await create('*.preview.example.com')
  await sendRequest(server, 'POST', '/reserved_domains', { domain: 'shop.example.com' })
  await sendRequest(server, 'POST', '/reserved_addrs', { description: 'a TCP service', region: 'eu' })
  await sendRequest(server, 'PATCH', `/reserved_domains/${apiDomain.id}`, { description: 'the API' })
  gateway.faults.add({ operation: 'reserved_addrs.list', status: 503, times: 2, retryAfter: '2s' })
  await sendRequest(server, 'GET', '/reserved_addrs')
  await sendRequest(server, 'GET', '/reserved_domains?limit=10')
  await sendRequest(server, 'GET', '/widgets')
  gateway.clock.advance('20m')
  gateway.provisioning.script(['DNS_ERROR', 'success'], { domain: 'shop.example.com' })
  gateway.provisioning.failNext('INTERNAL_ERROR')
  const request = gateway.requests.last({ operation: 'reserved_domains.update' })?.operationId
  return { domain: apiDomain.id, request, certificate: gateway.reservedDomains.get(shop.id).certificate?.id }
}
