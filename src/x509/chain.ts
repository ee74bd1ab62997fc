import { refuse } from '../contract/errors.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { Unreadable } from './der.ts'
import { nameText } from './name.ts'
import { isKeyType, type Pem, type PemBlock, splitPem, writePem } from './pem.ts'
import { isSignedBy } from './signature.ts'
import { requireShort } from './size.ts'

export { readKey, requireMatch, type UploadedKey } from './key.ts'

const FIELD = 'certificate_pem'

/** An uploaded certificate chain. */
export interface Chain {
  /** The chain as responses carry it: 64 columns, "\n" line ends, nothing but certificates. */
  readonly certificate_pem: string
  readonly leaf: Certificate
}

/**
 * Reads an uploaded chain of PEM certificates, leaf first. A single certificate's signature is not looked at.
 *
 * @throws Refusal with one of `certificate_missing`, `certificate_too_long`, `certificate_is_key`,
 * `certificate_not_pem`, `pem_wrong_type`, `certificate_unparsable` and `chain_out_of_order` (decisions,
 * "TLS certificates")
 */
export function readChain(text: string | undefined): Chain {
  if (!text?.trim()) refuse('certificate_missing', {})
  requireShort(FIELD, text)
  const blocks = certificateBlocks(splitPem(text))
  const certificates = blocks.map(certificateAt)
  requireOrder(certificates)
  const [leaf] = certificates
  if (!leaf) refuse('certificate_missing', {})
  return { certificate_pem: blocks.map(({ der }) => (der ? writePem('CERTIFICATE', der) : '')).join(''), leaf }
}

function certificateBlocks({ blocks, unended, stray }: Pem): readonly PemBlock[] {
  if (blocks.some(({ type }) => isKeyType(type)) || (unended && isKeyType(unended))) refuse('certificate_is_key', {})
  const other = blocks.find(({ type }) => type !== 'CERTIFICATE')
  if (other) refuse('pem_wrong_type', { field: FIELD, received: other.type, allowed: 'CERTIFICATE' })
  if (unended) refuse('certificate_not_pem', { problem: `a "-----BEGIN ${unended}-----" has no END line` })
  if (stray) refuse('certificate_not_pem', { problem: 'its "-----BEGIN …-----" is not on a line of its own' })
  if (blocks.length === 0) refuse('certificate_not_pem', { problem: 'it has no "-----BEGIN CERTIFICATE-----" line' })
  return blocks
}

function certificateAt({ der }: PemBlock, index: number): Certificate {
  const position = index + 1
  if (!der) refuse('certificate_unparsable', { position, problem: 'its base64 is damaged' })
  try {
    return readCertificate(der)
  } catch (error) {
    if (error instanceof Unreadable) refuse('certificate_unparsable', { position, problem: error.message })
    throw error
  }
}

function requireOrder(certificates: readonly Certificate[]): void {
  certificates.forEach((certificate, index) => {
    const next = certificates[index + 1]
    const problem = next && isSignedBy(certificate, next)
    if (problem === undefined) return
    refuse('chain_out_of_order', { position: index + 1, subject: nameText(certificate.subject), problem })
  })
}
