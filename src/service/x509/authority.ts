import { bytesToNumberBE } from '@noble/curves/utils.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { utf8Bytes } from '../../core/schema/platform.ts'
import { LATEST_TIME } from '../../core/schema/time.ts'
import type { Draw } from '../../core/schema/values.ts'
import { lazy } from '../../core/schema/values.ts'
import { readCsr } from './csr.ts'
import { hashes } from './hashes.ts'
import {
  clientCertificate,
  createIssuer,
  ecdsaKey,
  type Issuer,
  type KeyPair,
  LEAF_PURPOSES,
  leafCertificate,
  leafUsages,
  randomKey,
  randomSerial,
  rsaKey,
} from './issue.ts'
import type { CertificateFields, CertificateOrder, IssuedCertificate, IssuingAuthority, ServerOrder } from './order.ts'
import { writePem } from './pem.ts'

/**
 * PUBLISHED TEST KEYS. Anyone can read them here and create certificates with them, so never put a certificate for these keys in a trust
 * store. The keys are for gateways inside a test's process.
 */
export const testKeys = {
  /** Published test key of the root authority: a P-256 secret in hex, namely the SHA-256 hash of "fauxgate test root". */
  root: '3468bab5d6e5746e72a88fdb9b14fd6ac4f7e022aa128bb13325e34c528ee456',
  /** Published test key of the intermediate authority: the SHA-256 hash of "fauxgate test intermediate". */
  intermediate: 'f8ff8bde735a35eeab95718a66d612dcda8f176a7ae393d68315ccbb688a9eda',
  /**
   * Published test key of all RSA leaves, as its two primes in hex. Generated once with openssl, because generating a key takes seconds.
   */
  rsaLeaf: [
    'd7a7c1af27ee69df1881e7899587f12d3b296ac85b3c4f3219747f895a4fa95328df3cb9a28245ff47d9b816374a2be1879108e0c9c0c63ed84b393ec8bea21596c4c80fa7a7bb5c79d9ee4edb290ba67426ecb544c81f29dca726c26c923327f5fd3da39cb2d6d510143271176e7bd6dd7f56ba65e339ceb084843798f07957',
    'd228a25ff79b6ff824a99b8ee795958aa340315373d530ed31152ee13cec6f0a07460216523fc8ec9d2800eeaf20b339f7d315b1307b89a8b48fa7e1b53dc5d8c5a454e334142db1159f47fbbc961428f5987be0f5ee4d427eb9dc27a55070fa7ceaed8f8d53d5af8bba8d026d6db2e9db19b52f4f3373f78a99a7055d869811',
  ],
} as const

const COMMON_NAMES = { root: 'fauxgate test root', intermediate: 'fauxgate test intermediate' } as const
/** The maximum length of a common name under RFC 5280 (appendix A.1, ub-common-name), in characters. */
const MAX_COMMON_NAME_LENGTH = 64

/**
 * Creates a gateway's certificate authority: a root, and an intermediate that issues leaves (rules: certificate-authority#issuing). Keys
 * and certificates are created only when needed. An RSA leaf always uses the published test key.
 *
 * @param keys the source of the authority's own keys: `'test'` for the published test keys, or else fresh secret bytes from
 * `keys('authority keys', 0)` for the root and `keys('authority keys', 1)` for the intermediate
 * @param draw the source of random bytes for leaves, with one stream for keys and another for serial numbers
 */
export function createAuthority(keys: 'test' | Draw, draw: Draw): IssuingAuthority {
  const createKey = (role: 'root' | 'intermediate', number: number) =>
    keys === 'test' ? ecdsaKey(hexToBytes(testKeys[role])) : randomKey(keys('authority keys', number))
  const root = lazy(() => createIssuer('root', COMMON_NAMES.root, createKey('root', 0)))
  const intermediate = lazy(() => {
    return createIssuer('intermediate', COMMON_NAMES.intermediate, createKey('intermediate', 1), root())
  })
  const rsaLeafKey = lazy(() => rsaKey(testKeys.rsaLeaf))
  return {
    get certificatePem() {
      return writePem('CERTIFICATE', root().der)
    },
    issue(order) {
      const isRsa = order.private_key_type === 'rsa'
      const key = isRsa ? rsaLeafKey() : randomKey(draw('certificate keys', order.number))
      return issueLeaf(order, randomSerial(draw('serial numbers', order.number)), key, intermediate())
    },
    issueForServer: (order) => issueForServer(order, draw, intermediate()),
    issueForClient({ csr, not_before, not_after, number }) {
      const times = { not_before: wholeSeconds(not_before), not_after: wholeSeconds(not_after) }
      const serial = randomSerial(draw('serial numbers', number))
      return writeChain(clientCertificate({ ...readCsr(csr), ...times, serial }, intermediate()), intermediate())
    },
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
  return { ...writePems(der, key, issuer), leaf }
}

/** Issues a leaf with its names only in the extension, not in the subject (RFC 9525). */
function issueForServer({ names, ips, not_before, not_after }: ServerOrder, draw: Draw, issuer: Issuer) {
  const content = { names, ips, not_before: wholeSeconds(not_before), not_after: wholeSeconds(not_after) }
  const number = numberOf(JSON.stringify(content))
  const key = randomKey(draw('server keys', number))
  const serial = randomSerial(draw('server serial numbers', number))
  return writePems(leafCertificate({ serial, subject: [], key, keyType: 'ecdsa', ...content }, issuer), key, issuer)
}

/** Returns a 48-bit number that is unique to a string in practice, because an issuer must not reuse a serial number. */
function numberOf(text: string): number {
  return Number(bytesToNumberBE(hashes.sha256.digest(utf8Bytes(text)).subarray(0, 6)))
}

function writePems(leaf: Uint8Array, { pkcs8 }: KeyPair, issuer: Issuer) {
  return { certificate_pem: writeChain(leaf, issuer), private_key_pem: writePem('PRIVATE KEY', pkcs8) }
}

function writeChain(leaf: Uint8Array, issuer: Issuer): string {
  return writePem('CERTIFICATE', leaf) + writePem('CERTIFICATE', issuer.der)
}

/** Returns the fields that `readCertificate` reads from the leaf. */
function leafFields(order: CertificateOrder, serial: bigint): CertificateFields {
  return {
    subject_common_name: order.domain.length > MAX_COMMON_NAME_LENGTH ? '' : order.domain,
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

/** Rounds a time down to a whole second, and caps it at the end of the year 9999, because certificates cannot express other times. */
function wholeSeconds(ms: number): number {
  return Math.min(Math.floor(ms / 1000) * 1000, LATEST_TIME)
}
