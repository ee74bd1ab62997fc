import { toBytes } from '../x509/bytes.ts'

/** The parts of a key after the name of its algorithm. Each is given by its minimum and maximum length in bytes, or is a fixed string. */
const PARTS: Readonly<Record<string, readonly (string | readonly [number, number])[]>> = {
  'ssh-ed25519': [[32, 32]],
  // The exponent, and a modulus of 1024 bits, the minimum of OpenSSH, to 16384.
  'ssh-rsa': [
    [1, 8],
    [129, 2049],
  ],
  'ecdsa-sha2-nistp256': ['nistp256', [65, 65]],
  'ecdsa-sha2-nistp384': ['nistp384', [97, 97]],
  'ecdsa-sha2-nistp521': ['nistp521', [133, 133]],
}

/** The public key algorithms. */
export const ALGORITHMS = Object.keys(PARTS)

/**
 * Returns the key material, in base64, of a public key in OpenSSH's form, `algorithm base64 comment`. The same key always has the same
 * material. Returns undefined for any other form, or if the material is not a key of the algorithm (RFC 4253, 6.6; RFC 5656, 3.1; RFC 8709,
 * 4).
 */
export function keyMaterial(line: string): string | undefined {
  const [, algorithm = '', base64 = ''] = /^(\S+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t][^\r\n]*)?\r?\n?$/.exec(line) ?? []
  const expected = Object.hasOwn(PARTS, algorithm) ? PARTS[algorithm] : undefined
  if (!expected || base64.length % 4 !== 0) return undefined
  const bytes = atob(base64)
  const parts = splitParts(bytes)
  const isKey =
    parts?.length === expected.length + 1 && [algorithm, ...expected].every((each, i) => fits(parts[i], each))
  return isKey && btoa(bytes) === base64 ? base64 : undefined
}

function fits(part = '', expected: string | readonly [number, number]): boolean {
  if (typeof expected === 'string') return part === expected
  const [fewest, most] = expected
  return part.length >= fewest && part.length <= most
}

/** Splits bytes into parts, each preceded by its length in four bytes. Returns undefined if the last one is cut off. */
function splitParts(bytes: string): string[] | undefined {
  const parts: string[] = []
  let at = 0
  while (at < bytes.length) {
    const [a = 0, b = 0, c = 0, d = 0] = [...bytes.slice(at, at + 4)].map((each) => each.charCodeAt(0))
    const end = at + 4 + a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
    if (end > bytes.length) return undefined
    parts.push(bytes.slice(at + 4, end))
    at = end
  }
  return parts
}

/**
 * Reads a public key in OpenSSH's form that {@link keyMaterial} accepts. Returns its algorithm, and its bytes, which include the
 * algorithm's name.
 */
export function readPublicKey(line: string): { readonly algorithm: string; readonly blob: Uint8Array } {
  const [algorithm = ''] = line.split(/[ \t]/, 1)
  return { algorithm, blob: toBytes(atob(keyMaterial(line) ?? '')) }
}

/** Returns the key type of an algorithm, such as `ecdsa` for `ecdsa-sha2-nistp256`. */
export function keyTypeOf(algorithm: string): 'rsa' | 'ecdsa' | 'ed25519' {
  if (algorithm.startsWith('ecdsa')) return 'ecdsa'
  return algorithm === 'ssh-rsa' ? 'rsa' : 'ed25519'
}
