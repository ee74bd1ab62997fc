import { EvaluationProblem } from '../service/policy/cel/values.ts'
import type { HeaderFields } from '../service/policy/visit.ts'

/** Matches strings that are identical to their bytes, as most values are. */
const PLAIN = /^[\t\x20-\x7e]*$/
/** Matches characters that are not allowed in header values (RFC 9110, section 5.5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x08\n-\x1f\x7f]/

/** Matches values of the Host header (RFC 3986, section 3.2.2). An empty value does not name a host. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(:\d*)?$/i

/**
 * Returns a policy string as a header value, in UTF-8. Node and `fetch` use one character per byte. @throws EvaluationProblem if it is not
 * a valid header value (rules: traffic#header-values)
 */
export function toFieldValue(name: string, text: string): string {
  if (name.toLowerCase() === 'host' && !AUTHORITY.test(text))
    throw new EvaluationProblem('the host header is not a valid host')
  if (PLAIN.test(text)) return text
  const [found] = CONTROL.exec(text) ?? []
  if (found !== undefined) {
    const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    // The value may be a secret.
    throw new EvaluationProblem(`the value of the ${name} header contains the control character U+${code}`)
  }
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

/** Returns a received value as text. Each byte that isn't valid UTF-8 becomes one character. */
export function toFieldText(value: string): string {
  if (PLAIN.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(value, (each) => each.charCodeAt(0)))
  } catch {
    return value
  }
}

/** Returns each header's values as strings, by name. */
export function listTexts(headers: Pick<HeaderFields, 'toLists'>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers.toLists()).map(([name, values]) => [name, values.map(toFieldText)]))
}
