import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, manualClock } from '../../src/index.ts'
import { caughtFrom } from '../support/client.ts'
import { upload } from '../support/pem.ts'
import { SSH_KEYS } from './ssh-keys.ts'

type Texts = { readonly description?: string; readonly metadata?: string }
type Ngrok = ReturnType<typeof createNgrok>

const policyOf = (gateway: Ngrok) => gateway.ipPolicies.list().ip_policies[0]?.id ?? gateway.ipPolicies.create().id
const vaultOf = (gateway: Ngrok) => gateway.vaults.list().vaults[0]?.id ?? gateway.vaults.create({ name: 'v' }).id

/** The call that makes a resource with these texts, and the numbers of the errors of a description and a metadata too long. */
const FAMILIES: readonly [name: string, description: number, metadata: number, (g: Ngrok, texts: Texts) => unknown][] =
  [
    ['reserved_addrs', 215, 505, (g, texts) => g.reservedAddrs.create(texts)],
    ['reserved_domains', 215, 421, (g, texts) => g.reservedDomains.create({ domain: 'a.example.com', ...texts })],
    ['tls_certificates', 1914, 1915, (g, texts) => g.tlsCertificates.create({ ...upload(), ...texts })],
    ['weighted_backends', 215, 215, (g, texts) => g.weightedBackends.create(texts)],
    ['ip_policies', 215, 215, (g, texts) => g.ipPolicies.create(texts)],
    [
      'ip_policy_rules',
      1421,
      215,
      (g, texts) =>
        g.ipPolicyRules.create({ ip_policy_id: policyOf(g), cidr: '10.0.0.0/8', action: 'allow', ...texts }),
    ],
    ['vaults', 215, 215, (g, texts) => g.vaults.create({ name: 'keys', ...texts })],
    [
      'vault_secrets',
      215,
      215,
      (g, texts) => g.vaultSecrets.create({ vault_id: vaultOf(g), name: 's', value: 'v', ...texts }),
    ],
    ['credentials', 604, 605, (g, texts) => g.credentials.create(texts)],
    ['ssh_credentials', 604, 605, (g, texts) => g.sshCredentials.create({ public_key: SSH_KEYS.ed25519, ...texts })],
    ['api_keys', 604, 605, (g, texts) => g.apiKeys.create(texts)],
    [
      'endpoints',
      18012,
      18013,
      (g, texts) => g.endpoints.create({ url: 'https://a.internal', traffic_policy: '{}', ...texts }),
    ],
    ['kubernetes_operators', 215, 215, (g, texts) => g.kubernetesOperators.create(texts)],
  ]

/** A text of as many bytes as said, in characters of two bytes but for one. */
const ofBytes = (bytes: number) => 'é'.repeat(Math.floor(bytes / 2)) + 'e'.repeat(bytes % 2)

describe('In the dialect ngrok a description has at most 255 bytes, a metadata 4096 (rules: limits#texts)', () => {
  test.each(FAMILIES)('%s', (family, description, metadata, create) => {
    const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z') })
    create(gateway, {}) // What others refer to is there now.
    const before = JSON.stringify(gateway.snapshot())
    const numberOf = (texts: Texts) => caughtFrom(() => create(gateway, texts))?.code
    expect(numberOf({ description: ofBytes(256) })).toBe(`ERR_NGROK_${description}`)
    expect(numberOf({ metadata: ofBytes(4097) })).toBe(`ERR_NGROK_${metadata}`)
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    const other = createNgrok()
    const texts = { description: ofBytes(255), metadata: ofBytes(4096) }
    expect(create(other, texts), family).toMatchObject(texts)
  })

  test('The standard dialect limits only the texts for which the API reference names a limit', () => {
    const gateway = createGateway()
    const texts = { description: ofBytes(256), metadata: ofBytes(4097) }
    expect(gateway.weightedBackends.create(texts)).toMatchObject(texts)
  })

  test('A longer text that a snapshot holds stays', () => {
    const gateway = createNgrok()
    gateway.weightedBackends.create({ metadata: 'long' })
    const long = ofBytes(5000)
    gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot()).replace('"long"', JSON.stringify(long))))
    expect(gateway.weightedBackends.list().backends[0]?.metadata).toBe(long)
  })
})
