import { ownPart } from '../operation/family.ts'
import type { Authority } from '../operation/view.ts'
import type { CertificateFields } from './certificate-fields.ts'

/** The types of key that an automatic certificate can have. */
export const MANAGED_KEY_TYPES = ['rsa', 'ecdsa'] as const

/** What an automatic certificate is made from. The same order gives the same certificate, whenever it is made. */
export interface CertificateOrder {
  /** The name, exact or with a leading `*.`. */
  readonly domain: string
  readonly private_key_type: (typeof MANAGED_KEY_TYPES)[number]
  /** Start of validity in ms since 1970; whole seconds count. */
  readonly not_before: number
  /** End of validity in ms since 1970; whole seconds count. */
  readonly not_after: number
  /** Tells orders apart: the serial number and the key come from it. */
  readonly number: number
}

/** A certificate that was issued, with its key. */
export interface IssuedCertificate {
  /** The leaf and the intermediate, normalised. */
  readonly certificate_pem: string
  /** PKCS#8. */
  readonly private_key_pem: string
  readonly leaf: CertificateFields
}

/** What the certificate of a server is made from. The same order gives the same certificate. */
export interface ServerOrder {
  /** The DNS names, in ASCII. */
  readonly names: readonly string[]
  /** The addresses, of 4 or 16 bytes each. */
  readonly ips: readonly Uint8Array[]
  /** Start of validity in ms since 1970; whole seconds count. */
  readonly not_before: number
  /** End of validity in ms since 1970; whole seconds count. */
  readonly not_after: number
}

/** A certificate authority at work. */
export interface IssuingAuthority extends Authority {
  /** Issues a certificate (rules: certificate-authority#issuing). */
  issue(order: CertificateOrder): IssuedCertificate
  /** Issues a certificate for a server of the test's own, with an ECDSA key; of no resource. */
  issueForServer(order: ServerOrder): Omit<IssuedCertificate, 'leaf'>
}

/** The authority of a gateway, to issue certificates with it. */
export const issuing = ownPart<IssuingAuthority>()
