/** Programs and features that some tests need and not every machine has. A run prints the missing ones at its end. */
export const REQUIREMENTS = {
  'openssl is missing': 'OpenSSL 3 or newer is missing: the command openssl.',
  'node:sqlite is missing': 'this Node has no SQLite: 22.13 and newer have node:sqlite.',
  'no disk can be mounted': 'no disk can be mounted here: Linux lets its root do so.',
  'no network of its own can be made': 'no network of its own can be made here: Linux lets its root do so.',
  'no full disk': 'this machine has no /dev/full: Linux has it.',
  'curl is missing': 'the command curl is missing.',
  'no IPv6': 'this machine has no IPv6: nothing can listen at ::1.',
  'no address that others reach': 'this machine has no IPv4 address but its loopback.',
} as const

/** Returns the title of tests that need something. If it is missing, the title says so, and the run's end counts the tests. */
export function titleWithRequirement(name: string, isThere: boolean, missing: keyof typeof REQUIREMENTS): string {
  return isThere ? name : `${name} (left out: ${missing})`
}
