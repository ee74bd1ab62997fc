// Made from the table of families by `npm run types:generate`; a test says when that is due.

import type { InitialOf } from '../initial.ts'
import type { NamesOf } from '../operation-names.ts'
import type { CircuitBreakerModule } from './circuit-breaker.ts'
import type { CompressionModule } from './compression.ts'
import type { ReservedAddrs } from './reserved-addrs.ts'
import type { ReservedDomains } from './reserved-domains.ts'
import type { TlsCertificates } from './tls-certificates.ts'
import type { TrafficPolicyModule } from './traffic-policy.ts'
import type { WebhookVerificationModule } from './webhook-verification.ts'
import type { WeightedBackends } from './weighted-backends.ts'

export type * from './circuit-breaker.ts'
export type * from './compression.ts'
export type * from './reserved-addrs.ts'
export type * from './reserved-domains.ts'
export type * from './shared.ts'
export type * from './tls-certificates.ts'
export type * from './traffic-policy.ts'
export type * from './webhook-verification.ts'
export type * from './weighted-backends.ts'

/** What a gateway has of its families. */
export interface Resources {
  /** A TCP address that is held for the account. */
  readonly reservedAddrs: ReservedAddrs
  /** A hostname that is held for the account. */
  readonly reservedDomains: ReservedDomains
  /** A backend that shares traffic among child backends. */
  readonly weightedBackends: WeightedBackends
  /** A chain of certificates, with what its leaf says. */
  readonly tlsCertificates: TlsCertificates
  /** Lets only those webhooks pass that their provider has signed. */
  readonly webhookVerification: WebhookVerificationModule
  /** Rules on the traffic of a route. */
  readonly trafficPolicy: TrafficPolicyModule
  /** Stops traffic to an upstream that fails too often. */
  readonly circuitBreaker: CircuitBreakerModule
  /** Compresses answers on their way to clients. */
  readonly compression: CompressionModule
}

/**
 * What a gateway begins with, and has again after each `reset()`: by family, what `create` takes or, for modules,
 * `replace` with the ids.
 */
export type InitialResources = InitialOf<Resources>

/** The name of an operation of the API. */
export type OperationName = NamesOf<Resources>

/** A key of the one catalogue, for example `domain_taken`; families of your own have further ones. */
export type ErrorKey =
  | 'action_config_invalid'
  | 'action_unknown'
  | 'action_unreachable'
  | 'address_metadata_too_long'
  | 'address_pool_exhausted'
  | 'address_region_invalid'
  | 'address_update_empty'
  | 'auth_invalid'
  | 'auth_is_authtoken'
  | 'auth_missing'
  | 'auth_unparsable'
  | 'authority_invalid'
  | 'body_too_large'
  | 'body_unexpected'
  | 'body_unparsable'
  | 'body_unreadable'
  | 'certificate_and_policy'
  | 'certificate_automatic'
  | 'certificate_description_too_long'
  | 'certificate_in_use'
  | 'certificate_is_key'
  | 'certificate_key_mismatch'
  | 'certificate_managed'
  | 'certificate_metadata_too_long'
  | 'certificate_missing'
  | 'certificate_not_found'
  | 'certificate_not_pem'
  | 'certificate_not_uploaded'
  | 'certificate_on_service_domain'
  | 'certificate_too_long'
  | 'certificate_unparsable'
  | 'chain_out_of_order'
  | 'child_backend_invalid'
  | 'child_backend_not_found'
  | 'clock_move_stopped'
  | 'clock_not_manual'
  | 'content_type_missing'
  | 'content_type_unsupported'
  | 'control_forbidden'
  | 'control_key_invalid'
  | 'control_key_missing'
  | 'domain_character_invalid'
  | 'domain_empty_label'
  | 'domain_hyphens_3_4'
  | 'domain_label_end_invalid'
  | 'domain_label_start_invalid'
  | 'domain_label_too_long'
  | 'domain_metadata_too_long'
  | 'domain_name_and_domain'
  | 'domain_not_qualified'
  | 'domain_punycode_invalid'
  | 'domain_region_invalid'
  | 'domain_suffix_unreachable'
  | 'domain_taken'
  | 'domain_too_long'
  | 'domain_underscore'
  | 'domain_update_empty'
  | 'domain_wildcard_mixed'
  | 'domain_wildcard_not_first'
  | 'domain_wildcard_suffix'
  | 'edge_not_found'
  | 'endpoint_configuration_not_found'
  | 'error_threshold_out_of_range'
  | 'expression_invalid'
  | 'field_invalid'
  | 'field_unknown'
  | 'filter_invalid'
  | 'gateway_busy'
  | 'id_unparsable'
  | 'id_wrong_prefix'
  | 'injected_fault'
  | 'internal_failure'
  | 'key_encrypted'
  | 'key_is_certificate'
  | 'key_missing'
  | 'key_not_kept'
  | 'key_unsupported'
  | 'limit_not_a_number'
  | 'limit_out_of_range'
  | 'method_not_allowed'
  | 'not_found'
  | 'nothing_ahead'
  | 'num_buckets_out_of_range'
  | 'path_not_found'
  | 'pem_wrong_type'
  | 'policy_on_service_domain'
  | 'private_key_type_invalid'
  | 'query_repeated'
  | 'query_unknown'
  | 'request_head_too_large'
  | 'request_malformed'
  | 'request_timeout'
  | 'rolling_window_invalid'
  | 'rule_without_action'
  | 'store_failed'
  | 'too_many_on_order'
  | 'too_many_requests'
  | 'tripped_duration_invalid'
  | 'version_missing'
  | 'version_unsupported'
  | 'webhook_provider_missing'
  | 'webhook_provider_unsupported'
  | 'webhook_secret_missing'
  | 'webhook_secret_not_accepted'
  | 'weight_out_of_range'
  | 'weighted_backend_in_use'
