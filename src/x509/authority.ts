import { hexToBytes } from '@noble/hashes/utils.js'
import { LATEST_TIME } from '../schema/time.ts'
import type { Draw } from '../schema/values.ts'
import { accessor } from '../schema/values.ts'
import {
  clientCertificate,
  drawnKey,
  drawnSerial,
  ecdsaKey,
  type Issuer,
  issuerOf,
  type KeyPair,
  LEAF_PURPOSES,
  leafCertificate,
  leafUsages,
  rsaKey,
} from './issue.ts'
import type { CertificateFields, CertificateOrder, IssuedCertificate, IssuingAuthority, ServerOrder } from './order.ts'
import { writePem } from './pem.ts'
import { readRequest } from './request.ts'

/**
 * PUBLISHED TEST KEYS. Anyone can read them here, so anyone can make certificates with them: never put a certificate of
 * theirs in a trust store. They are for gateways inside a test's process.
 */
export const testKeys = {
  /** Published test key of the root authority: a P-256 secret in hex, the SHA-256 of "fauxgate test root". */
  root: '3468bab5d6e5746e72a88fdb9b14fd6ac4f7e022aa128bb13325e34c528ee456',
  /** Published test key of the intermediate authority: the same of "fauxgate test intermediate". */
  intermediate: 'f8ff8bde735a35eeab95718a66d612dcda8f176a7ae393d68315ccbb688a9eda',
  /** Published test key of all RSA leaves, its two primes in hex, made once with openssl: a new one would take seconds each time. */
  rsaLeaf: [
    'd7a7c1af27ee69df1881e7899587f12d3b296ac85b3c4f3219747f895a4fa95328df3cb9a28245ff47d9b816374a2be1879108e0c9c0c63ed84b393ec8bea21596c4c80fa7a7bb5c79d9ee4edb290ba67426ecb544c81f29dca726c26c923327f5fd3da39cb2d6d510143271176e7bd6dd7f56ba65e339ceb084843798f07957',
    'd228a25ff79b6ff824a99b8ee795958aa340315373d530ed31152ee13cec6f0a07460216523fc8ec9d2800eeaf20b339f7d315b1307b89a8b48fa7e1b53dc5d8c5a454e334142db1159f47fbbc961428f5987be0f5ee4d427eb9dc27a55070fa7ceaed8f8d53d5af8bba8d026d6db2e9db19b52f4f3373f78a99a7055d869811',
  ],
} as const

const COMMON_NAMES = { root: 'fauxgate test root', intermediate: 'fauxgate test intermediate' } as const
/** The longest common name that RFC 5280 allows (appendix A.1, ub-common-name), in characters. */
const LONGEST_COMMON_NAME = 64

/**
 * The certificate authority of a gateway: a root, an intermediate and what they issue
 * (rules: certificate-authority#issuing). Nothing is computed before it is needed. An RSA leaf always has the published
 * test key.
 *
 * @param keys where the authority's own keys come from: the fixed, published test keys, or fresh secret bytes, which are
 * `keys('authority keys', 0)` for the root and `1` for the intermediate
 * @param draw random bytes for leaves, from streams of their own for keys and serial numbers
 */
export function authorityOf(keys: 'test' | Draw, draw: Draw): IssuingAuthority {
  const keyOf = (role: 'root' | 'intermediate', number: number) =>
    keys === 'test' ? ecdsaKey(hexToBytes(testKeys[role])) : drawnKey(keys('authority keys', number))
  const root = once(() => issuerOf('root', COMMON_NAMES.root, keyOf('root', 0)))
  const intermediate = once(() => {
    return issuerOf('intermediate', COMMON_NAMES.intermediate, keyOf('intermediate', 1), root())
  })
  const rsaLeafKey = once(() => rsaKey(testKeys.rsaLeaf))
  const issues: Omit<IssuingAuthority, 'certificatePem'> = {
    issue(order) {
      const isRsa = order.private_key_type === 'rsa'
      const key = isRsa ? rsaLeafKey() : drawnKey(draw('certificate keys', order.number))
      return issueLeaf(order, drawnSerial(draw('serial numbers', order.number)), key, intermediate())
    },
    issueForServer: (order) => issueForServer(order, draw, intermediate()),
    issueForClient({ csr, not_before, not_after, number }) {
      const times = { not_before: wholeSeconds(not_before), not_after: wholeSeconds(not_after) }
      const serial = drawnSerial(draw('serial numbers', number))
      return chainOf(clientCertificate({ ...readRequest(csr), ...times, serial }, intermediate()), intermediate())
    },
  }
  return withCertificate(issues, root)
}

const withCertificate = /* @__PURE__ */ accessor('certificatePem', (root: () => Issuer) => pemOf(root()))

function pemOf({ der }: Issuer): string {
  return writePem('CERTIFICATE', der)
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function issueLeaf(order: CertificateOrder, serial: bigint, key: KeyPair, issuer: Issuer): IssuedCertificate {
  const leaf = leafFields(order, serial)
  const { subject_common_name: name, not_before, not_after } = leaf
  const der = leafCertificate(
    {
      ...{ serial, key, not_before, not_after, names: [order.domain], ips: [] },
      subject: name === '' ? [] : [['CN', name]],
      keyType: order.private_key_type,
    },
    issuer,
  )
  return { ...pemsOf(der, key, issuer), leaf }
}

/** Issues a leaf whose names are in its extension alone (RFC 9525). */
function issueForServer({ names, ips, not_before, not_after }: ServerOrder, draw: Draw, issuer: Issuer) {
  // A later certificate has another serial number.
  const number = Math.floor(not_before / 1000)
  const key = drawnKey(draw('server keys', number))
  const times = { not_before: wholeSeconds(not_before), not_after: wholeSeconds(not_after) }
  const serial = drawnSerial(draw('server serial numbers', number))
  const der = leafCertificate({ serial, subject: [], key, keyType: 'ecdsa', ...times, names, ips }, issuer)
  return pemsOf(der, key, issuer)
}

function pemsOf(leaf: Uint8Array, { pkcs8 }: KeyPair, issuer: Issuer) {
  return { certificate_pem: chainOf(leaf, issuer), private_key_pem: writePem('PRIVATE KEY', pkcs8) }
}

function chainOf(leaf: Uint8Array, issuer: Issuer): string {
  return writePem('CERTIFICATE', leaf) + pemOf(issuer)
}

/** The fields that a reader finds in the leaf. */
function leafFields(order: CertificateOrder, serial: bigint): CertificateFields {
  return {
    subject_common_name: order.domain.length > LONGEST_COMMON_NAME ? '' : order.domain,
    subject_alternative_names: { dns_names: [order.domain], ips: [] },
    not_before: wholeSeconds(order.not_before),
    not_after: wholeSeconds(order.not_after),
    key_usages: leafUsages(order.private_key_type),
    extended_key_usages: [...LEAF_PURPOSES],
    private_key_type: order.private_key_type,
    issuer_common_name: COMMON_NAMES.intermediate,
    serial_number: serial.toString(16),
    subject_organization: '',
    subject_organizational_unit: '',
    subject_locality: '',
    subject_province: '',
    subject_country: '',
  }
}

/** Cuts a time to the second: what a certificate can say, up to the end of the year 9999. */
function wholeSeconds(ms: number): number {
  return Math.min(Math.floor(ms / 1000) * 1000, LATEST_TIME)
}
