import type { Variable, Variables } from './action.ts'
import { flag, text, texts, whole } from './fields.ts'
import * as forms from './value-forms.ts'

const int64 = whole
const map = (type: string, about: string): Variable => ({ type: `map<string, ${type}>`, about })
const time = (about: string): Variable => ({ type: 'google.protobuf.Timestamp', about })
const list = (type: string, about: string): Variable => ({ type: `list<${type}>`, about })

/** The types of values in lists and maps, by name. */
export const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Cookie: {
    name: 'string',
    value: 'string',
    domain: 'string',
    expires: 'google.protobuf.Timestamp',
    http_only: 'bool',
    max_age: 'google.protobuf.Duration',
    path: 'string',
    same_site: 'string',
    secure: 'bool',
    unparsed_attributes: 'map<string, string>',
  },
  Extension: { id: 'string', critical: 'bool', value: 'bytes' },
  Attempt: {
    resolved_ip: 'string',
    response_header: 'map<string, list<string>>',
    response_status_code: 'int',
    response_time_ms: 'string',
  },
  Token: {
    header: 'map<string, dyn>',
    location: 'string',
    location_property: 'string',
    payload: 'map<string, dyn>',
    signature: 'string',
    verified: 'bool',
  },
  Replacement: { replacement_index: 'int', matched_content: 'string' },
  MatchedRule: { id: 'int', message: 'string', severity: 'string', data: 'string' },
}

const contentType = (whose: string): Variables => ({
  _text: text(`The media type of the ${whose}.`, forms.MEDIA_TYPE),
  parameters: map('string', 'The parameters of the media type.'),
  raw: text('The header `content-type` as sent.'),
})

const message = (whose: string): Variables => ({
  content_encoding: texts(`The body encodings of the ${whose}.`),
  content_length: int64(`The body length of the ${whose}, in bytes.`),
  content_type: contentType(whose),
  cookies: map('list<Cookie>', `The cookies of the ${whose}, by name.`),
  headers: map('list<string>', `The headers of the ${whose}, by lowercase name.`),
  location: text(`The header \`location\` of the ${whose}.`),
  trailers: map('list<string>', `The trailers of the ${whose}, by lowercase name.`),
})

export const REQUEST: Variables = {
  ...message('request'),
  host: text('The header `host`.', forms.HOST_HEADER),
  method: text('The method.', forms.METHOD),
  version: text('The HTTP version, such as `HTTP/2.0`.', forms.VERSION),
  ts: {
    body_received: time('The time at which the body arrived.'),
    header_received: time('The time at which the headers arrived.'),
  },
  url: {
    _text: text('The whole URL, normalized.', forms.URL_TEXT),
    authority: text('Credentials, host, and port.'),
    host: text('The host name.', forms.HOST),
    path: text('The path, with the leading slash.', forms.PATH),
    port: whole('The port, if the URL has one.'),
    query: text('The query, without the question mark.', forms.QUERY),
    query_params: map('list<string>', 'The query parameters.'),
    raw: text('The complete URL, as sent.', forms.URL_TEXT),
    raw_path: text('The path as sent.', forms.PATH),
    scheme: text('`http` or `https`.', forms.SCHEMES),
    uri: text('Path and query.', forms.URI),
    user_password: text('The credentials.'),
  },
  user_agent: {
    _text: text('The header `user-agent`.'),
    name: text('The name of the browser or program.'),
    version: text('Its version.'),
    os: text('The operating system.'),
    os_version: text('The version of the operating system.'),
    device: text('The device.'),
    is_mobile: flag('Whether the device is a phone.'),
    is_tablet: flag('Whether the device is a tablet.'),
    is_desktop: flag('Whether the device is a desktop computer.'),
    is_bot: flag('Whether the program is a bot.'),
    url: text('The URL in the user agent.'),
  },
}

export const RESPONSE: Variables = { ...message('response'), status_code: whole('The status.') }

const place = {
  city: text('The city.'),
  continent: text('The continent.', forms.CONTINENT),
  country: text('The country.', forms.PLACE_NAME),
  country_code: text('The two-letter country code.', forms.COUNTRY_CODE),
  is_eu: flag('Whether the location is in the European Union.'),
  metro_code: text('The metro code.'),
  subdivision: text('The region of the country.'),
  timezone: text('The time zone.'),
} satisfies Variables
const coordinates: Variables = {
  latitude: text('The latitude.'),
  longitude: text('The longitude.'),
  radius: text('The radius around the coordinates, in kilometers.'),
}

const address = (about: string): Variables => ({
  _text: text(about, forms.IP),
  categories: texts('The categories of the address.', forms.CATEGORY),
  is_on_blocklist: flag('Whether the address is on a list of bad reputation.'),
  is_tor_node: flag('Whether the address is a Tor exit node.'),
  as: {
    number: whole('The number of the autonomous system.'),
    organization: text("The autonomous system's organization."),
  },
  geo: {
    location: { ...place, ...coordinates, postal_code: text('The postal code.') },
    registered_location: place,
  },
})

const entity = (about: string): Variables => ({
  _text: text(about),
  common_name: text('The common name.'),
  country: texts('The countries.'),
  locality: texts('The localities.'),
  organization: texts('The organizations.'),
  organizational_unit: texts('The organizational units.'),
  postal_code: texts('The postal codes.'),
  province: texts('The provinces.'),
  street_address: texts('The street addresses.'),
})

const certificate = (whose: string): Variables => ({
  extensions: list('Extension', `The extensions of the ${whose}'s certificate.`),
  issuer: entity("The certificate's issuer."),
  san: {
    _text: text('The subject alternative names.'),
    dns_names: texts('The DNS names.'),
    email_addresses: texts('The email addresses.'),
    ip_addresses: texts('The IP addresses.'),
    uris: texts('The URIs.'),
  },
  serial_number: text('The serial number.'),
  signature_algorithm: text('The signature algorithm.'),
  subject: entity("The certificate's subject."),
  validity: {
    not_after: time('The time at which the certificate expires.'),
    not_before: time('The time at which the certificate becomes valid.'),
  },
})

/** The variables of `terminate-tls`. */
export function terminatedTls(): Variables {
  return {
    cipher_suite: text('The cipher suite.'),
    sni: text('The host name of the SNI extension.', forms.HOST),
    version: text('The TLS version.', forms.TLS_VERSION),
    client: certificate('client'),
    server: certificate('server'),
  }
}

/** The variables of a TLS connection. */
export function tlsVariables(): Variables {
  return {
    ...terminatedTls(),
    ja4_fingerprint: text('The JA4 fingerprint.'),
    negotiated_alpn: text('The protocol negotiated through ALPN.'),
    session_resumed: flag('Whether the session was resumed.'),
    client: { ...certificate('client'), pem: text('The certificate, as PEM.') },
  }
}

const podMetadata: Variables = {
  name: text('The pod name.'),
  namespace: text('The pod namespace.'),
  annotations: map('string', 'The annotations whose names begin with `k8s.ngrok.com/`.'),
  error_code: text('The error code that explains why the pod is unknown.'),
  error_message: text('Why the pod is unknown.'),
}

export const CONNECTION: Variables = {
  bytes_in: int64('The number of bytes from the client.'),
  bytes_out: int64('The number of bytes to the client.'),
  client_ip: address("The client's address."),
  client_port: whole("The client's port."),
  server_ip: address('The address that the client connected to.'),
  server_port: whole('The port that the client connected to.'),
  server_region: text("The gateway's region."),
  ts: { start: time('The time at which the connection began.') },
  geo: {
    city: place.city,
    country: place.country,
    country_code: place.country_code,
    subdivision: place.subdivision,
    ...coordinates,
  },
  k8s: { pod: { id: text('The pod UID.'), metadata: podMetadata } },
}

export const ENDPOINT: Variables = {
  addr: text("The endpoint's address."),
  host: text("The endpoint's host.", forms.HOST),
  id: text("The endpoint's ID.", forms.ENDPOINT_ID),
  port: whole("The endpoint's port."),
  protocol: text("The endpoint's protocol.", forms.PROTOCOLS_OF_ENDPOINTS),
  url: text("The endpoint's URL."),
}

export const TIME: Variables = { now: text('The time in UTC, in RFC 3339 format.') }

export const ACTION_ERROR: Variables = {
  code: text('The error number of the action.', forms.ERROR_CODE),
  message: text('What went wrong.'),
}

/** The request and the response of an `http-request` action. */
export const SENT_REQUEST: Variables = {
  method: text('The request method.', forms.METHOD),
  header: map('list<string>', 'The request headers.'),
  url: text('The request URL.'),
  body: text('The request body.'),
}
export const RECEIVED_RESPONSE: Variables = {
  resolved_ip: text('The address of the host that responded.'),
  header: map('list<string>', 'The response headers.'),
  status_code: whole('The response status.'),
  time_ms: text('How long the response took.'),
  body: text('The response body.'),
}

/** The variables of `retry_condition`. The action's page uses `statusCode`, but its list of variables uses `status_code`. */
export const RETRY: Variables = {
  attempts: whole('The number of attempts so far.'),
  last_attempt: {
    req: SENT_REQUEST,
    res: { ...RECEIVED_RESPONSE, statusCode: whole('The response status.') },
    error: text('The error of the last attempt.'),
  },
}

/** The older spelling, used in the `policy` module. */
export const OLDER_REQUEST: Variables = {
  Method: text('The method.', forms.METHOD),
  URL: text('The URL.'),
  Host: text('The host.'),
  ContentLength: int64('The body length.'),
  ContentType: text('The media type.', forms.MEDIA_TYPE),
  Headers: map('list<string>', 'The headers, by canonical name.'),
  Params: map('list<string>', 'The query parameters.'),
  Version: text('The HTTP version.', forms.VERSION),
}
export const OLDER_RESPONSE: Variables = {
  // The service took comparisons with numbers and with strings, as programs of 2024 wrote them.
  StatusCode: { type: 'dyn', about: 'The status.' },
  ContentLength: int64('The body length.'),
  ContentType: text('The media type.', forms.MEDIA_TYPE),
  Headers: map('list<string>', 'The headers, by canonical name.'),
}
export const OLDER_CONNECTION: Variables = {
  ClientIP: text("The client's address.", forms.IP),
  ServerIP: text('The address that the client connected to.', forms.IP),
  Geo: {
    City: text('The city.'),
    Country: text('The country.', forms.PLACE_NAME),
    CountryCode: text('The two-letter country code.', forms.COUNTRY_CODE),
    Subdivision: text('The region of the country.'),
  },
}

/** Returns whether a variable has no nested variables. */
export function isVariable(value: Variable | Variables): value is Variable {
  return typeof value.type === 'string'
}
