import { refuse } from '../schema/errors.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { readOr } from './der.ts'
import { errors } from './errors.ts'
import { nameText } from './name.ts'
import { type PemBlock, splitPem, writePem } from './pem.ts'
import { holdsKey, typeText } from './pem-types.ts'
import { isSignedBy } from './signature.ts'
import { requireShort } from './size.ts'

export { readKey, requireMatch, type UploadedKey } from './key.ts'

const FIELD = 'certificate_pem'
/** Each certificate costs the check of a signature. */
const MOST_CERTIFICATES = 10

/** An uploaded certificate chain. */
export interface Chain {
  /** The chain as responses carry it: 64 columns, "\n" line ends, nothing but certificates. */
  readonly certificate_pem: string
  readonly leaf: Certificate
}

/**
 * Reads an uploaded chain of one to ten PEM certificates, leaf first. A single certificate's signature is not looked at.
 *
 * @throws Refusal with one of `certificate_missing`, `certificate_too_long`, `certificate_is_key`,
 * `certificate_not_pem`, `pem_wrong_type`, `certificate_unparsable` and `chain_out_of_order`
 * (rules: tls-certificates#accepted)
 */
export function readChain(text: string | undefined): Chain {
  const certificates = readCertificates(text)
  requireOrder(certificates)
  return { certificate_pem: certificates.map(({ pem }) => pem).join(''), leaf: certificates[0] }
}

/** A certificate of a PEM text, with its own PEM in 64 columns and its DER. */
export interface PemCertificate extends Certificate {
  readonly pem: string
  readonly der: Uint8Array
}

/** Reads one to ten PEM certificates, as {@link readChain} does, whether one is signed by the next or not. */
export function readCertificates(text: string | undefined): [PemCertificate, ...PemCertificate[]] {
  if (!text?.trim()) refuse(errors.certificate_missing, { field: FIELD })
  requireShort(FIELD, text)
  const [leaf, ...others] = certificateBlocks(text).map(certificateAt)
  if (!leaf)
    refuse(errors.certificate_not_pem, { field: FIELD, problem: 'it has no "-----BEGIN CERTIFICATE-----" line' })
  return [leaf, ...others]
}

function certificateBlocks(text: string): readonly PemBlock[] {
  if (holdsKey(text)) refuse(errors.certificate_is_key, { field: FIELD })
  const { blocks, problem } = splitPem(text)
  const other = blocks.find(({ type }) => type !== 'CERTIFICATE')
  if (other) refuse(errors.pem_wrong_type, { field: FIELD, received: typeText(other.type), allowed: 'CERTIFICATE' })
  if (problem !== undefined) refuse(errors.certificate_not_pem, { field: FIELD, problem })
  const [received, limit] = [blocks.length, MOST_CERTIFICATES]
  if (received > limit) refuse(errors.certificate_too_long, { field: FIELD, received, limit, unit: 'certificates' })
  return blocks
}

function certificateAt({ der, damage }: PemBlock, index: number): PemCertificate {
  const position = index + 1
  if (!der) refuse(errors.certificate_unparsable, { field: FIELD, position, problem: damage })
  const certificate = readOr(
    () => readCertificate(der),
    (problem) => refuse(errors.certificate_unparsable, { field: FIELD, position, problem }),
  )
  return { ...certificate, pem: writePem('CERTIFICATE', der), der }
}

function requireOrder(certificates: readonly Certificate[]): void {
  certificates.forEach((certificate, index) => {
    const next = certificates[index + 1]
    const problem = next && isSignedBy(certificate, next)
    if (problem === undefined) return
    const subject = nameText(certificate.subject)
    refuse(errors.chain_out_of_order, { field: FIELD, position: index + 1, subject, problem })
  })
}
