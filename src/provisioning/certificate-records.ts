import type { CertificateOrder } from '../contract/authority.ts'
import type { CertificateFields } from '../contract/certificate-fields.ts'
import { collection } from '../contract/collection.ts'
import type { ResourceRecord } from '../contract/resource.ts'

/** What was uploaded. The private key never leaves it except by name. */
export interface Upload {
  readonly certificate_pem: string
  /** Absent where the record came from a snapshot without private keys. */
  readonly private_key_pem?: string
  readonly leaf: CertificateFields
}

/** A TLS certificate as it is kept: an upload, or an order that the authority can carry out at any time. */
export type CertificateRecord = ResourceRecord &
  (
    | { readonly issued_at: null; readonly upload: Upload; readonly order: null }
    | { readonly issued_at: number; readonly upload: null; readonly order: CertificateOrder }
  )

export const certificates = collection<CertificateRecord>({
  name: 'tls_certificates',
  key: (record) => record.id,
  fields: ['id', 'created_at', 'issued_at', 'upload', 'order'],
  isAttached: (record) => record.issued_at !== null,
  exported(record, withSecrets) {
    if (!record.upload || withSecrets) return record
    const { private_key_pem: _, ...upload } = record.upload
    return { ...record, upload }
  },
})
