import type { Derived } from '../../core/engine/engine-state.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { Trouble } from '../../generated/controls.ts'
import { type CertificateRecord, certificates } from '../../service/provisioning/certificate-records.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import { backends } from '../../service/resources/weighted-backends.ts'
import type { ControlHost } from '../control.ts'
import { isPropagating, listDomains, SOON_MS } from './troubles-domains.ts'

/** The problems that records alone reveal. */
export interface RecordTroubles {
  readonly domains: readonly Trouble[]
  readonly resources: readonly Trouble[]
}

/** Lists the problems that records alone reveal, and the time at which one may appear or disappear although no record changes. */
export function listRecordTroubles({ collections, engine }: ControlHost, tx: Transaction): Derived<RecordTroubles> {
  const { state } = engine
  const expiring = listExpiring(collections, tx)
  const { expired, next } = state.derive(tx, readCertificates, () => readCertificates(tx), [certificates.name])
  const resources = [...listExpiredUploads(tx, expired), ...describeExpired(expiring, tx), ...listIdleBackends(tx)]
  const until = isPropagating(tx) ? tx.now : findNextTime(tx, [next, ...expiring.map(({ at }) => at)])
  return { value: { domains: listDomains(state, tx), resources }, until }
}

interface Expiring {
  readonly collection: string
  readonly key: string
  readonly at: number
}

/** Lists the records that expire, except TLS certificates. */
function listExpiring(collections: ControlHost['collections'], tx: Transaction): Expiring[] {
  return collections.flatMap((each) => {
    const { name: collection, notAfter } = each
    if (!notAfter) return []
    return [...tx.newestFirst(each)].map((record) => ({ collection, key: each.key(record), at: notAfter(record) }))
  })
}

function describeExpired(all: readonly Expiring[], { now }: Transaction): Trouble[] {
  return all
    .filter(({ at }) => at <= now)
    .map(({ collection, key, at }) => ({
      kind: 'broken',
      count: 1,
      cause: `It expired at ${timestamp(at)}, so anything that it signed is rejected.`,
      about: [{ collection, key, name: key }],
    }))
}

/** Returns the uploads that have expired, and the next time at which a certificate starts or stops having a problem. */
function readCertificates(tx: Transaction): Derived<{ expired: readonly CertificateRecord[]; next: number }> {
  const expired: CertificateRecord[] = []
  let next = Number.POSITIVE_INFINITY
  for (const certificate of tx.newestFirst(certificates)) {
    const { upload, order } = certificate
    if (upload && upload.leaf.not_after <= tx.now) expired.push(certificate)
    next = Math.min(next, upload ? findNextTime(tx, listTimes(upload)) : findNextTime(tx, [order.not_after]))
  }
  return { value: { expired, next }, until: next }
}

function listTimes({ leaf, not_after }: NonNullable<CertificateRecord['upload']>): number[] {
  return [leaf.not_before, leaf.not_after, not_after, not_after - SOON_MS]
}

/** Lists the expired uploads that no domain uses. Domains that use one are listed themselves. */
function listExpiredUploads(tx: Transaction, expired: readonly CertificateRecord[]): Trouble[] {
  return expired.flatMap(({ id, upload }): Trouble[] => {
    if (!upload || tx.find(domains, 'certificate', id)) return []
    const { not_after, subject_common_name } = upload.leaf
    const about = [{ collection: certificates.name, key: id, name: subject_common_name || id }]
    const cause = `The uploaded certificate expired at ${timestamp(not_after)}. No domain uses it. Delete it.`
    return [{ kind: 'unused', count: 1, cause, about }]
  })
}

/** Lists the weighted backends that do not send requests to any child. */
function listIdleBackends(tx: Transaction): Trouble[] {
  return [...tx.newestFirst(backends)].flatMap(({ id: key, backends: weights, description }): Trouble[] => {
    const children = Object.keys(weights).length
    if (Object.values(weights).some((weight) => weight > 0)) return []
    const why =
      children === 0
        ? 'it has no children. Add one'
        : `its ${formatCount(children, 'weight is', 'weights are')} 0. Give one a weight above 0`
    const about = [{ collection: backends.name, key, name: description || key }]
    return [{ kind: 'risk', count: 1, cause: `The backend forwards no requests: ${why}.`, about }]
  })
}

/** Returns the earliest of these times that is in the future, or infinity if all are in the past. */
function findNextTime(tx: Transaction, times: readonly number[]): number {
  let next = Number.POSITIVE_INFINITY
  for (const at of times) if (at > tx.now && at < next) next = at
  return next
}
