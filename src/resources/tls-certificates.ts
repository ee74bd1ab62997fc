import * as v from 'valibot'
import { Refusal, refuse } from '../contract/errors.ts'
import { described, descriptionOf, resource } from '../contract/resource.ts'
import { asProblem, resourceHead, secret, time } from '../contract/schema.ts'
import { type Frozen, timestamp, type View } from '../contract/view.ts'
import {
  type CertificateRecord,
  certificateDescription,
  certificateMetadata,
  certificates,
} from '../provisioning/certificate-records.ts'
import { domains } from '../provisioning/domain-records.ts'
import { readChain, readKey, requireMatch } from '../x509/chain.ts'

const description = certificateDescription
const metadata = certificateMetadata

/** A PEM text, read as soon as it is checked, so that its problems stand beside those of the other fields. */
function pem<T>(read: (text: string) => T, text: v.GenericSchema<string> = v.string()) {
  return v.pipe(
    v.optional(text, ''),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      try {
        return read(dataset.value)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        addIssue({ message: asProblem(error.problems[0]) })
        return NEVER
      }
    }),
  )
}

const shape = v.object({
  ...resourceHead,
  certificate_pem: v.string(),
  subject_common_name: v.string(),
  subject_alternative_names: v.object({ dns_names: v.array(v.string()), ips: v.array(v.string()) }),
  issued_at: v.nullable(time),
  not_before: time,
  not_after: time,
  key_usages: v.array(v.string()),
  extended_key_usages: v.array(v.string()),
  private_key_type: v.picklist(['rsa', 'ecdsa', 'ed25519']),
  issuer_common_name: v.string(),
  serial_number: v.string(),
  subject_organization: v.string(),
  subject_organizational_unit: v.string(),
  subject_locality: v.string(),
  subject_province: v.string(),
  subject_country: v.string(),
})

const view: View<CertificateRecord, Frozen<v.InferOutput<typeof shape>>> = (record, wire) => {
  const content = record.upload ?? wire.authority.issue(record.order)
  const { not_before, not_after, ...names } = content.leaf
  return {
    id: record.id,
    uri: `${wire.url}/tls_certificates/${record.id}`,
    created_at: timestamp(record.created_at),
    ...descriptionOf(record),
    certificate_pem: content.certificate_pem,
    subject_common_name: names.subject_common_name,
    subject_alternative_names: names.subject_alternative_names,
    issued_at: record.issued_at === null ? null : timestamp(record.issued_at),
    not_before: timestamp(not_before),
    not_after: timestamp(not_after),
    key_usages: names.key_usages,
    extended_key_usages: names.extended_key_usages,
    private_key_type: names.private_key_type,
    issuer_common_name: names.issuer_common_name,
    serial_number: names.serial_number,
    subject_organization: names.subject_organization,
    subject_organizational_unit: names.subject_organizational_unit,
    subject_locality: names.subject_locality,
    subject_province: names.subject_province,
    subject_country: names.subject_country,
  }
}

/** TLS certificates: service document, "TLS certificate"; decisions, "TLS certificates". */
export const tlsCertificates = resource({
  name: 'tls_certificates',
  path: '/tls_certificates',
  items: 'tls_certificates',
  prefix: 'cert',
  what: 'TLS certificate',
  collection: certificates,
  shape,
  view,
  create: {
    body: v.object({
      description,
      metadata,
      certificate_pem: pem(readChain),
      private_key_pem: pem(readKey, v.pipe(v.string(), secret)),
    }),
    run(tx, { certificate_pem: chain, private_key_pem: { key, private_key_pem }, ...rest }) {
      requireMatch(chain.leaf, key)
      return tx.put(certificates, {
        id: tx.newId('cert'),
        created_at: tx.now,
        ...described(rest),
        issued_at: null,
        upload: { certificate_pem: chain.certificate_pem, private_key_pem, leaf: chain.leaf.fields },
        order: null,
      })
    },
  },
  update: {
    body: v.object({ description, metadata }),
    run: (tx, record, body) => tx.put(certificates, { ...record, ...described(body, record) }),
  },
  relations({ id, order }, others, report) {
    const isUsed = others.find(domains, 'certificate', id) !== undefined
    if (order && !isUsed) report(['id'], id, 'an automatic certificate that a domain uses')
  },
  beforeDelete(tx, { id, issued_at }) {
    const user = tx.find(domains, 'certificate', id)
    if (user) refuse(issued_at === null ? 'certificate_in_use' : 'certificate_automatic', { id, domain: user.domain })
  },
})
