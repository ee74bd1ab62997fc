import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createAuthority, testKeys } from '../../../src/service/x509/authority.ts'
import { readCertificate } from '../../../src/service/x509/certificate.ts'
import { readChain, readKey, requireMatch } from '../../../src/service/x509/uploads.ts'

import { openssl, testOpenssl, verifyChain } from '../../support/openssl.ts'
import { cases, createDraw, createOrder, kinds } from './issuing-support.ts'
import { blocksOf, derOf } from './support.ts'

const authority = createAuthority('test', createDraw('seed'))

describe('node:crypto, given certificates of an authority,', () => {
  it.each(cases)('accepts $what with an $private_key_type key', ({ order }) => {
    const { certificate_pem, private_key_pem, leaf } = authority.issue(order)
    const [certificate, intermediate, ...more] = blocksOf(certificate_pem).map((pem) => new X509Certificate(pem))
    const root = new X509Certificate(authority.certificatePem)
    if (!certificate || !intermediate) throw new Error('the chain is too short')
    expect(more).toEqual([])
    const host = order.domain.replace('*', 'any')
    expect(certificate.checkHost(host)).toBe(order.domain)
    expect(certificate.checkHost('elsewhere.example.org')).toBeUndefined()
    expect(certificate.checkIssued(intermediate) && certificate.verify(intermediate.publicKey)).toBe(true)
    expect(intermediate.checkIssued(root) && intermediate.verify(root.publicKey)).toBe(true)
    expect(root.checkIssued(root) && root.verify(root.publicKey)).toBe(true)
    expect([certificate.ca, intermediate.ca, root.ca]).toEqual([false, true, true])
    expect(certificate.checkPrivateKey(createPrivateKey(private_key_pem))).toBe(true)
    expect(certificate.publicKey.asymmetricKeyType).toBe(order.private_key_type === 'rsa' ? 'rsa' : 'ec')
    expect(Date.parse(certificate.validFrom)).toBe(Math.floor(order.not_before / 1000) * 1000)
    expect(Date.parse(certificate.validTo)).toBe(Math.floor(order.not_after / 1000) * 1000)
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
    expect(certificate.serialNumber.toLowerCase()).toBe(leaf.serial_number)
    expect(certificate.subjectAltName).toBe(`DNS:${order.domain}`)
    expect(certificate.subject ?? '').toBe(order.domain.length > 64 ? '' : `CN=${order.domain}`)
  })

  it('finds authorities that are valid at all times', () => {
    for (const pem of [authority.certificatePem, blocksOf(authority.issue(createOrder()).certificate_pem)[1] ?? '']) {
      const { validFrom, validTo } = new X509Certificate(pem)
      expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([0, Date.UTC(9999, 11, 31, 23, 59, 59)])
    }
  })
})

describe('an issued certificate', () => {
  it.each(cases)('is read back with the same fields: $what, $private_key_type', ({ order }) => {
    const { certificate_pem, private_key_pem, leaf } = authority.issue(order)
    const chain = readChain(certificate_pem)
    expect(chain.leaf.fields).toEqual(leaf)
    expect(chain.certificate_pem).toBe(certificate_pem)
    expect(readKey(private_key_pem).private_key_pem).toBe(private_key_pem)
    requireMatch(chain.leaf, readKey(private_key_pem).key)
    readChain(certificate_pem + authority.certificatePem)
  })

  it.each([
    ['rsa', ['digitalSignature', 'keyEncipherment']],
    ['ecdsa', ['digitalSignature']],
  ] as const)('with a key of the type %s has the usages %j', (private_key_type, key_usages) => {
    expect(authority.issue(createOrder({ private_key_type })).leaf).toMatchObject({
      key_usages,
      issuer_common_name: 'fauxgate test intermediate',
      serial_number: expect.stringMatching(/^[4-7][0-9a-f]{31}$/),
    })
  })

  it('uses two random streams by the number of its order, one for keys and one for serial numbers', () => {
    const streams: string[] = []
    const ownAuthority = createAuthority('test', (stream, number) => {
      streams.push(`${stream} ${number}`)
      return createDraw('seed')(stream, number)
    })
    ownAuthority.issue(createOrder({ number: 7 }))
    ownAuthority.issue(createOrder({ number: 8, private_key_type: 'rsa' }))
    expect(streams.sort()).toEqual(['certificate keys 7', 'serial numbers 7', 'serial numbers 8'])
  })

  it('ends with the year 9999 if its order ends later', () => {
    const { leaf, certificate_pem } = authority.issue(createOrder({ not_after: Date.UTC(10_000, 1, 1) }))
    expect(leaf.not_after).toBe(Date.UTC(9999, 11, 31, 23, 59, 59))
    expect(readChain(certificate_pem).leaf.fields).toEqual(leaf)
  })

  it.each(kinds)(
    'is the same for the same order, from any authority with the same random bytes: %s',
    (private_key_type) => {
      const order = createOrder({ private_key_type })
      const twin = createAuthority('test', createDraw('seed'))
      twin.issue(createOrder({ number: 7 }))
      expect(twin.issue(order)).toEqual(authority.issue(order))
      expect(twin.certificatePem).toBe(authority.certificatePem)
    },
  )

  it('has another serial number and key for another number, and for other random bytes', () => {
    const issued = [1, 2, 3, 2 ** 32 + 1].map((number) => authority.issue(createOrder({ number })))
    issued.push(createAuthority('test', createDraw('other')).issue(createOrder()))
    expect(new Set(issued.map(({ leaf }) => leaf.serial_number)).size).toBe(5)
    expect(new Set(issued.map(({ private_key_pem }) => private_key_pem)).size).toBe(5)
  })

  testOpenssl('has a valid serial number and key for any random bytes', () => {
    for (const byte of [0x00, 0x7f, 0x80, 0xff]) {
      const order = createOrder()
      const extreme = createAuthority('test', () => (size) => new Uint8Array(size).fill(byte))
      const { certificate_pem, leaf } = extreme.issue(order)
      expect(leaf.serial_number).toMatch(/^[4-7][0-9a-f]{31}$/)
      expect(verifyChain(extreme.certificatePem, certificate_pem, order.not_before).status).toBe(0)
    }
  })
})

describe('the authority', () => {
  it('has the same certificate in every gateway with the test keys', () => {
    expect(createAuthority('test', createDraw('other')).certificatePem).toBe(authority.certificatePem)
    expect(authority.certificatePem).toMatchInlineSnapshot(`
      "-----BEGIN CERTIFICATE-----
      MIIBwjCCAWmgAwIBAgIQd3Owi6Z4BqSfq0VbUeF2pTAKBggqhkjOPQQDAjAwMREw
      DwYDVQQKDAhmYXV4Z2F0ZTEbMBkGA1UEAwwSZmF1eGdhdGUgdGVzdCByb290MCAX
      DTcwMDEwMTAwMDAwMFoYDzk5OTkxMjMxMjM1OTU5WjAwMREwDwYDVQQKDAhmYXV4
      Z2F0ZTEbMBkGA1UEAwwSZmF1eGdhdGUgdGVzdCByb290MFkwEwYHKoZIzj0CAQYI
      KoZIzj0DAQcDQgAEpFQiLYBu4waal23rAUQLitX3RW+dRv6wuQFH6onYTUqM592E
      zMWJe49oB2/tQKgyi8f5YckqeWXRDHphKL+CjqNjMGEwDwYDVR0TAQH/BAUwAwEB
      /zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFDdzsIumeAakn6tFW1HhdqWLFzTx
      MB8GA1UdIwQYMBaAFDdzsIumeAakn6tFW1HhdqWLFzTxMAoGCCqGSM49BAMCA0cA
      MEQCIHDa10jFBsG3ynzB1RlONLzIuIsBQlM3DXPfIaygk2paAiA6DAhPIb89dvCV
      UNkpeTYM57cBlkQs6Qh6nXsAZATvsg==
      -----END CERTIFICATE-----
      "
    `)
  })

  testOpenssl('has the documented test keys', () => {
    for (const role of ['root', 'intermediate'] as const) {
      expect(testKeys[role]).toBe(createHash('sha256').update(`fauxgate test ${role}`).digest('hex'))
    }
    const key = authority.issue(createOrder({ private_key_type: 'rsa' })).private_key_pem
    expect(openssl({ key }, 'pkey', '-in', 'key', '-check').output).toBe(`Key is valid\n${key}`)
  })

  testOpenssl('has another root and intermediate with its own keys, and these also verify', () => {
    const order = createOrder()
    const ownAuthority = createAuthority(createDraw('secret'), createDraw('seed'))
    const issued = ownAuthority.issue(order)
    expect(verifyChain(ownAuthority.certificatePem, issued.certificate_pem, order.not_before).status).toBe(0)
    const [leaf, intermediate] = blocksOf(issued.certificate_pem)
    const [sameLeaf, testIntermediate] = blocksOf(authority.issue(order).certificate_pem)
    const pems = [ownAuthority.certificatePem, authority.certificatePem, leaf, sameLeaf, intermediate, testIntermediate]
    expect(new Set(pems).size).toBe(6)
    expect(new Set(pems.map((pem) => readCertificate(derOf(pem ?? '')).fields.serial_number)).size).toBe(5)
  })

  it('draws its keys once, and only when it needs them', () => {
    const streams: string[] = []
    const ownAuthority = createAuthority((stream, number) => {
      streams.push(`${stream} ${number}`)
      return createDraw('secret')(stream, number)
    }, createDraw('seed'))
    expect(streams).toEqual([])
    const root = ownAuthority.certificatePem
    expect(streams).toEqual(['authority keys 0'])
    for (const number of [1, 2]) ownAuthority.issue(createOrder({ number }))
    expect(streams).toEqual(['authority keys 0', 'authority keys 1'])
    expect(ownAuthority.certificatePem).toBe(root)
  })

  it('shows only its certificate', () => {
    authority.issue(createOrder())
    expect(Object.keys(authority)).toEqual(['certificatePem', 'issue', 'issueForServer', 'issueForClient'])
    expect(JSON.parse(JSON.stringify(authority))).toEqual({ certificatePem: authority.certificatePem })
    const description = inspect(authority, { depth: 9, showHidden: true, getters: true })
    for (const key of Object.values(testKeys).flat()) expect(description).not.toContain(key)
    expect(description).not.toContain('secret')
    expect(Object.keys(authority.issue(createOrder()))).toEqual(['certificate_pem', 'private_key_pem', 'leaf'])
  })
})
