import { declareErrors, entry } from '../../core/schema/errors.ts'

const refused = (number: number, about: string) => entry(number, 400, about)

/**
 * The errors about policies, apart from those of the `policy` module. Their messages include the location, the value, and the allowed
 * values.
 */
export const languageErrors = declareErrors({
  policy_action_not_in_phase: refused(2202, "The action is not available in the rule's phase."),
  policy_config_field_unknown: refused(2203, 'An action config has an unknown field.'),
  policy_action_not_for_protocol: refused(2205, "The action is not available for the endpoint's protocol."),
  policy_header_name_too_long: refused(2208, 'A header name is too long.'),
  policy_header_value_too_long: refused(2209, 'A header value is too long.'),
  policy_header_name_invalid: refused(2210, 'A header name contains a character that is not allowed.'),
  policy_header_value_invalid: refused(2211, 'A header value contains a control character.'),
  policy_header_count: refused(2212, 'An action has too many headers.'),
  policy_header_template_invalid: refused(2213, 'A header in `add-headers` contains an invalid `${…}`.'),
  policy_algorithm_unknown: refused(2214, 'An algorithm in `compress-response` is unknown.'),
  policy_number_out_of_range: refused(2215, 'A number in a config is too small or too large.'),
  policy_ip_policy_unknown: refused(2216, 'An IP policy does not exist.'),
  policy_cidr_invalid: refused(2217, 'A string is not an address range.'),
  policy_too_many_entries: refused(2218, 'A list in a config has too many entries.'),
  policy_header_reserved: refused(2219, 'A policy changes a header that policies cannot change.'),
  policy_text_too_long: refused(2221, 'A string in a config is too long.'),
  policy_value_not_allowed: refused(2222, 'A value in a config is not allowed.'),
  policy_value_empty: refused(2223, 'A value in a config is empty.'),
  policy_template_invalid: refused(2224, 'A config contains an invalid CEL expression.'),
  policy_duration_out_of_range: refused(2225, 'A duration in a config is too short or too long.'),
  policy_url_invalid: refused(2226, 'A string in a config is not a URL.'),
  policy_pem_invalid: refused(2228, 'A string in a config is not valid PEM.'),
  policy_phase_invalid: refused(
    2230,
    'A policy uses a phase that does not exist or that its protocol does not support.',
  ),
  policy_value_twice: refused(2231, 'A list in a config contains the same value twice.'),
  policy_value_missing: refused(2234, 'A config lacks a required field.'),
  policy_does_not_end: refused(2235, 'The policy of a cloud endpoint does not terminate traffic.'),
  policy_unreadable: refused(2236, 'A string is not a policy.'),
  policy_text_too_short: refused(2237, 'A string in a config is too short.'),
  policy_two_sign_ins: refused(2239, 'A policy has two actions that let users sign in.'),
  policy_pair_incomplete: refused(2240, 'A config contains only one of two fields that belong together.'),
  policy_domain_punycode_invalid: refused(2242, 'A cookie domain has a label that is not valid Punycode.'),
  policy_domain_invalid: refused(2243, 'A cookie domain is not a domain name.'),
  policy_too_many_query_parameters: refused(2244, 'A request has too many parameters.'),
  policy_query_key_too_long: refused(2245, 'A parameter name is too long.'),
  policy_query_value_too_long: refused(2246, 'A parameter value is too long.'),
  policy_tcp_phase_on_edge: refused(2248, 'The policy of an HTTPS edge uses the phase `on_tcp_connect`.'),
  policy_variable_too_deep: refused(2250, 'A variable in `set-vars` is nested too deeply.'),
  policy_variable_not_single: refused(2252, 'An entry in `set-vars` is not a map with one name.'),
  policy_action_not_on_plan: refused(2256, "The account's plan does not include the action."),
  policy_user_invalid: refused(2257, 'The user in a credential contains a control character.'),
  policy_password_invalid: refused(2258, 'The password in a credential contains a control character.'),
  policy_pattern_invalid: refused(2261, 'A string in a config is not an RE2 pattern.'),
  policy_tcp_phase_internal: refused(2262, 'The policy of an internal HTTP endpoint uses the phase `on_tcp_connect`.'),
  policy_feature_not_on_plan: refused(2263, "The account's plan does not include a feature of the action."),
  policy_two_ai_gateways: refused(2266, 'A policy has two `ai-gateway` actions.'),
  policy_provider_keys: refused(2267, 'An `ai-gateway` action has keys for a provider that is not your own.'),
})
