const LONGEST_NAME = 253
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(\\*\\.)?(${LABEL}\\.)*${LABEL}$`)
const ADDRESS_END = /(^|\.)\d+$/
const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^(${BYTE}\\.){3}${BYTE}$`)

/**
 * A name as it is kept and looked up: case and a trailing dot do not matter (decisions, "Simulated DNS"). Only the
 * letters A to Z have case here; others that turn into a to z in lower case are other letters.
 */
export function normalName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '')
}

/** Whether a normal name can stand in the zone, underscores and one leading `*` label included; an address cannot. */
export function isDnsName(name: string): boolean {
  return name.length <= LONGEST_NAME && NAME.test(name) && !ADDRESS_END.test(name)
}

/** Whether a text is an IPv4 address. */
export function isIpv4(text: string): boolean {
  return IPV4.test(text)
}
