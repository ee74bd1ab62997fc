import { equalBytes } from '@noble/curves/utils.js'
import type { Certificate } from './certificate.ts'
import { curves, ed25519 } from './curves.ts'
import { type Asn1, findTagged, readChildren, readNatural, readOr, Unreadable } from './der.ts'
import { type Hash, hashes } from './hashes.ts'
import { type Algorithm, keyName, type PublicKey, readAlgorithm } from './keys.ts'
import { quoteName } from './name.ts'
import { oids } from './oids.ts'
import { type PssParameters, verifyPkcs1, verifyPss } from './rsa.ts'

const SIGNATURE_ALGORITHM = 'signature algorithm'
const MGF1 = '1.2.840.113549.1.1.8'
const KIND_NAMES = { rsa: 'RSA', ecdsa: 'ECDSA', ed25519: 'Ed25519' } as const

/** A signature scheme. `kind` is the kind of key that the scheme uses. */
type Scheme =
  | { readonly kind: 'rsa'; readonly hash: Hash; readonly pss?: PssParameters }
  | { readonly kind: 'ecdsa'; readonly hash: Hash }
  | { readonly kind: 'ed25519' }

/** The hash functions, by OID (RFC 8017, B.1). */
const HASHES_BY_OID: Readonly<Record<string, Hash>> = {
  '1.3.14.3.2.26': hashes.sha1,
  '2.16.840.1.101.3.4.2.4': hashes.sha224,
  '2.16.840.1.101.3.4.2.1': hashes.sha256,
  '2.16.840.1.101.3.4.2.2': hashes.sha384,
  '2.16.840.1.101.3.4.2.3': hashes.sha512,
}

/** The signature algorithms, by OID (RFC 8017, A.2.4; RFC 5758, 3; RFC 8410). */
const SCHEMES_BY_OID: Readonly<Record<string, Scheme>> = {
  '1.2.840.113549.1.1.5': { kind: 'rsa', hash: hashes.sha1 },
  '1.2.840.113549.1.1.14': { kind: 'rsa', hash: hashes.sha224 },
  [oids.sha256WithRsa]: { kind: 'rsa', hash: hashes.sha256 },
  '1.2.840.113549.1.1.12': { kind: 'rsa', hash: hashes.sha384 },
  '1.2.840.113549.1.1.13': { kind: 'rsa', hash: hashes.sha512 },
  '1.2.840.10045.4.1': { kind: 'ecdsa', hash: hashes.sha1 },
  '1.2.840.10045.4.3.1': { kind: 'ecdsa', hash: hashes.sha224 },
  [oids.ecdsaWithSha256]: { kind: 'ecdsa', hash: hashes.sha256 },
  '1.2.840.10045.4.3.3': { kind: 'ecdsa', hash: hashes.sha384 },
  '1.2.840.10045.4.3.4': { kind: 'ecdsa', hash: hashes.sha512 },
  [oids.ed25519]: { kind: 'ed25519' },
}

/**
 * Checks that `child` names `issuer` as its issuer, byte for byte, and is signed by the issuer's key. Doesn't check validity or CA flags
 * (rules: tls-certificates#accepted).
 *
 * @returns the problem as a fragment for a message, or undefined if there is none
 */
export function findSignatureProblem(child: Certificate, issuer: Certificate): string | undefined {
  if (!equalBytes(child.issuer.raw, issuer.subject.raw)) return describeDifferentNames(child, issuer)
  return readOr(
    () => findMismatch(issuer.publicKey, child),
    (problem) => problem,
  )
}

function describeDifferentNames(child: Certificate, issuer: Certificate): string {
  const [issuerName, subjectName] = [quoteName(child.issuer), quoteName(issuer.subject)]
  if (issuerName !== subjectName)
    return `its issuer is ${issuerName}, but the next certificate's subject is ${subjectName}`
  return `its issuer and the next certificate's subject, ${issuerName}, differ in their bytes`
}

/** The parts of a certificate or CSR that a signature check needs. */
type SignedData = Pick<Certificate, 'tbs' | 'signature' | 'signatureAlgorithm'>

/**
 * Returns whether a key signed a certificate or a certificate signing request.
 * @throws Unreadable if the signature algorithm is not supported.
 */
export function isSignedBy(key: PublicKey, signed: SignedData): boolean {
  return findMismatch(key, signed) === undefined
}

function findMismatch(key: PublicKey, signed: SignedData): string | undefined {
  const scheme = readScheme(signed.signatureAlgorithm)
  if (scheme.kind !== key.kind) {
    return `its signature is ${KIND_NAMES[scheme.kind]}, but the next certificate's key is ${keyName(key)}`
  }
  return verify(scheme, key, signed) ? undefined : 'the signature does not verify'
}

/** Verifies a signature with a key of the scheme's kind. */
function verify(scheme: Scheme, key: PublicKey, { tbs, signature }: SignedData): boolean {
  if (scheme.kind === 'rsa' && key.kind === 'rsa') {
    const { hash, pss } = scheme
    return pss ? verifyPss(key, pss, tbs, signature) : verifyPkcs1(key, hash, tbs, signature)
  }
  if (scheme.kind === 'ecdsa' && key.kind === 'ecdsa') {
    const options = { lowS: false, prehash: false, format: 'der' } as const
    return falseIfThrows(() =>
      curves[key.curve].arithmetic().verify(signature, scheme.hash.digest(tbs), key.point, options),
    )
  }
  return key.kind === 'ed25519' && falseIfThrows(() => ed25519().verify(signature, tbs, key.bytes))
}

/** Returns a check's result, or false if it throws, as noble's curves do for malformed signatures. */
function falseIfThrows(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}

/** Returns the scheme of a signature algorithm (RFC 4055, 5758, 8410). */
function readScheme({ oid, parameters }: Algorithm): Scheme {
  if (oid === oids.rsassaPss) {
    const pss = readPss(parameters)
    return { kind: 'rsa', hash: pss.hash, pss }
  }
  const scheme = SCHEMES_BY_OID[oid]
  if (!scheme) throw new Unreadable(`its signature algorithm ${oid} is not supported`)
  return scheme
}

/** Reads RSASSA-PSS-params (RFC 4055, 3.1): members [0] to [3], each with a default. */
function readPss(parameters: Asn1 | undefined): PssParameters {
  const members = readChildren(parameters, SIGNATURE_ALGORITHM)
  const readMember = (tag: number) => {
    const wrapper = findTagged(members, tag)
    return wrapper && readChildren(wrapper, SIGNATURE_ALGORITHM, tag)[0]
  }
  const [hash, mask, salt, trailer] = [readMember(0xa0), readMember(0xa1), readMember(0xa2), readMember(0xa3)]
  if (trailer && readNatural(trailer, SIGNATURE_ALGORITHM) !== 1n)
    throw new Unreadable('its signature has an unknown trailer')
  const saltLength = salt ? readNatural(salt, SIGNATURE_ALGORITHM) : 20n
  if (saltLength > 65_536n) throw new Unreadable('the salt of its signature is too long')
  return { hash: hash ? readHash(hash) : hashes.sha1, maskHash: readMaskHash(mask), saltLength: Number(saltLength) }
}

function readMaskHash(mask: Asn1 | undefined): Hash {
  if (!mask) return hashes.sha1
  const { oid, parameters } = readAlgorithm(mask, SIGNATURE_ALGORITHM)
  if (oid !== MGF1) throw new Unreadable(`its mask generation function ${oid} is not supported`)
  return readHash(parameters)
}

function readHash(algorithm: Asn1 | undefined): Hash {
  const { oid } = readAlgorithm(algorithm, SIGNATURE_ALGORITHM)
  const hash = HASHES_BY_OID[oid]
  if (!hash) throw new Unreadable(`its hash function ${oid} is not supported`)
  return hash
}
