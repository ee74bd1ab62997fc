import { readFileSync } from 'node:fs'

/** Returns a PEM file of test/fixtures/x509, by its name without the ending. Tests and scripts run in the root. */
export function pem(name: string): string {
  return readFileSync(`test/fixtures/x509/${name}.pem`, 'utf8')
}

/** Returns the fields of an upload: a certificate with its key. */
export function upload(kind: 'p256' | 'p384' | 'p521' | 'rsa2048' | 'ed25519' = 'p256') {
  return { certificate_pem: pem(`leaf-${kind}`), private_key_pem: pem(`key-${kind}`) }
}
