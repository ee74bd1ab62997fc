import { bytesToHex } from '@noble/hashes/utils.js'

/** Formats an address of 4 or 16 bytes: dotted for IPv4, RFC 5952 for IPv6. Returns undefined for any other length. */
export function formatIp(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return undefined
  const isIpv4Mapped = bytes.subarray(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 0xff))
  if (isIpv4Mapped) return `::ffff:${bytes.subarray(12).join('.')}`
  const groups = bytesToHex(bytes).match(/.{4}/g) ?? []
  // `URL` shortens addresses according to RFC 5952.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}

/** Returns the 4 or 16 bytes of an IPv4 or IPv6 address, or undefined for any other string, including an address with a zone (`%eth0`). */
export function ipBytes(text: string): Uint8Array | undefined {
  return text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text)
}

function ipv4Bytes(text: string): Uint8Array | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined
  const numbers = text.split('.').map(Number)
  // Some programs read a number with a leading 0 as octal.
  return numbers.every((number) => number < 256) && numbers.join('.') === text ? Uint8Array.from(numbers) : undefined
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined
  // `URL` writes addresses in groups of hex digits, with at most one "::".
  const [start = '', end = ''] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::')
  const [firstGroups, lastGroups] = [parseGroups(start), parseGroups(end)]
  const zeros = Array<number>(8 - firstGroups.length - lastGroups.length).fill(0)
  const groups = [...firstGroups, ...zeros, ...lastGroups]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

function parseGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
