import { expect } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { expectError } from '../../support/client.ts'
import { describeOpenssl, openssl, testOpenssl } from '../../support/openssl.ts'
import { fixture } from './support.ts'

const key = fixture('key-ed25519')

/** Makes a certificate with these alternative names from a configuration file in UTF-8. */
function certify(names: string): string {
  const config = `[req]\nprompt = no\ndistinguished_name = name\nx509_extensions = extensions\n[name]\nCN = a\n[extensions]\nsubjectAltName = ${names}\n`
  const args = ['req', '-x509', '-new', '-utf8', '-config', 'a.cnf', '-key', 'key.pem', '-days', '1']
  const { status, output } = openssl({ 'a.cnf': config, 'key.pem': key }, ...args)
  if (status !== 0) throw new Error(output)
  return output
}

const upload = (certificate_pem: string) =>
  createGateway().tlsCertificates.create({ certificate_pem, private_key_pem: key })

describeOpenssl('Alternative names are ASCII (RFC 5280, 4.2.1.6, 7.2 and 7.4)', () => {
  testOpenssl.each([
    'DNS:bücher.example',
    'DNS:a.example, DNS:*.bücher.example',
    'DNS:例え.test, IP:192.0.2.1',
    'email:büro@a.example',
    'URI:https://bücher.example/',
  ])('one with other characters is rejected, as in Go: %s', (names) => {
    const { code, message } = expectError(() => upload(certify(names)))
    expect(code).toBe('ERR_GATEWAY_1900')
    expect(message).toContain(
      'certificate 1 of the chain cannot be read: a name among its subject alternative names is not ASCII; ' +
        'internationalized names must be written as A-labels, such as xn--bcher-kva.example.',
    )
  })

  testOpenssl.each([
    ['DNS:xn--bcher-kva.example', ['xn--bcher-kva.example'], []],
    ['DNS:a.example, email:a@a.example, URI:https://a.example/, IP:192.0.2.1', ['a.example'], ['192.0.2.1']],
    ['DNS:a.example, RID:1.2.3.4, otherName:1.2.3.4;UTF8:bücher.example', ['a.example'], []],
    ['DNS:a.example, dirName:other\n[other]\nCN = bücher', ['a.example'], []],
  ])('but these are read: %s', (names, dns_names, ips) => {
    expect(upload(certify(names)).subject_alternative_names).toEqual({ dns_names, ips })
  })
})
