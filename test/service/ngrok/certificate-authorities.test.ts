import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { pem } from '../../support/pem.ts'
import { openGateway } from './support.ts'

const { gateway: issuer } = openGateway()
/** The root of a gateway, and another authority that openssl made. */
const ROOT = issuer.authority.certificatePem

describe('A certificate authority (rules: ngrok-families#certificate-authorities)', () => {
  test('has the fields of its certificate, as node:crypto reads them', () => {
    const { gateway } = openGateway()
    const { id, ...found } = gateway.certificateAuthorities.create({ ca_pem: `\n${ROOT}`, description: 'devices' })
    const certificate = new X509Certificate(ROOT)
    expect(id).toMatch(/^ca_/)
    expect(found).toMatchObject({
      ca_pem: ROOT,
      description: 'devices',
      not_before: new Date(certificate.validFrom).toISOString().replace('.000', ''),
      key_usages: ['keyCertSign', 'cRLSign'],
      extended_key_usages: [],
    })
    expect(certificate.subject).toContain(`CN=${found.subject_common_name}`)
    expect(gateway.certificateAuthorities.update(id, { metadata: 'm' })).toMatchObject({ ca_pem: ROOT, metadata: 'm' })
    gateway.certificateAuthorities.delete(id)
    expect(gateway.certificateAuthorities.list().certificate_authorities).toEqual([])
  })

  test.each<[number: number, json: object]>([
    [1900, { ca_pem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' }],
    [1910, { ca_pem: ROOT.replace('-----\n', '-----\na: b\n\n') }],
    [1911, { ca_pem: ROOT.replaceAll('CERTIFICATE', 'X509 CRL') }],
    [1912, { ca_pem: ROOT + ROOT }],
    [1913, { ca_pem: pem('leaf-p256') }],
    [1916, { description: 'x'.repeat(256) }],
    [1917, { metadata: 'x'.repeat(4097) }],
    [1919, { ca_pem: undefined }],
    [1919, { ca_pem: ' ' }],
    [1920, { ca_pem: 'no PEM' }],
    [1921, { ca_pem: `${ROOT}${'x'.repeat(65_536)}` }],
    [1925, { ca_pem: pem('key-p256') }],
  ])('is rejected with %i: %o', async (number, json) => {
    const { sendRefused } = openGateway()
    const outcome = await sendRefused('POST', '/certificate_authorities', { json: { ca_pem: ROOT, ...json } })
    expect(outcome).toBe(`400 ERR_NGROK_${number}`)
  })

  test('is rejected by the plan with 1918, and by a limit with 1954', async () => {
    const [free, few] = [{ plan: 'free' as const }, { limits: { certificate_authorities: 1 } }].map((account) =>
      openGateway({ account }),
    )
    const send = { json: { ca_pem: ROOT } }
    expect(await free?.sendRefused('POST', '/certificate_authorities', send)).toBe('400 ERR_NGROK_1918')
    few?.gateway.certificateAuthorities.create({ ca_pem: ROOT })
    expect(await few?.sendRefused('POST', '/certificate_authorities', send)).toBe('400 ERR_NGROK_1954')
  })

  test.each<[number: number, id: string]>([
    [228, 'x'],
    [228, 'ipp_1'],
    [7072, 'ca_1'],
  ])('that no edge finds is rejected with %i: %s', async (number, id) => {
    const { gateway, sendRefused } = openGateway()
    const edge = gateway.httpsEdges.create()
    const json = { certificate_authority_ids: [id] }
    expect(await sendRefused('PUT', `/edges/https/${edge.id}/mutual_tls`, { json })).toBe(`400 ERR_NGROK_${number}`)
  })
})
