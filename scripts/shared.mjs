// Steps that scripts share.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The program of vitest, for any Node. */
export const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/** Returns whether a command ends well. */
export const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** Runs a program in a folder. Returns its output; throws where it fails. */
export const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

export const install = (folder, ...packages) =>
  run(folder, 'npm', 'install', '--silent', '--no-fund', '--no-audit', ...packages)

/** Packages with the versions that this repository has of them. */
export function asHere(...names) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return names.map((name) => `${name}@${devDependencies[name]}`)
}

/** Does some work in an empty project that has the packed package, and removes it. Needs `npm run build`. */
export async function withPackage(work) {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await work(folder, pack(folder))
  })
}

/** Does some work in an empty folder, and removes it. */
export async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-check-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Packs the package into a folder. Returns the path of the tarball. */
export function pack(folder) {
  run(root, 'npm', 'pack', '--silent', '--pack-destination', folder)
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  )
}
