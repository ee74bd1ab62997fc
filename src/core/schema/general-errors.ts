import { declareErrors, entry, field } from './errors.ts'
import { formatCount, formatIdStart } from './text.ts'

/**
 * The errors that belong to no family: errors about the whole request, IDs, queries, and filters, and about fields without a more specific
 * error.
 *
 * @example
 * ```ts
 * refuse(general.not_found, { what: 'widget with the ID', received: quote(id) })
 * ```
 */
export const general = declareErrors({
  auth_missing: entry(200, 401, 'The Authorization header is missing. Send "Authorization: Bearer <API key>".'),
  auth_unparsable: entry(
    201,
    401,
    'The Authorization header is not in the form "Bearer <API key>", with a non-empty key.',
  ),
  auth_invalid: entry(203, 401, ({ deleted }: { readonly deleted?: string | undefined }) =>
    deleted === undefined
      ? "The API key is not one of this gateway's keys."
      : `The API key ${deleted} no longer exists. Send the token of another one, for example from POST /api_keys.`,
  ),
  auth_is_authtoken: entry(
    206,
    401,
    "The credential is an agent's authtoken. Send an API key; authtokens are for agents only.",
  ),
  content_type_unsupported: entry(210, 415, 'Content-Type is {received}. A body must be "application/json".'),
  body_unexpected: entry(
    211,
    400,
    (it: { method: string; bytes: number }) =>
      `A ${it.method} request has a body of ${formatCount(it.bytes, 'byte')}. Send no body, or "{}".`,
  ),
  body_unreadable: entry(212, 400, 'The body ended early. Send the complete body, with the correct Content-Length.'),
  body_unparsable: entry(213, 400, 'The body is {received}. It must be a single JSON object in UTF-8.'),
  field_unknown: entry(214, 400, '{field} is not a field of this operation. Supported: {allowed}.'),
  field_invalid: field(215, 400),
  content_type_missing: entry(
    216,
    415,
    'The request has a body but no Content-Type header. It must be "application/json".',
  ),
  version_unsupported: entry(217, 400, '{header} is {received}. The only supported version is 2.'),
  version_missing: entry(
    218,
    400,
    (it: { header: string; hint?: string | undefined }) =>
      `The ${it.header} header is missing. Send "${it.header}: 2".${it.hint ? ` ${it.hint}` : ''}`,
  ),
  id_unparsable: field(
    223,
    400,
    (it: { prefix: string }) => `${formatIdStart(it.prefix)} followed by 1 to 64 letters or digits`,
  ),
  too_many_requests: entry(
    226,
    429,
    (it: { limit: number; seconds: number; wait: number }) =>
      `More than ${formatCount(it.limit, 'request')} within ${formatCount(it.seconds, 'second')}. Try again in ${formatCount(it.wait, 'second')}.`,
  ),
  id_wrong_prefix: field(227, 400, (it: { prefix: string }) => `an ID that starts with ${formatIdStart(it.prefix)}`),
  query_unknown: entry(231, 400, '{received} is not a query parameter of this operation. Supported: {allowed}.'),
  query_repeated: entry(232, 400, 'The query parameter {received} was sent more than once. Send it once.'),
  limit_out_of_range: field(233, 400, 'a whole number from 1 to 100'),
  limit_not_a_number: field(244, 400, 'a whole number from 1 to 100'),
  filter_invalid: entry(
    250,
    400,
    'filter is {received}: {problem}. Filters are a subset of CEL over obj: ! && || < <= == != >= >, parentheses, in, size(), startsWith(), contains(), endsWith(), timestamp("…"), timestamp(time.now), .add("7d"), .subtract("24h").',
  ),
  path_not_found: entry(
    90400,
    404,
    '{method} {path} is not part of this API, or this emulator does not support it. {problem}',
  ),
  caller_forbidden: entry(
    90403,
    403,
    "The {what} {received} is not allowed. Allowed: this machine's own, such as localhost; {others}.",
  ),
  not_found: entry(90404, 404, 'There is no {what} {received}.'),
  method_not_allowed: entry(90405, 405, '{method} is not allowed on {path}. Allowed: {allowed}.'),
  gateway_busy: entry(
    90408,
    409,
    'The gateway cannot be called from within {inside}. Call it after that code returns.',
  ),
  body_too_large: entry(90413, 413, 'The body exceeds the maximum of {limit} bytes. Send a smaller body.'),
  request_malformed: entry(90430, 400, 'The bytes received are not an HTTP/1.1 request: {problem}.'),
  request_head_too_large: entry(
    90431,
    431,
    'The request line and headers exceed the maximum of {limit} bytes. Send fewer or shorter headers.',
  ),
  request_timeout: entry(
    90432,
    408,
    (it: { seconds: number }) =>
      `The request did not arrive within ${formatCount(it.seconds, 'second')}. Send it without pauses.`,
  ),
  transfer_encoding_unknown: entry(
    90433,
    501,
    'The only supported Transfer-Encoding is chunked. Send the body uncompressed.',
  ),
  http_version_unknown: entry(90505, 505, 'The HTTP version is unknown. Allowed: HTTP/1.0 and HTTP/1.1.'),
  store_failed: entry(90507, 507, "The store could not save this call's changes, so nothing has changed. Cause: {why}"),
  internal_failure: entry(90501, 500, 'fauxgate failed to handle this request. See its console output for the error.'),
})
