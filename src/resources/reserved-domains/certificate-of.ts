import type * as v from 'valibot'
import type { Transaction } from '../../operation/transaction.ts'
import { certificates } from '../../provisioning/certificate-records.ts'
import type { DomainRecord } from '../../provisioning/domain-records.ts'
import { withPolicy, withUploadedCertificate } from '../../provisioning/management.ts'
import { problem, Refusal, refuse } from '../../schema/errors.ts'
import { quote } from '../../schema/text.ts'
import type { policyBody } from './bodies.ts'
import { domainDialect, isServiceDomain } from './dialect.ts'
import { errors } from './errors.ts'

interface TlsBody {
  certificate_id?: string | undefined
  certificate_management_policy?: v.InferOutput<typeof policyBody> | undefined
}

/** Applies the certificate or the policy of a body (rules: domain-certificates#one-or-the-other). */
export function withTls(tx: Transaction, domain: DomainRecord, body: TlsBody): DomainRecord {
  const policy = body.certificate_management_policy
  // The automatic certificate in use counts as not given: the Terraform provider sends it back beside the policy.
  const isOwnAutomatic = domain.policy !== null && body.certificate_id === domain.certificate_id
  const certificate = isOwnAutomatic ? undefined : body.certificate_id
  const isOwned = isServiceDomain(tx.dialect, domain.domain)
  const received = quote(domain.domain)
  if (certificate && policy) throw certificateAndPolicy(certificate)
  if (policy && isOwned) refuse(errors.policy_on_service_domain, { field: 'certificate_management_policy', received })
  if (certificate && isOwned) refuse(errors.certificate_on_service_domain, { field: 'certificate_id', received })
  if (certificate) return withUploadedCertificate(tx, domain, uploaded(tx, certificate))
  if (!policy) return domain
  const inForce = domain.policy?.private_key_type ?? domainDialect(tx.dialect).defaultPrivateKeyType
  const { authority, private_key_type = inForce } = policy
  return withPolicy(tx, domain, { authority, private_key_type })
}

/** The refusal of a certificate and a policy in one request: a problem of both fields. */
function certificateAndPolicy(certificate: string): Refusal {
  const found = (field: string) => problem(errors.certificate_and_policy, { field, received: quote(certificate) })
  return new Refusal([found('certificate_id'), found('certificate_management_policy')])
}

/** The id of an uploaded certificate, or the refusal that it is none. */
function uploaded(tx: Transaction, id: string): string {
  const named = { field: 'certificate_id', received: quote(id) }
  const certificate = tx.get(certificates, id) ?? refuse(errors.certificate_not_found, named)
  if (certificate.issued_at !== null) refuse(errors.certificate_not_uploaded, named)
  return id
}
