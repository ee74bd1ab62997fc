import type { Gateway, GatewayError, ManualClock } from '../../src/index.ts'
import { client } from './client.ts'

/**
 * Makes every kind of call on the resources of a gateway, and advances its clock by 100 days, in which each certificate is
 * renewed once. Throws for a response with another status than those of the API.
 */
export async function exercise(gateway: Gateway<ManualClock>): Promise<void> {
  const send = client(gateway)
  const expectAnswer = async (method: string, path: string, json?: unknown) => {
    const { status, body } = await send(method, path, json === undefined ? {} : { json })
    if (status >= 500 && body?.error_code !== 'ERR_GATEWAY_90500')
      throw new Error(`${method} ${path} answers ${status}`)
    return body
  }
  const families = [
    ['/reserved_addrs', 'reserved_addrs'],
    ['/reserved_domains', 'reserved_domains'],
    ['/backends/weighted', 'backends'],
    ['/tls_certificates', 'tls_certificates'],
  ] as const
  const ids: string[] = []
  const all = async (method: string, json?: unknown) => {
    for (const path of ids) await expectAnswer(method, path, json)
  }
  gateway.faults.clear()
  for (const [path, items] of families) {
    for (const { id } of (await expectAnswer('GET', path))[items]) ids.push(`${path}/${id}`)
  }
  for (const module of ['policy', 'compression', 'webhook_verification', 'circuit_breaker']) {
    ids.push(`/edges/https/edghts_1/routes/edghtsrt_1/${module}`)
  }
  await all('GET')
  await all('PATCH', { metadata: 'changed' })
  for (const { id } of gateway.reservedDomains.list().reserved_domains) {
    gateway.provisioning.printTimeline(id)
    ignoreRefusal(() => gateway.provisioning.attempt(id))
    await expectAnswer('PATCH', `/reserved_domains/${id}`, {
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
    })
  }
  for (const { id } of gateway.tlsCertificates.list().tls_certificates) {
    ignoreRefusal(() => gateway.authority.privateKeyPem(id))
  }
  gateway.provisioning.pendingOutcomes()
  gateway.dns.records()
  gateway.clock.advance(Math.min(100 * 86_400_000, Date.UTC(9999, 11, 31) - gateway.clock.now))
  gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot())))
  await all('GET')
  await expectAnswer('POST', '/reserved_domains', { json: { domain: 'new.example.com' } })
  await all('DELETE')
  gateway.clock.advanceToNext()
  gateway.snapshot()
}

function ignoreRefusal(call: () => unknown): void {
  try {
    call()
  } catch (error) {
    if ((error as GatewayError).key === undefined) throw error
  }
}
