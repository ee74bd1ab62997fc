import { Refusal } from '../../core/schema/errors.ts'
import { isPunycode } from '../../core/schema/punycode.ts'
import { quote } from '../../core/schema/text.ts'
import { ipBytes } from '../x509/ip.ts'
import { readCertificates, readKey } from '../x509/uploads.ts'
import type { Format } from './action.ts'
import { HEADER_NAME, MAX_HEADER_VALUE } from './headers.ts'
import { patternProblem } from './pattern.ts'

interface FormatProblem {
  readonly number: number
  /** The part of the message after the location of the value, without secrets. */
  readonly what: string
}

/** Returns the problem with a string that does not match its format. */
export function formatProblem(format: Format, text: string): FormatProblem | undefined {
  return CHECKS[format](text)
}

const CHECKS: Readonly<Record<Format, (text: string) => FormatProblem | undefined>> = {
  cidr(text) {
    const [address = '', length, ...rest] = text.split('/')
    const bytes = ipBytes(address)
    const isRange =
      length !== undefined && /^(0|[1-9]\d{0,2})$/.test(length) && Number(length) <= (bytes?.length ?? 0) * 8
    if (bytes && isRange && rest.length === 0) return undefined
    const hint = bytes && length === undefined ? ` Did you mean "${text}/${bytes.length * 8}"?` : ''
    return { number: 2217, what: `is ${quote(text)}.${hint} Allowed: a CIDR range, such as "203.0.113.0/24"` }
  },
  'cookie-name'(text) {
    if (HEADER_NAME.test(text)) return undefined
    return {
      number: 2222,
      what: `is ${quote(text)}. Allowed: letters, digits, and characters such as "-", because it is part of a cookie name`,
    }
  },
  credentials: credentialsProblem,
  domain(text) {
    const labels = text.replace(/^\./, '').split('.')
    const allowed = 'Allowed: a domain name, such as "example.com"'
    if (labels.length < 2 || text.length > 253 || !labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i.test(label)))
      return { number: 2243, what: `is ${quote(text)}. ${allowed}` }
    const wrong = labels.find((label) => /^xn--/i.test(label) && !isPunycode(label.slice(4).toLowerCase()))
    return wrong === undefined
      ? undefined
      : { number: 2242, what: `is ${quote(text)}, but ${quote(wrong)} is not Punycode. ${allowed}` }
  },
  'header-value'(text) {
    if (text.length > MAX_HEADER_VALUE) {
      return { number: 2209, what: `is ${text.length} characters long. The maximum is ${MAX_HEADER_VALUE}` }
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: headers take no control characters but tabs
    if (!/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text)) return undefined
    return { number: 2211, what: `is ${quote(text)}. Allowed: no line breaks and no other control characters` }
  },
  pattern(text) {
    const problem = patternProblem(text)
    return problem === undefined
      ? undefined
      : { number: 2261, what: `is ${quote(text)}, which is not an RE2 pattern: ${problem}` }
  },
  certificate: (text) => pemProblem('certificate', () => readCertificates(text)),
  'certificate-or-id': (text) =>
    text.includes('-----BEGIN') ? pemProblem('certificate', () => readCertificates(text)) : undefined,
  'private-key': (text) => pemProblem('private key', () => readKey(text)),
  printable(text) {
    return /^[\x20-\x7e]*$/.test(text)
      ? undefined
      : { number: 2222, what: `is ${quote(text)}. Allowed: printable ASCII characters` }
  },
  'query-value': () => undefined,
  url(text) {
    if (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+/i.test(text) && !/\s/.test(text) && URL.canParse(text)) return undefined
    return {
      number: 2226,
      what: `is ${quote(text)}. Allowed: a URL that includes the scheme, such as "https://api.internal"`,
    }
  },
}

/** Returns the problem with a string that cannot be read as PEM. It does not repeat any part of a key. */
function pemProblem(what: string, read: () => unknown): FormatProblem | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const begin = `-----BEGIN ${what.toUpperCase()}-----`
    return { number: 2228, what: `cannot be read as a ${what}. Allowed: PEM, which begins with "${begin}"` }
  }
}

/** The character that replaces a `${…}` while credentials are checked. It does not occur in any text. */
const HOLE = '\uffff'

/** Checks credentials (RFC 7617, section 2.1). The value of a part with `${` is known only when the policy runs. */
function credentialsProblem(text: string): FormatProblem | undefined {
  if (/^\$\{[^}]*\}$/.test(text)) return undefined
  const plain = text.replace(/\$\{[^}]*\}/g, HOLE)
  const colon = plain.indexOf(':')
  if (colon < 0) return { number: 2222, what: 'does not contain a colon. Allowed: user:password' }
  const [user, password] = [plain.slice(0, colon), plain.slice(colon + 1)]
  if (!user.includes(HOLE) && hasControl(user)) return { number: 2257, what: 'has a user name with control characters' }
  if (password.includes(HOLE)) return undefined
  if (password.length < 8)
    return { number: 2237, what: `has a password that is ${password.length} characters long. The minimum is 8` }
  if (password.length > 128)
    return { number: 2221, what: `has a password that is ${password.length} characters long. The maximum is 128` }
  return hasControl(password) ? { number: 2258, what: 'has a password with control characters' } : undefined
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 7617 forbids them
  return /[\u0000-\u001f\u007f]/.test(text)
}
