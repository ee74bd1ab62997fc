// Runs every example and fails with the first one that fails. Those with packages of their own are run by
// scripts/run-packed-examples.mjs.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInLanguage, runInLanguage } from './run-in-language.mjs'

const folder = fileURLToPath(new URL('../examples/', import.meta.url))
const require = createRequire(import.meta.url)
const programOf = (name) => join(dirname(require.resolve(`${name}/package.json`)), 'bin', `${name}.js`)

const vitest = [join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs'), 'run', '--root', '.']

/** What runs the examples that are folders. */
const runners = {
  'msw-migration': vitest,
  jest: [programOf('jest'), '--rootDir', '.'],
  'node-test': ['--test'],
  vitest,
}

for (const name of readdirSync(folder)) {
  if (existsSync(join(folder, name, 'package.json'))) continue
  if (isInLanguage(name)) {
    console.log(`-- ${name}`)
    if (!runInLanguage(name)) process.exit(1)
    continue
  }
  const run = name.endsWith('.mjs') ? { args: [name], cwd: folder } : { args: runners[name], cwd: join(folder, name) }
  if (!run.args) throw new Error(`Nothing runs examples/${name}. Add it to the runners of scripts/run-examples.mjs.`)
  console.log(`-- ${name}`)
  const { status } = spawnSync(process.execPath, run.args, { cwd: run.cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
