import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { createGateway, manualClock } from '../../../src/index.ts'
import { catchError } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { upload } from '../../support/pem.ts'
import { SSH_KEYS } from './ssh-keys.ts'

type Texts = { readonly description?: string; readonly metadata?: string }
type Ngrok = ReturnType<typeof createNgrok>
type FamilyName = { [Name in keyof Ngrok]: Ngrok[Name] extends { update: unknown } ? Name : never }[keyof Ngrok]

/** The error numbers of a long description and of long metadata, and the other required fields of a body. */
const FAMILIES: readonly [FamilyName, description: number, metadata: number, more?: (gateway: Ngrok) => object][] = [
  ['reservedAddrs', 504, 505],
  ['reservedDomains', 420, 421, () => ({ domain: 'a.example.com' })],
  ['tlsCertificates', 1914, 1915, () => upload()],
  ['weightedBackends', 215, 215],
  ['tunnelGroupBackends', 6503, 6504],
  ['failoverBackends', 6503, 6504],
  ['httpResponseBackends', 6503, 6504],
  ['staticBackends', 6503, 6504, () => ({ address: 'a:1' })],
  ['httpsEdges', 7073, 7074],
  ['tcpEdges', 7073, 7074],
  ['tlsEdges', 7073, 7074],
  ['ipPolicies', 215, 215],
  [
    'ipPolicyRules',
    1421,
    215,
    (gateway) => ({ ip_policy_id: gateway.ipPolicies.create().id, cidr: '10.0.0.0/8', action: 'allow' }),
  ],
  ['vaults', 215, 215, () => ({ name: 'keys' })],
  [
    'vaultSecrets',
    215,
    215,
    (gateway) => ({ vault_id: gateway.vaults.create({ name: 'v' }).id, name: 's', value: 'v' }),
  ],
  ['credentials', 604, 605],
  ['sshCredentials', 604, 605, () => ({ public_key: SSH_KEYS.ed25519 })],
  ['apiKeys', 604, 605],
  [
    'endpoints',
    18012,
    18013,
    () => ({ url: 'https://a.internal', traffic_policy: 'on_http_request: [{ actions: [{ type: deny }] }]' }),
  ],
  ['kubernetesOperators', 215, 215],
]

/** The calls of a family that take texts. */
interface WithTexts {
  create(body: object): { readonly id: string }
  update(id: string, texts: Texts): object
}

/** Creates a text of this many bytes. At most one of its characters does not have two bytes. */
const createText = (bytes: number) => 'é'.repeat(Math.floor(bytes / 2)) + 'e'.repeat(bytes % 2)

describe('In the dialect ngrok a description has at most 255 bytes, a metadata 4096 (rules: limits#strings)', () => {
  test.each(FAMILIES)('%s', (name, description, metadata, more = () => ({})) => {
    const gateway = createNgrok({ clock: manualClock(CLOCK_START) })
    const family = gateway[name] as unknown as WithTexts // Each row has the body of its own family.
    const body = more(gateway)
    const texts = { description: createText(255), metadata: createText(4096) }
    const created = family.create({ ...body, ...texts })
    expect(created).toMatchObject(texts)
    const before = JSON.stringify(gateway.snapshot())
    for (const [wrong, number] of [
      [{ description: createText(256) }, description],
      [{ metadata: createText(4097) }, metadata],
    ] as const) {
      expect(catchError(() => family.create({ ...body, ...wrong }))?.code).toBe(`ERR_NGROK_${number}`)
      expect(catchError(() => family.update(created.id, wrong))?.code).toBe(`ERR_NGROK_${number}`)
    }
    expect(JSON.stringify(gateway.snapshot())).toBe(before)
    expect(family.update(created.id, texts)).toMatchObject(texts)
  })

  test('The standard dialect limits only the texts for which the API reference names a limit', () => {
    const gateway = createGateway()
    const texts = { description: createText(256), metadata: createText(4097) }
    expect(gateway.weightedBackends.create(texts)).toMatchObject(texts)
  })

  test('A longer text in a snapshot is restored', () => {
    const gateway = createNgrok()
    gateway.weightedBackends.create({ metadata: 'long' })
    const long = createText(5000)
    gateway.restore(JSON.parse(JSON.stringify(gateway.snapshot()).replace('"long"', JSON.stringify(long))))
    expect(gateway.weightedBackends.list().backends[0]?.metadata).toBe(long)
  })
})
