import { quote } from '../core/schema/text.ts'
import { timestamp } from '../core/schema/time.ts'
import type { EndpointRecord } from '../service/ngrok/endpoint-records.ts'
import { DECISIONS } from '../service/policy/decisions.ts'
import { type CertificateRecord, certificates } from '../service/provisioning/certificate-records.ts'
import { defaultCertificateName } from '../service/resources/reserved-domains/dialect.ts'
import { domains } from '../service/resources/reserved-domains/records.ts'
import { TlsFailure } from './tls-failure.ts'
import type { VisitContext } from './visit-context.ts'

/** The reason that a visitor rejects a certificate, with Node's error code. */
interface CertificateProblem {
  readonly code: 'ERR_TLS_CERT_ALTNAME_INVALID' | 'CERT_HAS_EXPIRED'
  /** Describes what the gateway did, such as "presented its default certificate …". */
  readonly did: string
}

const REMEDIES: Readonly<Record<CertificateProblem['code'], string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Wait until the domain has its certificate, or set provisioningDelay: 0 to issue certificates immediately',
  CERT_HAS_EXPIRED: 'Let the renewal succeed',
}

/** The error of a visitor that rejects the gateway's certificate. */
class CertificateRejected extends TlsFailure {
  override readonly name = 'CertificateRejected'

  constructor({ code, did }: CertificateProblem) {
    super(code, `The gateway ${did}. ${REMEDIES[code]}, or accept any certificate: { from: { insecure: true } }.`)
  }
}

/**
 * Presents an endpoint's certificate to the visitor (rules: traffic#certificate). If the traffic arrives on a
 * port, the visitor has already seen the certificate.
 * @throws CertificateRejected
 */
export function presentCertificate(context: VisitContext, endpoint: EndpointRecord, hostname: string): void {
  const problem = context.isServed ? undefined : findProblem(context, endpoint, hostname)
  if (!problem) return
  const isRejected = !context.visitor.insecure
  const decision = problem.code === 'CERT_HAS_EXPIRED' && { decision: DECISIONS.certificate }
  context.trace.push({ step: 'certificate', did: problem.did, ...decision, ...(isRejected && { isEnd: true }) })
  if (isRejected) throw new CertificateRejected(problem)
}

/**
 * Returns why a visitor that verifies certificates rejects an endpoint's certificate, or undefined if it accepts the
 * certificate.
 */
function findProblem(
  { reader, host }: VisitContext,
  { domain_id }: EndpointRecord,
  hostname: string,
): CertificateProblem | undefined {
  const domain = domain_id === null ? undefined : reader.get(domains, domain_id)
  // A declared endpoint doesn't have a reserved domain. The service owns domains without a CNAME target, and their certificates.
  if (!domain || domain.cname_target === null) return undefined
  const certificate = domain.certificate_id === null ? undefined : reader.get(certificates, domain.certificate_id)
  if (!certificate) {
    const code = domain.job?.error_code
    const why = code ? `, and its last attempt ended with ${code}` : ''
    const did = `presented its default certificate for ${defaultCertificateName(host.dialect)}: ${domain.domain} has no certificate yet${why}`
    return { code: 'ERR_TLS_CERT_ALTNAME_INVALID', did }
  }
  const names = namesOf(certificate)
  const presented = `presented a certificate for ${names.map((name) => quote(name)).join(', ') || 'no name'}`
  if (!names.some((name) => covers(name, hostname)))
    return { code: 'ERR_TLS_CERT_ALTNAME_INVALID', did: `${presented}, not for ${hostname}` }
  const { not_after: ends } = certificate.upload ?? certificate.order
  if (ends >= host.now) return undefined
  return { code: 'CERT_HAS_EXPIRED', did: `${presented}, which expired at ${timestamp(ends)}` }
}

/** Returns the names that a certificate is valid for, as clients read them. */
function namesOf({ upload, order }: CertificateRecord): readonly string[] {
  if (order) return [order.domain]
  const { subject_alternative_names, subject_common_name } = upload.leaf
  const { dns_names, ips } = subject_alternative_names
  return dns_names.length + ips.length > 0 ? dns_names : [subject_common_name].filter((name) => name !== '')
}

/** Returns whether a name in a certificate covers a host. A wildcard covers one label (RFC 9525, section 6.3). */
function covers(name: string, hostname: string): boolean {
  const pattern = name.toLowerCase()
  return pattern === hostname || (pattern.startsWith('*.') && pattern.slice(1) === hostname.replace(/^[^.]+/, ''))
}
