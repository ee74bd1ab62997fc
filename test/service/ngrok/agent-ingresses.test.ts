import { describe, expect, test } from 'vitest'
import { openGateway } from './support.ts'

const DOMAIN = 'connect.example.com'

describe('An agent ingress (rules: ngrok-families#agent-ingresses)', () => {
  test.each<[number: number, json: object]>([
    [6700, { description: 'x'.repeat(256) }],
    [6701, { metadata: 'x'.repeat(4097) }],
    [6704, { domain: undefined }],
    [6704, { domain: 'no domain' }],
    [6704, { domain: '*.example.com' }],
    [6705, { domain: 'agents.ngrok.app' }],
    [6706, { domain: DOMAIN.toUpperCase() }],
    [435, { certificate_management_policy: { authority: 'nobody' } }],
    [1909, { certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'dsa' } }],
  ])('is rejected with %i: %o', async (number, json) => {
    const { gateway, sendRefused } = openGateway()
    gateway.agentIngresses.create({ domain: DOMAIN })
    const valid = { domain: 'other.example.com' }
    expect(await sendRefused('POST', '/agent_ingresses', { json: { ...valid, ...json } })).toBe(
      `400 ERR_NGROK_${number}`,
    )
  })

  test('is rejected with 6707 for an account that may have none', async () => {
    const { sendRefused } = openGateway({ account: { plan: 'free' } })
    expect(await sendRefused('POST', '/agent_ingresses', { json: { domain: DOMAIN } })).toBe('400 ERR_NGROK_6707')
  })

  test('gets its certificate by the clock, and renews it', () => {
    const { gateway } = openGateway()
    const { id, certificate_management_status: first } = gateway.agentIngresses.create({
      domain: DOMAIN,
      certificate_management_policy: { authority: 'letsencrypt' },
    })
    expect(first).toMatchObject({ renews_at: null, provisioning_job: { error_code: null, retries_at: null } })
    const status = () => gateway.agentIngresses.get(id).certificate_management_status
    gateway.clock.advance('1h')
    const issued = status()
    expect(issued?.provisioning_job).toBeNull()
    const renewsAt = issued?.renews_at ?? ''
    gateway.clock.set(renewsAt)
    expect(status()?.provisioning_job).toMatchObject({ started_at: renewsAt })
    gateway.clock.advance('1h')
    expect(Date.parse(status()?.renews_at ?? '')).toBeGreaterThan(Date.parse(renewsAt))
    expect(gateway.tlsCertificates.list().tls_certificates).toEqual([])
  })

  test('fails as the outcomes for its name say, and then succeeds', () => {
    const { gateway } = openGateway()
    gateway.provisioning.script(['DNS_ERROR'], { domain: DOMAIN })
    const policy = { authority: 'letsencrypt', private_key_type: 'rsa' } as const
    const { id } = gateway.agentIngresses.create({ domain: DOMAIN, certificate_management_policy: policy })
    const status = () => gateway.agentIngresses.get(id).certificate_management_status
    gateway.clock.advanceToNext()
    expect(status()?.provisioning_job).toMatchObject({ error_code: 'DNS_ERROR' })
    const retriesAt = status()?.provisioning_job?.retries_at ?? ''
    expect(gateway.agentIngresses.update(id, { certificate_management_policy: policy })).toEqual(
      gateway.agentIngresses.get(id),
    )
    gateway.clock.set(retriesAt)
    expect(status()?.provisioning_job).toBeNull()
  })

  test('keeps its policy and its job in a snapshot', () => {
    const { gateway } = openGateway()
    const policy = { authority: 'letsencrypt' } as const
    const { id } = gateway.agentIngresses.create({ domain: DOMAIN, certificate_management_policy: policy })
    const restored = openGateway({ initial: undefined }).gateway
    restored.restore(gateway.snapshot({ privateKeys: true }))
    expect(restored.agentIngresses.get(id)).toEqual(gateway.agentIngresses.get(id))
    restored.clock.advance('1h')
    expect(restored.agentIngresses.get(id).certificate_management_status?.provisioning_job).toBeNull()
  })
})
