import { expect, it } from 'vitest'
import { createAuthority } from '../../../src/service/x509/authority.ts'
import { describeOpenssl, openssl, verifyChain } from '../../support/openssl.ts'
import { cases, createDraw, createOrder, DAY, longName, orders } from './issuing-support.ts'
import { blocksOf } from './support.ts'

const authority = createAuthority('test', createDraw('seed'))

describeOpenssl('openssl, given certificates of an authority,', () => {
  it.each(cases)('accepts $what with an $private_key_type key', ({ order }) => {
    const { certificate_pem } = authority.issue(order)
    const host = order.domain.replace('*', 'any')
    // openssl treats a certificate as expired from its not-after second.
    const times = [order.not_before, order.not_after].map((ms) => Math.floor(ms / 1000) * 1000)
    for (const at of [times[0] ?? 0, (times[1] ?? 0) - 1000]) {
      const { status, output } = verifyChain(authority.certificatePem, certificate_pem, at, '-verify_hostname', host)
      expect(output).toBe('leaf.pem: OK\n')
      expect(status).toBe(0)
    }
  })

  it.each(['sslserver', 'sslclient'])('accepts a leaf as %s, but not as a CA', (purpose) => {
    const order = createOrder()
    const { certificate_pem } = authority.issue(order)
    expect(verifyChain(authority.certificatePem, certificate_pem, order.not_before, '-purpose', purpose).status).toBe(0)
    const [leaf = ''] = blocksOf(certificate_pem)
    expect(openssl({ leaf }, 'x509', '-in', 'leaf', '-noout', '-purpose').output).toContain('SSL server CA : No')
  })

  it.each([
    ['another name', 'hostname mismatch', createOrder(), ['-verify_hostname', 'api.example.com']],
    ['a level below a wildcard', 'hostname mismatch', orders['a wildcard'], ['-verify_hostname', 'a.b.example.com']],
    ['the parent of a wildcard', 'hostname mismatch', orders['a wildcard'], ['-verify_hostname', 'example.com']],
    ['mail', 'unsuitable certificate purpose', createOrder(), ['-purpose', 'smimesign']],
  ])('rejects %s', (_, problem, order, args) => {
    const { certificate_pem } = authority.issue(order)
    const { status, output } = verifyChain(authority.certificatePem, certificate_pem, order.not_before, ...args)
    expect(output.toLowerCase()).toContain(problem)
    expect(status).not.toBe(0)
  })

  it.each([
    ['not yet valid', -1],
    ['has expired', 90 * DAY],
  ])('says of a leaf outside its validity that it "%s"', (problem, after) => {
    const order = createOrder()
    const { output } = verifyChain(
      authority.certificatePem,
      authority.issue(order).certificate_pem,
      order.not_before + after,
    )
    expect(output).toContain(problem)
  })

  it('rejects a chain without its intermediate, or below another root', () => {
    const order = createOrder()
    const { certificate_pem } = authority.issue(order)
    const [leaf = ''] = blocksOf(certificate_pem)
    expect(verifyChain(authority.certificatePem, leaf, order.not_before).output).toContain('unable to get local issuer')
    const other = createAuthority(createDraw('other'), createDraw('seed'))
    expect(verifyChain(other.certificatePem, certificate_pem, order.not_before).status).not.toBe(0)
  })

  it('writes the private key of an ECDSA leaf in the same bytes', () => {
    const { private_key_pem } = authority.issue(createOrder())
    expect(openssl({ key: private_key_pem }, 'pkey', '-in', 'key').output).toBe(private_key_pem)
  })

  it('finds all extensions, with the critical ones marked', () => {
    const listExtensions = (pem: string) => {
      const text = openssl({ pem }, 'x509', '-in', 'pem', '-noout', '-text').output
      const [, extensions = ''] = /X509v3 extensions:\n([\s\S]*) {4}Signature Algorithm/.exec(text) ?? []
      // Each has a line for its name and one for its value.
      const pairs = extensions.replace(/(keyid:)?([0-9A-F]{2}:){19}[0-9A-F]{2}/g, '<key>').match(/.*\n.*\n/g) ?? []
      return pairs.map((pair) => pair.replace(/\s+/g, ' ').replace('X509v3', '').trim())
    }
    const leaves = [createOrder(), createOrder({ private_key_type: 'rsa', domain: longName })].map((order) =>
      blocksOf(authority.issue(order).certificate_pem),
    )
    const keys = ['Subject Key Identifier: <key>', 'Authority Key Identifier: <key>']
    const purposes = 'Extended Key Usage: TLS Web Server Authentication, TLS Web Client Authentication'
    const usageOfAuthority = 'Key Usage: critical Certificate Sign, CRL Sign'
    expect(listExtensions(authority.certificatePem)).toEqual([
      'Basic Constraints: critical CA:TRUE',
      usageOfAuthority,
      ...keys,
    ])
    expect(leaves.flat().slice(0, 3).map(listExtensions)).toEqual([
      [
        'Basic Constraints: critical CA:FALSE',
        'Key Usage: critical Digital Signature',
        purposes,
        'Subject Alternative Name: DNS:app.example.com',
        ...keys,
      ],
      ['Basic Constraints: critical CA:TRUE, pathlen:0', usageOfAuthority, ...keys],
      [
        'Basic Constraints: critical CA:FALSE',
        'Key Usage: critical Digital Signature, Key Encipherment',
        purposes,
        `Subject Alternative Name: critical DNS:${longName}`,
        ...keys,
      ],
    ])
  })
})
