import { REGIONS } from './regions.ts'

const POSITIVE_UINT32 = 'an integer from 1 to 4294967295'

/**
 * The error catalogue: every way a request can be refused, by key. Code throws a key with the values its message
 * needs (`refuse`); the number becomes the wire's `error_code` behind the dialect's prefix. Numbers below 90000 are
 * those the public service documents for the same condition.
 */
export const catalogue = {
  auth_missing: entry(200, 401, () => 'No Authorization header was sent. Send "Authorization: Bearer <API key>".'),
  auth_unparsable: entry(
    201,
    401,
    () => 'The Authorization header is not of the form "Bearer <API key>" with a non-empty key.',
  ),
  auth_invalid: entry(203, 401, () => 'The API key is not one of the keys that this gateway was created with.'),
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
      `A ${it.method} request came with a body of ${it.bytes} bytes. Send none, or "{}".`,
  ),
  body_unreadable: entry(
    212,
    400,
    () => 'The body could not be read to its end. Send it whole, of the announced length.',
  ),
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
  field_invalid: field(215, 400, (it: { allowed?: string }) => it.allowed ?? 'another value'),
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
    (it: { header: string }) => `The header ${it.header} is missing. Send "${it.header}: 2".`,
  ),
  id_unparsable: field(223, 400, (it: { prefix: string }) => `an id: "${it.prefix}_" and 1 to 64 letters or digits`),
  too_many_requests: entry(
    226,
    429,
    (it: { limit: number; seconds: number; wait: number }) =>
      `More than ${it.limit} requests within ${it.seconds} seconds. Try again in ${it.wait} seconds.`,
  ),
  id_wrong_prefix: field(227, 400, (it: { prefix: string }) => `an id that starts with "${it.prefix}_"`),
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

  domain_region_invalid: field(400, 400, () => `one of ${REGIONS.join(', ')}`),
  domain_wildcard_not_first: field(402, 400, () => '"*" only as the whole first label'),
  domain_wildcard_mixed: field(403, 400, () => 'a first label that is either "*" or has no "*"'),
  domain_character_invalid: field(406, 400, () => 'letters a to z, digits, "-" and "."'),
  domain_label_start_invalid: field(407, 400, () => 'labels that start with a letter or digit'),
  domain_label_end_invalid: field(408, 400, () => 'labels that end with a letter or digit'),
  domain_empty_label: field(409, 400, () => 'a name without an empty label'),
  domain_hyphens_3_4: field(410, 400, () => '"--" as a label\'s third and fourth character only after "xn"'),
  domain_suffix_unreachable: field(411, 400, () => 'a last label that is not "localhost" and not all digits'),
  domain_taken: entry(
    413,
    409,
    (it: { field: string; domain: string; id: string }) =>
      `The domain ${it.domain} is reserved already, as ${it.id}. A name can be reserved once.`,
  ),
  domain_wildcard_suffix: field(416, 400, () => '"*." above at least two labels, such as "*.example.com"'),
  domain_metadata_too_long: tooLong(421, 4096),
  domain_update_empty: entry(422, 400, () =>
    emptyUpdate(
      'description, metadata, certificate_id, certificate_management_policy, http_endpoint_configuration_id, ' +
        'https_endpoint_configuration_id',
    ),
  ),
  domain_punycode_invalid: field(429, 400, () => 'a label that is valid punycode after "xn--"'),
  certificate_and_policy: entry(
    434,
    400,
    (it: { field: string; received: string }) =>
      `certificate_id is ${it.received} and certificate_management_policy was sent too. Only one of them is allowed.`,
  ),
  authority_invalid: field(435, 400, (it: { authority: string }) => `"${it.authority}"`),
  certificate_managed: entry(
    436,
    400,
    (it: { id: string }) =>
      `${it.id} has a certificate management policy in force. Detach the policy; its certificate goes with it.`,
  ),
  domain_underscore: field(438, 400, () => 'a name without "_"'),
  policy_on_service_domain: entry(
    439,
    400,
    (it: { field: string; received: string }) =>
      `${it.received} belongs to the service. A certificate management policy is allowed on custom domains only.`,
  ),
  certificate_on_service_domain: entry(
    440,
    400,
    (it: { field: string; received: string }) =>
      `${it.received} belongs to the service. An uploaded certificate is allowed on custom domains only.`,
  ),
  domain_not_qualified: field(448, 400, () => 'at least two labels, such as "app.example.com"'),
  domain_name_and_domain: entry(
    449,
    400,
    (it: { field: string; other: string }) =>
      `${it.field} and ${it.other} were both sent. They name the same field: send ${it.other} only.`,
  ),

  address_region_invalid: field(500, 400, () => `one of ${REGIONS.join(', ')}`),
  address_pool_exhausted: entry(
    503,
    409,
    (it: { field?: string; region: string; size: number }) =>
      `All ${it.size} addresses of the region ${it.region} are reserved. Delete one or choose another region.`,
  ),
  address_metadata_too_long: tooLong(505, 4096),
  address_update_empty: entry(506, 400, () => emptyUpdate('description, metadata, endpoint_configuration_id')),
  domain_label_too_long: field(513, 400, () => 'labels of at most 63 characters'),
  domain_too_long: field(514, 400, () => 'at most 253 characters'),

  certificate_unparsable: entry(
    1900,
    400,
    (it: { field: string; position: number; problem: string }) =>
      `${it.field}: certificate ${it.position} of the chain cannot be read: ${it.problem}. ` +
      'Allowed: X.509 certificates with RSA, ECDSA (P-256, P-384, P-521) or Ed25519 keys.',
  ),
  key_missing: entry(
    1901,
    400,
    (it: { field: string }) =>
      `${it.field}: no PEM private key was sent. ` +
      'Send a "PRIVATE KEY", "RSA PRIVATE KEY" or "EC PRIVATE KEY" block.',
  ),
  key_encrypted: entry(
    1902,
    400,
    (it: { field: string }) => `${it.field}: the private key is encrypted. Send it without a passphrase.`,
  ),
  key_unsupported: entry(
    1903,
    400,
    (it: { field: string; problem: string }) =>
      `${it.field}: the private key cannot be used: ${it.problem}. ` +
      'Allowed: RSA, ECDSA (P-256, P-384, P-521) or Ed25519 as PKCS#8, PKCS#1 or SEC1.',
  ),
  private_key_type_invalid: field(1909, 400, () => '"rsa" or "ecdsa"'),
  pem_wrong_type: entry(
    1911,
    400,
    (it: { field: string; received: string; allowed: string }) =>
      `${it.field}: received a PEM block of ${it.received}. Allowed: ${it.allowed}.`,
  ),
  certificate_description_too_long: tooLong(1914, 255),
  certificate_metadata_too_long: tooLong(1915, 4096),
  certificate_missing: entry(
    1919,
    400,
    (it: { field: string }) =>
      `${it.field}: no certificate was sent. Send a chain of PEM "CERTIFICATE" blocks, leaf first.`,
  ),
  certificate_not_pem: entry(
    1920,
    400,
    (it: { field: string; problem: string }) =>
      `${it.field} is not PEM: ${it.problem}. Send blocks of "-----BEGIN CERTIFICATE-----", base64 and ` +
      '"-----END CERTIFICATE-----", each on lines of its own.',
  ),
  certificate_too_long: entry(
    1921,
    400,
    (it: { field: string; received: number; limit: number; unit: 'bytes' | 'certificates' }) =>
      `${it.field} has ${it.received} ${it.unit}. Allowed are at most ${it.limit}.`,
  ),
  certificate_key_mismatch: entry(
    1923,
    400,
    (it: { field: string; leaf: string; key: string }) =>
      `${it.field}: the private key (${it.key}) does not belong to the leaf certificate (${it.leaf}). ` +
      "Send the leaf's own key.",
  ),
  key_is_certificate: entry(
    1924,
    400,
    (it: { field: string }) =>
      `${it.field} holds a certificate. Send the private key here and the certificate as certificate_pem.`,
  ),
  certificate_is_key: entry(
    1925,
    400,
    (it: { field: string }) =>
      `${it.field} holds a private key. Send the certificate here and the key as private_key_pem.`,
  ),
  chain_out_of_order: entry(
    1926,
    400,
    (it: { field: string; position: number; subject: string; problem: string }) =>
      `${it.field}: certificate ${it.position} of the chain (${it.subject}) is not signed by the next one: ` +
      `${it.problem}. Send the leaf first and each certificate before its issuer.`,
  ),
  certificate_not_found: entry(
    1965,
    404,
    (it: { field: string; received: string }) =>
      `${it.field} is ${it.received}, which does not exist. Name an uploaded TLS certificate.`,
  ),
  certificate_automatic: entry(
    1966,
    409,
    (it: { id: string; domain: string }) =>
      `${it.id} was issued automatically and is in use by ${it.domain}. Detach the domain's certificate management policy instead.`,
  ),

  expression_invalid: entry(
    2200,
    400,
    (it: { field: string; received: string; problem: string }) =>
      `${it.field} is ${it.received}, which is not CEL: ${it.problem}. A CEL expression is required.`,
  ),
  action_unknown: field(2201, 400, (it: { allowed: string }) => `one of ${it.allowed}`),
  action_config_invalid: field(2204, 400, (it: { allowed: string }) => it.allowed),
  rule_without_action: entry(
    2206,
    400,
    (it: { field: string }) => `${it.field} has no action. Every rule needs at least one.`,
  ),
  action_unreachable: entry(
    2207,
    400,
    (it: { field: string; received: string; after: string }) =>
      `${it.field} is ${it.received} and stands after "${it.after}", which ends the rule. Put a terminating action last.`,
  ),

  child_backend_not_found: entry(
    6501,
    400,
    (it: { field: string; received: string; problem: string; allowed: string }) =>
      `${it.field}: the backend ${it.received} ${it.problem}. Allowed are ${it.allowed}.`,
  ),
  weighted_backend_in_use: entry(
    6502,
    400,
    (it: { id: string; parent: string }) =>
      `${it.id} is a child of the weighted backend ${it.parent}. Take it out there before deleting it.`,
  ),
  weight_out_of_range: field(6512, 400, () => 'an integer from 0 to 10000'),
  child_backend_invalid: field(6526, 400, () => 'the id of a backend, "bkd…_" and letters or digits'),
  edge_not_found: entry(
    7000,
    404,
    (it: { received: string }) =>
      `The edge ${it.received} was not declared. Allowed are edges declared through the direct API.`,
  ),
  error_threshold_out_of_range: field(7011, 400, () => 'a number from 0 to 1'),
  tripped_duration_invalid: field(7016, 400, () => POSITIVE_UINT32),
  rolling_window_invalid: field(7017, 400, () => POSITIVE_UINT32),
  num_buckets_out_of_range: field(7018, 400, () => 'an integer from 1 to 128'),
  webhook_secret_not_accepted: entry(
    7026,
    400,
    (it: { provider: string }) => `secret was sent, which the provider ${it.provider} does not use. Leave it out.`,
  ),
  webhook_secret_missing: entry(
    7027,
    400,
    (it: { provider: string }) => `secret is missing. The provider ${it.provider} requires one, as a non-empty string.`,
  ),
  webhook_provider_missing: entry(
    7029,
    400,
    (it: { allowed: string }) => `provider is missing. Name one of ${it.allowed}.`,
  ),
  webhook_provider_unsupported: field(7030, 400, (it: { allowed: string }) => `one of ${it.allowed}`),

  path_not_found: entry(
    90400,
    404,
    (it: { method: string; path: string; problem: string }) =>
      `${it.method} ${it.path} is not a path of this API, or one that this emulator does not have: ${it.problem}.`,
  ),
  control_key_missing: entry(
    90401,
    401,
    (it: { header: string }) => `The control API needs its key here. Send it in the header ${it.header}.`,
  ),
  control_key_invalid: entry(
    90402,
    401,
    (it: { header: string }) => `What the header ${it.header} holds is not the control key of this gateway.`,
  ),
  control_forbidden: entry(
    90403,
    403,
    (it: { what: string; received: string }) =>
      `The control API was asked with the ${it.what} ${it.received}. Allowed: this machine's own, such as localhost; ` +
      'any other only with a control key.',
  ),
  not_found: entry(90404, 404, (it: { what: string; received: string }) => `There is no ${it.what} ${it.received}.`),
  method_not_allowed: entry(
    90405,
    405,
    (it: { method: string; path: string; allowed: string }) =>
      `${it.method} is not allowed on ${it.path}. Allowed: ${it.allowed}.`,
  ),
  certificate_in_use: entry(
    90409,
    409,
    (it: { id: string; domain: string }) => `${it.id} is in use by ${it.domain}. Detach it there before deleting it.`,
  ),
  certificate_not_uploaded: entry(
    90410,
    400,
    (it: { field: string; received: string }) =>
      `${it.field} is ${it.received}, which was issued automatically. Name an uploaded TLS certificate.`,
  ),
  endpoint_configuration_not_found: entry(
    90411,
    400,
    (it: { field: string; received: string }) =>
      `${it.field} is ${it.received}, which was not declared. Allowed are endpoint configurations declared through the direct API.`,
  ),
  body_too_large: entry(
    90413,
    413,
    (it: { limit: number }) => `The body has more than ${it.limit} bytes. Allowed are at most ${it.limit}.`,
  ),
  key_not_kept: entry(
    90421,
    400,
    (it: { id: string }) =>
      `The private key of ${it.id} was left out of the snapshot that it came from. Take one with keys.`,
  ),
  clock_not_manual: entry(
    90420,
    400,
    () => 'The clock of this gateway cannot be moved. Allowed: a manual clock, such as --clock manual.',
  ),
  gateway_busy: entry(
    90408,
    409,
    (it: { inside: string }) =>
      `The gateway was called by code that it runs itself, inside ${it.inside}. Call it when that has ended.`,
  ),
  too_many_on_order: entry(
    90429,
    409,
    (it: { what: string; most: number }) =>
      `There are ${it.most} ${it.what} on order already, which is the most allowed. Remove some first.`,
  ),
  clock_move_stopped: entry(
    90422,
    504,
    (it: { seconds: number; reached: string; asked: string }) =>
      `The move was stopped after ${it.seconds} seconds of work. The clock stands at ${it.reached}; asked for was ` +
      `${it.asked}. What was due by then has happened: move on from there, or in smaller steps.`,
  ),
  request_malformed: entry(
    90430,
    400,
    (it: { problem: string }) => `What was sent is no HTTP/1.1 request: ${it.problem}.`,
  ),
  request_head_too_large: entry(
    90431,
    431,
    (it: { limit: number }) => `The request line and the headers have more than ${it.limit} bytes. Send fewer.`,
  ),
  request_timeout: entry(
    90432,
    408,
    (it: { seconds: number }) => `The request was not there within ${it.seconds} seconds. Send it at once.`,
  ),
  injected_fault: entry(
    90500,
    503,
    (it: { operation: string }) => `A fault was injected into ${it.operation} by the test.`,
  ),
  internal_failure: entry(90501, 500, () => 'fauxgate itself failed on this request. Its console says how.'),
} as const

/** A key of the error catalogue, for example `domain_taken`. */
export type ErrorKey = keyof typeof catalogue

/** The values that the message of a catalogue entry needs. */
export type ErrorValues<K extends ErrorKey> = Parameters<(typeof catalogue)[K]['message']>[0]

/** Whether a text is a key of the catalogue. */
export function isErrorKey(text: string): text is ErrorKey {
  return Object.hasOwn(catalogue, text)
}

/** One thing that is wrong with a request. `field` is the path of the field in the body, query or path. */
export interface Problem {
  readonly key: ErrorKey
  readonly message: string
  readonly field?: string
  /** What the message was made from, where it is the catalogue's. */
  readonly values?: object
}

/** Builds a problem from a catalogue key and the values of its message. */
export function problem<K extends ErrorKey>(key: K, values: ErrorValues<K>): Problem {
  const render = catalogue[key].message as (values: ErrorValues<K>) => string
  const message = render(values)
  const named = (values as { field?: string } | undefined)?.field
  return named === undefined ? { key, message, values } : { key, message, values, field: named }
}

/** What a refusal says beside its problems. */
interface About {
  /** Further entries of the wire's `details`. */
  readonly details?: Readonly<Record<string, string>> | undefined
  /** Further response headers (`Allow`, `Retry-After`). */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly further?: Further
}

/** How many more problems there are than those that are put into words; perhaps even more than that. */
export interface Further {
  readonly count: number
  readonly isCountedToItsEnd: boolean
}

const NONE: Further = { count: 0, isCountedToItsEnd: true }

/** Thrown by rules to refuse a request. The first problem gives the answer's code and message. */
export class Refusal extends Error {
  readonly details: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly further: Further

  constructor(
    readonly problems: readonly [Problem, ...Problem[]],
    { details = {}, headers = {}, further = NONE }: About = {},
  ) {
    super(problems[0].message)
    this.details = details
    this.headers = headers
    this.further = further
  }

  /** The same refusal with its problems put into other words. */
  worded(reword: (problem: Problem) => Problem): Refusal {
    const [first, ...others] = this.problems
    return new Refusal([reword(first), ...others.map(reword)], this)
  }
}

/** Refuses a request with one catalogue error. */
export function refuse<K extends ErrorKey>(
  key: K,
  values: ErrorValues<K>,
  details?: Readonly<Record<string, string>>,
  headers?: Readonly<Record<string, string>>,
): never {
  throw new Refusal([problem(key, values)], { details, headers })
}

interface Entry<Values> {
  readonly number: number
  readonly status: number
  readonly message: (values: Values) => string
}

// biome-ignore lint/complexity/noBannedTypes: an entry without values takes any object
function entry<Values = {}>(number: number, status: number, message: (values: Values) => string): Entry<Values> {
  return { number, status, message }
}

type FieldValues<Extra> = { field: string; received: string } & Extra

// biome-ignore lint/complexity/noBannedTypes: a field without further values takes any object
function field<Extra = {}>(
  number: number,
  status: number,
  allowed: (values: Extra) => string,
): Entry<FieldValues<Extra>> {
  return entry(number, status, (it) => `${it.field} is ${it.received}. Allowed: ${allowed(it)}.`)
}

function tooLong(number: number, limit: number) {
  return entry(
    number,
    400,
    (it: { field: string; bytes: number }) =>
      `${it.field} has ${it.bytes} bytes in UTF-8. Allowed are at most ${limit}.`,
  )
}

function emptyUpdate(fields: string): string {
  return `The update has no value. Send at least one of ${fields}.`
}
