import { nearest } from '../../core/schema/nearest.ts'
import type { Form } from './action.ts'
import { isCategory, nearestCategory } from './ip-categories.ts'

const upper = (text: string) => text.toUpperCase()
const lower = (text: string) => text.toLowerCase()

/** The form of the results of `lower()` and `upper()`. */
export const LOWER: Form = { about: 'The text is lowercase.', never: /\p{Lu}/u, fix: lower }
export const UPPER: Form = { about: 'The text is uppercase.', never: /\p{Ll}/u, fix: upper }
/** The form of the results of `sha256()` and others. */
export const HEX: Form = { about: 'Hashes are lowercase.', never: /[A-Z]/, fix: lower }

/** The methods of HTTP and WebDAV that have a name that could be misspelled. */
const METHODS: readonly string[] =
  'CONNECT COPY DELETE HEAD LOCK MKCOL MOVE OPTIONS PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REPORT SEARCH TRACE UNLOCK'.split(
    ' ',
  )
const nearestMethod = (text: string) =>
  text === 'UPDATE' ? 'PUT' : /^[A-Z]+$/.test(text) ? nearest(text, METHODS) : undefined
export const METHOD: Form = {
  about: 'Methods are uppercase.',
  isOpen: true,
  whole: { test: (text) => METHODS.includes(text) || nearestMethod(text) === undefined },
  never: /[a-z]/,
  fix: (text) => (METHODS.includes(upper(text)) ? upper(text) : (nearestMethod(text) ?? upper(text))),
}
export const SCHEMES = ['http', 'https']
export const PROTOCOLS_OF_ENDPOINTS = ['http', 'https', 'tcp', 'tls']
export const URL_TEXT: Form = { about: 'A URL begins with its scheme.', start: /^https?(?::|$)/ }
export const PATH: Form = {
  about: 'A path begins with a slash, and has no query.',
  start: /^\//,
  never: /[?#]/,
  fix: (text) => text.replace(/^(?!\/)/, '/').replace(/[?#].*$/, ''),
}
export const URI: Form = { about: 'It begins with a slash.', start: /^\//, fix: (text) => `/${text}` }
export const HOST: Form = {
  about: 'It is a lowercase host name, without a scheme, a port, or a path.',
  never: /[A-Z/?]|:\d+$/,
  fix: (text) => lower(text).replace(/^[a-z]+:\/\/|(?::\d+)?(?:[/?].*)?$/g, ''),
}
export const HOST_HEADER: Form = {
  about: 'It is a host name, without a scheme or a path.',
  never: /[/?]/,
  fix: (text) => text.replace(/^[a-z]+:\/\/|[/?].*$/gi, ''),
}
export const QUERY: Form = {
  about: 'It has no leading question mark.',
  start: /^(?!\?)/,
  fix: (text) => text.slice(1),
}
export const VERSION: Form = {
  about: 'It is a string such as HTTP/1.1 or HTTP/2.0.',
  whole: /^HTTP\/\d\.\d$/,
  fix: (text) => text.replace(/^(?:https?\/)?(\d)(?:\.(\d))?$/i, (_, major, minor = 0) => `HTTP/${major}.${minor}`),
}
export const MEDIA_TYPE: Form = {
  about: 'It is a lowercase media type, without parameters.',
  whole: /^[^/]+\/[^/]+$/,
  never: /[A-Z;]/,
  fix: (text) => lower(text).replace(/\s*;.*$/, ''),
}
/** The ISO 3166-1 country codes, and XK for Kosovo, which does not have one. */
const COUNTRY_CODES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
  'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
  'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
  'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
  'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
  'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW ' +
  'XK'
).split(' ')
export const COUNTRY_CODE: Form = {
  about: 'It is an uppercase ISO 3166-1 country code.',
  whole: { test: (text) => COUNTRY_CODES.includes(text) },
  never: /[^A-Z]/,
  fix: (text) => (/^uk$/i.test(text) ? 'GB' : upper(text)),
}
const CONTINENTS: readonly string[] = [
  'Africa',
  'Antarctica',
  'Asia',
  'Europe',
  'North America',
  'Oceania',
  'South America',
]
export const CONTINENT: Form = {
  about: `It is ${CONTINENTS.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.`,
  whole: { test: (text) => CONTINENTS.includes(text) },
  fix: (text) => nearest(text, CONTINENTS) ?? text,
}
export const CATEGORY: Form = {
  about: "The variable's documentation page lists the categories.",
  isOpen: true,
  whole: { test: isCategory },
  fix: (text) => nearestCategory(text) ?? text,
}
export const PLACE_NAME: Form = { about: 'It is an English name, not a code.', whole: /^(?![A-Z]{2,3}$)/ }
export const IP: Form = { about: 'It is a numeric address.', whole: /:|^\d+\.\d+\.\d+\.\d+(?:\/|$)/ }
export const TLS_VERSION: Form = {
  about: 'It is a string such as 1.2 or 1.3.',
  whole: /^1\.\d$/,
  fix: (text) => text.replace(/^TLS ?v?/i, ''),
}
export const ENDPOINT_ID: Form = { about: 'The ID of an endpoint begins with ep_.', start: /^ep(?:_|$)/ }
export const ERROR_CODE: Form = {
  about: 'It is a string such as ERR_NGROK_3807.',
  start: /^ERR/,
  fix: (text) => text.replace(/^(?=\d+$)/, 'ERR_NGROK_'),
}

/** The minimum and maximum number that a variable can have or a function can return. */
export const RANGES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  'res.status_code': [100, 999],
  'conn.client_port': [0, 65_535],
  'conn.server_port': [0, 65_535],
  'endpoint.port': [0, 65_535],
  'req.url.port': [0, 65_535],
  // A random number that covers all traffic, or none, is not a mistake.
  'rand.double': [-Number.EPSILON, 1 + Number.EPSILON],
  size: [0, Number.POSITIVE_INFINITY],
  getDate: [1, 31],
  getDayOfMonth: [0, 30],
  getDayOfWeek: [0, 6],
  getDayOfYear: [0, 365],
  getHours: [0, 23],
  getMilliseconds: [0, 999],
  getMinutes: [0, 59],
  getMonth: [0, 11],
  getSeconds: [0, 59],
}
