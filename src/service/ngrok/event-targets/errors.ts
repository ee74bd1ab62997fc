import * as kit from '../../kit/index.ts'

/** The errors for targets. */
export const targetErrors = kit.declareErrors({
  event_target_missing: kit.ofField(5100, 400, '{field} has no destination for the events. Send one of {kinds}.'),
  event_role_invalid: kit.field(5104, 400, 'the ARN of a role, such as "arn:aws:iam::123456789012:role/events"'),
  event_auth_missing: kit.field(5106, 400, 'an object with role or creds'),
  event_auth_empty: kit.field(5107, 400, 'role or creds'),
  event_targets_several: kit.ofField(5115, 400, '{field} has {names}. Send exactly one.'),
  event_auths_several: kit.field(5116, 400, 'role or creds, not both'),
  event_arn_invalid: kit.field(
    5130,
    400,
    'the ARN of a {service} resource, such as "arn:aws:{service}:us-east-1:123456789012:a-name"',
  ),
  event_api_key_missing: kit.field(5133, 400, 'a Datadog API key'),
  event_datadog_site_invalid: kit.ofField(5134, 400, '{field} is {received}. Allowed: one of {sites}.'),
  event_azure_rule_missing: kit.field(5136, 400, 'the immutable ID of a data collection rule'),
  event_azure_stream_missing: kit.field(5137, 400, 'the name of a data collection stream'),
  event_azure_uri_invalid: kit.field(5138, 400, 'the https URI of a data collection endpoint'),
  event_azure_invalid: kit.field(5139, 400, 'a non-empty string'),
})
