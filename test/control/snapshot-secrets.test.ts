import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../../src/index.ts'
import { catchError } from '../support/client.ts'
import { listPaths, REMOVED, replaceAt } from '../support/damage.ts'
import { copyAsJson } from '../support/full-gateway.ts'
import { isDeeplyFrozen, open } from '../support/gateway.ts'
import { pem, upload } from '../support/pem.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const KEYS = { keys: ['ak_0123456789'], control: { key: 'ck_0123456789' } }

/** Opens a gateway with secrets of every kind, in secret fields and elsewhere. */
function openWithSecrets() {
  const gateway = open(KEYS)
  const { id } = gateway.tlsCertificates.create(upload('p256'))
  gateway.webhookVerification.replace(ROUTE, { provider: 'github', secret: 'hush-hush-hush' })
  gateway.reservedAddrs.create({ description: 'of ak_0123456789', metadata: `see ${pem('key-rsa2048')}` })
  const config = { server_private_key: pem('key-ed25519'), password: 'open sesame' }
  gateway.trafficPolicy.replace(ROUTE, { inbound: [{ actions: [{ type: 'terminate-tls', config }] }] })
  return { gateway, id }
}

const toText = (snapshot: Snapshot) => JSON.stringify(snapshot)
const lineOf = (key: string) => pem(key).split('\n')[1] as string
const secrets = [lineOf('key-p256'), lineOf('key-rsa2048'), lineOf('key-ed25519'), 'hush-hush-hush', 'ak_0123456789']

describe('A snapshot as JSON (rules: secrets#snapshots)', () => {
  it('has no secrets unless `privateKeys` is set', () => {
    const { gateway } = openWithSecrets()
    const snapshot = gateway.snapshot()
    for (const secret of secrets) expect(toText(snapshot)).not.toContain(secret)
    const { records } = snapshot
    expect(records.webhook_verification).toMatchObject([{ module: { provider: 'github', secret: '[redacted]' } }])
    expect(records.reserved_addrs).toMatchObject([{ description: 'of [redacted]', metadata: 'see [redacted]\n' }])
    expect(records.tls_certificates).toMatchObject([{ upload: { certificate_pem: pem('leaf-p256') } }])
    const [policy] = records.traffic_policy as [{ module: { inbound: [{ actions: [{ config: object }] }] } }]
    expect(policy.module.inbound[0].actions[0].config).toEqual({
      server_private_key: '[redacted]',
      // No rule marks this field as secret.
      password: 'open sesame',
    })
    expect(Object.values(records).flat().every(isDeeplyFrozen)).toBe(true)
  })

  it('restores a gateway that shows where a secret was', () => {
    const { gateway } = openWithSecrets()
    const other = open(KEYS)
    other.restore(JSON.parse(toText(gateway.snapshot())))
    expect(other.webhookVerification.get(ROUTE)).toEqual({ enabled: true, provider: 'github', secret: '[redacted]' })
    expect(toText(other.snapshot())).toBe(toText(gateway.snapshot()))
  })

  it('has all secrets if `privateKeys` is set, and restores the same gateway', () => {
    const { gateway, id } = openWithSecrets()
    const fullSnapshot = gateway.snapshot({ privateKeys: true })
    for (const secret of secrets) expect(toText(fullSnapshot)).toContain(secret)
    const other = open(KEYS)
    other.restore(copyAsJson(fullSnapshot))
    expect(other.webhookVerification.get(ROUTE).secret).toBe('hush-hush-hush')
    expect(other.authority.privateKeyPem(id)).toBe(gateway.authority.privateKeyPem(id))
  })

  it('is rejected with messages without secrets, whatever is wrong with it', () => {
    const { gateway } = openWithSecrets()
    const fullSnapshot = copyAsJson(gateway.snapshot({ privateKeys: true }))
    const other = open(KEYS)
    const values = [pem('key-p256'), 'hush-hush-hush', `of ${KEYS.keys[0]}`, ['hush-hush-hush'], 5, null, REMOVED]
    let refusals = 0
    for (const path of listPaths(fullSnapshot)) {
      for (const value of values) {
        // Only its field marks a webhook secret. Elsewhere the secret is an ordinary text.
        const isRemoved = 'records.webhook_verification.0.module.secret'.startsWith(path.join('.'))
        if (isRemoved && JSON.stringify(value)?.includes('hush')) continue
        const damagedSnapshot = replaceAt(fullSnapshot, path, value)
        const error = catchError(() => other.restore(damagedSnapshot))
        if (!error) continue
        refusals++
        const errorText = JSON.stringify([error.message, error.details])
        for (const secret of secrets) expect(errorText, path.join('.')).not.toContain(secret)
      }
    }
    expect(refusals).toBeGreaterThan(200)
  })
})
