/** The catalogue, written independently of the sources: key, number, status (rules: errors#catalogue). */
const ROWS = `
auth_missing 200 401 | auth_unparsable 201 401 | auth_invalid 203 401 | auth_is_authtoken 206 401 |
content_type_unsupported 210 415 | body_unexpected 211 400 | body_unreadable 212 400 | body_unparsable 213 400 |
field_unknown 214 400 | field_invalid 215 400 | content_type_missing 216 415 | version_unsupported 217 400 |
version_missing 218 400 | id_unparsable 223 400 | too_many_requests 226 429 | id_wrong_prefix 227 400 |
query_unknown 231 400 | query_repeated 232 400 | limit_out_of_range 233 400 | limit_not_a_number 244 400 |
filter_invalid 250 400 | domain_region_invalid 400 400 | domain_of_company 404 400 | domain_of_service 450 400 |
domain_taken_elsewhere 414 400 | domain_conflicts_elsewhere 417 400 | domain_redirect_too_long 457 400 | domain_dev 458 400 | domain_wildcard_not_first 402 400 |
domain_limit_none 401 400 | domain_limit_custom 412 400 | domain_limit_reached_older 415 400 |
domain_limit_wildcard_reached_older 418 400 | domain_limit_wildcard_none 419 400 | domain_limit_reached 431 400 |
domain_rate_reached 432 429 | account_without_api 204 403 | account_suspended 205 403 |
account_unpaid 247 403 | owner_without_write 635 403 | maintenance_read_only 1500 503 | maintenance 1501 503 |
edges_ended 7008 400 | edges_read_only 7196 400 | domain_limit_managed 1905 400 | certificate_limit_none 1904 400 |
weighted_backend_limit_none 6529 400 | domain_limit_wildcard_reached 433 400 | address_limit_none 501 400 |
address_limit_reached_older 502 400 | address_limit_reached 508 400 | address_rate_reached 509 429 |
policy_rules_reached 2264 400 | account_limit_reached 5000 400 | account_rate_reached 5001 429 |
domain_wildcard_mixed 403 400 | domain_character_invalid 406 400 | domain_label_start_invalid 407 400 |
domain_label_end_invalid 408 400 | domain_empty_label 409 400 | domain_hyphens_3_4 410 400 |
domain_suffix_unreachable 411 400 | domain_taken 413 409 | domain_wildcard_suffix 416 400 |
domain_metadata_too_long 421 400 | domain_update_empty 422 400 | domain_punycode_invalid 429 400 |
certificate_and_policy 434 400 | authority_invalid 435 400 | certificate_managed 436 400 | domain_underscore 438 400 |
policy_on_service_domain 439 400 | certificate_on_service_domain 440 400 | domain_not_qualified 448 400 |
domain_name_and_domain 449 400 | address_region_invalid 500 400 | address_pool_exhausted 503 409 |
address_metadata_too_long 505 400 | address_update_empty 506 400 | domain_label_too_long 513 400 |
domain_too_long 514 400 | key_missing 1901 400 | key_encrypted 1902 400 | key_unsupported 1903 400 |
certificate_unparsable 1900 400 | private_key_type_invalid 1909 400 | pem_headers 1910 400 | pem_wrong_type 1911 400 |
certificate_description_too_long 1914 400 | certificate_metadata_too_long 1915 400 | certificate_missing 1919 400 |
certificate_not_pem 1920 400 | certificate_too_long 1921 400 | certificate_key_mismatch 1923 400 |
key_is_certificate 1924 400 | certificate_is_key 1925 400 | chain_out_of_order 1926 400 |
certificate_not_found 1965 404 | certificate_automatic 1966 409 | expression_invalid 2200 400 |
action_unknown 2201 400 | action_config_invalid 2204 400 | rule_without_action 2206 400 | action_unreachable 2207 400 |
weight_out_of_range 6512 400 | child_backend_invalid 6526 400 | child_backend_not_found 6501 400 |
weighted_backend_in_use 6502 400 | edge_not_found 7000 404 | error_threshold_out_of_range 7011 400 |
tripped_duration_invalid 7016 400 | rolling_window_invalid 7017 400 | num_buckets_out_of_range 7018 400 |
webhook_secret_not_accepted 7026 400 | webhook_secret_missing 7027 400 | webhook_provider_missing 7029 400 |
webhook_provider_unsupported 7030 400 | not_found 90404 404 | path_not_found 90400 404 | method_not_allowed 90405 405 |
certificate_in_use 90409 409 | certificate_not_uploaded 90410 400 | endpoint_configuration_not_found 90411 400 |
body_too_large 90413 413 | injected_fault 90500 503
`

/** The catalogue by key. */
export const catalogue: Readonly<Record<string, { readonly number: number; readonly status: number }>> =
  Object.fromEntries(
    ROWS.split('|')
      .map((row) => row.trim().split(' '))
      .map(([key, number, status]) => [key, { number: Number(number), status: Number(status) }]),
  )
