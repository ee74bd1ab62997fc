import ipaddr from 'ipaddr.js'
import { EvaluationProblem } from './values.ts'

/** Returns whether a range of addresses has an address, such as `203.0.113.0/24`. @throws EvaluationProblem */
export function isInRange(address: string, range: string): boolean {
  if (!ipaddr.isValid(address)) throw new EvaluationProblem('the address is no IP address')
  if (!ipaddr.isValidCIDR(range)) throw new EvaluationProblem('the range is no range of addresses')
  const [ip, [network, bits]] = [ipaddr.process(address), ipaddr.parseCIDR(range)]
  // The range of IPv4 addresses in IPv6 has 96 bits before theirs.
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96)
    return ip.kind() === 'ipv4' && ip.match(network.toIPv4Address(), bits - 96)
  return ip.kind() === network.kind() && ip.match(network, bits)
}

/** Returns whether an address is one of a private network. */
export function isPrivate(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  return ['private', 'loopback', 'linkLocal', 'uniqueLocal'].includes(ipaddr.process(address).range())
}
