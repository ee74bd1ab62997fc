// Steps that scripts share.
import { execFileSync, execSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The program of vitest, which any version of Node can run. */
export const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/** Returns whether a command ends with the exit code 0. */
export const succeeds = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** Runs a program in a folder, and returns its output. Throws if the program fails. */
export const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Returns when a file was changed, in ms; 0 if it does not exist. */
export const findModifiedTime = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)

/**
 * Installs the packages in the lock file of a folder, unless they are there. It does not use `npm ci`, which would delete
 * installed packages, or a linked node_modules.
 */
export function installLocked(folder) {
  const installed = findModifiedTime(join(folder, 'node_modules/.package-lock.json'))
  if (installed >= findModifiedTime(join(folder, 'package-lock.json'))) return
  const command = 'npm install --no-save --no-fund --no-audit --loglevel=error'
  execSync(command, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
}

export const install = (folder, ...packages) =>
  run(folder, 'npm', 'install', '--silent', '--no-fund', '--no-audit', ...packages)

/** Returns the names of packages, each with the version that this repository uses. */
export function withVersions(...names) {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).devDependencies
  const versions = { ...read('tools/package.json'), ...read('package.json') }
  return names.map((name) => `${name}@${versions[name]}`)
}

/** Runs work in an empty project, with the path of the packed package. Then removes it. Needs `npm run build`. */
export async function withPackage(work) {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await work(folder, pack(folder))
  })
}

/** Runs work in an empty folder, and removes the folder. */
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
