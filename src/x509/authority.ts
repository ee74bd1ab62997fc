import { accessor } from '../schema/accessor.ts'
import { LATEST_TIME } from '../schema/time.ts'
import type { Draw } from '../schema/values.ts'
import { bytesOfNumber } from './bytes.ts'
import type { CertificateFields } from './certificate-fields.ts'
import type { ExtendedKeyUsage } from './extension-names.ts'
import { alternativeNames, basicConstraints, dnsName, extendedKeyUsage, keyUsage } from './extension-writer.ts'
import { certificate, type Issuer, nameOf, serialFrom } from './issue.ts'
import { type CertifiedKey, pkcs8, rsaPublicKey, secretFrom, signingKey } from './key-writer.ts'
import type { CertificateOrder, IssuedCertificate, IssuingAuthority, ServerOrder } from './order.ts'
import { writePem } from './pem.ts'
import { rsaKeyOf } from './rsa-key.ts'
import { testKeys } from './test-keys.ts'

const ORGANIZATION = 'fauxgate'
const COMMON_NAMES = { root: 'fauxgate test root', intermediate: 'fauxgate test intermediate' } as const
/** Bytes of a secret before it is brought into the curve's range, and of a serial number. */
const SECRET_SIZE = 48
const SERIAL_SIZE = 16
/** The longest common name that RFC 5280 allows (appendix A.1, ub-common-name), in characters. */
const LONGEST_COMMON_NAME = 64
const PURPOSES: readonly ExtendedKeyUsage[] = ['serverAuth', 'clientAuth']

/** A certificate that signs others. */
interface Signer extends Issuer {
  readonly pem: string
}

/** A leaf's key and its private part, PKCS#8. */
interface LeafKey {
  readonly key: CertifiedKey
  readonly private_key_pem: string
}

/**
 * The certificate authority of a gateway: a root, an intermediate and what they issue
 * (rules: certificate-authority#issuing).
 * Nothing is computed before it is needed. An RSA leaf always has the published test key.
 *
 * @param keys where the authority's own keys come from: the fixed, published test keys, or fresh secret bytes, which are
 * `keys('authority keys', 0)` for the root and `1` for the intermediate
 * @param draw what leaves are made from: `draw('certificate keys', number)` and `draw('serial numbers', number)`
 */
export function authorityOf(keys: 'test' | Draw, draw: Draw): IssuingAuthority {
  const secretOf = (role: 'root' | 'intermediate', number: number) =>
    keys === 'test'
      ? bytesOfNumber(BigInt(`0x${testKeys[role]}`), 32)
      : secretFrom(keys('authority keys', number)(SECRET_SIZE))
  const root = once(() => signer('root', secretOf('root', 0)))
  const intermediate = once(() => signer('intermediate', secretOf('intermediate', 1), root()))
  const rsaKey = once(rsaLeafKey)
  const issues: Pick<IssuingAuthority, 'issue' | 'issueForServer'> = {
    issue(order) {
      const key = order.private_key_type === 'rsa' ? rsaKey() : ecdsaLeafKey(draw, order.number)
      const serial = serialFrom(draw('serial numbers', order.number)(SERIAL_SIZE))
      return issueLeaf(order, serial, key, intermediate())
    },
    issueForServer: (order) => issueForServer(order, draw, intermediate()),
  }
  return withCertificate(issues, root)
}

const withCertificate = /* @__PURE__ */ accessor('certificatePem', (root: () => Signer) => root().pem)

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A certificate for the authority itself, signed by `issuer` or by its own key. It is valid whatever the clock says. */
function signer(role: 'root' | 'intermediate', secret: Uint8Array, issuer?: Issuer): Signer {
  const key = signingKey(secret)
  const name = nameOf(['O', ORGANIZATION], ['CN', COMMON_NAMES[role]])
  const content = {
    // From the key, so that two authorities of the same name never use one serial for two certificates.
    serial: serialFrom(key.id.subarray(0, SERIAL_SIZE)),
    subject: name,
    key,
    not_before: 0,
    // Stands for "no end" (RFC 5280, 4.1.2.5).
    not_after: LATEST_TIME,
    extensions: [basicConstraints(role), keyUsage(['keyCertSign', 'cRLSign'])],
  }
  return { name, key, pem: writePem('CERTIFICATE', certificate(content, issuer ?? { name, key })) }
}

/** `stream` is what the key is drawn from; keys of different ones have nothing to do with one another. */
function ecdsaLeafKey(draw: Draw, number: number, stream = 'certificate keys'): LeafKey {
  const key = signingKey(secretFrom(draw(stream, number)(SECRET_SIZE)))
  return { key, private_key_pem: writePem('PRIVATE KEY', pkcs8(key)) }
}

function rsaLeafKey(): LeafKey {
  const key = rsaKeyOf(testKeys.rsaLeaf)
  return { key: rsaPublicKey(key), private_key_pem: writePem('PRIVATE KEY', key.pkcs8) }
}

function issueLeaf(order: CertificateOrder, serial: bigint, leafKey: LeafKey, issuer: Signer): IssuedCertificate {
  const leaf = leafFields(order, serial)
  const named = leaf.subject_common_name !== ''
  const content = {
    serial,
    subject: named ? nameOf(['CN', leaf.subject_common_name]) : nameOf(),
    key: leafKey.key,
    not_before: leaf.not_before,
    not_after: leaf.not_after,
    extensions: [
      basicConstraints('leaf'),
      keyUsage(keyUsagesOf(order)),
      extendedKeyUsage(PURPOSES),
      dnsName(order.domain, !named),
    ],
  }
  const pem = writePem('CERTIFICATE', certificate(content, issuer))
  return { certificate_pem: pem + issuer.pem, private_key_pem: leafKey.private_key_pem, leaf }
}

/** A leaf whose names stand in its extension alone, as RFC 9525 has it; it is critical then (RFC 5280, 4.2.1.6). */
function issueForServer({ names, ips, not_before, not_after }: ServerOrder, draw: Draw, issuer: Signer) {
  // One that is made later has another serial number.
  const number = Math.floor(not_before / 1000)
  const { key, private_key_pem } = ecdsaLeafKey(draw, number, 'server keys')
  const content = {
    serial: serialFrom(draw('server serial numbers', number)(SERIAL_SIZE)),
    subject: nameOf(),
    key,
    not_before: wholeSeconds(not_before),
    not_after: wholeSeconds(not_after),
    extensions: [
      basicConstraints('leaf'),
      keyUsage(['digitalSignature']),
      extendedKeyUsage(PURPOSES),
      alternativeNames(names, ips, true),
    ],
  }
  return { certificate_pem: writePem('CERTIFICATE', certificate(content, issuer)) + issuer.pem, private_key_pem }
}

/** The fields that a reader finds in the leaf. */
function leafFields(order: CertificateOrder, serial: bigint): CertificateFields {
  return {
    subject_common_name: order.domain.length > LONGEST_COMMON_NAME ? '' : order.domain,
    subject_alternative_names: { dns_names: [order.domain], ips: [] },
    not_before: wholeSeconds(order.not_before),
    not_after: wholeSeconds(order.not_after),
    key_usages: keyUsagesOf(order),
    extended_key_usages: [...PURPOSES],
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

function keyUsagesOf({ private_key_type }: CertificateOrder) {
  return private_key_type === 'rsa'
    ? (['digitalSignature', 'keyEncipherment'] as const)
    : (['digitalSignature'] as const)
}

/** Cut to a second: what a certificate's time can say, up to the end of the year 9999. */
function wholeSeconds(ms: number): number {
  return Math.min(Math.floor(ms / 1000) * 1000, LATEST_TIME)
}
