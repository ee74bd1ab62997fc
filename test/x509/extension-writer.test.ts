import { describe, expect, it } from 'vitest'
import * as bytes from '../../src/x509/bytes.ts'
import { type Asn1, parse } from '../../src/x509/der.ts'
import { derOf, sequence } from '../../src/x509/der-writer.ts'
import {
  alternativeNames,
  authorityKeyIdentifier,
  basicConstraints,
  dnsName,
  extendedKeyUsage,
  keyUsage,
  subjectKeyIdentifier,
} from '../../src/x509/extension-writer.ts'
import { readExtensions } from '../../src/x509/extensions.ts'

const TRUE = '0101ff'
const hexOf = (element: Asn1) => bytes.hexOf(derOf(element))

describe('writing extensions (RFC 5280, 4.2.1), byte for byte as openssl writes them', () => {
  it.each([
    ['root', `300f0603551d13${TRUE}040530030101ff`],
    ['intermediate', `30120603551d13${TRUE}040830060101ff020100`],
    ['leaf', `300c0603551d13${TRUE}04023000`],
  ] as const)('basic constraints of a %s', (role, hex) => expect(hexOf(basicConstraints(role))).toBe(hex))

  it.each([
    [['digitalSignature'], '03020780'],
    [['digitalSignature', 'keyEncipherment'], '030205a0'],
    [['keyEncipherment', 'digitalSignature'], '030205a0'],
    [['keyCertSign', 'cRLSign'], '03020106'],
    [['encipherOnly'], '03020001'],
  ] as const)('key usage %j', (usages, value) => {
    expect(hexOf(keyUsage(usages))).toBe(`300e0603551d0f${TRUE}0404${value}`)
    const { key_usages } = readExtensions(parse(derOf(sequence(keyUsage(usages)))))
    expect([...key_usages].sort()).toEqual([...usages].sort())
  })

  it('extended key usage', () => {
    expect(hexOf(extendedKeyUsage(['serverAuth', 'clientAuth']))).toBe(
      '301d0603551d250416301406082b0601050507030106082b06010505070302',
    )
    expect(hexOf(extendedKeyUsage(['anyExtendedKeyUsage']))).toBe('300f0603551d25040830060604551d2500')
  })

  it('key identifiers', () => {
    expect(hexOf(subjectKeyIdentifier(Uint8Array.of(1, 2)))).toBe('300b0603551d0e040404020102')
    expect(hexOf(authorityKeyIdentifier(Uint8Array.of(1, 2)))).toBe('300d0603551d230406300480020102')
  })

  it('alternative names, critical where there is no subject', () => {
    expect(hexOf(dnsName('a.b', false))).toBe('300e0603551d11040730058203612e62')
    expect(hexOf(dnsName('a.b', true))).toBe(`30110603551d11${TRUE}040730058203612e62`)
    const both = alternativeNames(['a.b'], [bytes.bytesOf('\xc0\x00\x02\x07')])
    expect(hexOf(both)).toBe('30140603551d11040d300b8203612e628704c0000207')
    expect(readExtensions(parse(derOf(sequence(both)))).subject_alternative_names).toEqual({
      dns_names: ['a.b'],
      ips: ['192.0.2.7'],
    })
  })
})
