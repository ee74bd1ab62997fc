import { refuse } from '../../core/schema/errors.ts'
import { utf8Length } from '../../core/schema/platform.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { readOr } from './der.ts'
import { errors } from './errors.ts'
import { belongsTo, keyName, type PrivateKey, readPrivateKey } from './keys.ts'
import { quoteName } from './name.ts'
import { describePemType, type Pem, type PemBlock, splitPem, writePem } from './pem.ts'
import { findSignatureProblem } from './signature.ts'

/** The maximum length of a string, in UTF-8 bytes. */
const MAX_TEXT_BYTES = 65_536
/** The maximum number of certificates in a chain. Each certificate requires a signature check. */
const MAX_CERTIFICATES = 10
const KEY_TYPES = 'PRIVATE KEY, RSA PRIVATE KEY, EC PRIVATE KEY'
/** The blocks that tools write alongside a key. `openssl ecparam -genkey` writes its parameters; other tools write the certificate. */
const ALLOWED_BESIDE_A_KEY: ReadonlySet<string> = new Set(['EC PARAMETERS', 'CERTIFICATE'])

type Field = 'certificate_pem' | 'private_key_pem' | 'ca_pem'

/** A certificate in a PEM text, with its own PEM, wrapped at 64 columns, and its DER. */
export interface PemCertificate extends Certificate {
  readonly pem: string
  readonly der: Uint8Array
}

/**
 * Reads an uploaded chain of one to ten PEM certificates, leaf first. Does not check the signature of the last certificate.
 * Returns the chain as PEM for responses, its leaf, and its earliest expiry in ms.
 *
 * @throws Refusal with one of `chainErrors` (rules: tls-certificates#accepted)
 */
export function readChain(text: string) {
  const certificates = readCertificates(text)
  requireOrder(certificates)
  return {
    certificate_pem: certificates.map(({ pem }) => pem).join(''),
    leaf: certificates[0],
    not_after: Math.min(...certificates.map(({ fields }) => fields.not_after)),
  }
}

/** Reads one to ten PEM certificates, like {@link readChain}, but does not check that each is signed by the next. */
export function readCertificates(
  text: string,
  field: Field = 'certificate_pem',
): [PemCertificate, ...PemCertificate[]] {
  if (text.trim() === '') refuse(errors.certificate_missing, { field })
  requireShort(field, text)
  const [leaf, ...others] = readCertificateBlocks(field, text).map((block, index) =>
    readCertificateBlock(field, block, index + 1),
  )
  const problem = 'it has no "-----BEGIN CERTIFICATE-----" line'
  return leaf ? [leaf, ...others] : refuse(errors.certificate_not_pem, { field, problem })
}

function readCertificateBlocks(field: Field, text: string): readonly PemBlock[] {
  // Keys can also appear outside of complete blocks.
  if (/-----BEGIN [A-Z0-9. ]*PRIVATE KEY-----/.test(text)) refuse(errors.certificate_is_key, { field })
  const { blocks, problem } = splitPem(text)
  const other = blocks.find(({ type }) => type !== 'CERTIFICATE')
  if (other) refuse(errors.pem_wrong_type, { field, received: describePemType(other.type), allowed: 'CERTIFICATE' })
  if (problem !== undefined) refuse(errors.certificate_not_pem, { field, problem })
  if (blocks.some(({ hasHeaders }) => hasHeaders)) refuse(errors.pem_headers, { field })
  const [received, limit] = [blocks.length, MAX_CERTIFICATES]
  if (received > limit) refuse(errors.certificate_too_long, { field, received, limit, unit: 'certificates' })
  return blocks
}

function readCertificateBlock(field: Field, { der, damage }: PemBlock, position: number): PemCertificate {
  const refuseUnparsable = (problem: string) => refuse(errors.certificate_unparsable, { field, position, problem })
  if (!der) return refuseUnparsable(damage)
  const certificate = readOr(() => readCertificate(der), refuseUnparsable)
  return { ...certificate, pem: writePem('CERTIFICATE', der), der }
}

function requireOrder(certificates: readonly Certificate[]): void {
  for (const [index, certificate] of certificates.entries()) {
    const next = certificates[index + 1]
    const problem = next && findSignatureProblem(certificate, next)
    if (problem === undefined) continue
    const subject = quoteName(certificate.subject)
    refuse(errors.chain_out_of_order, { field: 'certificate_pem', position: index + 1, subject, problem })
  }
}

/**
 * Reads an uploaded PEM private key, or the first of several. Messages do not repeat any of its content. Returns the key and its block
 * alone, formatted by {@link writePem} with the label of its structure.
 *
 * @throws Refusal with one of `keyErrors` (rules: tls-certificates#private-key)
 */
export function readKey(text: string) {
  const field = 'private_key_pem'
  if (text.trim() === '') refuse(errors.key_missing, { field })
  requireShort(field, text)
  const { type, hasHeaders, encrypted, der, damage } = findKeyBlock(field, splitPem(text))
  if (encrypted || type === 'ENCRYPTED PRIVATE KEY') refuse(errors.key_encrypted, { field })
  if (hasHeaders) refuse(errors.pem_headers, { field })
  const refuseUnsupported = (problem: string) => refuse(errors.key_unsupported, { field, problem })
  if (!der) return refuseUnsupported(damage)
  const { key, label } = readOr(() => readPrivateKey({ type, der }), refuseUnsupported)
  return { key, private_key_pem: writePem(label, der) }
}

function findKeyBlock(field: Field, { blocks, problem }: Pem): PemBlock {
  const key = blocks.find(({ type }) => isKeyType(type))
  const other = blocks.find(({ type }) => !isKeyType(type) && !ALLOWED_BESIDE_A_KEY.has(type))
  if (other) refuse(errors.pem_wrong_type, { field, received: describePemType(other.type), allowed: KEY_TYPES })
  if (problem !== undefined) refuse(errors.key_unsupported, { field, problem })
  if (key) return key
  if (blocks.some(({ type }) => type === 'CERTIFICATE')) refuse(errors.key_is_certificate, { field })
  refuse(errors.key_missing, { field })
}

function isKeyType(type: string): boolean {
  return type.endsWith('PRIVATE KEY')
}

/**
 * Checks that a private key belongs to the leaf certificate.
 *
 * @throws Refusal with `certificate_key_mismatch`
 */
export function requireMatch(leaf: Certificate, key: PrivateKey): void {
  if (belongsTo(key, leaf.publicKey)) return
  const field = 'private_key_pem'
  refuse(errors.certificate_key_mismatch, { field, leaf: keyName(leaf.publicKey), key: keyName(key) })
}

/** Checks that an uploaded PEM text does not exceed 64 KiB (rules: tls-certificates#accepted). */
function requireShort(field: Field, text: string): void {
  const bytes = text.length * 3 > MAX_TEXT_BYTES ? utf8Length(text) : 0
  if (bytes > MAX_TEXT_BYTES)
    refuse(errors.certificate_too_long, { field, received: bytes, limit: MAX_TEXT_BYTES, unit: 'bytes' })
}
