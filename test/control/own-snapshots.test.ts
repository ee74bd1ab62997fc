import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createGateway, manualClock } from '../../src/index.ts'
import { CLOCK_START } from '../support/clock.ts'
import { copyAsJson, createFullGateway } from '../support/full-gateway.ts'
import { pem } from '../support/pem.ts'

const ROUTE = { edge_id: 'edghts_1', id: 'edghtsrt_1' }
const SECRET = 'a-webhook-secret-of-the-test'

/** Opens a full gateway with two secrets: the key of an upload, and the secret of a webhook. */
async function openWithSecrets() {
  const gateway = await createFullGateway()
  gateway.webhookVerification.replace(ROUTE, { provider: 'github', secret: SECRET })
  const certificate = gateway.tlsCertificates.list({ filter: 'obj.description == "d"' }).tls_certificates[0]?.id ?? ''
  const keyLine = pem('key-p256').split('\n')[1] as string
  return { gateway, certificate, secrets: [keyLine, SECRET] }
}

describe('A snapshot object, in the process that created it (rules: secrets#snapshots)', () => {
  it('restores everything: `restore(snapshot())` changes nothing, keys and secrets included', async () => {
    const { gateway, certificate } = await openWithSecrets()
    const before = gateway.snapshot({ privateKeys: true })
    gateway.restore(gateway.snapshot())
    expect(gateway.snapshot({ privateKeys: true })).toStrictEqual(before)
    expect(gateway.authority.privateKeyPem(certificate)).toBe(pem('key-p256'))
    expect(gateway.webhookVerification.get(ROUTE).secret).toBe(SECRET)
  })

  it('restores the keys in another gateway too', async () => {
    const { gateway, certificate } = await openWithSecrets()
    const other = createGateway({ clock: manualClock(CLOCK_START) })
    other.restore(gateway.snapshot())
    expect(other.authority.privateKeyPem(certificate)).toBe(pem('key-p256'))
    expect(other.webhookVerification.get(ROUTE).secret).toBe(SECRET)
    expect(other.snapshot()).toEqual({ ...gateway.snapshot(), rateLimit: [] })
  })

  it('shows no secret in its JSON, its printed form, a clone or its properties', async () => {
    const { gateway, secrets } = await openWithSecrets()
    const snapshot = gateway.snapshot()
    const texts = {
      json: JSON.stringify(snapshot),
      printed: inspect(snapshot, { showHidden: true, depth: null, getters: true, customInspect: false }),
      clone: inspect(structuredClone(snapshot), { showHidden: true, depth: null }),
      properties: inspect(Object.getOwnPropertyDescriptors(snapshot), { depth: null }),
    }
    for (const text of Object.values(texts)) for (const secret of secrets) expect(text).not.toContain(secret)
    expect(Reflect.ownKeys(snapshot)).toEqual(['version', 'now', 'seed', 'sequence', 'rateLimit', 'records'])
    expect(Object.getPrototypeOf(snapshot)).toBe(Object.prototype)
  })

  it.each<[string, (snapshot: ReturnType<typeof copyAsJson>) => unknown]>([
    ['its JSON', copyAsJson],
    ['a copy', (snapshot) => ({ ...snapshot })],
    ['a clone', structuredClone],
    [
      'a copy with all properties',
      (snapshot) => Object.create(Object.prototype, Object.getOwnPropertyDescriptors(snapshot)),
    ],
    [
      'an object that inherits from it',
      (snapshot) => Object.create(snapshot, Object.getOwnPropertyDescriptors(snapshot)),
    ],
  ])('is read like JSON, without the keys, if `restore` gets %s', async (_what, convert) => {
    const { gateway, certificate } = await openWithSecrets()
    const copy = convert(gateway.snapshot()) as ReturnType<typeof copyAsJson>
    gateway.restore(copy)
    expect(() => gateway.authority.privateKeyPem(certificate)).toThrow(/was omitted from the snapshot/)
    const damagedCopy = { ...copy, sequence: -1 }
    expect(() => gateway.restore(damagedCopy)).toThrow(/^sequence is -1\. Allowed: an integer, from 0 to \d+\.$/)
  })

  it('equals, by `toEqual` and `toStrictEqual`, a snapshot of an equal state, and its JSON', async () => {
    const gateway = await createFullGateway()
    const before = gateway.snapshot()
    expect(gateway.snapshot()).toEqual(before)
    expect(gateway.snapshot()).toStrictEqual(before)
    expect(copyAsJson(before)).toStrictEqual(before)
    gateway.reservedAddrs.create()
    expect(gateway.snapshot()).not.toEqual(before)
  })

  it('restores the same state even after the gateway has changed', async () => {
    const { gateway, certificate } = await openWithSecrets()
    const snapshot = gateway.snapshot()
    for (const { id } of gateway.reservedDomains.list().reserved_domains) gateway.reservedDomains.delete(id)
    gateway.tlsCertificates.delete(certificate)
    gateway.clock.advance('90d')
    gateway.restore(snapshot)
    expect(gateway.snapshot()).toStrictEqual(snapshot)
    expect(gateway.authority.privateKeyPem(certificate)).toBe(pem('key-p256'))
  })
})
