// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { ListPage, ListParameters, Ref, Resource } from './shared.ts'

/** What a reserved domain is created with. */
export interface ReservedDomainCreate {
  /**
   * The hostname, exact or with one leading `*.`; it is kept in lower case, and can be reserved once. Refused as
   * `domain_wildcard_not_first`, `domain_wildcard_mixed`, `domain_character_invalid`, `domain_label_start_invalid`,
   * `domain_label_end_invalid`, `domain_empty_label`, `domain_hyphens_3_4`, `domain_suffix_unreachable`,
   * `domain_wildcard_suffix`, `domain_punycode_invalid`, `domain_underscore`, `domain_not_qualified`,
   * `domain_label_too_long`, `domain_too_long`. (rules: domain-names#grammar)
   */
  readonly domain: string
  /**
   * A datacenter region; deprecated, as traffic for domains is handled globally. Refused as `domain_region_invalid`.
   * (rules: limits#regions)
   */
  readonly region?: 'au' | 'eu' | 'ap' | 'us' | 'jp' | 'in' | 'sa' | undefined
  /** What the resource is for, in words for people. */
  readonly description?: string | undefined
  /**
   * Anything that programs keep with the resource; the service does not read it. At most 4096 bytes in UTF-8. Refused
   * as `domain_metadata_too_long`. (rules: limits#texts)
   */
  readonly metadata?: string | undefined
  /**
   * The id of the uploaded TLS certificate to use; not together with a policy. Refused as `id_unparsable`,
   * `id_wrong_prefix`. (rules: references#any)
   */
  readonly certificate_id?: string | undefined
  /**
   * How certificates are issued automatically; not together with a certificate. (rules:
   * domain-certificates#one-or-the-other)
   */
  readonly certificate_management_policy?: ReservedDomainCertPolicyBody | undefined
  /**
   * The id of the endpoint configuration to link for HTTP. Refused as `id_unparsable`, `id_wrong_prefix`. (rules:
   * references#any)
   */
  readonly http_endpoint_configuration_id?: string | undefined
  /**
   * The id of the endpoint configuration to link for HTTPS. Refused as `id_unparsable`, `id_wrong_prefix`. (rules:
   * references#any)
   */
  readonly https_endpoint_configuration_id?: string | undefined
  /** Where the name resolves to; `[]` empties it. */
  readonly resolves_to?: readonly ResolvesTo[] | undefined
}

/** The policy to put in force. */
export interface ReservedDomainCertPolicyBody {
  /**
   * The public ACME certificate authority that issues the certificates. One of `letsencrypt`. Required. Refused as
   * `authority_invalid`.
   */
  readonly authority: string
  /**
   * The type of the keys of the certificates. Default: `rsa`; `ecdsa` in the dialect `ngrok`. Refused as
   * `private_key_type_invalid`. (rules: domain-certificates#same-policy)
   */
  readonly private_key_type?: 'rsa' | 'ecdsa' | undefined
}

/** A place that a name resolves to. */
export interface ResolvesTo {
  /** What the place is called, such as a region. */
  readonly value: string
}

/** What is changed of a reserved domain: at least one field. */
export type ReservedDomainUpdate = Omit<ReservedDomainCreate, 'domain' | 'region'>

/** A hostname that is held for the account. */
export interface ReservedDomain extends Resource {
  /**
   * The hostname, exact or with one leading `*.`; it is kept in lower case, and can be reserved once. (rules:
   * domain-names#once)
   */
  readonly domain: string
  /** A datacenter region; deprecated, as traffic for domains is handled globally. */
  readonly region: string | null
  /**
   * What the name's CNAME record must name; null for a domain that the service owns. (rules:
   * reserved-domains#cname-targets)
   */
  readonly cname_target: string | null
  /**
   * The TLS certificate in use: the uploaded one, or the last that was issued automatically; else null. (rules:
   * domain-certificates#which-certificates)
   */
  readonly certificate: Ref | null
  /** How certificates are issued automatically; null where they are not. */
  readonly certificate_management_policy: ReservedDomainCertPolicy | null
  /** What automatic issuance does; null where there is none. */
  readonly certificate_management_status: ReservedDomainCertStatus | null
  /**
   * What the CNAME record of `_acme-challenge.` and the name below the wildcard must name; null for what is no
   * wildcard, or is owned by the service.
   */
  readonly acme_challenge_cname_target: string | null
  /** The endpoint configuration that is linked for HTTP, or null. */
  readonly http_endpoint_configuration: Ref | null
  /** The endpoint configuration that is linked for HTTPS, or null. */
  readonly https_endpoint_configuration: Ref | null
  /** Where the name resolves to; `[]` empties it. */
  readonly resolves_to?: readonly ResolvesTo[]
}

/** The policy in force. */
export interface ReservedDomainCertPolicy extends ReservedDomainCertPolicyBody {
  readonly authority: string
  readonly private_key_type: 'rsa' | 'ecdsa'
}

/** What automatic issuance does for a domain. */
export interface ReservedDomainCertStatus {
  /** When the next renewal starts; null until a certificate was issued. (rules: provisioning-jobs#renewal) */
  readonly renews_at: string | null
  /**
   * The job that gets the first certificate or a new one; null while none is wanted. (rules: provisioning-jobs#state)
   */
  readonly provisioning_job: ReservedDomainCertJob | null
}

/** A job that gets a certificate for a domain. */
export interface ReservedDomainCertJob {
  /**
   * Why the last attempt failed: `INTERNAL_ERROR` passes by itself, `DNS_ERROR` is for the user to correct; else null.
   * (rules: provisioning-jobs#failure)
   */
  readonly error_code: 'INTERNAL_ERROR' | 'DNS_ERROR' | null
  /** How it stands, in words for people: what is awaited, or what was wrong. */
  readonly msg: string
  /** When the job was started. (rules: provisioning-jobs#start) */
  readonly started_at: string
  /** When the next attempt is made; null before the first. (rules: provisioning-jobs#failure) */
  readonly retries_at: string | null
}

/** A page of the list of every reserved domain. */
export interface ReservedDomainList extends ListPage {
  /** The items of the page, newest first. */
  readonly reserved_domains: readonly ReservedDomain[]
}

/** The calls of `gateway.reservedDomains`. */
export interface ReservedDomains {
  /**
   * Create a reserved domain: `POST /reserved_domains`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215,
   * `certificate_and_policy` 434, `policy_on_service_domain` 439, `certificate_on_service_domain` 440,
   * `domain_name_and_domain` 449, `certificate_not_uploaded` 90410, `endpoint_configuration_not_found` 90411; 404:
   * `certificate_not_found` 1965; 409: `domain_taken` 413.
   */
  create(body: ReservedDomainCreate): ReservedDomain
  /**
   * Get a reserved domain: `GET /reserved_domains/{id}`; the id starts with `rd_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  get(id: string): ReservedDomain
  /**
   * List reserved domains, newest first: `GET /reserved_domains`.
   * @throws GatewayError what parameters are refused as; 400: `field_invalid` 215, `query_unknown` 231.
   */
  list(query?: ListParameters): ReservedDomainList
  /**
   * Change a reserved domain: `PATCH /reserved_domains/{id}`; the id starts with `rd_`.
   * @throws GatewayError what fields are refused as; 400: `field_unknown` 214, `field_invalid` 215,
   * `domain_update_empty` 422, `certificate_and_policy` 434, `policy_on_service_domain` 439,
   * `certificate_on_service_domain` 440, `domain_name_and_domain` 449, `certificate_not_uploaded` 90410,
   * `endpoint_configuration_not_found` 90411; 404: `certificate_not_found` 1965, `not_found` 90404.
   */
  update(id: string, body?: ReservedDomainUpdate): ReservedDomain
  /**
   * Delete a reserved domain: `DELETE /reserved_domains/{id}`; the id starts with `rd_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  delete(id: string): void
  /**
   * Detach the uploaded certificate from a reserved domain: `DELETE /reserved_domains/{id}/certificate`; the id starts
   * with `rd_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227, `certificate_managed` 436; 404: `not_found`
   * 90404.
   */
  detachCertificate(id: string): void
  /**
   * Detach the certificate management policy from a reserved domain: `DELETE
   * /reserved_domains/{id}/certificate_management_policy`; the id starts with `rd_`.
   * @throws GatewayError 400: `id_unparsable` 223, `id_wrong_prefix` 227; 404: `not_found` 90404.
   */
  detachCertificateManagementPolicy(id: string): void
}
