import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { blocksOf } from '../service/x509/support.ts'
import { titleWithRequirement } from './requirements.ts'

/** True if OpenSSL 3 is installed, not LibreSSL. Without it `npm test` leaves out tests, and `.ci/run` fails. */
const hasOpenssl = /^OpenSSL ([3-9]|\d\d)/.test(String(spawnSync('openssl', ['version']).stdout))

const titleOf = (name: string) => titleWithRequirement(name, hasOpenssl, 'openssl is missing')

/** A `describe` of tests that use openssl, left out where it is missing. */
export function describeOpenssl(name: string, tests: () => void): void {
  describe.runIf(hasOpenssl)(titleOf(name), tests)
}

type Each = (cases: readonly unknown[]) => (name: string, run: (...values: unknown[]) => void) => void

const each: Each = (cases) => (name, run) => test.runIf(hasOpenssl).each(cases)(titleOf(name), run)

/** A `test`, or `test.each`, that uses openssl, left out where it is missing. */
export const testOpenssl = Object.assign(
  (name: string, run: () => void | Promise<void>) => test.runIf(hasOpenssl)(titleOf(name), run),
  // The type of vitest's own `each` knows the arguments of each case.
  { each: each as typeof test.each },
)

/** Runs openssl in a folder with these files. Returns its exit status and its output. */
export function openssl(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): { readonly status: number | null; readonly output: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'fauxgate-x509-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
    const { status, stdout, stderr, error } = spawnSync('openssl', args, { cwd, encoding: 'utf8' })
    if (error) throw new Error('This test needs the command "openssl" (3.0 or later) on the PATH.', { cause: error })
    return { status, output: stdout + stderr }
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

/** Returns the output of `openssl verify -x509_strict` for an issued chain, at a time in epoch ms. */
export function verifyChain(root: string, chain: string, at: number, ...args: readonly string[]) {
  const [leaf = '', ...others] = blocksOf(chain)
  const files = { 'root.pem': root, 'leaf.pem': leaf, 'others.pem': others.join('') }
  const time = String(Math.floor(at / 1000))
  const trust = [
    '-no-CApath',
    '-no-CAstore',
    '-CAfile',
    'root.pem',
    ...(others.length > 0 ? ['-untrusted', 'others.pem'] : []),
  ]
  return openssl(files, 'verify', '-x509_strict', '-attime', time, ...args, ...trust, 'leaf.pem')
}
