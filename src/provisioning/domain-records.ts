import { collection, type Due } from '../contract/collection.ts'
import type { Region } from '../contract/regions.ts'
import type { ResourceRecord } from '../contract/resource.ts'
import type { TimelineEntry } from './timeline.ts'

/** How certificates of a domain are managed (service document, "ReservedDomainCertPolicy"). */
export interface Policy {
  readonly authority: string
  readonly private_key_type: 'rsa' | 'ecdsa'
}

/** Why a provisioning attempt can fail (service document, "ReservedDomainCertJob"). */
export type ProvisioningError = 'INTERNAL_ERROR' | 'DNS_ERROR'

/** A running provisioning job (service document, "ReservedDomainCertJob"); times in ms since 1970. */
export interface Job {
  readonly error_code: ProvisioningError | null
  readonly msg: string
  readonly started_at: number
  readonly retries_at: number | null
  /** How often it has met an INTERNAL_ERROR, which is what the backoff grows with. */
  readonly internal_errors: number
}

/** A reserved domain as it is kept. */
export interface DomainRecord extends ResourceRecord {
  readonly domain: string
  readonly region: Region | null
  readonly cname_target: string | null
  readonly acme_challenge_cname_target: string | null
  readonly certificate_id: string | null
  readonly policy: Policy | null
  readonly renews_at: number | null
  readonly job: Job | null
  /** The job's next attempt or, where no job runs, the next renewal. */
  readonly due: Due | null
  /** What its provisioning did, oldest first. */
  readonly timeline: readonly TimelineEntry[]
  readonly http_endpoint_configuration_id: string | null
  readonly https_endpoint_configuration_id: string | null
  /** Where the name resolves to; absent until it was set. */
  readonly resolves_to?: readonly { readonly value: string }[] | undefined
}

export const domains = collection<DomainRecord>({
  name: 'reserved_domains',
  key: (record) => record.id,
  fields: ['id', 'created_at', 'domain', 'certificate_id', 'policy', 'renews_at', 'job', 'due', 'timeline'],
  indexes: { domain: (record) => record.domain, certificate: (record) => record.certificate_id },
  due: (record) => record.due,
})
