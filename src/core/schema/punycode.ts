import punycode from 'punycode.js'

/**
 * Returns whether the text after `xn--`, in lowercase, is the Punycode form of a string with non-ASCII letters (RFC 3492). The URL parser
 * also checks this, but its strictness differs between versions of Node.
 */
export function isPunycode(encoded: string): boolean {
  try {
    const text = punycode.decode(encoded)
    return /\P{ASCII}/u.test(text) && !/\p{Surrogate}/u.test(text) && punycode.encode(text) === encoded
  } catch {
    return false
  }
}

/**
 * Converts a name to its Punycode form for DNS. Returns undefined if the name contains only ASCII characters. It does not check whether a
 * registry would accept the name.
 */
export function toPunycode(name: string): string | undefined {
  if (/^\p{ASCII}*$/u.test(name) || /\p{Surrogate}/u.test(name)) return undefined
  // Three other kinds of dots also separate labels (RFC 3490, 3.1).
  const labels = name
    .normalize('NFKC')
    .toLowerCase()
    .split(/[.\u3002\uff0e\uff61]/)
  return labels.map((label) => (/^\p{ASCII}*$/u.test(label) ? label : `xn--${punycode.encode(label)}`)).join('.')
}
