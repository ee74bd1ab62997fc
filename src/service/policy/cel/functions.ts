import { md5, sha1 } from '@noble/hashes/legacy.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { isJson, tries } from '../../../core/schema/values.ts'
import { isInRange, isPrivate } from './addresses.ts'
import type { Implementation } from './built-in.ts'
import { crc32, crc64, xxhash64 } from './checksums.ts'
import { toText } from './format.ts'
import { sortBy } from './macros.ts'
import { numberOf } from './operators.ts'
import { toCelValue, typeOf } from './types.ts'
import { EvaluationProblem, entriesOf, readField, readPath, type Values } from './values.ts'

/** The functions that read the request or the gateway. */
export const OF_VISIT: readonly string[] = [
  ...['getReqCookie', 'getReqHeader', 'getQueryParam', 'hasQueryParam', 'hasReqCookie', 'hasReqHeader'],
  ...['getResCookie', 'getResHeader', 'hasResCookie', 'hasResHeader'],
  ...['rand.double', 'rand.int', 'secrets.get'],
]

const HASHES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  crc32,
  crc64,
  md5,
  sha1,
  sha256,
  sha512,
  xxhash64,
}

function digest(name: string) {
  return (text: string, form = 'hex') => {
    const bytes = HASHES[name]?.(utf8ToBytes(text)) ?? new Uint8Array()
    if (form === 'hex') return bytesToHex(bytes)
    if (form === 'base64') return toBase64(bytes)
    throw new EvaluationProblem('the format of a hash must be "hex" or "base64"')
  }
}

const hashes = Object.keys(HASHES).flatMap((name) => [
  [`hash.${name}`, digest(name)],
  [name, digest(name)],
])

const listAt = ({ roots }: Values, path: string, name: string): readonly unknown[] => {
  const found = readField(readPath(roots, path), name)
  return Array.isArray(found) ? found : []
}

const cookies = (root: string) => (values: Values, name: string) => listAt(values, `${root}.cookies`, name)
const headers = (root: string) => (values: Values, name: string) =>
  listAt(values, `${root}.headers`, name.toLowerCase())
const queryOf = (values: Values, name: string) => listAt(values, 'req.url.query_params', name)

const firstOf = (list: (values: Values, name: string) => readonly unknown[]) => (values: Values, name: string) => {
  const [first] = list(values, name)
  if (first === undefined) throw new EvaluationProblem(`there is no cookie ${name}`)
  return first
}
const hasAny = (list: (values: Values, name: string) => readonly unknown[]) => (values: Values, name: string) =>
  list(values, name).length > 0

/** The functions that the service adds to CEL, by name in `service/policy/functions.ts`. */
export const IMPLEMENTATIONS: Readonly<Record<string, Implementation>> = {
  ...Object.fromEntries(hashes),
  'base64.decode': (text: string) => fromBase64(text),
  'base64.encode': (bytes: Uint8Array) => toBase64(bytes),
  'basic_auth.encode': (user: string, password: string) => `Basic ${toBase64(utf8ToBytes(`${user}:${password}`))}`,
  'json.decode': decodeJson,
  'json.encode': encodeJson,
  'lists.range': makeRange,
  'queryString.decode': decodeQuery,
  'queryString.encode': encodeQuery,
  'rand.double': (values: Values) => values.randomInteger(2 ** 32) / 2 ** 32,
  'rand.int': (values: Values, min = 0n, max = 1n) => {
    if (min < 0n || max < min)
      throw new EvaluationProblem('rand.int needs two non-negative numbers, the smaller one first')
    return min + BigInt(values.randomInteger(Number(max - min) + 1))
  },
  'secrets.get': (values: Values, vault: string, name: string) => values.secret(vault, name),
  'url.escape': encodeURIComponent,
  'url.unescape': decodePercent,
  'url.parse': parseUrl,
  getReqCookie: firstOf(cookies('req')),
  getReqHeader: headers('req'),
  getQueryParam: queryOf,
  hasQueryParam: hasAny(queryOf),
  hasReqCookie: hasAny(cookies('req')),
  hasReqHeader: hasAny(headers('req')),
  getResCookie: firstOf(cookies('res')),
  getResHeader: headers('res'),
  hasResCookie: hasAny(cookies('res')),
  hasResHeader: hasAny(headers('res')),
  encodeJson,
  slice(list: readonly unknown[], start: bigint, end: bigint) {
    if (start < 0n || end < start || end > list.length) throw new EvaluationProblem('the slice is outside the list')
    return list.slice(Number(start), Number(end))
  },
  flatten(list: readonly unknown[], depth = 1n) {
    if (depth < 0n) throw new EvaluationProblem('the depth of flatten is less than 0')
    return list.flat(Number(depth))
  },
  sort: (list: readonly unknown[]) => sortBy(list, (item) => item),
  distinct(list: readonly unknown[]) {
    const seen = new Set<string>()
    return list.filter((each) => {
      const key = keyOf(each)
      const isFirst = !seen.has(key)
      seen.add(key)
      return isFirst
    })
  },
  encodeQueryString: encodeQuery,
  decodeBase64: (text: string) => new TextDecoder().decode(fromBase64(text)),
  encodeBase64: (text: string) => toBase64(utf8ToBytes(text)),
  decodeJson,
  decodeQueryString: decodeQuery,
  escapeUrl: encodeURIComponent,
  unescapeUrl: decodePercent,
  parseUrl,
  isJson,
  isPrivateIp: isPrivate,
  isQueryString: (text: string) => /^[^=&\s]+=[^&\s]*(&[^=&\s]+=[^&\s]*)*$/.test(text),
  isURL: (text: string) => URL.canParse(text),
  inCidrRange: isInRange,
  inCidrRanges: (address: string, ranges: readonly unknown[]) =>
    ranges.some((range) => isInRange(address, toText(range))),
}

/** The maximum length of a list returned by `lists.range`. */
const MAX_RANGE = 10_000

function makeRange(length: bigint): readonly bigint[] {
  if (length < 0n || length > MAX_RANGE) throw new EvaluationProblem(`a range can have at most ${MAX_RANGE} numbers`)
  return Array.from({ length: Number(length) }, (_, at) => BigInt(at))
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

function fromBase64(text: string): Uint8Array {
  const isWhole = text.length % 4 === 0
  if (!isWhole || !tries(() => atob(text))) throw new EvaluationProblem('the text is not Base64')
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

function decodeJson(text: string): unknown {
  if (!isJson(text)) throw new EvaluationProblem('the text is not JSON')
  return toCelValue(JSON.parse(text))
}

function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    const number = numberOf(each)
    if (typeof number === 'bigint') return toJsonNumber(number)
    if (each instanceof Uint8Array) return toBase64(each)
    return each instanceof Map ? Object.fromEntries(each) : each
  })
}

/** Returns an integer for JSON. @throws if the integer is too large to represent exactly */
function toJsonNumber(value: bigint): number {
  if (Number.isSafeInteger(Number(value))) return Number(value)
  throw new EvaluationProblem('an integer is too large for JSON')
}

function encodeQuery(map: object): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of entriesOf(map)) {
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(String(name), toText(each))
  }
  return String(parameters)
}

function decodeQuery(text: string): Record<string, unknown> {
  const found = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const all = found.get(name)
    if (all) all.push(value)
    else found.set(name, [value])
  }
  return Object.fromEntries([...found].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

function decodePercent(text: string): string {
  if (!tries(() => decodeURIComponent(text))) throw new EvaluationProblem('the string is not percent-encoded')
  return decodeURIComponent(text)
}

function parseUrl(text: string): Record<string, unknown> {
  if (!URL.canParse(text)) throw new EvaluationProblem('the text is not a URL')
  const { protocol, host, pathname, search, hash, username } = new URL(text)
  const parts = {
    scheme: protocol.slice(0, -1),
    host,
    path: pathname === '/' && !text.endsWith('/') ? '' : pathname,
    query: search.slice(1),
    fragment: hash.slice(1),
    user: username,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ''))
}

/** Returns a string that is the same for equal values. A length prefix delimits each string. */
function keyOf(value: unknown): string {
  const number = numberOf(value)
  if (number !== undefined) return `${number};`
  if (Array.isArray(value)) return `[${value.map(keyOf).join('')}]`
  if (typeOf(value) === 'map') {
    const entries = entriesOf(value).map(([name, each]) => keyOf(name) + keyOf(each))
    return `{${entries.sort().join('')}}`
  }
  const text = String(value)
  return `${typeOf(value)} ${text.length} ${text}`
}
