import { timestamp } from '../core/schema/time.ts'
import type { EndpointRecord } from '../service/ngrok/endpoint-records.ts'
import { certificates } from '../service/provisioning/certificate-records.ts'
import { domains } from '../service/resources/reserved-domains/records.ts'
import type { VisitContext } from './visit-context.ts'

/**
 * Returns the reason why the TLS handshake of a visitor fails; undefined if it does not (rules: traffic#certificate). While the
 * first attempt to get a certificate has not failed yet, visitors get through.
 */
export function certificateProblem({ reader, host }: VisitContext, { domain_id }: EndpointRecord): string | undefined {
  const domain = domain_id === null ? undefined : reader.get(domains, domain_id)
  if (!domain) return undefined
  const { certificate_id, job } = domain
  if (certificate_id === null) {
    const code = job?.error_code
    return code ? `${domain.domain} has no certificate: its job ended with ${code}` : undefined
  }
  const certificate = reader.get(certificates, certificate_id)
  const ends = certificate?.upload?.not_after ?? certificate?.order?.not_after
  return ends === undefined || ends >= host.now
    ? undefined
    : `the certificate of ${domain.domain} ended at ${timestamp(ends)}`
}
