const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const LOOPBACK_IPV4 = new RegExp(`^127(\\.${OCTET}){3}$`)
/** In the normal form of a URL: ::1, or an IPv4 address of this machine in IPv6's clothes. */
const LOOPBACK_IPV6 = /^\[::(1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\]$/

/** Whether a text is an address by which a machine reaches itself: 127.0.0.0/8, ::1, or ::ffff:127.0.0.0/104. */
export function isLoopbackAddress(text: string): boolean {
  return LOOPBACK_IPV4.test(text) || (/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) && LOOPBACK_IPV6.test(normalIpv6(text)))
}

function normalIpv6(text: string): string {
  try {
    return new URL(`http://[${text}]`).hostname
  } catch {
    return ''
  }
}
