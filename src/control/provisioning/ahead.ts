import type { Transaction } from '../../operation/transaction.ts'
import { certificates } from '../../provisioning/certificate-records.ts'
import type { DomainRecord } from '../../resources/reserved-domains/records.ts'
import { refuse } from '../../schema/errors.ts'
import { LATEST_TIME, timestamp } from '../../schema/time.ts'
import { errors } from './errors.ts'

/** When the next renewal of a domain's certificate is due, in ms. Refuses where none is (rules: time#single-events). */
export function renewalAhead({ id, policy, job, due }: DomainRecord): number {
  const refuseAs = (why: string) => refuse(errors.nothing_ahead, { what: 'renewal', received: id, why }, { id })
  if (!policy) return refuseAs('it has no certificate management policy')
  if (job) return refuseAs('its provisioning job is running, and renewals are due from issued certificates only')
  return due?.at ?? refuseAs('it would be due after the year 9999')
}

/**
 * The first second at which the certificate that a domain uses is expired, in ms. Refuses where it has none, where it is
 * expired already, and where that never is.
 */
export function expiryAhead(tx: Transaction, { id, certificate_id }: DomainRecord): number {
  const refuseAs = (why: string) => refuse(errors.nothing_ahead, { what: 'expiry', received: id, why }, { id })
  const certificate = certificate_id === null ? undefined : tx.get(certificates, certificate_id)
  if (!certificate) return refuseAs('it uses no certificate')
  const { not_after } = certificate.upload ? certificate.upload.leaf : certificate.order
  // A certificate is valid through the second that it names (RFC 5280, 4.1.2.5).
  const at = (Math.floor(not_after / 1000) + 1) * 1000
  if (at <= tx.now) return refuseAs(`its certificate has been expired since ${timestamp(at)}`)
  return at <= LATEST_TIME ? at : refuseAs('its certificate expires after the year 9999')
}
