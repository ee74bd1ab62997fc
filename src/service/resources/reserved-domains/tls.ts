import type * as v from 'valibot'
import type { Transaction } from '../../../core/operation/transaction.ts'
import { problem, Refusal, refuse } from '../../../core/schema/errors.ts'
import { quote } from '../../../core/schema/text.ts'
import { certificates } from '../../provisioning/certificate-records.ts'
import { withPolicy, withUploadedCertificate } from '../../provisioning/management.ts'
import { errors as declarationErrors } from '../declarations.ts'
import { domainDialect, isServiceDomain } from './dialect.ts'
import { errors } from './errors.ts'
import type { DomainRecord } from './records.ts'
import type { policyBody } from './schemas.ts'

/** The errors of {@link withTls} and of the links to endpoint configurations. */
export const tlsErrors = [
  errors.certificate_and_policy,
  errors.policy_on_service_domain,
  errors.certificate_on_service_domain,
  errors.certificate_not_found,
  errors.certificate_not_uploaded,
  declarationErrors.endpoint_configuration_not_found,
]

/** The body fields that determine which certificate a domain has. */
export interface TlsBody {
  certificate_id?: string | undefined
  certificate_management_policy?: v.InferOutput<typeof policyBody> | undefined
}

/** Applies the certificate or the policy in a body (rules: domain-certificates#one-or-the-other). */
export function withTls(tx: Transaction, domain: DomainRecord, body: TlsBody): DomainRecord {
  const policy = body.certificate_management_policy
  // The automatic certificate in use counts as absent, because the Terraform provider sends it back with the policy.
  const isOwnAutomatic = domain.policy !== null && body.certificate_id === domain.certificate_id
  const certificate = isOwnAutomatic ? undefined : body.certificate_id
  const isOwned = isServiceDomain(tx.dialect, domain.domain)
  const received = quote(domain.domain)
  if (certificate && policy) throw refusalOfBoth(certificate)
  if (policy && isOwned) refuse(errors.policy_on_service_domain, { field: 'certificate_management_policy', received })
  if (certificate && isOwned) refuse(errors.certificate_on_service_domain, { field: 'certificate_id', received })
  if (certificate) return withUploadedCertificate(tx, domain, requireUploaded(tx, certificate))
  if (!policy) return domain
  const currentType = domain.policy?.private_key_type ?? domainDialect(tx.dialect).defaultPrivateKeyType
  const { authority, private_key_type = currentType } = policy
  return withPolicy(tx, domain, { authority, private_key_type })
}

/** Returns an error about both fields. */
function refusalOfBoth(certificate: string): Refusal {
  const problemAt = (field: string) => problem(errors.certificate_and_policy, { field, received: quote(certificate) })
  return new Refusal([problemAt('certificate_id'), problemAt('certificate_management_policy')])
}

function requireUploaded(tx: Transaction, id: string): string {
  const facts = { field: 'certificate_id', received: quote(id) }
  const certificate = tx.get(certificates, id) ?? refuse(errors.certificate_not_found, facts)
  if (certificate.issued_at !== null) refuse(errors.certificate_not_uploaded, facts)
  return id
}
