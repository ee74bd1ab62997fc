import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { manualClock } from '../../src/index.ts'
import { createName, ecdsaKey, leafCertificate } from '../../src/service/x509/issue.ts'
import { writePem } from '../../src/service/x509/pem.ts'
import { certificatePair } from '../../src/testing/certificates.ts'
import { CLOCK_START } from '../support/clock.ts'
import { pem } from '../support/pem.ts'
import { createVisited, policyOf } from './visits.ts'

const PAIR = certificatePair({ names: ['device.example.com'], issuers: 2, subject: { organization: 'Devices' } })
const [LEAF = '', INTERMEDIATE = '', ROOT = ''] = PAIR.certificate_pem.split(/(?=-----BEGIN)/)
const STRANGER = certificatePair({ issuers: 1, seed: 'stranger' }).certificate_pem
const EXPIRED = certificatePair({
  issuers: 1,
  notBefore: '2020-01-01T00:00:00Z',
  notAfter: '2021-01-01T00:00:00Z',
}).certificate_pem

/** Makes an HTTPS edge with modules, and the authority of {@link PAIR}. */
function openEdge(modules: (ca: string) => object) {
  const gateway = createNgrok({ clock: manualClock(CLOCK_START), provisioningDelay: 0 })
  gateway.reservedDomains.create({ domain: 'shop.example.com' })
  const ca = gateway.certificateAuthorities.create({ ca_pem: ROOT }).id
  const edge = gateway.httpsEdges.create({ hostports: ['shop.example.com:443'], ...modules(ca) })
  const backend_id = gateway.httpResponseBackends.create({ body: 'page', status_code: 200 }).id
  gateway.httpsEdgeRoutes.create(edge.id, { match: '/', match_type: 'path_prefix', backend: { backend_id } })
  const visit = async (from: object) => {
    try {
      return (await gateway.traffic.fetch('https://shop.example.com/', { from })).status
    } catch (error) {
      return Object(error).cause.code
    }
  }
  return { gateway, edge, visit }
}

// rules: traffic#client-certificates
describe('Mutual TLS of an edge', () => {
  const open = () => openEdge((ca) => ({ mutual_tls: { certificate_authority_ids: [ca] } }))

  test.each([
    ['none', {}, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    ['one of another authority', { certificate: STRANGER }, 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
    ['one without its intermediate', { certificate: LEAF }, 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
    ['one that has ended', { certificate: EXPIRED }, 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED'],
    ['one of the authority', { certificate: LEAF + INTERMEDIATE }, 200],
    ['one with the whole chain', { certificate: PAIR.certificate_pem }, 200],
  ])('with a certificate of the visitor: %s', async (_, from, expected) => {
    expect(await open().visit(from)).toBe(expected)
  })

  test('says in the trace why it rejects, and ends before a route is chosen', async () => {
    const { gateway, visit } = open()
    await visit({})
    const { trace = [], status } = gateway.traffic.last() ?? {}
    expect([status, trace.at(-1)]).toEqual([
      null,
      {
        step: 'module',
        did: "the edge rejected the visitor's TLS connection: it presents no certificate. Pass one: { from: { certificate: pem } }",
        isEnd: true,
      },
    ])
  })

  test('ends with the module, and with its authority', async () => {
    const { gateway, edge, visit } = open()
    gateway.httpsEdgeMutualTls.replace(edge.id, { enabled: false, certificate_authority_ids: [] })
    expect(await visit({})).toBe(200)
  })
})

test('TLS termination of an edge rejects visitors below its version', async () => {
  const { visit } = openEdge(() => ({ tls_termination: { min_version: '1.3' } }))
  const speaking = (version: string) => visit({ facts: { 'conn.tls.version': version } })
  expect([await visit({}), await speaking('1.3'), await speaking('TLSv1.2')]).toEqual([
    200,
    200,
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  ])
})

describe('terminate-tls', () => {
  const open = (config: object) => createVisited(policyOf('terminate-tls', config, 'on_tcp_connect'))
  const codeOf = async (visit: Promise<Response>) =>
    visit.then(
      ({ status }) => status,
      (error) => Object(error).cause.code,
    )

  test.each([
    ['require-and-verify', {}, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    ['require-and-verify', { certificate: STRANGER }, 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
    ['require-and-verify', { certificate: PAIR.certificate_pem }, 200],
    ['require-any', {}, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    ['require-any', { certificate: STRANGER }, 200],
    ['request', {}, 200],
  ])('with %s and the visitor %o', async (mutual_tls_verification_strategy, from, expected) => {
    const { visit } = open({ mutual_tls_verification_strategy, mutual_tls_certificate_authorities: [ROOT] })
    expect(await codeOf(visit('/', { from }))).toBe(expected)
  })

  test('takes authorities of the account, and rejects everybody where their ids are of none', async () => {
    const { visit, gateway } = open({ mutual_tls_certificate_authorities: ['ca_1'] })
    expect(await codeOf(visit('/', { from: { certificate: PAIR.certificate_pem } }))).toBe(
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    )
    const { id } = gateway.certificateAuthorities.create({ ca_pem: ROOT })
    const traffic_policy = policyOf('terminate-tls', { mutual_tls_certificate_authorities: [id] }, 'on_tcp_connect')
    gateway.declare.tunnelSession({ endpoints: [{ url: 'https://b.ngrok.app', traffic_policy }] })
    gateway.traffic.upstream('https://b.ngrok.app', () => new Response('up'))
    const sent = gateway.traffic.fetch('https://b.ngrok.app', { from: { certificate: PAIR.certificate_pem } })
    expect(await codeOf(sent)).toBe(200)
  })

  test('has the versions that it allows', async () => {
    const { visit } = open({ max_version: '1.2' })
    const speaking = (version: string) => codeOf(visit('/', { from: { facts: { 'conn.tls.version': version } } }))
    expect([await speaking('1.2'), await speaking('1.3')]).toEqual([200, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'])
  })
})

describe('The certificate of a visitor', () => {
  test('is what policies read of it', async () => {
    const expressions = [
      "conn.tls.client.subject.organization[0] == 'Devices'",
      "'device.example.com' in conn.tls.client.san.dns_names",
    ]
    const { visit } = createVisited(policyOf('deny', {}, 'on_http_request', expressions))
    expect((await visit('/', { from: { certificate: PAIR.certificate_pem } })).status).toBe(403)
    await expect(visit('/')).rejects.toThrow('The policy reads conn.tls.client.subject.organization')
  })

  test('has the attributes of its subject and of its issuer, each with all values', async () => {
    const key = ecdsaKey(new Uint8Array(32).fill(1))
    const subject = [
      ['C', 'DE'],
      ['O', 'A'],
      ['O', 'B'],
      ['street', 'Main 1'],
      ['postalCode', '94043'],
    ] as const
    const content = { serial: 1n, key, keyType: 'ecdsa', names: [], ips: [], not_before: 0, not_after: 1000 } as const
    const issuer = { name: createName(['postalCode', '10115'], ['OU', 'Root']), key }
    const certificate = writePem('CERTIFICATE', leafCertificate({ ...content, subject }, issuer))
    const { visit } = createVisited(
      policyOf('custom-response', {
        body: '${conn.tls.client.subject.organization} ${conn.tls.client.subject.street_address} ${conn.tls.client.subject.postal_code} ${conn.tls.client.issuer.postal_code} ${conn.tls.client.issuer.organizational_unit} ${conn.tls.client.issuer.country}',
      }),
    )
    expect(await (await visit('/', { from: { certificate } })).text()).toBe('[A, B] [Main 1] [94043] [10115] [Root] []')
  })

  test('has to be PEM', async () => {
    const { visit } = createVisited()
    await expect(visit('/', { from: { certificate: pem('key-p256') } })).rejects.toThrow('a certificate as PEM')
  })
})
