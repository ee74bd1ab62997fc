import type { Phase } from './phases.ts'

/** A function for expressions. A function without `phases` exists in all phases. */
export interface PolicyFunction {
  /** The name as written in expressions: `lower`, `hash.md5`, or `getReqHeader`. */
  readonly name: string
  /** The signatures, in the CEL library's notation. */
  readonly signatures: readonly string[]
  readonly about: string
  readonly phases?: readonly Phase[]
}

const HTTP: readonly Phase[] = ['on_http_request', 'on_http_response', 'on_event_stream_message']
const RESPONSES: readonly Phase[] = ['on_http_response', 'on_event_stream_message']

const on = (name: string, signatures: string, about: string, phases?: readonly Phase[]): PolicyFunction => ({
  name,
  signatures: signatures.split(' | '),
  about,
  ...(phases && { phases }),
})

/** Functions in a namespace, such as `hash.md5`, are methods of that namespace's type. */
export const NAMESPACES: Readonly<Record<string, string>> = {
  base64: 'Base64Functions',
  basic_auth: 'BasicAuthFunctions',
  hash: 'HashFunctions',
  json: 'JsonFunctions',
  lists: 'ListFunctions',
  queryString: 'QueryStringFunctions',
  rand: 'RandomFunctions',
  secrets: 'SecretFunctions',
  strings: 'StringFunctions',
  url: 'UrlFunctions',
}

const HASHES: readonly string[] = ['crc32', 'crc64', 'md5', 'sha1', 'sha256', 'sha512', 'xxhash64']

/** The types whose values are ordered. */
export const ORDERED: readonly string[] = [
  ...['bool', 'bytes', 'double', 'int', 'string', 'uint'],
  ...['google.protobuf.Duration', 'google.protobuf.Timestamp'],
]

/** The functions that the service adds to CEL. */
export const FUNCTIONS: readonly PolicyFunction[] = [
  on('base64.decode', 'base64.decode(string): bytes', 'Decodes Base64.'),
  on('base64.encode', 'base64.encode(bytes): string', 'Encodes as Base64.'),
  on(
    'basic_auth.encode',
    'basic_auth.encode(string, string): string',
    'Returns the header value for a name and a password.',
  ),
  ...HASHES.flatMap((name) => [
    on(
      `hash.${name}`,
      `hash.${name}(string): string | hash.${name}(string, string): string`,
      `Returns the ${name} of a string, in hex or "base64".`,
    ),
    on(
      name,
      `string.${name}(): string | string.${name}(string): string`,
      `Returns the ${name} of the string, in hex or "base64".`,
    ),
  ]),
  on('json.decode', 'json.decode(string): dyn', 'Parses JSON.'),
  on('json.encode', 'json.encode(list): string | json.encode(map): string', 'Formats a value as JSON.'),
  on('lists.range', 'lists.range(int): list<int>', 'Returns the integers from 0 up to, but not including, a number.'),
  on('queryString.decode', 'queryString.decode(string): map<string, dyn>', 'Parses a query string.'),
  on('queryString.encode', 'queryString.encode(map): string', 'Formats a map as a query string.'),
  on('rand.double', 'rand.double(): double', 'Returns a random number from 0 to 1.'),
  on('rand.int', 'rand.int(): int | rand.int(int, int): int', 'Returns a random integer.'),
  on('secrets.get', 'secrets.get(string, string): string', 'Returns a secret from a vault, by name.'),
  on('url.escape', 'url.escape(string): string', 'Percent-encodes the string.'),
  on('url.unescape', 'url.unescape(string): string', 'Decodes percent-encoding.'),
  on('url.parse', 'url.parse(string): map<string, dyn>', 'Parses a URL.'),
  on('getReqCookie', 'getReqCookie(string): Cookie', 'Returns a request cookie.', HTTP),
  on('getReqHeader', 'getReqHeader(string): list<string>', 'Returns the values of a request header.', HTTP),
  on('getQueryParam', 'getQueryParam(string): list<string>', 'Returns the values of a query parameter.', HTTP),
  on('hasQueryParam', 'hasQueryParam(string): bool', 'Returns whether the query has a parameter.', HTTP),
  on('hasReqCookie', 'hasReqCookie(string): bool', 'Returns whether the request has a cookie.', HTTP),
  on('hasReqHeader', 'hasReqHeader(string): bool', 'Returns whether the request has a header.', HTTP),
  on('getResCookie', 'getResCookie(string): Cookie', 'Returns a response cookie.', RESPONSES),
  on('getResHeader', 'getResHeader(string): list<string>', 'Returns the values of a response header.', RESPONSES),
  on('hasResCookie', 'hasResCookie(string): bool', 'Returns whether the response has a cookie.', RESPONSES),
  on('hasResHeader', 'hasResHeader(string): bool', 'Returns whether the response has a header.', RESPONSES),
  on('encodeJson', 'list.encodeJson(): string | map.encodeJson(): string', 'Formats a value as JSON.'),
  on('slice', 'list.slice(int, int): list', 'Returns part of the list.'),
  on('flatten', 'list.flatten(): list | list.flatten(int): list', 'Flattens nested lists.'),
  on('sort', ORDERED.map((type) => `list<${type}>.sort(): list`).join(' | '), 'Sorts the list.'),
  on('distinct', 'list.distinct(): list', 'Removes duplicates.'),
  on('encodeQueryString', 'map.encodeQueryString(): string', 'Formats a map as a query string.'),
  on('matches', 'matches(string, string): bool', 'Returns whether a string matches an RE2 pattern.'),
  on('charAt', 'string.charAt(int): string', 'Returns the character at an index.'),
  on('format', 'string.format(list): string', 'Replaces the placeholders that start with a percent sign.'),
  on('split', 'string.split(): list<string>', 'Splits the string.'),
  on(
    'replace',
    'string.replace(string, string): string | string.replace(string, string, int): string',
    'Replaces a substring.',
  ),
  on('reverse', 'string.reverse(): string', 'Reverses the string.'),
  on('decodeBase64', 'string.decodeBase64(): string', 'Decodes Base64.'),
  on('encodeBase64', 'string.encodeBase64(): string', 'Encodes as Base64.'),
  on('decodeJson', 'string.decodeJson(): dyn', 'Parses JSON.'),
  on('decodeQueryString', 'string.decodeQueryString(): map<string, dyn>', 'Parses a query string.'),
  on('escapeUrl', 'string.escapeUrl(): string', 'Percent-encodes the string.'),
  on('unescapeUrl', 'string.unescapeUrl(): string', 'Decodes percent-encoding.'),
  on('parseUrl', 'string.parseUrl(): map<string, dyn>', 'Parses a URL.'),
  on('isJson', 'string.isJson(): bool', 'Returns whether the string is JSON.'),
  on('isPrivateIp', 'string.isPrivateIp(): bool', 'Returns whether the string is a private IP address.'),
  on('isQueryString', 'string.isQueryString(): bool', 'Returns whether the string is a query string.'),
  on('isURL', 'string.isURL(): bool', 'Returns whether the string is a URL.'),
  on('lower', 'string.lower(): string', 'Returns the string in lowercase.'),
  on('upper', 'string.upper(): string', 'Returns the string in uppercase.'),
  on('strings.quote', 'strings.quote(string): string', 'Quotes and escapes a string.'),
  on('inCidrRange', 'inCidrRange(string, string): bool', 'Returns whether a range contains an address.'),
  on(
    'inCidrRanges',
    'inCidrRanges(string, list<string>): bool',
    'Returns whether any of the ranges contains an address.',
  ),
]

/** CEL's other functions, for suggestions. */
export const CEL_FUNCTIONS: readonly string[] = [
  ...splitWords(
    'all bool bytes contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes',
  ),
  ...splitWords(
    'getMonth getSeconds has indexOf int join lastIndexOf lowerAscii map matches size sortBy split startsWith string substring timestamp trim type uint upperAscii',
  ),
]

function splitWords(text: string): readonly string[] {
  return text.split(' ')
}

/** The names that other languages use for these functions. */
export const ALIASES: Readonly<Record<string, string>> = {
  includes: 'contains',
  length: 'size',
  len: 'size',
  toLowerCase: 'lower',
  toUpperCase: 'upper',
  match: 'matches',
  test: 'matches',
  some: 'exists',
  any: 'exists',
  every: 'all',
  hasHeader: 'hasReqHeader',
  getHeader: 'getReqHeader',
}
