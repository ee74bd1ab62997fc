/** Programs and features that some tests need and not every machine has: in the names of those tests, and at a run's end. */
export const REQUIREMENTS = {
  'openssl is missing': 'OpenSSL 3 or newer is missing: the command openssl.',
  'node:sqlite is missing': 'this Node has no SQLite: 22.13 and newer have node:sqlite.',
  'no disk can be mounted': 'no disk can be mounted here: Linux lets its root do so.',
  'no network of its own can be made': 'no network of its own can be made here: Linux lets its root do so.',
  'curl is missing': 'the command curl is missing.',
} as const

/** The name of tests that something is needed for; where they are left out, it says why, so that a run's end can count them. */
export function titleWithRequirement(name: string, isThere: boolean, missing: keyof typeof REQUIREMENTS): string {
  return isThere ? name : `${name} (left out: ${missing})`
}
