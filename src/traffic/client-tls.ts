import { equalBytes } from '@noble/curves/utils.js'
import { timestamp } from '../core/schema/time.ts'
import { authorities as authorityRecords } from '../service/ngrok/certificate-authorities.ts'
import type { ActionOutcome, ClientTls } from '../service/policy/visit.ts'
import { getAttribute, type Name, quoteName } from '../service/x509/name.ts'
import { findSignatureProblem } from '../service/x509/signature.ts'
import { type PemCertificate, readCertificates } from '../service/x509/uploads.ts'
import type { Reader } from './reader.ts'
import { TlsFailure } from './tls-failure.ts'
import type { VisitContext } from './visit-context.ts'

/** The names of the errors that Node's client reports for the alerts that Go servers send. */
const CODES = {
  version: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  missing: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  unknown: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
  expired: 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
  bad: 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
} as const

interface Problem {
  readonly kind: keyof typeof CODES
  readonly why: string
}

/**
 * Checks a visitor's TLS against an endpoint's requirements (rules: traffic#client-certificates). Closes the connection if the
 * check fails.
 */
export function checkClientTls(context: VisitContext, settings: ClientTls): ActionOutcome {
  const { mutual_tls_certificate_authorities: sources, mutual_tls_verification_strategy: strategy } = settings
  const { authorities, warnings } = readAuthorities(context.reader, Array.isArray(sources) ? sources.map(String) : [])
  const isMutual = authorities.length + warnings.length > 0 || strategy === 'require-any'
  const shown = context.visitor.certificate
  const problem =
    findVersionProblem(context.facts.get('conn.tls.version'), settings) ??
    (isMutual ? findCertificateProblem(shown, authorities, strategy, context.host.now) : undefined)
  const sets = { warnings }
  if (!problem)
    return {
      did: isMutual && shown ? "accepted the visitor's certificate" : "accepted the visitor's TLS connection",
      sets,
    }
  const did = `rejected the visitor's TLS connection: ${problem.why}`
  context.closing.cause = new TlsFailure(CODES[problem.kind], `The gateway ${did}.`)
  return { did, sets, ends: 'close', isRefusal: true }
}

function findVersionProblem(stated: unknown, { min_version, max_version }: ClientTls): Problem | undefined {
  const [version] = /\d\.\d/.exec(String(stated ?? '')) ?? []
  const isBelow = version !== undefined && version < String(min_version ?? '')
  const isAbove = version !== undefined && version > String(max_version ?? '9')
  if (!isBelow && !isAbove) return undefined
  const allowed = isBelow ? `at least ${min_version}` : `at most ${max_version}`
  return { kind: 'version', why: `it uses TLS ${version}, but the endpoint allows ${allowed}` }
}

function findCertificateProblem(
  shown: string | undefined,
  authorities: readonly PemCertificate[],
  strategy: unknown,
  now: number,
): Problem | undefined {
  if (strategy === 'request') return undefined
  if (shown === undefined)
    return { kind: 'missing', why: 'it presents no certificate. Pass one: { from: { certificate: pem } }' }
  return strategy === 'require-any' ? undefined : findChainProblem(readCertificates(shown), authorities, now)
}

/** Returns why none of the authorities trusts a certificate (RFC 5280, 6.1). Intermediate certificates may follow it. */
function findChainProblem(
  [leaf, ...others]: readonly [PemCertificate, ...PemCertificate[]],
  authorities: readonly PemCertificate[],
  now: number,
): Problem | undefined {
  const { extended_key_usages: uses } = leaf.fields
  if (uses.length > 0 && !uses.includes('clientAuth') && !uses.includes('anyExtendedKeyUsage'))
    return { kind: 'bad', why: `its certificate is for ${uses.join(', ')}, not for clientAuth` }
  let below = leaf
  // Each of the visitor's certificates is used at most once.
  for (let left = [...others]; ; ) {
    const { not_before: begins, not_after: ends } = below.fields
    if (now > ends) return { kind: 'expired', why: `${quoteName(below.subject)} expired at ${timestamp(ends)}` }
    if (now < begins)
      return { kind: 'bad', why: `${quoteName(below.subject)} is not valid before ${timestamp(begins)}` }
    if (authorities.some((each) => equalBytes(each.der, below.der) || isIssuedBy(below, each))) return undefined
    const above = left.find((each) => isIssuedBy(below, each))
    if (!above)
      return {
        kind: 'unknown',
        why: `none of the endpoint's authorities signed ${quoteName(below.subject)}, which was issued by ${quoteName(below.issuer)}`,
      }
    left = left.filter((each) => each !== above)
    below = above
  }
}

const isIssuedBy = (below: PemCertificate, above: PemCertificate): boolean =>
  above.isAuthority && findSignatureProblem(below, above) === undefined

/**
 * Reads certificate authorities, each given as PEM or as the ID of an authority in the account. Warns about an authority that cannot be
 * read.
 */
function readAuthorities(reader: Reader, sources: readonly string[]) {
  const authorities: PemCertificate[] = []
  const warnings: string[] = []
  for (const source of sources) {
    const isPem = source.includes('-----BEGIN')
    const pem = isPem ? source : reader.get(authorityRecords, source)?.ca_pem
    try {
      authorities.push(...readCertificates(pem ?? '', 'ca_pem'))
    } catch {
      warnings.push(
        isPem ? 'A certificate authority is not a PEM certificate.' : `There is no certificate authority ${source}.`,
      )
    }
  }
  return { authorities, warnings }
}

/** Returns the facts about a visitor's certificate, by variable path. */
export function factsOfCertificate(pem: string): Readonly<Record<string, unknown>> {
  const [{ fields, pem: own, issuer, subject }] = readCertificates(pem)
  const facts = {
    pem: own,
    serial_number: fields.serial_number,
    ...factsOfName('issuer', issuer),
    ...factsOfName('subject', subject),
    'san.dns_names': fields.subject_alternative_names.dns_names,
    'san.ip_addresses': fields.subject_alternative_names.ips,
    'validity.not_before': timestamp(fields.not_before),
    'validity.not_after': timestamp(fields.not_after),
  }
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [`conn.tls.client.${name}`, value]))
}

function factsOfName(whose: string, name: Name): Readonly<Record<string, unknown>> {
  const list = (type: string) => name.attributes.flatMap((each) => (each.type === type ? each.value : []))
  return {
    [`${whose}.common_name`]: getAttribute(name, 'CN'),
    [`${whose}.organization`]: list('O'),
    [`${whose}.organizational_unit`]: list('OU'),
    [`${whose}.locality`]: list('L'),
    [`${whose}.province`]: list('ST'),
    [`${whose}.country`]: list('C'),
    [`${whose}.street_address`]: list('street'),
    [`${whose}.postal_code`]: list('postalCode'),
  }
}
