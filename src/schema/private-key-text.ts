/** What stands in the place of a secret. */
export const REDACTED = '[redacted]'

/** What every sign of a private key has, and every escape: a quick look that most texts pass. */
const SUSPICIOUS = /-[\sBEbe]|M[A-I]|LS0tL|[%\\]/

/** Escapes on top of each other that are undone before a text counts as clean. */
const MOST_LAYERS = 4

/** Where a private key begins in PEM, in whatever case and however its words are spaced. */
const BEGIN = /-{1,5}\s{0,2}BEGIN[^-]{0,60}?PRIVATE[^A-Z]{0,3}KEY/i
const END = /-\s{0,2}END[^-]{0,60}?PRIVATE[^A-Z]{0,3}KEY/i

/**
 * Where one begins in base64 without its BEGIN line: a SEQUENCE whose first member is the version 0 or 1, which PKCS#8,
 * PKCS#1 and SEC1 keys are and certificates are not; or a whole PEM text, other than a certificate, in base64.
 */
const BASE64 =
  /(?:M[A-H][AEIMQUYcgkosw048]CAQ[AE]|MI[E-H][\w+/-]AgE[AB]|MI[I-L][\w+/-]{2}[AQgw]IBA|LS0tLS1CRUdJTiB(?!DRVJU))[\w+/-]{12}/

const ESCAPE = /(?:%[0-9a-f]{2})+|\\(?:u[0-9a-f]{4}|[^u])/gi

/** Whether a text may hold a private key, in escapes or not. */
export function maySayPrivateKey(text: string): boolean {
  return SUSPICIOUS.test(text)
}

/**
 * A text without the private keys in it: from where one begins, nothing is left. Keys are found in PEM and in base64,
 * also where the text has percent or backslash escapes.
 */
export function withoutPrivateKeys(text: string): string {
  if (!maySayPrivateKey(text)) return text
  const begin = Math.min(placeOf(BEGIN, text), placeOf(BASE64, text))
  // An END line closes a key whose beginning is missing: then all of it may be the key.
  if (placeOf(END, text) < begin) return REDACTED
  return begin === Number.POSITIVE_INFINITY ? text : text.slice(0, begin) + REDACTED
}

/** Whether a text shows no private key; then it may stand where everybody can read it. */
export function showsNoPrivateKey(text: string): boolean {
  return withoutPrivateKeys(text) === text
}

function placeOf(sign: RegExp, text: string): number {
  const place = text.search(sign)
  return place === -1 ? Number.POSITIVE_INFINITY : place
}

/**
 * What a text says when its percent and backslash escapes are undone, layer by layer. Empty where it has none.
 */
export function* readings(text: string): Generator<string> {
  let plain = text
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const next = plain.replace(ESCAPE, unescaped)
    if (next === plain) return
    yield next
    plain = next
  }
}

function unescaped(sequence: string): string {
  if (sequence.startsWith('%')) return percentDecoded(sequence)
  if (sequence.length > 2) return String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
  // What "\n" and the like stand for is no part of any secret's line.
  return sequence.slice(1)
}

/** Bytes that are not UTF-8 stay as they are; the ASCII ones among them are read all the same. */
function percentDecoded(bytes: string): string {
  try {
    return decodeURIComponent(bytes)
  } catch {
    return bytes.replace(/%[0-7][0-9a-f]/gi, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16)))
  }
}
