import { describe, expect, test } from 'vitest'
import { client, outcome, refusalOf } from '../support/client.ts'
import { open } from '../support/gateway.ts'

const DOMAIN = 'app.example.com'
const ECDSA = { authority: 'letsencrypt', private_key_type: 'ecdsa' } as const

/** A gateway with a managed domain whose certificate was issued at once. */
function managed() {
  const gateway = open({ provisioningDelay: 0 })
  const domain = gateway.reservedDomains.create({ domain: DOMAIN, certificate_management_policy: ECDSA })
  const certificate_id = domain.certificate?.id as string
  return { gateway, domain, certificate_id }
}

describe('An automatic certificate', () => {
  test('cannot be deleted while it is in use (rules: tls-certificates#deletion)', async () => {
    const { gateway, certificate_id } = managed()
    const answer = await client(gateway)('DELETE', `/tls_certificates/${certificate_id}`)
    expect(outcome(answer)).toBe('409 ERR_GATEWAY_1966')
  })

  test('cannot be named as certificate_id of another domain (rules: domain-certificates#which-certificates)', () => {
    const { gateway, certificate_id } = managed()
    const { id } = gateway.reservedDomains.create({ domain: 'other.example.com' })
    const update = () => gateway.reservedDomains.update(id, { certificate_id })
    expect(refusalOf(update)).toBe('certificate_not_uploaded')
  })

  test('may be sent back by its own domain, beside the policy or alone (rules: domain-certificates#own-certificate)', () => {
    const { gateway, domain, certificate_id } = managed()
    const beside = { certificate_id, certificate_management_policy: ECDSA }
    expect(gateway.reservedDomains.update(domain.id, beside)).toEqual(domain)
    expect(gateway.reservedDomains.update(domain.id, { certificate_id, metadata: 'x' })).toEqual({
      ...domain,
      metadata: 'x',
    })
  })
})
