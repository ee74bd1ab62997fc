import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../../src/index.ts'
import { catchError } from '../support/client.ts'
import { listPaths, REMOVED, replaceAt } from '../support/damage.ts'
import { copyAsJson } from '../support/full-gateway.ts'
import { isDeeplyFrozen, open } from '../support/gateway.ts'
import { pem, upload } from '../support/pem.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const KEYS = { keys: ['ak_0123456789'], control: { key: 'ck_0123456789' } }

/** A gateway with secrets of every kind, in the places of secrets and elsewhere. */
function keeping() {
  const gateway = open(KEYS)
  const { id } = gateway.tlsCertificates.create(upload('p256'))
  gateway.webhookVerification.replace(ROUTE, { provider: 'github', secret: 'hush-hush-hush' })
  gateway.reservedAddrs.create({ description: 'of ak_0123456789', metadata: `see ${pem('key-rsa2048')}` })
  const config = { server_private_key: pem('key-ed25519'), password: 'open sesame' }
  gateway.trafficPolicy.replace(ROUTE, { inbound: [{ actions: [{ type: 'terminate-tls', config }] }] })
  return { gateway, id }
}

const text = (snapshot: Snapshot) => JSON.stringify(snapshot)
const line = (key: string) => pem(key).split('\n')[1] as string
const secrets = [line('key-p256'), line('key-rsa2048'), line('key-ed25519'), 'hush-hush-hush', 'ak_0123456789']

describe('A snapshot as JSON (rules: secrets#snapshots)', () => {
  it('has no secrets unless `privateKeys` is set', () => {
    const { gateway } = keeping()
    const snapshot = gateway.snapshot()
    for (const secret of secrets) expect(text(snapshot)).not.toContain(secret)
    const { records } = snapshot
    expect(records.webhook_verification).toMatchObject([{ module: { provider: 'github', secret: '[redacted]' } }])
    expect(records.reserved_addrs).toMatchObject([{ description: 'of [redacted]', metadata: 'see [redacted]\n' }])
    expect(records.tls_certificates).toMatchObject([{ upload: { certificate_pem: pem('leaf-p256') } }])
    const [policy] = records.traffic_policy as [{ module: { inbound: [{ actions: [{ config: object }] }] } }]
    expect(policy.module.inbound[0].actions[0].config).toEqual({
      server_private_key: '[redacted]\n',
      // Nothing says that this one is secret.
      password: 'open sesame',
    })
    expect(Object.values(records).flat().every(isDeeplyFrozen)).toBe(true)
  })

  it('gives a gateway that says where a secret was', () => {
    const { gateway } = keeping()
    const other = open(KEYS)
    other.restore(JSON.parse(text(gateway.snapshot())))
    expect(other.webhookVerification.get(ROUTE)).toEqual({ enabled: true, provider: 'github', secret: '[redacted]' })
    expect(text(other.snapshot())).toBe(text(gateway.snapshot()))
  })

  it('has all secrets if `privateKeys` is set, and gives the same gateway', () => {
    const { gateway, id } = keeping()
    const whole = gateway.snapshot({ privateKeys: true })
    for (const secret of secrets) expect(text(whole)).toContain(secret)
    const other = open(KEYS)
    other.restore(copyAsJson(whole))
    expect(other.webhookVerification.get(ROUTE).secret).toBe('hush-hush-hush')
    expect(other.authority.privateKeyPem(id)).toBe(gateway.authority.privateKeyPem(id))
  })

  it('is refused with messages without secrets, whatever is wrong with it', () => {
    const { gateway } = keeping()
    const whole = copyAsJson(gateway.snapshot({ privateKeys: true }))
    const other = open(KEYS)
    const values = [pem('key-p256'), 'hush-hush-hush', `of ${KEYS.keys[0]}`, ['hush-hush-hush'], 5, null, REMOVED]
    let refused = 0
    for (const path of listPaths(whole)) {
      for (const value of values) {
        // A webhook secret is known by the place that it has; without that it is a text.
        const isTakenAway = 'records.webhook_verification.0.module.secret'.startsWith(path.join('.'))
        if (isTakenAway && JSON.stringify(value)?.includes('hush')) continue
        const damaged = replaceAt(whole, path, value)
        const error = catchError(() => other.restore(damaged))
        if (!error) continue
        refused++
        const said = JSON.stringify([error.message, error.details])
        for (const secret of secrets) expect(said, path.join('.')).not.toContain(secret)
      }
    }
    expect(refused).toBeGreaterThan(200)
  })
})
