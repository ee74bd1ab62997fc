import ipaddr from 'ipaddr.js'
import { ipBytes } from '../../x509/ip.ts'
import { EvaluationProblem } from './values.ts'

/** Returns whether a CIDR range, such as `203.0.113.0/24`, contains an address. @throws EvaluationProblem if the range is not valid */
export function isInRange(address: string, range: string): boolean {
  const ip = readAddress(address)
  if (!ip) throw new EvaluationProblem('the address is not an IP address')
  if (!ipaddr.isValidCIDR(range)) return false
  const [network, bits] = ipaddr.parseCIDR(range)
  // The range of IPv4 addresses in IPv6 has 96 bits before theirs.
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96)
    return ip.kind() === 'ipv4' && ip.match(network.toIPv4Address(), bits - 96)
  return ip.kind() === network.kind() && ip.match(network, bits)
}

/**
 * Returns the narrowest range that contains an address, which determines the result. To reach a wider range, a test needs an address that
 * only the wider range contains.
 */
export function listNarrowest<Range>(all: readonly Range[], textOf: (range: Range) => string): readonly Range[] {
  const bitsOf = (range: Range) => Number(textOf(range).split('/')[1])
  const most = Math.max(...all.map(bitsOf))
  return all.filter((range) => bitsOf(range) === most)
}

/** Returns whether an address is in one of the private networks of RFC 1918. */
export function isPrivate(address: string): boolean {
  return readAddress(address)?.range() === 'private'
}

/** Returns an address, or undefined for any other string. ipaddr.js would read `::10.1.2.3` as IPv4, and `012` as octal. */
function readAddress(text: string) {
  const bytes = ipBytes(text)
  if (!bytes) return undefined
  const ip = ipaddr.fromByteArray([...bytes])
  return ip instanceof ipaddr.IPv6 && ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip
}
