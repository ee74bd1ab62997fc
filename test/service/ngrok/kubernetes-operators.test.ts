import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { writePem } from '../../../src/service/x509/pem.ts'
import { CLOCK_START, SHOWN_START } from '../../support/clock.ts'
import { openssl, testOpenssl, verifyChain } from '../../support/openssl.ts'
import { timeAfter } from '../../support/provisioning.ts'
import { element } from '../x509/support.ts'
import { CSR, OTHER_CSR as OTHER } from './certificate-requests.ts'
import { openGateway } from './support.ts'

const PATH = '/kubernetes_operators'

describe('Kubernetes operators', () => {
  test('with bindings have an ingress endpoint at once, the default or the one that was sent', () => {
    const { gateway } = openGateway()
    const ingressOf = (binding: object) =>
      gateway.kubernetesOperators.create({ enabled_features: ['Bindings'], binding }).binding.ingress_endpoint
    expect(ingressOf({})).toBe('connect.ngrok-endpoints.com:443')
    expect(ingressOf({ ingress_endpoint: 'here:443' })).toBe('here:443')
    const deployment = { name: 'n', namespace: 's', version: '1', cluster_name: 'c' }
    expect(gateway.kubernetesOperators.create({ deployment }).deployment).toEqual(deployment)
  })

  test.each<[number: number, json: object]>([
    [19001, { binding: { csr: 'none' } }],
    [19001, { binding: { csr: CSR + OTHER } }],
    [19001, { binding: { csr: CSR.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE') } }],
    [19001, { binding: { csr: CSR.replace('MIH', 'MIG') } }],
    [
      19001,
      { binding: { csr: `${CSR.split('\n').slice(0, 4).join('\n')}\n${OTHER.split('\n').slice(4).join('\n')}` } },
    ],
    [19002, { enabled_features: ['egress'] }],
    [19002, { enabled_features: [7] }],
    [19002, { enabled_features: 'ingress' }],
    [19003, { binding: { endpoint_selectors: ['true', 'endpoint.'] } }],
    [231, { filter: 'true' }],
  ])('are rejected with %i, also in an update: %o', async (number, json) => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.kubernetesOperators.create()
    const code = `400 ERR_NGROK_${number}`
    if (number === 231) expect(await sendRefused('GET', `${PATH}?filter=true`)).toBe(code)
    else {
      expect(await sendRefused('POST', PATH, { json })).toBe(code)
      expect(await sendRefused('PATCH', `${PATH}/${id}`, { json })).toBe(code)
    }
  })

  test('cannot move to another namespace', async () => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.kubernetesOperators.create()
    const json = { deployment: { namespace: 'other' } }
    expect(await sendRefused('PATCH', `${PATH}/${id}`, { json })).toBe('400 ERR_NGROK_214')
  })
})

describe('The bound endpoints of a Kubernetes operator', () => {
  test.each<[selectors: string[] | undefined, bound: string[], features?: string[]]>([
    [['true'], ['tcp://b.ns:1', 'http://a.ns']],
    [['endpoint.proto == "tcp"'], ['tcp://b.ns:1']],
    [['endpoint.metadata == "m"', 'false'], ['http://a.ns']],
    [['endpoint.unknown == 1', 'obj.proto == "tcp"', '1 + 1'], []],
    [[], []],
    [undefined, []],
    [['true'], [], ['ingress']],
  ])('with the selectors %j are the endpoints that match a selector: %j', async (selectors, bound, features) => {
    const { gateway, send } = openGateway()
    const create = (url: string, binding: string, metadata: string) =>
      gateway.endpoints.create({ url, bindings: [binding], traffic_policy: '{}', metadata })
    create('http://a.ns', 'kubernetes', 'm')
    create('https://a.internal', 'internal', 'm')
    create('tcp://b.ns:1', 'kubernetes', '')
    const { id } = gateway.kubernetesOperators.create({
      enabled_features: features ?? ['bindings'],
      binding: { endpoint_selectors: selectors },
    })
    const { body } = await send('GET', `${PATH}/${id}/bound_endpoints`)
    expect(body).toMatchObject({ uri: `${gateway.url}${PATH}/${id}/bound_endpoints`, next_page_uri: null })
    expect(body.endpoints.map(({ url }: { url: string }) => url)).toEqual(bound)
    const one = await send('GET', `${PATH}/${id}/bound_endpoints?url=tcp%3A%2F%2Fb.ns%3A1`)
    expect(one.body.endpoints).toEqual(body.endpoints.filter(({ url }: { url: string }) => url === 'tcp://b.ns:1'))
  })

  test('need an existing operator, and take no filter', async () => {
    const { gateway, sendRefused } = openGateway()
    const { id } = gateway.kubernetesOperators.create()
    expect(await sendRefused('GET', `${PATH}/${id}/bound_endpoints?filter=true`)).toBe('400 ERR_NGROK_231')
    expect(await sendRefused('GET', `${PATH}/k8sop_1/bound_endpoints`)).toBe('404 ERR_NGROK_90404')
  })
})

/** Creates a certificate request with a subject of these bytes, signed by its own key. */
function createRequest(subject: Uint8Array): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const version = element(0x02, '\0')
  const info = element(0x30, version, subject, publicKey.export({ type: 'spki', format: 'der' }), element(0xa0))
  const algorithm = element(0x30, element(0x06, '\x2b\x65\x70'))
  const signature = element(0x03, '\0', sign(null, info, privateKey))
  return writePem('CERTIFICATE REQUEST', element(0x30, info, algorithm, signature))
}

describe("The certificate for an operator's request", () => {
  test('needs a request whose subject is a name', () => {
    const { gateway } = openGateway()
    const create = (csr: string) => gateway.kubernetesOperators.create({ binding: { csr } })
    expect(create(createRequest(element(0x30))).binding.cert.cert).toContain('BEGIN CERTIFICATE')
    for (const subject of [element(0x04, 'CN=a'), element(0x30, element(0x05))]) {
      expect(() => create(createRequest(subject))).toThrow('its subject is missing or malformed')
    }
  })

  test('needs a request without damage, even if its PEM block has very many headers', async () => {
    const csr = CSR.replace('\n', `\n${'a:b\n'.repeat(150_000)}`)
    expect(await openGateway().sendRefused('POST', PATH, { json: { binding: { csr } } })).toBe('400 ERR_NGROK_19001')
  })

  test('is for the key and the subject of the request, for clients, for 365 days, by the authority of the gateway', () => {
    const { gateway } = openGateway()
    const { cert, not_before, not_after } = gateway.kubernetesOperators.create({ binding: { csr: CSR } }).binding.cert
    const [leaf, intermediate] = cert.split(/(?<=-----END CERTIFICATE-----\n)/).map((each) => new X509Certificate(each))
    const root = new X509Certificate(gateway.authority.certificatePem)
    if (!leaf || !intermediate) throw new Error('The chain has no two certificates.')
    expect(leaf.verify(intermediate.publicKey) && intermediate.verify(root.publicKey)).toBe(true)
    expect([leaf.subject, leaf.keyUsage, leaf.ca]).toEqual(['CN=an operator', ['1.3.6.1.5.5.7.3.2'], false])
    expect([not_before, not_after]).toEqual([SHOWN_START, timeAfter('365d')])
    expect([leaf.validFrom, leaf.validTo].map(Date.parse)).toEqual([not_before, not_after].map(Date.parse))
  })

  test('stays for the same request until 30 days before its expiry, and changes with the request', () => {
    const { gateway } = openGateway()
    const { id, binding } = gateway.kubernetesOperators.create({ binding: { csr: CSR } })
    const updateCert = (csr?: string) => gateway.kubernetesOperators.update(id, { binding: { csr } }).binding.cert
    gateway.clock.advance('334d')
    expect([updateCert(CSR), updateCert(), updateCert('')]).toEqual([binding.cert, binding.cert, binding.cert])
    gateway.clock.advance('1d')
    expect(updateCert()).toEqual(binding.cert)
    expect(updateCert(CSR)).toMatchObject({ not_before: timeAfter('335d'), not_after: timeAfter('700d') })
    const renewed = updateCert(CSR)
    expect(updateCert(OTHER).cert).not.toBe(renewed.cert)
  })

  testOpenssl.each([
    ['P-384', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['Ed25519', ['-newkey', 'ed25519']],
    ['RSA', ['-newkey', 'rsa:2048']],
  ] as const)('is valid for openssl with a key of %s', (_name, key) => {
    const { gateway } = openGateway()
    const flags = ['-nodes', '-keyout', 'key.pem', '-subj', '/O=cluster/CN=operator']
    const csr = openssl({}, 'req', '-new', ...key, ...flags).output.replace(/^.*?(?=-----BEGIN CERT)/s, '')
    const { cert } = gateway.kubernetesOperators.create({ binding: { csr } }).binding.cert
    const { status, output } = verifyChain(gateway.authority.certificatePem, cert, CLOCK_START, '-purpose', 'sslclient')
    expect(status, output).toBe(0)
    const keyOf = (command: string, pem: string) =>
      openssl({ 'a.pem': pem }, command, '-in', 'a.pem', '-noout', '-pubkey')
    expect(keyOf('x509', cert)).toEqual(keyOf('req', csr))
  })
})
