import punycode from 'punycode.js'

/**
 * Returns whether the text after `xn--`, in lower case, is the Punycode of a text with letters other than ASCII (RFC 3492).
 * The URL parser also checks this, but its strictness differs between versions of Node.
 */
export function isPunycode(encoded: string): boolean {
  try {
    const text = punycode.decode(encoded)
    return /\P{ASCII}/u.test(text) && !/\p{Surrogate}/u.test(text) && punycode.encode(text) === encoded
  } catch {
    return false
  }
}
