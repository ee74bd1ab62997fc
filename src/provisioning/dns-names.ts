const LONGEST_NAME = 253
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(`^(\\*\\.)?(${LABEL}\\.)*${LABEL}$`)
const ADDRESS_END = /(^|\.)\d+$/

/**
 * A name as it is kept and looked up: case and a trailing dot do not matter (rules: simulated-dns#names). Only the
 * letters A to Z have case here; others that turn into a to z in lower case are other letters.
 */
export function normalName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/\.$/, '')
}

/** Whether a normal name can stand in the zone, underscores and one leading `*` label included; an address cannot. */
export function isDnsName(name: string): boolean {
  return name.length <= LONGEST_NAME && NAME.test(name) && !ADDRESS_END.test(name)
}
