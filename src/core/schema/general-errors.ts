import { declareErrors, entry, field } from './errors.ts'
import { formatCount, formatIdStart } from './text.ts'

/**
 * The errors that belong to no family: those of the request as a whole, of ids, queries and filters, and of fields that
 * have no more specific error.
 *
 * @example
 * ```ts
 * refuse(general.not_found, { what: 'widget with the id', received: quote(id) })
 * ```
 */
export const general = declareErrors({
  auth_missing: entry(200, 401, () => 'No Authorization header was sent. Send "Authorization: Bearer <API key>".'),
  auth_unparsable: entry(
    201,
    401,
    () => 'The Authorization header is not of the form "Bearer <API key>" with a non-empty key.',
  ),
  auth_invalid: entry(203, 401, () => 'The API key is not one of the keys of this gateway.'),
  auth_is_authtoken: entry(
    206,
    401,
    () => "The credential is an agent's authtoken. Send an API key; authtokens are for agents only.",
  ),
  content_type_unsupported: entry(
    210,
    415,
    (it: { received: string }) => `Content-Type is ${it.received}. A body must be "application/json".`,
  ),
  body_unexpected: entry(
    211,
    400,
    (it: { method: string; bytes: number }) =>
      `A ${it.method} request came with a body of ${formatCount(it.bytes, 'byte')}. Send none, or "{}".`,
  ),
  body_unreadable: entry(212, 400, () => 'The body ended early. Send the whole body, with its correct length.'),
  body_unparsable: entry(
    213,
    400,
    (it: { received: string }) => `The body is ${it.received}. It must be one JSON object in UTF-8.`,
  ),
  field_unknown: entry(
    214,
    400,
    (it: { field: string; allowed: string }) =>
      `${it.field} is not a field of this operation. Supported: ${it.allowed}.`,
  ),
  field_invalid: field(215, 400),
  content_type_missing: entry(
    216,
    415,
    () => 'The request has a body but no Content-Type header. It must be "application/json".',
  ),
  version_unsupported: entry(
    217,
    400,
    (it: { header: string; received: string }) => `${it.header} is ${it.received}. The only supported version is 2.`,
  ),
  version_missing: entry(
    218,
    400,
    (it: { header: string; sent?: string | undefined }) =>
      `The header ${it.header} is missing. Send "${it.header}: 2".${
        it.sent ? ` The request has ${it.sent}: is the gateway's \`dialect\` that of the client?` : ''
      }`,
  ),
  id_unparsable: field(
    223,
    400,
    (it: { prefix: string }) => `an id: ${formatIdStart(it.prefix)} and 1 to 64 letters or digits`,
  ),
  too_many_requests: entry(
    226,
    429,
    (it: { limit: number; seconds: number; wait: number }) =>
      `More than ${formatCount(it.limit, 'request')} within ${formatCount(it.seconds, 'second')}. Try again in ${formatCount(it.wait, 'second')}.`,
  ),
  id_wrong_prefix: field(227, 400, (it: { prefix: string }) => `an id that starts with ${formatIdStart(it.prefix)}`),
  query_unknown: entry(
    231,
    400,
    (it: { field: string; received: string; allowed: string }) =>
      `${it.received} is not a query parameter of this operation. Supported: ${it.allowed}.`,
  ),
  query_repeated: entry(
    232,
    400,
    (it: { field: string; received: string }) =>
      `The query parameter ${it.received} was sent more than once. Send it once.`,
  ),
  limit_out_of_range: field(233, 400, () => 'a whole number from 1 to 100'),
  limit_not_a_number: field(244, 400, () => 'a whole number from 1 to 100'),
  filter_invalid: entry(
    250,
    400,
    (it: { received: string; problem: string }) =>
      `filter is ${it.received}: ${it.problem}. Supported is a subset of CEL over obj: ! && || < <= == != >= >, ` +
      'parentheses, in, size(), startsWith(), contains(), endsWith(), timestamp("…"), timestamp(time.now), ' +
      '.add("7d"), .subtract("24h").',
  ),
  path_not_found: entry(
    90400,
    404,
    (it: { method: string; path: string; problem: string }) =>
      `${it.method} ${it.path} is not a path of this API, or this emulator does not support it. ${it.problem}`,
  ),
  caller_forbidden: entry(
    90403,
    403,
    (it: { what: string; received: string; others: string }) =>
      `This server received the ${it.what} ${it.received}. Allowed: this machine's own, such as localhost; ${it.others}.`,
  ),
  not_found: entry(90404, 404, (it: { what: string; received: string }) => `There is no ${it.what} ${it.received}.`),
  method_not_allowed: entry(
    90405,
    405,
    (it: { method: string; path: string; allowed: string }) =>
      `${it.method} is not allowed on ${it.path}. Allowed: ${it.allowed}.`,
  ),
  gateway_busy: entry(
    90408,
    409,
    (it: { inside: string }) =>
      `The gateway was called by code that it runs itself, inside ${it.inside}. Call it when that has ended.`,
  ),
  body_too_large: entry(
    90413,
    413,
    (it: { limit: number }) => `The body has more than ${it.limit} bytes. At most ${it.limit} are allowed.`,
  ),
  request_malformed: entry(
    90430,
    400,
    (it: { problem: string }) => `The received bytes are not an HTTP/1.1 request: ${it.problem}.`,
  ),
  request_head_too_large: entry(
    90431,
    431,
    (it: { limit: number }) => `The request line and the headers have more than ${it.limit} bytes. Send fewer.`,
  ),
  request_timeout: entry(
    90432,
    408,
    (it: { seconds: number }) =>
      `The request did not arrive within ${formatCount(it.seconds, 'second')}. Send it without pauses.`,
  ),
  store_failed: entry(
    90507,
    507,
    (it: { why: string }) =>
      `The store did not save the commit of this call, so the call has changed nothing. The cause: ${it.why}`,
  ),
  internal_failure: entry(90501, 500, () => 'fauxgate itself failed on this request. Its console says how.'),
})
